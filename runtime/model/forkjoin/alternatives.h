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
#include <optional>
#include <vector>

namespace tutti::model::forkjoin {

/// Loops of about the same length that may run on the same places and are launched in turn choose
/// together, as they are cut together: they work on the same data.
struct SharedChoice {
  std::vector<memory::Place> places;
  std::int64_t total; ///< Of the first loop.
  balance::Choice choice;
  std::int64_t launches = 0;        ///< Of the loop that has been launched most often.
  std::int64_t latest = 0;          ///< Launch of one of its loops, among all.
  bool isJoined = false;            ///< It has been tried together with others.
  bool isBegun = false;             ///< Ways are being tried, or have been.
  bool isScouted = false;           ///< It was asked what plans take.
  double planning = 0;              ///< What plans have taken since then. Units: seconds.
  balance::Choice *joint = nullptr; ///< That decides for it and others at present.
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
    bool isSettled;            ///< Its cut is not being learned.
    double onHosts;            ///< Seconds that it takes on hosts alone, at least; 0: nobody knows.
    std::int64_t period;       ///< Launches that show all that a way costs.
    double onDevices = 0;      ///< Seconds from one launch to the next while it ran on devices
                               ///< alone, before all places became candidates; 0: nobody knows.
    bool areCoresOfUse = true; ///< Beside devices.
    double suspectedOnHosts = 0; ///< Seconds that it may take on hosts alone; 0: nobody knows.
    double guessedOnHosts = 0;   ///< The same while its cut is being learned.
  };

  /// A launch of a loop that may run on hosts and devices is about to begin, and `begins` is to be
  /// called. Whether that has to be told what is known of the loop. `hasRunOnDevices`: the loop
  /// has, until all places became candidates.
  bool enters(ChoiceHistory &history, const exec::Placement &all, std::int64_t total,
              bool hasRunOnDevices);

  /// Whether `tell` has to be called before the launch. Order: `enters`.
  bool begins(ChoiceHistory &history, const std::optional<Known> &known);

  /// Whether a loop of this length that takes turns with others has just begun to choose, so that
  /// one which begins now chooses with it.
  bool hasJustBegun(std::int64_t total) const;

  /// Tells the time when all launches before have ended. Whether devices alone run the loops from
  /// now on, and hosts have had a part of them until then. Units: seconds.
  bool tell(double now);

  /// Notes a plan of a loop that later launches are expected to know: what making it has taken, and
  /// what such a plan takes at most where nothing disturbs. Units: seconds.
  void notePlanning(const ChoiceHistory &mine, double seconds, double most);

  /// Whether nothing is known of what plans take, so that a plan on devices alone is to be made
  /// before one on all places, and told to `notePlanOnDevices`. Once for loops that choose
  /// together.
  static bool asksForPlan(const ChoiceHistory &mine);

  /// Notes such a plan, as `notePlanning` does: if it has taken long, it is used, and no other one
  /// is made until that costs little, or a launch takes longer than it may take on hosts alone, by
  /// `onHosts`. Units: seconds.
  void notePlanOnDevices(const ChoiceHistory &mine, double seconds, double most, double onHosts);

  /// Whether other ways to run the loop are tried once that costs little.
  static bool isWaiting(const ChoiceHistory &mine) {
    return mine.shared && !mine.shared->joint && mine.shared->choice.isWaiting();
  }

  /// Takes out of `placement` what the present choice does not use.
  void restrict(const ChoiceHistory &mine, exec::Placement &placement) const;

  /// What one round of the loops that choose together takes; 0: that is not known. Units: seconds.
  struct Rounds {
    double all = 0;     ///< On all places,
    double devices = 0; ///< on devices alone,
    double hosts = 0;   ///< and on the cores, at least; 0: they were not tried.
  };

  static Rounds rounds(const ChoiceHistory &mine);

  /// Whether the ways to run a loop are being tried.
  static bool isTrying(const ChoiceHistory &mine) {
    return mine.shared && (mine.shared->joint || mine.shared->choice.isTrying());
  }

  /// Whether what a launch takes is being measured for a choice.
  static bool isMeasuring(const ChoiceHistory &mine) {
    return mine.shared && (mine.shared->choice.isMeasuring() ||
                           (mine.shared->joint && mine.shared->joint->isMeasuring()));
  }

private:
  /// Choices whose loops take turns, and that have been made one by one. Data may flow between all
  /// of these loops: then each of them is best where the others are, and only all together may be
  /// better elsewhere. So ways are tried for all of them at once.
  struct Joint {
    std::vector<SharedChoice *> members;
    balance::Choice choice;
  };

  SharedChoice &choiceFor(const exec::Placement &all, std::int64_t total, bool isOnDevices);
  bool beginsAlone(ChoiceHistory &history, const std::optional<Known> &known);
  bool beginsJointly(ChoiceHistory &history, const std::optional<Known> &known);
  void joinIfAllRest();
  void endJoint(bool isDecided);
  void putOff(SharedChoice &mine, double planning);
  static bool mayPutOff(const ChoiceHistory &mine);
  static std::size_t presentOf(const SharedChoice &mine);

  const memory::Topology &topology_;
  std::deque<SharedChoice> choices_; ///< Their addresses stay.
  balance::Choice *asked_ = nullptr; ///< That the time is to be told.
  SharedChoice *trying_ = nullptr;   ///< One at a time: trials of two would disturb each other.
  std::optional<Joint> joint_;       ///< While it is being tried; then none is tried alone.
  std::int64_t waited_ = 0;          ///< Launches of others since one of those that try.
  std::int64_t launches_ = 0;        ///< In all.
  double planning_ = 0;              ///< What making plans has taken. Units: seconds.
};

} // namespace tutti::model::forkjoin
