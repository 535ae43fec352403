// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loop of every rank but the first: runs its chunk of each launch, and answers fetches.
#pragma once

#include "runtime/protocol/job.h"

#include <utility>

namespace tutti::model::forkjoin {

using exec::Progress;
using exec::Sequence;
using protocol::Job;
using protocol::JobSetup;
using protocol::Reader;
using protocol::RegionOf;
using protocol::Reservation;

/// Threading: confined to the process's main thread.
class Worker {
public:
  Worker(JobSetup setup, RegionOf regionOf) : job_(std::move(setup)), regionOf_(regionOf) {}

  /// Returns when rank 0 has ended the job and this rank has left it.
  void run();

private:
  void runLaunch(Progress::Lock &lock, Reader &reader);
  bool hasServableFetch() const;
  void serveFetches(Progress::Lock &lock);
  bool hasServableReservation() const;
  void serveReservations(Progress::Lock &lock);
  Status makeReady(const Reservation &wanted);
  void bringToHost(Progress::Lock &lock, const RangeSet &ranges);

  Job job_;
  RegionOf regionOf_;
  Sequence finished_ = 0;
  RangeSet rescued_; ///< On the host although the directory learns of it with the next launch.
};

} // namespace tutti::model::forkjoin
