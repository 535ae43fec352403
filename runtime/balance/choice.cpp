// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/balance/choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tutti::balance {

namespace {

/// Launches after a change that may bring data, compile kernels, plan.
constexpr std::int64_t kWarming = 3;
/// Planning that takes more than this part of a measurement spoils it: devices idle meanwhile, or
/// do what was begun before. After so many of them plans are part of what is measured.
constexpr double kPlanning = 0.1;
constexpr std::int32_t kMostPlanned = 8;
/// Launches that an alternative may take to settle.
constexpr std::int64_t kSettling = 200;
/// Launches that it needs for its second cut: the first one was a guess, and says something only if
/// it is worse than others by far.
constexpr std::int64_t kGuessed = 16;
constexpr double kByFar = 16;
/// Launches that are measured at least, and for how long,
constexpr std::int64_t kMeasured = 16;
constexpr double kLeastSeconds = 5e-3;
/// or for how long as soon as so many rounds are over.
constexpr std::int64_t kLongRounds = 2;
constexpr double kLongSeconds = 10e-3;
constexpr std::int64_t kMostMeasured = 4096;
/// What no measurement is below.
constexpr double kLeastTold = 1e-9;
/// The time is looked at after one round, and then after at most so many times as many launches.
constexpr std::int64_t kLater = 16;
/// To wait for the end of launches is little beside such a round.
constexpr double kLongRound = 1e-3;
/// After so many periods a part of one does not count.
constexpr std::int64_t kMostPeriods = 16;
/// An alternative that is by this factor worse than the best one so far is tried no longer, and
/// what one measurement has shown need not be confirmed for long.
constexpr double kHopeless = 2;
constexpr double kWorse = 1.25;
/// One that is so much worse for so long was not disturbed by something else.
constexpr double kUndoubted = 8;
constexpr double kUndoubtedSeconds = 0.15;
/// One whose time is only roughly known is measured if that is not more by this factor.
constexpr double kRoughly = 4;
/// Launches without the anchor after which another one is taken.
constexpr std::int64_t kGiveUp = 10000;
/// Another alternative has to be better by this fraction.
constexpr double kLeastGain = 0.01;
/// Launches between two trials; the next ones come later and later.
constexpr std::int64_t kRest = 20000;
constexpr std::int64_t kMostRest = 10000000;
/// What trials may take of the time before them.
constexpr double kTrialShare = 0.01;
/// Launches before the first check of what was chosen; the next ones come later and later.
constexpr std::int64_t kCheck = 32;
constexpr std::int64_t kMostCheck = 4096;
/// What trying may cost in any case, and beside the time before it.
constexpr double kLittle = 20e-3;
constexpr double kCostShare = 0.02;
/// A trial takes about so many launches.
constexpr double kTrialLaunches = 20;
/// Another one took less by this fraction, to be taken after so many checks in a row.
constexpr double kCheckGain = 0.03;
constexpr std::int32_t kDoubts = 3;

} // namespace

Choice::Choice(std::size_t alternatives, std::size_t first)
    : seconds_(alternatives, 0), least_(alternatives, 0), suspected_(alternatives, 0),
      handicaps_(alternatives, 1), rough_(alternatives), later_(alternatives), present_(first),
      rest_(kRest), checkAfter_(kCheck), leastCheck_(kCheck) {
  if (alternatives < 2) {
    phase_ = Phase::Rests;
  }
}

void Choice::start(std::size_t alternative) {
  present_ = alternative;
  doubts_ = 0;
  phase_ = Phase::Warms;
  launches_ = 0;
  unsettled_ = 0;
  isSettling_ = false;
  isGuess_ = false;
  planned_ = 0;
}

void Choice::putOff(std::size_t meanwhile, double seconds) {
  cost_ = seconds;
  if (cost_ <= kLittle) {
    return;
  }
  mayPutOff_ = false;
  putOff_ = present_;
  start(meanwhile);
  phase_ = Phase::Waits;
  waitsSince_ = 0;
  look_ = 1;
}

