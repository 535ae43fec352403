// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loop of every rank but the first: runs its chunk of each launch, and answers fetches.
#pragma once

#include "runtime/protocol/job.h"

#include <utility>

namespace tutti::model::forkjoin {

using exec::Launch;
using exec::Progress;
using protocol::Job;
using protocol::JobSetup;
using protocol::RegionOf;

/// Threading: confined to the process's main thread.
class Worker {
public:
  Worker(JobSetup setup, RegionOf regionOf) : job_(std::move(setup)), regionOf_(regionOf) {}

  /// Returns when rank 0 has ended the job and this rank has left it.
  void run();

private:
  void runLaunch(Progress::Lock &lock, const Launch &launch) TUTTI_IN_TURN;

  Job job_;
  RegionOf regionOf_;
};

} // namespace tutti::model::forkjoin
