// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loop of every rank but the first: runs its chunk of each launch, and answers fetches.
#pragma once

#include "runtime/exec/job.h"

#include <span>
#include <utility>

namespace tutti::exec {

/// Threading: confined to the process's main thread.
class Worker {
public:
  Worker(JobSetup setup, RegionOf regionOf) : job_(std::move(setup)), regionOf_(regionOf) {}

  /// Returns when rank 0 has ended the job and this rank has left it.
  void run();

private:
  void runLaunch(Progress::Lock &lock, Reader &reader);
  void apply(Progress::Lock &lock, std::span<const memory::Event> events);
  bool hasServableFetch() const;
  void serveFetches(Progress::Lock &lock);
  bool hasServableReservation() const;
  void serveReservations();
  void bringToHost(Progress::Lock &lock, const RangeSet &ranges);

  Job job_;
  RegionOf regionOf_;
  Sequence finished_ = 0;
};

} // namespace tutti::exec