/// Looks whether waiting is over. The first launches bring data and load kernels, so only the
/// latter half of those until now counts.
void Choice::waitOn(double now, double planning) {
  waitsSince_ = waitsSince_ > 0 ? waitsSince_ : now;
  const double took = now - began_ - (planning - planningThen_);
  const double each = launches_ > kMeasured ? took / static_cast<double>(launches_ - rounds_) : 0;
  if (cost_ <= kCostShare * (now - waitsSince_) || (mayTake_ > 0 && mayTake_ < each)) {
    start(putOff_);
    return;
  }
  began_ = now;
  planningThen_ = planning;
  rounds_ = launches_;
  look_ = launches_ + std::min(launches_, kMostCheck);
}

void Choice::expect(std::size_t alternative, double seconds) {
  least_[alternative] = std::max(least_[alternative], seconds);
  if (alternative == present_ && isTrying() && isWorse(least_[alternative], kHopeless)) {
    decide();
  }
}

void Choice::took(std::size_t alternative, const void *loop, double seconds, std::size_t later) {
  anchor_ = loop;
  present_ = alternative;
  rough_ = alternative;
  later_ = later;
  likeLater_ = seconds;
  seconds_[alternative] = seconds;
  decide();
}

/// All alternatives are tried once more.
void Choice::startAnew() {
  isCheck_ = false;
  std::ranges::fill(seconds_, 0);
  std::ranges::fill(least_, 0);
  std::ranges::fill(suspected_, 0);
  rough_ = seconds_.size();
  later_ = seconds_.size();
  anchor_ = nullptr;
  trialBegan_ = 0;
  trials_ = 0;
  start(present_);
}

bool Choice::begins(const void *loop, bool isSettled) {
  ++launches_;
  switch (phase_) {
  case Phase::Warms:
    unsettled_ += isSettled ? 0 : 1;
    if (launches_ > kGiveUp) {
      startAnew(); // The anchor does not come any more.
    } else if (launches_ > kWarming && (!anchor_ || loop == anchor_)) {
      // As long as nothing else is known, nothing can be hopeless.
      isSettling_ = isUnsettled(isSettled);
      if (isSettling_ && std::ranges::max(seconds_) == 0) {
        return false;
      }
      isGuess_ = isSettling_ && unsettled_ <= kGuessed;
      anchor_ = loop;
      phase_ = Phase::Starts;
      return true;
    }
    return false;
  case Phase::Measures:
    unsettled_ += isSettled ? 0 : 1;
    if (loop == anchor_ && showsMore(isSettled)) {
      isSettling_ = isUnsettled(isSettled);
      isGuess_ = false;
      phase_ = Phase::Starts;
      return true;
    }
    rounds_ += loop == anchor_ ? 1 : 0;
    if (loop == anchor_ && (launches_ >= look_ || (period_ > 1 && rounds_ % period_ == 0))) {
      phase_ = Phase::Ends;
      return true;
    }
    if (launches_ > look_ + kGiveUp) {
      startAnew();
    }
    return false;
  case Phase::Waits:
    return launches_ >= look_;
  case Phase::Rests:
    return seconds_.size() > 1 && restsUntilCheck(loop);
  default:
    return true;
  }
}

bool Choice::isUnsettled(bool isSettled) const { return !isSettled && unsettled_ <= kSettling; }

/// Whether what the present alternative takes says more from now on than since it is measured.
bool Choice::showsMore(bool isSettled) const {
  return (isSettling_ && !isUnsettled(isSettled)) || (isGuess_ && unsettled_ > kGuessed);
}

