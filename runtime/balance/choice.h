// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which of several ways to run the loops of a program takes least, found by trying them. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::balance {

/// A choice between alternatives that are tried one after the other, each over some rounds of the
/// program: from one launch of a loop, the *anchor*, to a later one of the same loop. So whatever
/// else a round does counts, too, as what it moves because of the choice. The one that was chosen
/// is measured again now and then, and given up where it takes longer than another one took.
///
/// Threading: externally synchronised.
class Choice {
public:
  /// Tries the alternatives in turn, beginning with `first`.
  explicit Choice(std::size_t alternatives, std::size_t first = 0);

  std::size_t present() const { return present_; }

  /// Whether alternatives are being tried.
  bool isTrying() const { return phase_ != Phase::Rests && phase_ != Phase::Waits && !isCheck_; }

  /// Whether that is put off.
  bool isWaiting() const { return phase_ == Phase::Waits; }

  /// Whether the best one is used, and not being measured again.
  bool isResting() const { return phase_ == Phase::Rests; }

  /// Whether what is done now is part of what an alternative takes.
  bool isMeasuring() const { return phase_ == Phase::Measures || phase_ == Phase::Ends; }

  /// What a round of an alternative took when it was last measured, or is known to take at least;
  /// 0: neither is known. Units: seconds.
  double seconds(std::size_t alternative) const { return seconds_[alternative]; }

  /// The alternative has to take less than the others by this factor, at least 1.
  void setHandicap(std::size_t alternative, double factor) { handicaps_[alternative] = factor; }

  /// A launch of `loop` is about to begin; whether `tell` is to be called first, with the time when
  /// all that was begun before has ended. `isSettled`: the way the present alternative runs is not
  /// going to change by itself.
  bool begins(const void *loop, bool isSettled);

  /// `planning`: what making plans has taken until then that later launches know, which is no part
  /// of what an alternative takes. Units: seconds, from any point in time.
  void tell(double now, double planning = 0);

  /// What trying costs has turned out to be `seconds`, or more: `meanwhile` is used until that is
  /// little beside the time since, if it is not now, and then all are tried. Order: `mayPutOff`.
  void putOff(std::size_t meanwhile, double seconds);

  /// Whether the first alternative is used that is tried, and nothing has been measured or put off.
  bool mayPutOff() const { return mayPutOff_ && phase_ == Phase::Warms; }

  /// A launch may take so long in another way, as was seen before trying was put off: waiting is
  /// over where launches take longer meanwhile. The longest counts. Units: seconds; 0: nothing was
  /// seen.
  void mayTake(double seconds) { mayTake_ = std::max(mayTake_, seconds); }

  /// Something else is being tried: what is being measured to check the choice does not count.
  void dropCheck();

  /// Uses an alternative that was found best together with what others do. What the rest took, by
  /// themselves, says nothing any more. Order: while none is being tried.
  void settle(std::size_t alternative);

  /// So many launches of a loop, or a multiple of it, are needed to see all that a way costs: every
  /// so often much is moved. A way that is hopeless is given up before.
  void needsRounds(const void *loop, std::int64_t rounds) {
    period_ = !anchor_ || anchor_ == loop ? rounds : period_;
  }

  /// A round of an alternative is known to take at least so long, as one of its loops does: it is
  /// not tried, or no longer, if that is much more than another one takes. Units: seconds; 0:
  /// nothing is known.
  void expect(std::size_t alternative, double seconds);

  /// A round of an alternative may take so long, as one of its loops may: if that is much more than
  /// another one takes, it is tried only once that costs little beside what the program has taken.
  /// Units: seconds; 0: nothing is known.
  void suspect(std::size_t alternative, double seconds) {
    suspected_[alternative] = std::max(suspected_[alternative], seconds);
  }

