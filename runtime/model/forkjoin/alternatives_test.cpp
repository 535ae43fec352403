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

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t loop = 0; loop < 2; ++loop) {
        launch(loop);
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

  Way wayOf(std::size_t loop) const { return latest_[loop]; }

  bool isTrying() const {
    return Alternatives::isTrying(histories_[0]) || Alternatives::isTrying(histories_[1]);
  }

private:
  void launch(std::size_t loop) {
    ChoiceHistory &history = histories_[loop];
    exec::Placement placement{{{kHost, 1}, {kDevice, 1}}, true, {}};
    if (alternatives_.begins(history, placement, loop == 0 ? 1000 : 64, {true, 0, 1})) {
      alternatives_.tell(now_);
    }
    alternatives_.restrict(history, placement);
    const bool isShared = placement.shares.size() == 2;
    const Way way =
        isShared ? kBoth : (placement.shares.front().place == kDevice ? kOnDevice : kOnHost);
    latest_[loop] = way;
    now_ += seconds_[loop][way] + (way == last_ ? 0 : crossing_);
    last_ = way;
  }

  std::array<std::array<double, 3>, 2> seconds_;
  double crossing_;
  memory::Topology topology_{{1}};
  Alternatives alternatives_{topology_};
  std::array<ChoiceHistory, 2> histories_;
  std::array<Way, 2> latest_{};
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

} // namespace

} // namespace tutti::model::forkjoin
