// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulated program: a time loop of a few launches, whose rounds take what the alternative takes.
#include "runtime/balance/choice.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <vector>

namespace tutti::balance {

namespace {

class Program {
public:
  Program(Choice &choice, std::vector<double> seconds)
      : choice_(choice), seconds_(std::move(seconds)) {}

  /// So many rounds of a time loop of `loops` launches.
  void run(int rounds, std::size_t loops = 3) {
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t loop = 0; loop < loops; ++loop) {
        if (choice_.begins(&names_[loop], true)) {
          ++told_;
          choice_.tell(now_);
        }
        now_ += seconds_[choice_.present()] / static_cast<double>(loops);
      }
    }
  }

  const void *loop(std::size_t index) const { return &names_[index]; }

  double now() const { return now_; }

  int told() const { return told_; }

  std::vector<double> &seconds() { return seconds_; }

private:
  Choice &choice_;
  std::vector<double> seconds_;
  char names_[8] = {};
  double now_ = 0;
  int told_ = 0;
};

TEST(Choice, DoesNotTryWhatIsKnownToTakeMuchLonger) {
  Choice choice(3);
  choice.expect(1, 3.9e-3);
  choice.expect(2, 5);
  Program program(choice, {2e-3, 4e-3, 5});

  program.run(100);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 0U);
  EXPECT_LT(program.now(), 0.5) << "the last one has been tried";
  EXPECT_GT(program.now(), 0.2) << "the second one has not";
}

TEST(Choice, TriesNothingWhereWhatItTookIsClearlyTheBest) {
  Choice choice(3);
  choice.expect(0, 5);
  choice.expect(2, 5);
  Program program(choice, {5, 1e-3, 5});
  choice.took(1, program.loop(0), 1e-3, 0);

  EXPECT_FALSE(choice.isTrying());
  program.run(1000);

  EXPECT_EQ(choice.present(), 1U);
  EXPECT_LT(program.now(), 1.01);
}

TEST(Choice, GoesOnWithTheNextWhereItIsKnownWhatOneTook) {
  Choice choice(3);
  Program program(choice, {6e-3, 5e-3, 1e-3});
  choice.took(1, program.loop(0), 5e-3, 0);

  program.run(60);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 2U);
  EXPECT_LT(program.now(), 61e-3) << "nothing else has been tried";
}

TEST(Choice, MeasuresWhatItTookAgainWhereAnotherTakesAboutTheSame) {
  for (const double said : {0.9e-3, 1.1e-3}) { // It takes 1.
    for (const double other : {0.95e-3, 1.05e-3}) {
      Choice choice(3);
      choice.expect(0, 5);
      Program program(choice, {5, 1e-3, other});
      choice.took(1, program.loop(0), said, 0);
      program.run(100);
      EXPECT_EQ(choice.present(), other < 1e-3 ? 2U : 1U) << said;
    }
  }
}

TEST(Choice, MeasuresWhatItTookAgainWhereAnotherTakesLess) {
  Choice choice(3);
  choice.expect(0, 5);
  Program program(choice, {5, 1e-3, 2e-3});
  choice.took(1, program.loop(0), 6e-3, 0); // Its first rounds brought data and loaded kernels.
  program.run(100);
  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, PutsOffWhatMayTakeMuchLonger) {
  Choice choice(3);
  choice.suspect(2, 2.0);
  Program program(choice, {1.1e-3, 1e-3, 2.0});

  program.run(1000, 1);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
  EXPECT_LT(program.now(), 1.1) << "the last one has been tried";
}

TEST(Choice, TriesWhatMayTakeMuchLongerOnceThatCostsLittle) {
  Choice choice(3);
  choice.suspect(2, 5e-3); // To start its threads took most of that.
  Program program(choice, {1.1e-3, 1e-3, 0.5e-3});
  program.run(1000, 1);
  EXPECT_EQ(choice.present(), 1U);

  program.run(10000, 1);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 2U);
}

TEST(Choice, TriesWhatIsLikelyToBeSlowOnceThatCostsLittle) {
  Choice choice(3);
  Program program(choice, {0.5e-3, 5e-3, 1e-3});
  choice.took(1, program.loop(0), 5e-3, 0);
  program.run(1000, 1);
  EXPECT_EQ(choice.present(), 2U) << "trying the first one might take 100 ms";

  program.run(10000, 1);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 0U);
}

