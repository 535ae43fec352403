// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/alternatives.h"

#include "runtime/model/forkjoin/ropes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;
using memory::Place;

namespace {

enum Alternative : std::size_t { kAll, kDevices, kHosts, kAlternatives };

/// Of choices together: each as it has decided, or all of them by one of the alternatives.
constexpr std::size_t kOwn = 0;
constexpr std::size_t kJointWays = 1 + kAlternatives;

/// The slowest of many parts decides what a launch on all places takes, so a trial may easily have
/// been lucky; and what cores beside devices do not gain in time they lose in power.
constexpr double kHandicapOfAll = 1.03;

/// What each has found by itself was measured more often than what is tried for all of them.
constexpr double kHandicapOfJoint = 1.05;

/// Launches of others after which a trial is taken to be over: its loops are not run any more.
constexpr std::int64_t kAbandoned = 1000;

/// Loops that have been launched so recently take turns.
constexpr std::int64_t kInTurn = 64;

/// Launches after which it is looked again what is known of a loop that has chosen.
constexpr std::int64_t kLook = 16;

} // namespace

/// A loop that has run on devices goes on there until it is its turn to try other ways.
SharedChoice &Alternatives::choiceFor(const Placement &all, std::int64_t total, bool isOnDevices) {
  for (SharedChoice &each : choices_) {
    if (each.launches <= kTurns && isSameLength(each.total, total) &&
        std::ranges::equal(all.shares, each.places, {}, &Share::place)) {
      return each;
    }
  }
  std::vector<Place> places;
  for (const Share &share : all.shares) {
    places.push_back(share.place);
  }
  SharedChoice &choice = choices_.emplace_back(
      std::move(places), total, balance::Choice(kAlternatives, isOnDevices ? kDevices : kAll));
  choice.choice.setHandicap(kAll, kHandicapOfAll);
  return choice;
}

bool Alternatives::hasJustBegun(std::int64_t total) const {
  return std::ranges::any_of(choices_, [&](const SharedChoice &each) {
    return each.launches <= kTurns && isSameLength(each.total, total);
  });
}

bool Alternatives::enters(ChoiceHistory &history, const Placement &all, std::int64_t total,
                          bool hasRunOnDevices) {
  SharedChoice *&mine = history.shared;
  if (!mine || !std::ranges::equal(all.shares, mine->places, {}, &Share::place)) {
    mine = &choiceFor(all, total, hasRunOnDevices);
    history.launches = 0;
  }
  return mine->joint || !mine->choice.isResting() || history.launches % kLook == 0;
}

bool Alternatives::begins(ChoiceHistory &history, const std::optional<Known> &known) {
  SharedChoice *const mine = history.shared;
  mine->launches = std::max(mine->launches, ++history.launches);
  mine->latest = ++launches_;
  if (joint_ && !mine->joint && ++waited_ > kAbandoned) {
    endJoint(false);
  }
  const bool isAsked = joint_ ? beginsJointly(history, known) : beginsAlone(history, known);
  if (!isAsked && !joint_ && !trying_) {
    joinIfAllRest();
  }
  return isAsked;
}

/// Other choices stay as they are.
bool Alternatives::beginsAlone(ChoiceHistory &history, const std::optional<Known> &known) {
  SharedChoice *mine = history.shared;
  if (!trying_ || (trying_ != mine && ++waited_ > kAbandoned)) {
    trying_ = mine;
  }
  if (trying_ != mine && (mine->choice.isTrying() || trying_->choice.isTrying())) {
    mine->choice.dropCheck();
    return false;
  }
  if (trying_ == mine) {
    waited_ = 0;
  }
  if (known) {
    mine->choice.expect(kHosts, known->onHosts); // A round takes no less than one of its loops.
    mine->choice.suspect(kHosts, known->suspectedOnHosts);
    mine->choice.mayTake(known->guessedOnHosts);
    if (!known->areCoresOfUse) {
      mine->choice.expect(kAll, std::numeric_limits<double>::infinity());
    }
    mine->choice.needsRounds(&history, known->period);
    if (trying_ == mine && !std::exchange(mine->isBegun, true) && known->onDevices > 0) {
      // What all places do not change is that much crosses.
      mine->choice.took(kDevices, &history, known->onDevices, kAll);
    }
  }
  const bool isAsked =
      mine->choice.begins(&history, !known || known->isSettled || mine->choice.present() != kAll);
  mine->isJoined = mine->isJoined && !mine->choice.isTrying();
  if (trying_ == mine && !mine->choice.isTrying()) {
    trying_ = nullptr;
  }
  asked_ = isAsked ? &mine->choice : nullptr;
  return isAsked;
}

