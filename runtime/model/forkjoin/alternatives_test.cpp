// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Choices of a simulated program: a time loop of two regions of different lengths that work on the
/// same data, one host and one device.
#include "runtime/model/forkjoin/alternatives.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tutti::model::forkjoin {

namespace {

constexpr memory::Place kHost = 0;
constexpr memory::Place kDevice = 1;

enum Way : std::size_t { kBoth, kOnDevice, kOnHost };

class Program {
public:
  /// Seconds of each loop by way, and of moving what one leaves to where the other runs.
  Program(std::array<std::array<double, 3>, 2> seconds, double crossing)
      : seconds_(seconds), crossing_(crossing) {}

  /// All has run on the device so far, and the first loop stays there. `seconds`: from one launch
  /// of the second one to the next.
  void setOnDevice(double seconds) {
    isFixed_ = true;
    onDevice_ = seconds;
  }

  /// The first launches on both, of which so many are needed to find a cut, take so many times as
  /// long.
  void setLearning(int launches, double factor) {
    learning_ = launches;
    learningFactor_ = factor;
  }

  /// `sweeps`: launches of the second loop in a round.
  void run(int rounds, int sweeps = 1) {
    for (int round = 0; round < rounds; ++round) {
      launch(0);
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        launch(1);
      }
    }
  }

  /// A round as both loops run in the end.
  double round() {
    const double begin = now_;
    run(1);
    return now_ - begin;
  }

  double now() const { return now_; }

  /// Launches of which it was asked what is known.
  int asked() const { return asked_; }

  Way wayOf(std::size_t loop) const { return latest_[loop]; }

  bool isTrying() const {
    return Alternatives::isTrying(histories_[0]) || Alternatives::isTrying(histories_[1]);
  }

private:
  void launch(std::size_t loop) {
    const Way way = isFixed_ && loop == 0 ? kOnDevice : choose(loop);
    latest_[loop] = way;
    const bool isLearning = way == kBoth && learned_[loop] < learning_;
    learned_[loop] += isLearning ? 1 : 0;
    now_ +=
        (isLearning ? learningFactor_ : 1) * seconds_[loop][way] + (way == last_ ? 0 : crossing_);
    last_ = way;
  }

  Way choose(std::size_t loop) {
    ChoiceHistory &history = histories_[loop];
    exec::Placement placement{{{kHost, 1}, {kDevice, 1}}, true, {}};
    const Alternatives::Known known{learned_[loop] >= learning_, 0, 1, onDevice_};
    const bool isAsked =
        alternatives_.enters(history, placement, loop == 0 ? 1000 : 64, onDevice_ > 0);
    asked_ += isAsked ? 1 : 0;
    if (alternatives_.begins(history, isAsked ? std::optional(known) : std::nullopt)) {
      alternatives_.tell(now_);
    }
    alternatives_.restrict(history, placement);
    const bool isShared = placement.shares.size() == 2;
    return isShared ? kBoth : (placement.shares.front().place == kDevice ? kOnDevice : kOnHost);
  }

  std::array<std::array<double, 3>, 2> seconds_;
  double crossing_;
  memory::Topology topology_{{1}};
  Alternatives alternatives_{topology_};
  std::array<ChoiceHistory, 2> histories_;
  std::array<Way, 2> latest_{};
  bool isFixed_ = false;
  int asked_ = 0;
  double onDevice_ = 0;
  std::array<int, 2> learned_{};
  int learning_ = 0;
  double learningFactor_ = 1;
  Way last_ = kBoth;
  double now_ = 1;
};

TEST(Alternatives, TakeTheBestWayForEachLoopWhereNothingCrosses) {
  Program program({{{5e-3, 1e-3, 9e-3}, {5e-3, 9e-3, 1e-3}}}, 0);

  program.run(2000);

  EXPECT_EQ(program.wayOf(0), kOnDevice);
  EXPECT_EQ(program.wayOf(1), kOnHost);
}

TEST(Alternatives, TakeTheBestWayForAllLoopsWhereMuchCrosses) {
  // Whichever of them alone is run in another way, its data crosses twice in a round.
  for (const Way best : {kBoth, kOnDevice, kOnHost}) {
    std::array<double, 3> seconds{4e-3, 4e-3, 4e-3};
    seconds[best] = 2e-3;
    Program program({seconds, seconds}, 20e-3);

    program.run(2000);

    EXPECT_FALSE(program.isTrying());
    EXPECT_NEAR(program.round(), 4e-3, 1e-6) << best;
  }
}

TEST(Alternatives, TakeWhatIsBestTogetherThoughItIsBestForNoneAlone) {
  // HyCOMP 5.4: the first loop is best on the device and the second on the host, and what they
  // share takes longer to move than either gains.
  Program program({{{6e-3, 1e-3, 3e-3}, {6e-3, 3.5e-3, 1e-3}}}, 5e-3);

  program.run(2000);

  EXPECT_NEAR(program.round(), 4e-3, 1e-6); // Not 4.5 on the device, nor 12 as each would be best.
}

TEST(Alternatives, StayAsTheyHaveChosenWhereAllTogetherGainLittle) {
  // On the device 4 ms, on the host 3.9.
  Program program({{{20e-3, 1e-3, 2.9e-3}, {20e-3, 3e-3, 1e-3}}}, 1.5e-3);

  program.run(2000);

  EXPECT_NEAR(program.round(), 4e-3, 1e-6);
}

TEST(Alternatives, SpendLittleOnFindingOut) {
  Program program({{{4e-3, 4e-3, 2e-3}, {4e-3, 4e-3, 2e-3}}}, 20e-3);
  program.run(2000);
  const double found = program.now();
  program.run(2000);

  EXPECT_LT(found - 1, 2 * 2000 * 4e-3);
  EXPECT_LT(program.now() - found, 1.05 * 2000 * 4e-3);
}

TEST(Alternatives, AskSeldomWhatIsKnownOfLoopsThatHaveChosen) {
  Program program({{{4e-3, 2e-3, 4e-3}, {4e-3, 2e-3, 4e-3}}}, 1e-3);
  program.run(2000);
  ASSERT_FALSE(program.isTrying());
  const int before = program.asked();

  program.run(1000);

  EXPECT_LT(program.asked() - before, 2 * 1000 / 8);
}

TEST(Alternatives, FindOutBeforeAShortProgramIsOver) {
  // HyCOMP's Fig. 13: sequential code reads what the second loop leaves, here a part of what the
  // loop takes on the device.
  for (const double scale : {1e-3, 10e-3}) {
    Program program(
        {{{0.3 * scale, 0.25 * scale, 5 * scale}, {1.5 * scale, 1.2 * scale, 0.25 * scale}}}, 0);
    program.setOnDevice((0.25 / 4 + 1.2) * scale);
    program.setLearning(12, 1.2);
    const double begin = program.now();

    program.run(60, 4);

    EXPECT_EQ(program.wayOf(1), kOnHost);
    EXPECT_LT(program.now() - begin, 1.1 * 60 * 1.25 * scale);
  }
}

} // namespace

} // namespace tutti::model::forkjoin