TEST(Choice, LeavesOffWhatTurnsOutToBeHopeless) {
  Choice choice(2);
  Program program(choice, {1, 1e-3});
  choice.took(1, program.loop(0), 1e-3, 2);
  ASSERT_EQ(choice.present(), 0U);
  program.run(1, 1);

  choice.expect(0, 0.9);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, LeavesOffWhatTurnsOutToBeHopelessWhileItIsMeasured) {
  Choice choice(2);
  Program program(choice, {1e-3, 1e-2});
  while (choice.present() == 0 || !choice.isMeasuring()) {
    program.run(1);
  }

  choice.expect(1, 9e-3);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 0U);
}

TEST(Choice, TakesTheBestOnceAllHaveBeenTried) {
  for (std::size_t best = 0; best < 3; ++best) {
    Choice choice(3);
    std::vector<double> seconds(3, 3e-3);
    seconds[best] = 2e-3;
    Program program(choice, seconds);

    program.run(120);

    EXPECT_FALSE(choice.isTrying());
    EXPECT_EQ(choice.present(), best);
    EXPECT_LT(program.told(), 30) << "waiting for the end of launches costs";
  }
}

TEST(Choice, TellsAlternativesApartThatTakeMicroseconds) {
  Choice choice(2);
  Program program(choice, {10e-6, 9e-6});

  program.run(5000);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, TriesSomethingHopelessForAFewLaunchesOnly) {
  Choice choice(3);
  Program program(choice, {200e-6, 150e-6, 160e-3});

  program.run(1000, 1);

  EXPECT_EQ(choice.present(), 1U);
  EXPECT_LT(program.now(), 1000 * 200e-6 + 9 * 160e-3);
}

TEST(Choice, StaysWithOneThatIsAsGood) {
  Choice choice(2);
  Program program(choice, {1e-3, 1.005e-3});
  program.run(100);
  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U) << "the one that was tried last";
}

TEST(Choice, WaitsUntilAnAlternativeHasSettled) {
  Choice choice(2);
  const char loop = 0;
  for (int launch = 0; launch < 100; ++launch) {
    EXPECT_FALSE(choice.begins(&loop, false));
  }
  EXPECT_TRUE(choice.begins(&loop, true));
}

/// What a launch takes, in seconds.
struct Took {
  double working = 0;
  double planning = 0;
};

/// Launches of a loop whose plans later launches know; `launch` gets its number.
template <typename Launch> void runWithPlans(Choice &choice, int launches, const Launch &launch) {
  const char loop = 0;
  double now = 1;
  double planning = 0;
  for (int number = 0; number < launches; ++number) {
    if (choice.begins(&loop, true)) {
      choice.tell(now, planning);
    }
    const Took took = launch(number);
    now += took.planning + took.working;
    planning += took.planning;
  }
}

/// Each of the first launches of the second way is planned anew.
TEST(Choice, TakesPlansThatAreMadeOnceForNoPartOfAWay) {
  constexpr double kPlan = 20e-3;
  Choice choice(2);
  int planned = 0;
  runWithPlans(choice, 300, [&](int) {
    const bool isSecond = choice.present() == 1;
    return Took{isSecond ? 0.8e-3 : 1e-3, isSecond && ++planned <= 8 ? kPlan : 0};
  });

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, MeasuresThoughPlansAreMadeAgainAndAgain) {
  constexpr double kPlan = 20e-3;
  Choice choice(2);
  runWithPlans(choice, 600,
               [&](int) { return Took{choice.present() == 1 ? 0.8e-3 : 1e-3, kPlan}; });

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
}

/// Devices compute faster, but plan each second launch.
TEST(Choice, CountsPlansThatAreMadeAgainAndAgain) {
  constexpr double kPlan = 8e-3;
  Choice choice(2);
  int onHosts = 0;
  runWithPlans(choice, 1000, [&](int launch) {
    const bool isOnHosts = choice.present() == 1;
    onHosts += isOnHosts ? 1 : 0;
    return Took{isOnHosts ? 2e-3 : 0.5e-3, !isOnHosts && launch % 2 == 0 ? kPlan : 0};
  });

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
  EXPECT_GT(onHosts, 800);
}

/// Devices compute while the next launch is planned.
TEST(Choice, CountsPlansThatAreMadeBesideTheLaunchBefore) {
  Choice choice(2);
  int onHosts = 0;
  runWithPlans(choice, 4000, [&](int) {
    const bool isOnHosts = choice.present() == 1;
    onHosts += isOnHosts ? 1 : 0;
    return isOnHosts ? Took{0.4e-3, 0} : Took{0, 1e-3};
  });

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
  EXPECT_GT(onHosts, 3500) << "a measurement ends though no time is left without plans";
}

