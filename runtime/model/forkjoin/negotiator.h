// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Has all devices of the job make room for a launch, take memory and get its kernel ready, before
/// it is announced.
#pragma once

#include "base/result.h"
#include "runtime/exec/residency.h"
#include "runtime/model/forkjoin/decider.h"
#include "runtime/model/forkjoin/sequential_view.h"
#include "runtime/protocol/job.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using exec::Leaving;
using exec::Progress;
using protocol::KernelName;
using protocol::Reservation;

/// Threading: guarded by the lock of the job's progress.
class Negotiator {
public:
  Negotiator(Job &job, SequentialView &view, const Decider &decider)
      : job_(job), view_(view), decider_(decider), residency_(job.topology, job.rooms) {}

  const Residency &residency() const TUTTI_IN_TURN { return residency_; }

  /// Whether all devices have been ready for `plan` since it ran: nothing has left, and none needs
  /// more for it than its units.
  ///
  /// Cost: some comparisons.
  bool isReserved(const Plan &plan) const TUTTI_IN_TURN {
    return plan.merged.empty() && residency_.isRecent(plan);
  }

  /// What came of it.
  struct Outcome {
    Status status; ///< The first refusal. What was taken or loaded stays so in any case.
    bool hasWaited =
        false; ///< So other things may have happened: the plan has to be asked for again.
  };

  /// Reserves what `plan` of `launch` needs.
  Outcome reserve(Progress::Lock &lock, const Launch &launch,
                  const std::shared_ptr<const Plan> &plan) TUTTI_IN_TURN;

  /// Notes that the launch of `plan` begins. A new plan that is used like the latest changes
  /// nothing, and may be one of very many: it is noted when it comes again.
  void use(const std::shared_ptr<const Plan> &plan, bool isKnown) TUTTI_IN_TURN {
    if (isKnown || !residency_.isLikeLatest(*plan)) {
      residency_.use(plan);
    }
  }

private:
  std::vector<Reservation> kernelsFor(const Launch &launch, const Plan &plan) const TUTTI_IN_TURN;
  std::vector<Reservation> reservationsFor(const Launch &launch, const Plan &plan,
                                           const std::vector<Leaving> &leaving,
                                           const std::vector<Leaving> &lacking) TUTTI_IN_TURN;
  void release(const Leaving &leaving) TUTTI_IN_TURN;
  void evictOwn(Progress::Lock &lock, const std::vector<Leaving> &leaving) TUTTI_IN_TURN;
  Status commitOwn(const Plan &plan, const std::vector<Leaving> &lacking) TUTTI_IN_TURN;
  Status loadOwn(const Launch &launch, const Plan &plan) TUTTI_IN_TURN;
  Status awaitAnswers(Progress::Lock &lock, const std::vector<Reservation> &asked) TUTTI_IN_TURN;

  Job &job_;
  SequentialView &view_;
  const Decider &decider_;
  Residency residency_ TUTTI_GUARDED_BY(exec::kTurn);
  std::set<std::pair<Place, KernelName>>
      loaded_ TUTTI_GUARDED_BY(exec::kTurn); ///< Kernels that devices of other ranks have.
};

} // namespace tutti::model::forkjoin
