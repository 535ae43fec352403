// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loop of every rank but the first: runs its chunk of each launch, and answers fetches.
#pragma once

#include "runtime/protocol/job.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using exec::Launch;
using exec::Progress;
using protocol::Job;
using protocol::JobSetup;
using protocol::RegionOf;

/// Runs the tasks that rank 0 gives to this rank.
class TaskHost {
public:
  TaskHost() = default;
  TaskHost(const TaskHost &) = delete;
  TaskHost &operator=(const TaskHost &) = delete;
  virtual ~TaskHost() = default;

  /// How a task went.
  struct Ended {
    std::uint32_t workers;
    double seconds;
    std::vector<std::byte> results;
  };

  /// Starts what a launch has brought; `whenEnded` is called when it and all that it has made is
  /// over, by any thread.
  virtual void start(std::span<const std::byte> parcel,
                     std::function<void(Ended ended)> whenEnded) = 0;
};

/// Threading: confined to the process's main thread.
class Worker {
public:
  Worker(JobSetup setup, RegionOf regionOf, TaskHost &tasks)
      : job_(std::move(setup)), regionOf_(regionOf), tasks_(tasks) {}

  /// Returns when rank 0 has ended the job and this rank has left it.
  void run();

private:
  void runLaunch(Progress::Lock &lock, const Launch &launch) TUTTI_IN_TURN;
  void waitForTasks(Progress::Lock &lock, const exec::Plan &plan) TUTTI_IN_TURN;
  void startTask(Progress::Lock &lock, const Launch &launch, const exec::Plan &plan) TUTTI_IN_TURN;

  Job job_;
  RegionOf regionOf_;
  TaskHost &tasks_;
};

} // namespace tutti::model::forkjoin
