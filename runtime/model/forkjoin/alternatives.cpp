// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/alternatives.h"

#include "runtime/model/forkjoin/ropes.h"

#include <algorithm>
#include <utility>

namespace tutti::model::forkjoin {

using namespace exec;
using memory::Place;

namespace {

enum Alternative : std::size_t { kAll, kDevices, kHosts, kAlternatives };

/// The slowest of many parts decides what a launch on all places takes, so a trial may easily have
/// been lucky; and what cores beside devices do not gain in time they lose in power.
constexpr double kHandicapOfAll = 1.03;

/// Launches of others after which a trial is taken to be over: its loops are not run any more.
constexpr std::int64_t kAbandoned = 1000;

} // namespace

SharedChoice &Alternatives::choiceFor(const Placement &all, std::int64_t total) {
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
  SharedChoice &choice =
      choices_.emplace_back(std::move(places), total, balance::Choice(kAlternatives));
  choice.choice.setHandicap(kAll, kHandicapOfAll);
  return choice;
}

bool Alternatives::begins(ChoiceHistory &history, const Placement &all, std::int64_t total,
                          const Known &known) {
  SharedChoice *&mine = history.shared;
  if (!mine || !std::ranges::equal(all.shares, mine->places, {}, &Share::place)) {
    mine = &choiceFor(all, total);
    history.launches = 0;
  }
  mine->launches = std::max(mine->launches, ++history.launches);
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
  if (known.isSettled && mine->choice.present() == kAll) {
    mine->choice.expect(kHosts, known.onHosts); // A round takes no less than one of its loops.
  }
  mine->choice.needsRounds(&history, known.period);
  const bool isAsked =
      mine->choice.begins(&history, known.isSettled || mine->choice.present() != kAll);
  if (trying_ == mine && !mine->choice.isTrying()) {
    trying_ = nullptr;
  }
  asked_ = isAsked ? mine : nullptr;
  return isAsked;
}

void Alternatives::tell(double now) { asked_->choice.tell(now); }

Alternatives::Rounds Alternatives::rounds(const ChoiceHistory &mine) {
  if (!mine.shared || mine.shared->choice.isTrying()) {
    return {};
  }
  const balance::Choice &choice = mine.shared->choice;
  return {choice.seconds(kAll), choice.seconds(kDevices), choice.seconds(kHosts)};
}

void Alternatives::restrict(const ChoiceHistory &mine, Placement &placement) const {
  if (!mine.shared || mine.shared->choice.present() == kAll) {
    return;
  }
  const bool keepsHosts = mine.shared->choice.present() == kHosts;
  std::erase_if(placement.shares,
                [&](const Share &share) { return topology_.isHost(share.place) != keepsHosts; });
  if (keepsHosts) {
    placement.usesDevices = false;
    placement.alone = mine.shared->choice.isTrying() ? "its cores were tried alone"
                                                     : "its cores are faster than devices";
  }
}

} // namespace tutti::model::forkjoin
