// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/choice.h"

#include <algorithm>
#include <utility>

namespace tutti::balance {

namespace {

/// Launches after a change that may bring data, compile kernels, plan.
constexpr std::int64_t kWarming = 3;
/// Launches that an alternative may take to settle.
constexpr std::int64_t kSettling = 200;
/// Launches that are measured at least, and for how long.
constexpr std::int64_t kMeasured = 16;
constexpr double kLeastSeconds = 5e-3;
constexpr std::int64_t kMostMeasured = 4096;
/// The time is looked at after two launches, and then after so many times as many.
constexpr std::int64_t kLater = 4;
/// After so many periods a part of one does not count.
constexpr std::int64_t kMostPeriods = 16;
/// An alternative that is by this factor worse than the best one so far is tried no longer.
constexpr double kHopeless = 2;
/// Launches without the anchor after which another one is taken.
constexpr std::int64_t kGiveUp = 10000;
/// Another alternative has to be better by this fraction.
constexpr double kLeastGain = 0.01;
/// Launches between two trials; the next ones come later and later.
constexpr std::int64_t kRest = 20000;
constexpr std::int64_t kMostRest = 10000000;
/// Launches before the first check of what was chosen; the next ones come later and later.
constexpr std::int64_t kCheck = 32;
constexpr std::int64_t kMostCheck = 4096;
/// Another one took less by this fraction, to be taken after a check.
constexpr double kCheckGain = 0.03;

} // namespace

Choice::Choice(std::size_t alternatives)
    : seconds_(alternatives, 0), least_(alternatives, 0), handicaps_(alternatives, 1), rest_(kRest),
      checkAfter_(kCheck), leastCheck_(kCheck) {
  if (alternatives < 2) {
    phase_ = Phase::Rests;
  }
}

void Choice::start(std::size_t alternative) {
  present_ = alternative;
  phase_ = Phase::Warms;
  launches_ = 0;
  unsettled_ = 0;
}

void Choice::expect(std::size_t alternative, double seconds) {
  least_[alternative] = std::max(least_[alternative], seconds);
}

/// All alternatives are tried once more.
void Choice::startAnew() {
  isCheck_ = false;
  std::ranges::fill(seconds_, 0);
  std::ranges::fill(least_, 0);
  anchor_ = nullptr;
  start(present_);
}

bool Choice::begins(const void *loop, bool isSettled) {
  ++launches_;
  switch (phase_) {
  case Phase::Warms:
    unsettled_ += isSettled ? 0 : 1;
    if (launches_ > kGiveUp) {
      startAnew(); // The anchor does not come any more.
    } else if (launches_ > kWarming && (isSettled || unsettled_ > kSettling) &&
               (!anchor_ || loop == anchor_)) {
      anchor_ = loop;
      phase_ = Phase::Starts;
      return true;
    }
    return false;
  case Phase::Measures:
    rounds_ += loop == anchor_ ? 1 : 0;
    if (loop == anchor_ && (launches_ >= look_ || (period_ > 1 && rounds_ % period_ == 0))) {
      phase_ = Phase::Ends;
      return true;
    }
    if (launches_ > look_ + kGiveUp) {
      startAnew();
    }
    return false;
  case Phase::Rests:
    return seconds_.size() > 1 && restsUntilCheck(loop);
  default:
    return true;
  }
}

/// Whether a check begins.
bool Choice::restsUntilCheck(const void *loop) {
  if (++rested_ >= rest_) {
    rest_ = std::min(2 * rest_, kMostRest);
    startAnew();
    return false;
  }
  isCheck_ = launches_ >= checkAfter_ && loop == anchor_;
  phase_ = isCheck_ ? Phase::Starts : Phase::Rests;
  return isCheck_;
}

void Choice::dropCheck() {
  if (std::exchange(isCheck_, false)) {
    phase_ = Phase::Rests;
    launches_ = 0;
  }
}

void Choice::tell(double now) {
  if (phase_ == Phase::Starts) {
    first_ = 0;
    beginMeasuring(now, isCheck_ ? kMeasured : 2);
    return;
  }
  const double took = now - began_;
  // What is not over may take as long again as all rounds until then.
  const std::int64_t periods = (rounds_ + period_ - 1) / period_;
  const double round = took / static_cast<double>(periods * period_);
  const bool isWhole = rounds_ % period_ == 0 || periods > kMostPeriods;
  const bool isKnown =
      isWhole && (launches_ >= kMostMeasured || (launches_ >= kMeasured && took >= kLeastSeconds));
  if (!isKnown && !(took >= kLeastSeconds && isHopeless(round))) {
    look_ = std::max(kLater * launches_, look_);
    phase_ = Phase::Measures;
    return;
  }
  if (first_ == 0) {
    first_ = round; // Something else may have run on the same cores: the better of two counts.
    beginMeasuring(now, launches_);
    return;
  }
  seconds_[present_] = std::min(first_, round);
  if (isCheck_) {
    check();
  } else {
    decide();
  }
}

void Choice::beginMeasuring(double now, std::int64_t look) {
  began_ = now;
  launches_ = 0;
  rounds_ = 0;
  look_ = look;
  phase_ = Phase::Measures;
}

double Choice::handicapped(std::size_t alternative) const {
  return handicaps_[alternative] * seconds_[alternative];
}

/// Of those of which it is known what they take.
std::size_t Choice::best() const {
  std::size_t best = present_;
  for (std::size_t each = 0; each < seconds_.size(); ++each) {
    best = seconds_[each] > 0 && handicapped(each) < handicapped(best) ? each : best;
  }
  return best;
}

void Choice::settle(std::size_t alternative) {
  std::ranges::fill(seconds_, 0);
  present_ = alternative;
  isCheck_ = false;
  phase_ = Phase::Rests;
  launches_ = 0;
}

/// The present one was measured again: it is given up for one that took clearly less.
void Choice::check() {
  isCheck_ = false;
  phase_ = Phase::Rests;
  launches_ = 0;
  if (handicapped(best()) < (1 - kCheckGain) * handicapped(present_)) {
    present_ = best();
    leastCheck_ = std::min(2 * leastCheck_, kMostCheck);
    checkAfter_ = leastCheck_;
  } else {
    checkAfter_ = std::min(2 * checkAfter_, kMostCheck);
  }
}

/// Whether another alternative is much better than one that takes so long.
bool Choice::isHopeless(double round) const {
  return std::ranges::any_of(seconds_,
                             [round](double each) { return each > 0 && kHopeless * each < round; });
}

/// Tries the next one, or takes the best.
void Choice::decide() {
  for (std::size_t each = 0; each < seconds_.size(); ++each) {
    if (seconds_[each] == 0 && isHopeless(least_[each])) {
      seconds_[each] = least_[each];
    }
  }
  const auto untried = std::ranges::find(seconds_, 0.0);
  if (untried != seconds_.end()) {
    start(static_cast<std::size_t>(untried - seconds_.begin()));
    return;
  }
  if (handicapped(best()) < (1 - kLeastGain) * handicapped(present_)) {
    present_ = best();
  }
  phase_ = Phase::Rests;
  launches_ = 0;
  rested_ = 0;
  checkAfter_ = leastCheck_;
}

} // namespace tutti::balance
