// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether all places that a loop may run on are used, or only some of them: cores beside a device
/// cost what crosses between them at each launch, which nobody can tell before it was tried.
#pragma once

#include "runtime/balance/choice.h"
#include "runtime/exec/placement.h"
#include "runtime/memory/topology.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace tutti::model::forkjoin {

/// Loops of about the same length that may run on the same places and are launched in turn choose
/// together, as they are cut together: they work on the same data.
struct SharedChoice {
  std::vector<memory::Place> places;
  std::int64_t total; ///< Of the first loop.
  balance::Choice choice;
  std::int64_t launches = 0; ///< Of the loop that has been launched most often.
};

/// What a loop knows of its choice.
///
/// Threading: externally synchronised.
struct ChoiceHistory {
  SharedChoice *shared = nullptr;
  std::int64_t launches = 0;
};

/// Threading: externally synchronised.
class Alternatives {
public:
  explicit Alternatives(const memory::Topology &topology) : topology_(topology) {}

  /// What is known of a loop.
  struct Known {
    bool isSettled;      ///< Its cut is not being learned.
    double onHosts;      ///< Seconds that it takes on hosts alone; 0: nobody knows.
    std::int64_t period; ///< Launches that show all that a way costs.
  };

  /// A launch of a loop that may run on hosts and devices is about to begin; whether `tell` has to
  /// be called first.
  bool begins(ChoiceHistory &history, const exec::Placement &all, std::int64_t total,
              const Known &known);

  /// Tells the time when all launches before have ended. Units: seconds.
  void tell(double now);

  /// Takes out of `placement` what the present choice does not use.
  void restrict(const ChoiceHistory &mine, exec::Placement &placement) const;

  /// What one round of the loops that choose together takes; 0: that is not known. Units: seconds.
  struct Rounds {
    double all = 0;     ///< On all places,
    double devices = 0; ///< on devices alone,
    double hosts = 0;   ///< and on the cores, at least.
  };

  static Rounds rounds(const ChoiceHistory &mine);

  /// Whether the ways to run a loop are being tried.
  static bool isTrying(const ChoiceHistory &mine) {
    return mine.shared && mine.shared->choice.isTrying();
  }

  /// Whether what a launch takes is being measured for a choice.
  static bool isMeasuring(const ChoiceHistory &mine) {
    return mine.shared && mine.shared->choice.isMeasuring();
  }

private:
  SharedChoice &choiceFor(const exec::Placement &all, std::int64_t total);

  const memory::Topology &topology_;
  std::deque<SharedChoice> choices_; ///< Their addresses stay.
  SharedChoice *asked_ = nullptr;    ///< That the time is to be told.
  SharedChoice *trying_ = nullptr;   ///< One at a time: trials of two would disturb each other.
  std::int64_t waited_ = 0;          ///< Launches of others since one of its loops.
};

} // namespace tutti::model::forkjoin