TEST(Choice, PutsOffTryingUntilThatCostsLittle) {
  Choice choice(3);
  Program program(choice, {1e-3, 1.2e-3, 5.0});
  choice.expect(2, 5.0);
  choice.putOff(1, 0.1);

  EXPECT_TRUE(choice.isWaiting());
  EXPECT_EQ(choice.present(), 1U);
  program.run(3500); // 4.2 s.
  EXPECT_TRUE(choice.isWaiting());
  EXPECT_LT(program.told(), 20) << "devices idle at each of these times";

  program.run(5000);
  EXPECT_FALSE(choice.isWaiting());
  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 0U);
}

TEST(Choice, PutsTryingOffOnce) {
  Choice choice(2);
  Program program(choice, {1e-3, 1.2e-3});
  choice.putOff(1, 0.1);
  program.run(6000); // 7.2 s.

  EXPECT_FALSE(choice.isWaiting());
  EXPECT_FALSE(choice.mayPutOff());
}

TEST(Choice, WaitsNoLongerWhereWhatIsUsedMeanwhileIsSlow) {
  Choice choice(3);
  Program program(choice, {5e-3, 6e-3, 0.3e-3});
  choice.mayTake(1e-3); // Of a round of three.
  choice.putOff(1, 0.1);
  program.run(100);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 2U);
}

TEST(Choice, PutsNothingOffThatCostsLittle) {
  Choice choice(3);
  choice.putOff(1, 1e-3);
  EXPECT_FALSE(choice.isWaiting());
  EXPECT_EQ(choice.present(), 0U);
}

TEST(Choice, ComparesRoundsOfTheSameLoop) {
  Choice choice(2);
  Program program(choice, {2e-3, 1e-3});
  program.run(7, 1); // Another part of the program, which ends while the first one is tried.
  program.run(5000, 4);

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, TriesAgainMuchLater) {
  Choice choice(2);
  Program program(choice, {2e-3, 1e-3});
  program.run(100);
  EXPECT_EQ(choice.present(), 1U);
  program.seconds()[1] = 5e-3;

  program.run(10000);

  EXPECT_EQ(choice.present(), 0U);
}

TEST(Choice, GivesUpWhatWasLuckyWhenItWasTried) {
  Choice choice(2);
  Program program(choice, {2e-3, 1e-3});
  program.run(50);
  ASSERT_EQ(choice.present(), 1U);
  program.seconds()[1] = 2.5e-3;

  program.run(200);

  EXPECT_EQ(choice.present(), 0U) << "long before all are tried again";
  EXPECT_FALSE(choice.isTrying());
}

TEST(Choice, IsNotMisledByOneDisturbance) {
  for (const int disturbed : {4, 60, 75}) {
    Choice choice(2);
    const char loop = 0;
    double now = 0;
    for (int launch = 0; launch < 300; ++launch) {
      if (choice.begins(&loop, true)) {
        choice.tell(now);
      }
      now += choice.present() == 0 ? 1e-3 : 0.9e-3;
      now += launch == disturbed ? 0.1 : 0;
    }
    EXPECT_FALSE(choice.isTrying());
    EXPECT_EQ(choice.present(), 1U) << disturbed;
  }
}

TEST(Choice, IsNotMisledByACheckThatIsDisturbed) {
  Choice choice(2);
  const char loop = 0;
  double now = 0;
  int disturbed = 0; // Launches of the first check, all of them.
  bool isOver = false;
  for (int launch = 0; launch < 2000; ++launch) {
    if (choice.begins(&loop, true)) {
      choice.tell(now);
    }
    const bool isChecked = !choice.isTrying() && choice.isMeasuring();
    isOver = isOver || (disturbed > 0 && !isChecked);
    disturbed += isChecked && !isOver ? 1 : 0;
    now += (choice.present() == 0 ? 1e-3 : 0.8e-3) * (isChecked && !isOver ? 3 : 1);
  }
  EXPECT_GT(disturbed, 0);
  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, GivesUpSoonWhatTakesMuchLongerAndIsStillLearning) {
  // The second one finds its cut in 100 launches, and never becomes better than the first.
  Choice choice(2);
  const char loop = 0;
  int learned = 0;
  for (int launch = 0; launch < 300; ++launch) {
    if (choice.begins(&loop, choice.present() == 0 || learned == 100)) {
      choice.tell(launch * 1e-3 + learned * 9e-3);
    }
    learned += choice.present() == 1 && learned < 100 ? 1 : 0;
  }

  EXPECT_EQ(choice.present(), 0U);
  EXPECT_LT(learned, 25);
}

