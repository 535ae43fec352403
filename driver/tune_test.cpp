// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The search finds shares that are nearly the best, with few probes.
#include "driver/tune.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti::driver {

namespace {

/// Seconds of all cells: on all cores, on the device, and over the bus in each direction; and the
/// share that the device has memory for.
struct Machine {
  double cores;
  double device;
  double bus;
  double memory;

  double operator()(const Shares &shares) const {
    const double stays = 1 - shares.cores - shares.drag;
    // What the device has no room for goes to and fro, one after the other.
    const double spills = std::max(0.0, stays - memory);
    const double portion = shares.drag / shares.portions;
    const double there = stays * device + shares.drag * std::max(device, bus) + 2 * portion * bus +
                         (shares.drag > 0 ? 1e-4 * shares.portions : 0) + spills * 3 * bus;
    return std::max(shares.cores * cores, there) + 1e-3;
  }
};

double bestOfGrid(const Machine &machine) {
  double best = machine({});
  constexpr int kSteps = 100;
  for (int cores = 0; cores <= kSteps; ++cores) {
    for (int drag = 0; cores + drag <= kSteps; ++drag) {
      for (const int portions : {2, 4, 8, 16, 32}) {
        best = std::min(best, machine({cores / 100.0, drag / 100.0, portions}));
      }
    }
  }
  return best;
}

TEST(Tune, FindsNearlyTheBestOfAGrid) {
  for (const Machine &machine :
       {Machine{1, 0.5, 0.1, 1}, Machine{1, 0.02, 0.3, 1}, Machine{1, 0.05, 0.2, 0.25},
        Machine{1, 0.3, 0.4, 0.25}, Machine{0.1, 1, 0.1, 1}, Machine{1, 0.001, 0.01, 1}}) {
    int probes = 0;
    const auto tuned = tune(
        [&](const Shares &shares, double) {
          ++probes;
          EXPECT_LE(shares.cores + shares.drag, 1 + 1e-9);
          return std::optional(machine(shares));
        },
        60);

    ASSERT_TRUE(tuned);
    EXPECT_EQ(tuned->probes, probes);
    EXPECT_LE(probes, 60);
    EXPECT_LE(tuned->seconds, 1.1 * bestOfGrid(machine))
        << machine.cores << " " << machine.device << " " << machine.bus << " " << machine.memory
        << ": " << ropeOf(tuned->shares);
  }
}

TEST(Tune, LooksWhereCoresAndDeviceWouldTakeEquallyLong) {
  const Machine machine{1, 0.25, 0.2, 1};
  std::vector<double> cores;

  tune(
      [&](const Shares &shares, double) {
        cores.push_back(shares.cores);
        return std::optional(machine(shares));
      },
      60);

  // After no share and all, what is dragged is looked for, without cores.
  const auto first = std::ranges::find_if(cores, [](double each) { return each > 0 && each < 1; });
  ASSERT_NE(first, cores.end());
  EXPECT_NEAR(*first, 0.2, 1e-3);
}

TEST(Tune, AsksNoMoreThanItMay) {
  int probes = 0;

  const auto tuned = tune([&](const Shares &, double) { return std::optional(1.0 / ++probes); }, 7);

  EXPECT_EQ(probes, 7);
  EXPECT_EQ(tuned->probes, 7);
}

TEST(Tune, GivesUpWhatTakesMuchLonger) {
  double best = 0;

  tune(
      [&](const Shares &shares, double limit) {
        EXPECT_EQ(limit, best == 0 ? 0 : 2 * best + 1);
        const double seconds = 1 + 100 * shares.cores;
        best = best == 0 ? seconds : std::min(best, seconds);
        return std::optional(limit == 0 ? seconds : std::min(seconds, limit));
      },
      60);

  EXPECT_EQ(best, 1);
}

TEST(Tune, EndsWhereAProbeFails) {
  EXPECT_FALSE(tune([](const Shares &, double) { return std::optional<double>(); }, 60));
}

TEST(Profile, KeepsWhatWasFoundForEachRun) {
  const std::string one = profileKey({"./dir/prog", "10", "a\"b"}, 1, "gpu");
  const std::string two = profileKey({"prog", "10", "a\"b"}, 2, "gpu");
  std::string profile = putIntoProfile("", one, {{0.25, 0.5, 4}, 0.5, 12});
  profile = putIntoProfile(profile, two, {{0, 0, 8}, 0.25, 3});

  EXPECT_EQ(findInProfile(profile, one), "cpu=0.25,drag=0.5,portions=4");
  EXPECT_EQ(findInProfile(profile, two), "cpu=0,drag=0,portions=8");
  EXPECT_EQ(findInProfile(profile, profileKey({"prog"}, 1, "gpu")), "");

  profile = putIntoProfile(profile, one, {{1, 0, 8}, 0.125, 15});

  EXPECT_EQ(findInProfile(profile, one), "cpu=1,drag=0,portions=8");
  EXPECT_EQ(std::count(profile.begin(), profile.end(), '\n'), 2);
}

} // namespace

} // namespace tutti::driver