  /// A round, from one launch of `loop` to the next, has taken about so long in the way that an
  /// alternative is, before any was tried. That one is measured only if another one does not take
  /// much more or less. `later` is likely to take about as long, and is tried once that costs
  /// little beside what the program has taken. Units: seconds, not 0. Order: before all else but
  /// `expect`.
  void took(std::size_t alternative, const void *loop, double seconds, std::size_t later);

private:
  enum class Phase {
    Waits,    ///< Until trying costs little; the time is asked for now and then.
    Warms,    ///< What the alternative needs is brought to where it runs.
    Starts,   ///< The time is to be told at the next launch.
    Measures, ///< Launches are counted.
    Ends,     ///< The time is to be told now.
    Rests,    ///< The best one is used.
  };

  void start(std::size_t alternative);
  void waitOn(double now, double planning);
  void startAnew();
  bool isUnsettled(bool isSettled) const;
  bool showsMore(bool isSettled) const;
  bool isWorse(double round, double factor) const;
  bool isToBeGivenUp(double round, double took) const;
  double factorToGiveUp() const;
  double secondsUntilGivenUp() const;
  std::int64_t roundsBegun() const;
  void beginMeasuring(double now, double planning, std::int64_t look);
  double handicapped(std::size_t alternative) const;
  std::size_t best() const;
  std::int64_t nextLook(double round, double took) const;
  bool isMeasured(double took) const;
  bool isToBeTried(std::size_t alternative) const;
  bool isPutOff(std::size_t alternative) const;
  std::int64_t launchesUntilWorth(double seconds) const;
  void rest();
  void decide();
  void check();
  bool restsUntilCheck(const void *loop);

  std::vector<double> seconds_;   ///< Of a round, by alternative; 0: not tried.
  std::vector<double> least_;     ///< That it is known to take,
  std::vector<double> suspected_; ///< and that it may take.
  std::vector<double> handicaps_;
  std::size_t rough_;                ///< The one that is known by `took` alone; none: their number.
  std::size_t later_;                ///< The one that is tried later; none: their number.
  double likeLater_ = 0;             ///< What it is likely to take,
  std::int64_t triesLaterAfter_ = 0; ///< and launches until then.
  std::size_t present_ = 0;
  Phase phase_ = Phase::Warms;
  const void *anchor_ = nullptr;
  double began_ = 0;
  double planningThen_ = 0;      ///< What had been told of it.
  std::int32_t planned_ = 0;     ///< Measurements of the present one that planning has spoilt.
  std::int64_t launches_ = 0;    ///< In this phase,
  std::int64_t rounds_ = 0;      ///< and of the anchor.
  std::int64_t period_ = 1;      ///< That show what an alternative takes.
  std::int64_t look_ = 1;        ///< Launches after which the time is looked at.
  double first_ = 0;             ///< What a round took when it was measured the first of two times.
  double now_ = 0;               ///< The time that was told last,
  double trialBegan_ = 0;        ///< and first in the latest trial; 0: not yet.
  std::size_t putOff_ = 0;       ///< The alternative that is tried first when waiting is over,
  double cost_ = 0;              ///< what trying is expected to cost,
  double waitsSince_ = 0;        ///< and since when it waits; 0: that was not told.
  double mayTake_ = 0;           ///< A launch, in another way; 0: nobody knows.
  bool mayPutOff_ = true;        ///< Nothing was measured so far, or put off.
  double trials_ = 0;            ///< What trials took since all alternatives were tried anew.
  double inRound_ = 1;           ///< Launches, of all loops.
  std::int64_t rest_;            ///< Launches until the next trial,
  std::int64_t worthATrial_ = 0; ///< and beside how many the latest one would have been little.
  std::int64_t rested_ = 0;      ///< Launches since the latest one.
  bool isCheck_ = false;         ///< The present one is measured again.
  std::int32_t doubts_ = 0;      ///< Checks in a row that spoke against it.
  std::int64_t checkAfter_;      ///< Launches from one check to the next,
  std::int64_t leastCheck_;      ///< and at least, the more the more often checks were of use.
  std::int64_t unsettled_ = 0;
  bool isSettling_ = false; ///< It is measured only to give up what is hopeless,
  bool isGuess_ = false;    ///< and was cut by a guess: what is hopeless by far.
};

} // namespace tutti::balance