TEST(Choice, GivesUpAFirstCutThatIsWorseByFar) {
  // It would be cut anew after 16 launches, each of which takes 27 times as long as on devices.
  Choice choice(2);
  const char loop = 0;
  int learned = 0;
  double now = 0;
  for (int launch = 0; launch < 300; ++launch) {
    if (choice.begins(&loop, choice.present() == 0 || learned == 16)) {
      choice.tell(now);
    }
    now += choice.present() == 0 ? 0.35e-3 : 9.3e-3;
    learned += choice.present() == 1 && learned < 16 ? 1 : 0;
  }

  EXPECT_EQ(choice.present(), 0U);
  EXPECT_LT(learned, 8);
}

TEST(Choice, MeasuresALongRoundFewTimes) {
  // Cores beside a device that makes them useless, on ranks that share it: 30 ms for 1.
  Choice choice(3);
  choice.expect(2, 3);
  const char loop = 0;
  double now = 0;
  int learned = 0;
  for (int launch = 0; launch < 2000; ++launch) {
    learned += choice.present() == 0 && learned < 12 ? 1 : 0;
    if (choice.begins(&loop, choice.present() != 0 || learned == 12)) {
      choice.tell(now);
    }
    now += choice.present() == 0 ? 30e-3 : 1e-3;
  }

  EXPECT_EQ(choice.present(), 1U);
  EXPECT_LT(now, 2000 * 1e-3 + 20 * 30e-3);
}

TEST(Choice, WaitsForACutThatIsBetterInTheEnd) {
  Choice choice(2);
  const char loop = 0;
  int learned = 0;
  double now = 0;
  for (int launch = 0; launch < 300; ++launch) {
    if (choice.begins(&loop, choice.present() == 0 || learned == 20)) {
      choice.tell(now);
    }
    // The first guess is much worse.
    now += choice.present() == 0 ? 1e-3 : (learned < 20 ? (learned < 8 ? 9e-3 : 1.5e-3) : 0.5e-3);
    learned += choice.present() == 1 && learned < 20 ? 1 : 0;
  }

  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, TakesTheBetterOfTwoThoughTimesDiffer) {
  // Rounds of 12 ms, of which few are measured; the checks make good what that gets wrong.
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> jitter(0.9, 1.1);
    Choice choice(2);
    const char loop = 0;
    double now = 0;
    for (int launch = 0; launch < 300; ++launch) {
      if (choice.begins(&loop, true)) {
        choice.tell(now);
      }
      now += jitter(random) * (choice.present() == 0 ? 12e-3 : 10.5e-3);
    }
    EXPECT_EQ(choice.present(), 1U) << seed;
  }
}

TEST(Choice, DoesNotGoToAndFro) {
  Choice choice(2);
  Program program(choice, {2e-3, 1e-3});
  program.run(50);
  std::size_t before = choice.present();
  int changes = 0;
  for (int round = 0; round < 6000; ++round) {
    // Each of them is bad whenever it has been used for long.
    program.seconds()[choice.present()] = 3e-3;
    program.seconds()[1 - choice.present()] = 1e-3;
    program.run(1);
    changes += choice.present() != before ? 1 : 0;
    before = choice.present();
  }

  EXPECT_LE(changes, 10);
}

TEST(Choice, ChecksMoreAndMoreSeldom) {
  Choice choice(2);
  Program program(choice, {2e-3, 1e-3});
  program.run(100);
  const int told = program.told();

  program.run(6000);

  EXPECT_LE(program.told() - told, 3 * 9);
}

TEST(Choice, DropsACheckThatSomethingElseDisturbs) {
  Choice choice(2);
  Program program(choice, {2e-3, 1e-3});
  program.run(50);
  program.seconds()[1] = 2.5e-3;
  for (int round = 0; round < 100; ++round) {
    choice.dropCheck();
    program.run(1);
  }

  EXPECT_EQ(choice.present(), 1U);
}