/// Whether a check begins.
bool Choice::restsUntilCheck(const void *loop) {
  if (++rested_ >= std::max(rest_, worthATrial_)) {
    rest_ = std::min(2 * rest_, kMostRest);
    startAnew();
    return false;
  }
  if (later_ < seconds_.size() && seconds_[later_] == 0 && rested_ >= triesLaterAfter_) {
    start(std::exchange(later_, seconds_.size()));
    return false;
  }
  for (std::size_t each = 0; each < seconds_.size(); ++each) {
    if (seconds_[each] == 0 && isPutOff(each) && rested_ >= launchesUntilWorth(suspected_[each])) {
      start(each);
      return false;
    }
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

void Choice::tell(double now, double planning) {
  now_ = now;
  if (phase_ == Phase::Waits) {
    waitOn(now, planning);
    return;
  }
  if (phase_ == Phase::Starts) {
    trialBegan_ = isCheck_ || trialBegan_ > 0 ? trialBegan_ : now;
    first_ = 0;
    mayPutOff_ = false;
    planned_ = isCheck_ ? 0 : planned_;
    beginMeasuring(now, planning, isCheck_ ? kMeasured : 1);
    return;
  }
  const double whole = now - began_;
  const double planned = planned_ < kMostPlanned ? planning - planningThen_ : 0;
  const double took = std::max(whole - planned, kLeastTold);
  inRound_ = static_cast<double>(launches_) / static_cast<double>(rounds_);
  // What is not over may take as long again as all rounds until then.
  const double round = took / static_cast<double>(roundsBegun());
  if (!isMeasured(whole) && !isToBeGivenUp(round, took)) {
    look_ = nextLook(round, took);
    phase_ = Phase::Measures;
    return;
  }
  if (planned > kPlanning * took && !isWorse(round, kHopeless)) {
    ++planned_;
    beginMeasuring(now, planning, 1);
    return;
  }
  if (first_ == 0 && !(took >= kUndoubtedSeconds && isWorse(round, kUndoubted))) {
    first_ = round; // Something else may have run on the same cores: the better of two counts.
    beginMeasuring(now, planning, round >= kLongRound && isWorse(round, kWorse) ? 1 : launches_);
    return;
  }
  seconds_[present_] = first_ > 0 ? std::min(first_, round) : round;
  if (isCheck_) {
    check();
  } else {
    decide();
  }
}

/// When enough is likely to have been seen; but soon where the alternative may be given up.
std::int64_t Choice::nextLook(double round, double took) const {
  if (!isCheck_ && round >= kLongRound && isWorse(round, kWorse)) {
    return launches_ + 1 + launches_ / 4;
  }
  const double each = took / static_cast<double>(launches_);
  const double enough =
      std::min(std::max(static_cast<double>(kMeasured), kLeastSeconds / each),
               std::max(static_cast<double>(kLongRounds) * inRound_, kLongSeconds / each));
  const std::int64_t most = kLater * launches_;
  if (enough <= static_cast<double>(launches_)) {
    // Only the end of a period is missing, where the time is looked at in any case.
    const double last = std::min(secondsUntilGivenUp() / each, static_cast<double>(most) - 1);
    return std::max(launches_, static_cast<std::int64_t>(last)) + 1;
  }
  return std::min(most, static_cast<std::int64_t>(std::ceil(enough)));
}

/// Whether so much of the present alternative has been seen as says what it takes.
bool Choice::isMeasured(double took) const {
  const bool isWhole = rounds_ % period_ == 0 || rounds_ > kMostPeriods * period_;
  const bool isLong = launches_ >= kMeasured ? took >= kLeastSeconds
                                             : rounds_ >= kLongRounds && took >= kLongSeconds;
  return isWhole && !isSettling_ && (launches_ >= kMostMeasured || isLong);
}

/// Whether the present alternative, of which a round has taken so long, has shown enough.
bool Choice::isToBeGivenUp(double round, double took) const {
  return took >= kLeastSeconds && isWorse(round, factorToGiveUp());
}

double Choice::factorToGiveUp() const {
  const bool wasWorse = first_ > 0 && isWorse(first_, kWorse);
  return isGuess_ ? kByFar : wasWorse ? kWorse : kHopeless;
}

/// Seconds from the beginning of the periods that have begun until it is given up, if they are not
/// over then.
double Choice::secondsUntilGivenUp() const {
  double least = std::numeric_limits<double>::infinity();
  for (const double each : seconds_) {
    least = each > 0 ? std::min(least, each) : least;
  }
  return std::max(kLeastSeconds, factorToGiveUp() * least * static_cast<double>(roundsBegun()));
}

/// Rounds of all periods that have begun.
std::int64_t Choice::roundsBegun() const { return (rounds_ + period_ - 1) / period_ * period_; }

void Choice::beginMeasuring(double now, double planning, std::int64_t look) {
  began_ = now;
  planningThen_ = planning;
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
  doubts_ = 0;
  isCheck_ = false;
  phase_ = Phase::Rests;
  launches_ = 0;
}

/// The present one was measured again: it is given up for one that took clearly less, if that shows
/// a few times in a row. What the other one took nobody measures meanwhile.
void Choice::check() {
  isCheck_ = false;
  phase_ = Phase::Rests;
  launches_ = 0;
  if (handicapped(best()) < (1 - kCheckGain) * handicapped(present_)) {
    checkAfter_ = leastCheck_;
    if (++doubts_ < kDoubts) {
      return;
    }
    doubts_ = 0;
    present_ = best();
    leastCheck_ = std::min(2 * leastCheck_, kMostCheck);
    checkAfter_ = leastCheck_;
  } else {
    doubts_ = 0;
    checkAfter_ = std::min(2 * checkAfter_, kMostCheck);
  }
}

/// Whether a round of another alternative takes less than `round` by more than this factor.
bool Choice::isWorse(double round, double factor) const {
  return std::ranges::any_of(seconds_,
                             [&](double each) { return each > 0 && factor * each < round; });
}

/// Whether it is not known what an alternative takes, or not well enough to compare it.
bool Choice::isToBeTried(std::size_t alternative) const {
  const double known = seconds_[alternative];
  const auto isNear = [&](double other) {
    return other < kWorse * known && known < kRoughly * other;
  };
  return (known == 0 && alternative != later_ && !isPutOff(alternative)) ||
         (alternative == rough_ && std::ranges::count_if(seconds_, isNear) > 1);
}

/// Whether it would be tried only to see that it takes much longer.
bool Choice::isPutOff(std::size_t alternative) const {
  return isWorse(suspected_[alternative], kHopeless);
}

/// Launches beside which it is little to try an alternative that may take so long.
std::int64_t Choice::launchesUntilWorth(double seconds) const {
  return static_cast<std::int64_t>(std::min(
      kTrialLaunches / kTrialShare * seconds / seconds_[present_], static_cast<double>(kMostRest)));
}

/// Tries the next one, or takes the best.
void Choice::decide() {
  const std::size_t count = seconds_.size();
  for (std::size_t each = 0; each < count; ++each) {
    if (seconds_[each] == 0 && isWorse(least_[each], kHopeless)) {
      seconds_[each] = least_[each];
    }
  }
  for (std::size_t next = (present_ + 1) % count; next != present_; next = (next + 1) % count) {
    if (isToBeTried(next)) {
      seconds_[next] = 0;
      rough_ = next == rough_ ? count : rough_;
      start(next);
      return;
    }
  }
  if (handicapped(best()) < (1 - kLeastGain) * handicapped(present_)) {
    present_ = best();
  }
  rest();
}

void Choice::rest() {
  phase_ = Phase::Rests;
  launches_ = 0;
  rested_ = 0;
  checkAfter_ = leastCheck_;
  trials_ += trialBegan_ > 0 ? now_ - std::exchange(trialBegan_, 0) : 0;
  worthATrial_ = static_cast<std::int64_t>(std::min(
      trials_ / kTrialShare / seconds_[present_] * inRound_, static_cast<double>(kMostRest)));
  triesLaterAfter_ = launchesUntilWorth(likeLater_);
}

} // namespace tutti::balance
