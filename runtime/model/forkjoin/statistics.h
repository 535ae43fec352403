// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What rank 0 counts of launches, and the report at the end.
#pragma once

#include "runtime/memory/faults.h"
#include "runtime/memory/protection.h"
#include "runtime/protocol/job.h"
#include "runtime/trace/counters.h"

#include <cstdint>
#include <string_view>

namespace tutti::model::forkjoin {

using protocol::Job;

/// Notes in `report` a launch that stays home.
void noteStaysHome(trace::RegionReport &report, std::string_view reason);

/// Threading: guarded by the lock of the job's progress.
class Statistics {
public:
  Statistics(Job &job, const memory::PageTable &pages) : job_(job), pages_(pages) {}

  /// Counts a launch, or one portion of it, that begins.
  void begins(const exec::Planner::Planned &planned, bool isPortion) TUTTI_IN_TURN {
    trace::Counters &counters = job_.counters;
    ++(planned.isKnown           ? counters.plansReused
       : planned.plan->isInPlace ? counters.plansInPlace
                                 : counters.plansMade);
    job_.counters.portions += isPortion ? 1 : 0;
  }

  /// Counts what it and the sequential code since the launch before have cost. Order: as it ends.
  void ends(bool isKnown) TUTTI_IN_TURN {
    const std::uint64_t faults = memory::faultCount();
    const std::uint64_t protections = pages_.protections();
    if (isKnown) {
      job_.counters.steadyFaults += faults - faultsBefore_;
      job_.counters.steadyProtections += protections - protectionsBefore_;
    }
    faultsBefore_ = faults;
    protectionsBefore_ = protections;
  }

  /// Counts of all ranks. Collective.
  trace::Report sum() TUTTI_IN_TURN;

private:
  void countRoutes(trace::Report &report) const;

  Job &job_;
  const memory::PageTable &pages_;
  std::uint64_t faultsBefore_ TUTTI_GUARDED_BY(exec::kTurn) = 0;
  std::uint64_t protectionsBefore_ TUTTI_GUARDED_BY(exec::kTurn) = 0;
};

} // namespace tutti::model::forkjoin