TEST(Choice, TakesWhatHasAHandicapOnlyForAClearGain) {
  for (const double seconds : {0.95e-3, 0.8e-3}) {
    Choice choice(2);
    choice.setHandicap(0, 1.1);
    Program program(choice, {seconds, 1e-3});
    program.run(100);
    EXPECT_EQ(choice.present(), seconds < 0.9e-3 ? 0U : 1U);
  }
}

TEST(Choice, SeesWhatIsMovedNowAndThen) {
  // The first way moves much after every 100th round, the second computes more slowly.
  for (const double moving : {0.05, 0.5}) {
    Choice choice(2);
    const char loop = 0;
    double now = 0;
    int told = 0;
    for (int round = 1; round <= 2000; ++round) {
      choice.needsRounds(&loop, 100);
      if (choice.begins(&loop, true)) {
        choice.tell(now);
        ++told;
      }
      now += choice.present() == 0 ? 1e-3 : 3e-3;
      now += choice.present() == 0 && round % 100 == 0 ? moving : 0;
    }

    EXPECT_FALSE(choice.isTrying());
    EXPECT_EQ(choice.present(), moving < 0.2 ? 0U : 1U);
    EXPECT_LT(told, 50);
  }
}

TEST(Choice, GivesUpWhatIsHopelessBeforeAPeriodIsOver) {
  Choice choice(2);
  const char loop = 0;
  double now = 0;
  for (int round = 0; round < 3000; ++round) {
    choice.needsRounds(&loop, 1000);
    if (choice.begins(&loop, true)) {
      choice.tell(now);
    }
    now += choice.present() == 0 ? 1e-3 : 1;
  }

  EXPECT_EQ(choice.present(), 0U);
  EXPECT_LT(now, 20);
}

TEST(Choice, GivesUpWhatIsHopelessAsSoonAsAPeriodIsBoundToTakeTooLong) {
  // 200 rounds on devices take 46 ms as much moves behind them; on cores they take 520.
  Choice choice(2);
  const char loop = 0;
  double now = 0;
  double onCores = 0;
  int told = 0;
  for (int round = 1; round <= 3000; ++round) {
    choice.needsRounds(&loop, 200);
    if (choice.begins(&loop, true)) {
      choice.tell(now);
      ++told;
    }
    const double seconds = choice.present() == 0 ? 0.1e-3 + (round % 200 == 0 ? 26e-3 : 0) : 2.6e-3;
    now += seconds;
    onCores += choice.present() == 0 ? 0 : seconds;
  }

  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(choice.present(), 0U);
  EXPECT_LT(onCores, 0.25);
  EXPECT_LT(told, 50);
}

TEST(Choice, TriesAgainOnceThatIsLittleBesideTheTimeSince) {
  // Rounds are so short that thousands are over before cores that have idled are awake.
  Choice choice(2);
  const char loop = 0;
  double now = 0;
  double onCores = 0;
  int awake = 0;
  for (int round = 0; round < 100000; ++round) {
    if (choice.begins(&loop, true)) {
      choice.tell(now);
    }
    awake = choice.present() == 0 ? 0 : awake + 1;
    const double seconds = choice.present() == 0 ? 10e-6 : awake <= 16 ? 3e-3 : 40e-6;
    now += seconds;
    onCores += choice.present() == 0 ? 0 : seconds;
  }

  EXPECT_EQ(choice.present(), 0U);
  EXPECT_LT(onCores, 0.04 * now);
}

TEST(Choice, CountsAllTrialsSinceTheFirstBeforeItTriesAllAgain) {
  // One is tried later than the others, and quickly given up.
  constexpr std::array<double, 3> kSeconds{44e-6, 6e-6, 60e-6};
  Choice choice(3);
  const char loop = 0;
  double now = 0;
  double elsewhere = 0;
  while (now < 2) {
    choice.suspect(2, kSeconds[2]);
    if (choice.begins(&loop, true)) {
      choice.tell(now);
    }
    now += kSeconds.at(choice.present());
    elsewhere += choice.present() == 1 ? 0 : kSeconds.at(choice.present());
  }

  EXPECT_EQ(choice.present(), 1U);
  EXPECT_LT(elsewhere, 0.015 * now);
}

TEST(Choice, HasNothingToTryWithOneAlternative) {
  Choice choice(1);
  Program program(choice, {1e-3});
  program.run(100);
  EXPECT_FALSE(choice.isTrying());
  EXPECT_EQ(program.told(), 0);
}

} // namespace

} // namespace tutti::balance