/// Begins to try ways for all choices together whose loops take turns, once none is tried alone.
void Alternatives::joinIfAllRest() {
  const auto takesTurns = [this](const SharedChoice &each) {
    return launches_ - each.latest <= kInTurn;
  };
  std::int32_t count = 0;
  bool isAnyNew = false;
  for (const SharedChoice &each : choices_) { // At every launch: allocates nothing.
    if (!takesTurns(each)) {
      continue;
    }
    if (each.choice.isTrying() || each.choice.isWaiting() || each.choice.isMeasuring()) {
      return;
    }
    isAnyNew = isAnyNew || !each.isJoined;
    ++count;
  }
  if (count < 2 || !isAnyNew) {
    return;
  }
  joint_.emplace(std::vector<SharedChoice *>(), balance::Choice(kJointWays));
  for (SharedChoice &each : choices_) {
    if (takesTurns(each)) {
      joint_->members.push_back(&each);
    }
  }
  for (std::size_t way = kOwn + 1; way < kJointWays; ++way) {
    joint_->choice.setHandicap(way, kHandicapOfJoint);
  }
  const std::size_t first = joint_->members.front()->choice.present();
  const bool areAlike = std::ranges::all_of(joint_->members, [&](const SharedChoice *member) {
    return member->choice.present() == first;
  });
  if (areAlike) {
    joint_->choice.expect(1 + first, std::numeric_limits<double>::infinity()); // As they are.
  }
  for (SharedChoice *member : joint_->members) {
    member->joint = &joint_->choice;
  }
  waited_ = 0;
}

bool Alternatives::beginsJointly(ChoiceHistory &history, const std::optional<Known> &known) {
  balance::Choice *choice = history.shared->joint;
  if (!choice) {
    return false; // One that is new waits.
  }
  waited_ = 0;
  if (known->onHosts > 0) { // It is always told where ways are being tried.
    choice->expect(1 + kHosts, known->onHosts);
  }
  choice->suspect(1 + kHosts, known->suspectedOnHosts);
  choice->needsRounds(&history, known->period);
  const bool isAsked =
      choice->begins(&history, known->isSettled || presentOf(*history.shared) != kAll);
  if (!choice->isTrying()) {
    endJoint(true);
    return false;
  }
  asked_ = isAsked ? choice : nullptr;
  return isAsked;
}

void Alternatives::endJoint(bool isDecided) {
  const std::size_t way = isDecided ? joint_->choice.present() : kOwn;
  for (SharedChoice *member : joint_->members) {
    member->joint = nullptr;
    member->isJoined = true;
    if (way != kOwn) {
      member->choice.settle(way - 1);
    }
  }
  joint_.reset();
}

/// The alternative that loops of `mine` are run by now.
std::size_t Alternatives::presentOf(const SharedChoice &mine) {
  const std::size_t way = mine.joint ? mine.joint->present() : kOwn;
  return way == kOwn ? mine.choice.present() : way - 1;
}

bool Alternatives::tell(double now) {
  const std::size_t devices = joint_ && asked_ == &joint_->choice ? 1 + kDevices : kDevices;
  const std::size_t before = asked_->present();
  asked_->tell(now, planning_);
  return before != devices && asked_->present() == devices;
}

/// All places and devices alone need plans of their own, and the former new ones when their cut is
/// no guess any more. `planning`: what plans of one way take.
void Alternatives::putOff(SharedChoice &mine, double planning) {
  constexpr double kPlans = 4;
  mine.choice.putOff(kDevices, kPlans * planning);
  if (trying_ == &mine && mine.choice.isWaiting()) {
    trying_ = nullptr;
  }
}

bool Alternatives::mayPutOff(const ChoiceHistory &mine) {
  const SharedChoice *shared = mine.shared;
  return shared && !shared->joint && shared->choice.mayPutOff() && shared->choice.present() == kAll;
}

void Alternatives::notePlanning(const ChoiceHistory &mine, double seconds, double most) {
  planning_ += seconds;
  if (mayPutOff(mine)) {
    mine.shared->planning += std::min(seconds, most);
    putOff(*mine.shared, mine.shared->planning);
  }
}

bool Alternatives::asksForPlan(const ChoiceHistory &mine) {
  return mayPutOff(mine) && !mine.shared->isScouted;
}

void Alternatives::notePlanOnDevices(const ChoiceHistory &mine, double seconds, double most,
                                     double onHosts) {
  mine.shared->isScouted = true;
  mine.shared->choice.mayTake(onHosts);
  putOff(*mine.shared, std::min(seconds, most));
}

Alternatives::Rounds Alternatives::rounds(const ChoiceHistory &mine) {
  if (!mine.shared || isTrying(mine)) {
    return {};
  }
  const auto known = [&](Alternative way) { // Nothing of what was never going to be tried.
    const double seconds = mine.shared->choice.seconds(way);
    return std::isfinite(seconds) ? seconds : 0;
  };
  return {known(kAll), known(kDevices), known(kHosts)};
}

void Alternatives::restrict(const ChoiceHistory &mine, Placement &placement) const {
  const std::size_t present = mine.shared ? presentOf(*mine.shared) : kAll;
  if (present == kAll) {
    return;
  }
  const bool keepsHosts = present == kHosts;
  std::erase_if(placement.shares,
                [&](const Share &share) { return topology_.isHost(share.place) != keepsHosts; });
  if (keepsHosts) {
    placement.usesDevices = false;
    placement.alone =
        isTrying(mine) ? "its cores were tried alone" : "its cores are faster than devices";
  }
}

} // namespace tutti::model::forkjoin
