// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shares of a rank whose steps take what a formula says.
#include "runtime/balance/shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace tutti::balance {

namespace {

using StepSeconds = std::function<double(double cores, double drag)>;

/// Runs steps of 64 calls, whose places are their middles.
class Steps {
public:
  explicit Steps(Shares &shares) : shares_(shares) {}

  void run(int steps, const StepSeconds &seconds, double noise = 0) {
    constexpr int kCalls = 64;
    std::uniform_real_distribution<double> chance(1 - noise, 1 + noise);
    for (int step = 0; step < steps; ++step) {
      const double one = seconds(shares_.cores(), shares_.drag()) * chance(random_) / kCalls;
      for (int call = 0; call < kCalls; ++call) {
        now_ += one;
        shares_.add(0, (call + 0.5) / kCalls, now_);
      }
    }
  }

  double now() const { return now_; }

private:
  Shares &shares_;
  double now_ = 0;
  std::mt19937 random_{1};
};

/// Cores and a device work beside each other, and the device's bus is slow.
StepSeconds besideEachOther(double core, double device, double bus = 0) {
  return [=](double cores, double drag) {
    const double stays = 1 - cores - drag;
    return std::max(cores * core, stays * device + drag * std::max(device, bus));
  };
}

double best(const StepSeconds &seconds, bool mayDrag) {
  double least = seconds(0, 0);
  for (double cores = 0; cores <= 1; cores += 1.0 / 256) {
    for (double drag = 0; cores + drag <= 1 && (mayDrag || drag == 0); drag += 1.0 / 256) {
      least = std::min(least, seconds(cores, drag));
    }
  }
  return least;
}

} // namespace

TEST(Shares, FindsWhatTakesLeastInSixtySteps) {
  for (const double core : {1.0, 2.0, 4.0, 20.0, 300.0}) {
    for (const double first : {0.0, 0.1, 0.5, 1.0}) {
      const StepSeconds seconds = besideEachOther(core, 1);
      Shares shares(first, 0);
      Steps steps(shares);

      steps.run(60, seconds, 0.005);

      EXPECT_LE(seconds(shares.cores(), 0), 1.1 * best(seconds, false) + 0.02)
          << core << " from " << first << " to " << shares.cores();
      EXPECT_EQ(shares.drag(), 0);
    }
  }
}

TEST(Shares, SpendsLittleOnWhatTakesLong) {
  for (const double core : {4.0, 20.0, 300.0}) {
    for (const double first : {0.0, 0.1, 0.5, 1.0}) {
      const StepSeconds seconds = besideEachOther(core, 1);
      Shares shares(first, 0);
      Steps steps(shares);

      steps.run(60, seconds);

      const double least = best(seconds, false);
      EXPECT_LE(steps.now(), 1.5 * 60 * least) << core << " from " << first;
    }
  }
}

TEST(Shares, TriesNothingThatCoresAreKnownToBeTooSlowFor) {
  Shares shares(0.5, 0);
  Steps steps(shares);

  steps.run(60, besideEachOther(300, 1));

  EXPECT_EQ(shares.cores(), 0);
  EXPECT_EQ(shares.moves(), 2U) << "to a 256th and back, and nowhere else";
}

TEST(Shares, TriesNoStepThatTakesManyTimesAsLong) {
  for (const double core : {1.0, 20.0, 300.0, 1000.0}) {
    for (const double drag : {0.0, 0.25}) {
      Shares shares(0.5, drag);
      double longest = 0;
      Steps(shares).run(200, [&](double cores, double dragged) {
        const double seconds = std::max(cores * core, 1 - cores + dragged);
        longest = std::max(longest, seconds);
        return seconds;
      });

      EXPECT_LE(longest, 5 * (1 + drag)) << core << " with " << drag;
    }
  }
}

TEST(Shares, RemembersThatCoresAreTooSlow) {
  Shares shares(0.5, 0);
  Steps steps(shares);
  steps.run(60, besideEachOther(300, 1));
  const std::uint64_t moves = shares.moves();

  steps.run(60, besideEachOther(450, 1.5));
  steps.run(60, besideEachOther(300, 1));

  EXPECT_EQ(shares.moves(), moves);
}

TEST(Shares, LooksMoreSeldomWhereThatFindsNothing) {
  const StepSeconds seconds = besideEachOther(300, 1);
  Shares shares(0, 0);
  Steps steps(shares);
  steps.run(60, seconds);
  const std::uint64_t moves = shares.moves();
  const auto unsteady = [step = 0](double cores, double) mutable {
    return std::max(300 * cores, 1 - cores) * (step++ / 50 % 2 == 0 ? 1 : 3);
  };

  steps.run(4000, unsteady);

  EXPECT_LE(shares.moves(), moves + 60) << "80 changes";
}

TEST(Shares, StaysWhereStepsTakeLeast) {
  const StepSeconds seconds = besideEachOther(3, 1);
  Shares shares(0.25, 0);
  Steps steps(shares);
  steps.run(60, seconds, 0.005);
  const std::uint64_t moves = shares.moves();

  steps.run(1000, seconds, 0.1);

  EXPECT_EQ(shares.moves(), moves);
}

TEST(Shares, FollowsALoadThatChanges) {
  Shares shares(0.25, 0);
  Steps steps(shares);
  steps.run(60, besideEachOther(3, 1));
  const StepSeconds later = besideEachOther(1, 2);

  steps.run(80, later);

  EXPECT_LE(later(shares.cores(), 0), 1.1 * best(later, false)) << shares.cores();
}

TEST(Shares, FindsWhatIsDraggedToo) {
  // What stays on the device is slow beyond half of the whole: it has no room for more.
  const StepSeconds seconds = [](double cores, double drag) {
    const double stays = 1 - cores - drag;
    return std::max(cores * 8, stays + drag * 1.5 + 10 * std::max(stays - 0.5, 0.0));
  };
  Shares shares(0.5, 0.125);
  Steps steps(shares);

  steps.run(240, seconds);

  EXPECT_LE(seconds(shares.cores(), shares.drag()), 1.1 * best(seconds, true))
      << shares.cores() << " " << shares.drag();
  EXPECT_LE(shares.cores() + shares.drag(), 1);
}

TEST(Shares, WaitsForStepsThatRepeatTheirCalls) {
  Shares shares(0.5, 0);

  for (int call = 0; call < 1000; ++call) {
    EXPECT_FALSE(shares.add(0, call, call));
  }

  EXPECT_EQ(shares.moves(), 0U);
}

} // namespace tutti::balance
