// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulated machine: places with speeds, loops whose work lies unevenly, times with jitter.
#include "runtime/balance/rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace tutti::balance {

namespace {

constexpr double kBandwidth = 10e9;

/// Seconds per unit of length at a point of the loop, on a place of speed 1.
using Density = std::function<double(double)>;

double even(double /*at*/) { return 1; }

double triangle(double at) { return 2 * at; }

double mandelbrot(double at) { return 0.05 + 3 * std::exp(-30 * (at - 0.5) * (at - 0.5)); }

double step(double at) { return at < 0.3 ? 5 : 0.2; }

class Machine {
public:
  Machine(std::vector<double> speeds, Density density, double jitter = 0,
          std::size_t steps = 1 << 18)
      : speeds_(std::move(speeds)), density_(std::move(density)), jitter_(jitter) {
    const auto all = static_cast<double>(steps);
    sums_.push_back(0);
    for (std::size_t step = 0; step < steps; ++step) {
      sums_.push_back(sums_.back() + density_((static_cast<double>(step) + 0.5) / all) / all *
                                         static_cast<double>(speeds_.size()));
    }
  }

  double work(double lower, double upper) const { return until(upper) - until(lower); }

  double secondsOf(std::span<const double> borders, std::size_t place) const {
    return work(borders[place], borders[place + 1]) / speeds_[place];
  }

  double slowest(std::span<const double> borders) const {
    double most = 0;
    for (std::size_t place = 0; place < speeds_.size(); ++place) {
      most = std::max(most, secondsOf(borders, place));
    }
    return most;
  }

  double best() const {
    double speed = 0;
    for (const double each : speeds_) {
      speed += each;
    }
    return until(1) / speed;
  }

  std::vector<PartTime> run(std::span<const double> borders) {
    std::vector<PartTime> parts;
    std::uniform_real_distribution<double> noise(1 - jitter_, 1 + jitter_);
    for (std::size_t place = 0; place < speeds_.size(); ++place) {
      parts.push_back({static_cast<std::int32_t>(place), borders[place], borders[place + 1],
                       secondsOf(borders, place) * noise(random_)});
    }
    return parts;
  }

  void slowDown(std::size_t place, double factor) { speeds_[place] /= factor; }

private:
  double until(double at) const {
    const double position = at * static_cast<double>(sums_.size() - 1);
    const auto step = std::min(static_cast<std::size_t>(position), sums_.size() - 2);
    return sums_[step] + (position - static_cast<double>(step)) * (sums_[step + 1] - sums_[step]);
  }

  std::vector<double> speeds_;
  Density density_;
  double jitter_;
  std::vector<double> sums_;
  std::mt19937 random_{1};
};

/// By which fraction a cut is longer than the best one, after so many executions.
double excess(Machine &machine, Rope &rope, Rope::Loop loop, int executions) {
  for (int execution = 0; execution < executions; ++execution) {
    rope.add(loop, machine.run(rope.borders()), 1, {1e6, kBandwidth});
  }
  return machine.slowest(rope.borders()) / machine.best() - 1;
}

std::vector<double> alike(std::size_t places) { return std::vector<double>(places, 1.0); }

std::vector<double> randomSpeeds(std::size_t places, double most) {
  std::mt19937 random(static_cast<unsigned>(places));
  std::uniform_real_distribution<double> logarithm(0, std::log(most));
  std::vector<double> speeds;
  for (std::size_t place = 0; place < places; ++place) {
    speeds.push_back(std::exp(logarithm(random)));
  }
  return speeds;
}

TEST(Rope, IsCutInEqualPartsAtFirst) {
  const Rope rope(alike(4), Places::Alike);

  EXPECT_EQ(std::vector<std::uint32_t>(rope.weights().begin(), rope.weights().end()),
            std::vector<std::uint32_t>(4, kRopeLength / 4));
}

TEST(Rope, FollowsUnevenWorkWithinFiveExecutions) {
  for (const Density &density : {Density(triangle), Density(mandelbrot), Density(step)}) {
    for (const std::size_t places : {2, 3, 4, 7, 16, 64, 256}) {
      Machine machine(alike(places), density);
      Rope rope(alike(places), Places::Alike);
      const Rope::Loop loop = rope.addLoop();
      EXPECT_LT(excess(machine, rope, loop, 5), 0.10) << places;
      EXPECT_LT(excess(machine, rope, loop, 10), 0.03) << places;
    }
  }
}

TEST(Rope, FollowsUnlikePlacesWithinFiveExecutions) {
  for (const std::size_t places : {2, 3, 4, 7, 16, 64, 256, 1024, 4096}) {
    Machine machine(randomSpeeds(places, 20), even);
    Rope rope(alike(places), Places::Unlike);
    const Rope::Loop loop = rope.addLoop();
    EXPECT_LT(excess(machine, rope, loop, 5), 0.05) << places;
    EXPECT_LT(excess(machine, rope, loop, 10), 0.03) << places;
  }
}

TEST(Rope, TellsUnlikePlacesFromUnevenWork) {
  for (const Density &density : {Density(triangle), Density(mandelbrot), Density(step)}) {
    for (const std::size_t places : {2, 3, 4, 7, 16, 64, 256}) {
      Machine machine(randomSpeeds(places, 20), density);
      Rope rope(alike(places), Places::Unlike);
      const Rope::Loop loop = rope.addLoop();
      EXPECT_LT(excess(machine, rope, loop, 40), 0.03) << places;
    }
  }
}

TEST(Rope, FollowsAPlaceThatSlowsDownWithinFiveExecutions) {
  for (const Places kind : {Places::Alike, Places::Unlike}) {
    for (const std::size_t places : {2, 4, 16}) {
      Machine machine(alike(places), even);
      Rope rope(alike(places), kind);
      const Rope::Loop loop = rope.addLoop();
      excess(machine, rope, loop, 10);
      machine.slowDown(1, 3);
      EXPECT_LT(excess(machine, rope, loop, 5), 0.07) << places;
    }
  }
}

TEST(Rope, StaysWhereItIsUnderJitter) {
  for (const std::size_t places : {2, 4, 16, 64}) {
    Machine machine(alike(places), even, 0.1);
    Rope rope(alike(places), Places::Alike);
    const Rope::Loop loop = rope.addLoop();
    int cuts = 0;
    for (int execution = 0; execution < 500; ++execution) {
      cuts += rope.add(loop, machine.run(rope.borders()), 1, {1e6, kBandwidth}) ? 1 : 0;
    }
    EXPECT_LE(cuts, 3) << places;
    EXPECT_LT(machine.slowest(rope.borders()) / machine.best() - 1, 0.08) << places;
  }
}

TEST(Rope, StaysWhereItIsThoughAPlaceIsSlowerThanThoseThatItIsLike) {
  for (const std::size_t places : {2, 4, 16}) {
    std::vector<double> speeds = alike(places);
    speeds[1] = 1.0 / 3;
    for (const Density &density : {Density(even), Density(triangle)}) {
      Machine machine(speeds, density, 0.05);
      Rope rope(alike(places), Places::Alike);
      const Rope::Loop loop = rope.addLoop();
      excess(machine, rope, loop, 40);
      int cuts = 0;
      for (int execution = 0; execution < 460; ++execution) {
        cuts += rope.add(loop, machine.run(rope.borders()), 1, {1e6, kBandwidth}) ? 1 : 0;
      }
      EXPECT_LE(cuts, 8) << places;
      EXPECT_LT(machine.slowest(rope.borders()) / machine.best() - 1, 0.08) << places;
    }
  }
}

TEST(Rope, FindsTheBestCutOfUnlikePlacesUnderJitterAndStaysThere) {
  for (const std::size_t places : {2, 4, 16, 64, 256}) {
    for (const double jitter : {0.05, 0.1}) {
      Machine machine(randomSpeeds(places, 20), even, jitter);
      Rope rope(alike(places), Places::Unlike);
      const Rope::Loop loop = rope.addLoop();
      excess(machine, rope, loop, 40);
      int cuts = 0;
      for (int execution = 0; execution < 460; ++execution) {
        cuts += rope.add(loop, machine.run(rope.borders()), 1, {1e6, kBandwidth}) ? 1 : 0;
        ASSERT_LT(machine.slowest(rope.borders()) / machine.best() - 1, places > 64 ? 0.3 : 0.12)
            << places << " places, execution " << execution;
      }
      EXPECT_LE(cuts, places > 64 ? 20 : 8) << places; // Each costs less than a thousandth.
    }
  }
}

TEST(Rope, FollowsAPlaceThatSlowsDownUnderJitter) {
  for (const Places kind : {Places::Alike, Places::Unlike}) {
    for (const std::size_t places : {2, 4, 16}) {
      Machine machine(alike(places), even, 0.1);
      Rope rope(alike(places), kind);
      const Rope::Loop loop = rope.addLoop();
      excess(machine, rope, loop, 20);
      machine.slowDown(1, 3);
      EXPECT_LT(excess(machine, rope, loop, 5), 0.25) << places;
    }
  }
}

TEST(Rope, MovesLessAndLessOftenWhereThatChangesNothing) {
  // A part takes long once on one place and once on the other, whatever it is given.
  Rope rope(alike(2), Places::Alike);
  const Rope::Loop loop = rope.addLoop();
  int cuts = 0;
  for (int launch = 0; launch < 4000; ++launch) {
    const bool first = launch / 10 % 2 == 0;
    const double at = rope.borders()[1];
    const std::vector<PartTime> times{{0, 0, at, first ? 60e-6 : 30e-6},
                                      {1, at, 1, first ? 30e-6 : 60e-6}};
    cuts += rope.add(loop, times, 1, {1e6, kBandwidth}) ? 1 : 0;
  }
  EXPECT_LT(cuts, 12);
}

TEST(Rope, IsSeldomCutWherePlacesShareADevice) {
  // It executes the parts one after the other, now in this order and now in that: what one takes
  // holds what those before it take, and no cut is better than another.
  for (const std::size_t places : {2, 4}) {
    for (const double seconds : {1e-3, 10e-3}) {
      std::mt19937 random(7);
      Rope rope(alike(places), Places::Alike);
      const Rope::Loop loop = rope.addLoop();
      std::vector<std::size_t> order(places);
      std::iota(order.begin(), order.end(), 0);
      int cuts = 0;
      for (int launch = 0; launch < 1500; ++launch) {
        std::ranges::shuffle(order, random);
        std::vector<PartTime> parts(places);
        double now = 0;
        for (const std::size_t place : order) {
          const double lower = rope.borders()[place];
          const double upper = rope.borders()[place + 1];
          now += (upper - lower) * seconds;
          parts[place] = {static_cast<std::int32_t>(place), lower, upper, now};
        }
        cuts += rope.add(loop, parts, launch < 8 ? 1 : 64, {8e6, kBandwidth, 1e-3}) ? 1 : 0;
      }
      EXPECT_LT(cuts, 60) << places << " places, " << seconds << " s";
    }
  }
}

TEST(Rope, GivesPlacesThatShareADeviceEqualParts) {
  // The second of two GPU places waits for the first, so whatever it is given, it takes all of the
  // time. Beside them are cores of both ranks, if any, a thousand times slower.
  for (const bool hasCores : {false, true}) {
    const std::vector<double> guesses =
        hasCores ? std::vector<double>{1, 256, 1, 256} : std::vector<double>{1, 1};
    const std::vector<std::uint64_t> hardware =
        hasCores ? std::vector<std::uint64_t>{0, 7, 0, 7} : std::vector<std::uint64_t>{7, 7};
    Rope rope(guesses, hasCores ? Places::Unlike : Places::Alike, hardware);
    const Rope::Loop loop = rope.addLoop();
    const std::size_t first = hasCores ? 1 : 0;
    const std::size_t second = hasCores ? 3 : 1;
    const auto share = [&](std::size_t place) {
      return rope.borders()[place + 1] - rope.borders()[place];
    };
    int cuts = 0;
    for (int launch = 0; launch < 1500; ++launch) {
      std::vector<PartTime> parts;
      for (std::size_t place = 0; place < guesses.size(); ++place) {
        const bool isCore = place != first && place != second;
        const double own = share(place) * (isCore ? 10 : 10e-3);
        const double waited = place == second ? share(first) * 10e-3 : 0;
        parts.push_back({static_cast<std::int32_t>(place), rope.borders()[place],
                         rope.borders()[place + 1], own + waited});
      }
      cuts += rope.add(loop, parts, launch < 8 ? 1 : 64, {8e6, kBandwidth, 1e-3}) ? 1 : 0;
    }
    EXPECT_LE(cuts, hasCores ? 8 : 0);
    EXPECT_NEAR(share(first), share(second), 0.02);
    EXPECT_GT(share(first), 0.45);
  }
}

/// What a rope takes for launches whose work is another each time, in relation to equal parts.
double followed(std::size_t places, int launches,
                const std::function<double(double at, double time)> &work) {
  Rope rope(alike(places), Places::Alike);
  const std::vector<double> equal(rope.borders().begin(), rope.borders().end());
  const Rope::Loop loop = rope.addLoop();
  double mine = 0;
  double inEqualParts = 0;
  for (int launch = 0; launch < launches; ++launch) {
    const double time = 2.0 * launch / launches;
    Machine machine(
        alike(places), [&](double at) { return 3e-3 * work(at, time - std::floor(time)); }, 0.05,
        1 << 8);
    mine += machine.slowest(rope.borders());
    inEqualParts += machine.slowest(equal);
    rope.add(loop, machine.run(rope.borders()), 1, {1e6, kBandwidth});
  }
  return mine / inEqualParts;
}

/// It goes from the beginning of the loop to its end.
double peak(double at, double time) { return 0.2 + 4 * std::exp(-60 * (at - time) * (at - time)); }

/// As of an elimination, which leaves the first rows.
double rest(double at, double time) { return at > time ? 1 : 1e-3; }

TEST(Rope, FollowsWorkThatMovesSlowly) {
  for (const std::size_t places : {2, 4, 16}) {
    EXPECT_LT(followed(places, 2000, peak), 0.9) << places;
    EXPECT_LT(followed(places, 2000, rest), 1.1) << places;
  }
}

TEST(Rope, LosesLittleWhereWorkMovesFasterThanItCanFollow) {
  for (const std::size_t places : {2, 4, 16}) {
    EXPECT_LT(followed(places, 40, peak), 1.6) << places;
    EXPECT_LT(followed(places, 400, peak), 1.6) << places;
  }
}

TEST(Rope, GivesNoPlaceMuchMoreBecauseTheFirstIterationsAreShort) {
  // Cores have the first iterations of a triangle, beside a device that is 20 times as fast.
  Machine machine({0.05, 1}, triangle);
  Rope rope(std::vector<double>{1, 255}, Places::Unlike);
  const Rope::Loop loop = rope.addLoop();
  double most = 0;
  for (int launch = 0; launch < 40; ++launch) {
    rope.add(loop, machine.run(rope.borders()), 1, {1e6, kBandwidth});
    most = std::max(most, machine.slowest(rope.borders()) / machine.best());
  }
  EXPECT_LT(most, 2);
  EXPECT_LT(machine.slowest(rope.borders()) / machine.best(), 1.03);
}

TEST(Rope, IsNotMovedByOneSlowLaunch) {
  Machine machine(alike(4), even);
  Rope rope(alike(4), Places::Alike);
  const Rope::Loop loop = rope.addLoop();
  excess(machine, rope, loop, 3);
  std::vector<PartTime> slow = machine.run(rope.borders());
  slow[2].seconds *= 10;

  EXPECT_FALSE(rope.add(loop, slow, 1, {1e6, kBandwidth}));
  EXPECT_LT(excess(machine, rope, loop, 3), 0.01);
}

TEST(Rope, MovesABorderOnceWhatItSparesHasCostAsMuch) {
  Machine machine(alike(2), triangle); // 1.5 s for 1 s.
  Rope rope(alike(2), Places::Alike);
  const Rope::Loop loop = rope.addLoop();
  int executions = 0;
  while (!rope.add(loop, machine.run(rope.borders()), 1, {100e9, kBandwidth})) {
    ASSERT_LT(++executions, 100);
  }
  EXPECT_GE(executions, 2); // The border moves by a fifth of 100 GB, which takes 2 s.
  EXPECT_LE(executions, 5);
}

TEST(Rope, MovesABorderOnceWhatItSparesHasCostAsMuchAsPlanning) {
  const auto executionsUntilCut = [](double planning) {
    Machine machine(alike(2), triangle); // 1.5 s for 1 s.
    Rope rope(alike(2), Places::Alike);
    const Rope::Loop loop = rope.addLoop();
    int executions = 1;
    while (executions < 1000 &&
           !rope.add(loop, machine.run(rope.borders()), 1, {1e6, kBandwidth, planning})) {
      ++executions;
    }
    return executions;
  };
  EXPECT_EQ(executionsUntilCut(0), 1);
  EXPECT_NEAR(executionsUntilCut(10), 20, 3);
}

TEST(Rope, CutsLoopsOfTheSameDataTogether) {
  Machine rising(alike(4), triangle);
  Machine falling(alike(4), [](double at) { return 2 - 2 * at; });
  Rope rope(alike(4), Places::Alike);
  const Rope::Loop first = rope.addLoop();
  const Rope::Loop second = rope.addLoop();
  for (int execution = 0; execution < 20; ++execution) {
    rope.add(first, rising.run(rope.borders()), 1, {1e6, kBandwidth});
    rope.add(second, falling.run(rope.borders()), 1, {1e6, kBandwidth});
  }
  // Together their work is even.
  for (std::size_t part = 0; part <= 4; ++part) {
    EXPECT_NEAR(rope.borders()[part], static_cast<double>(part) / 4, 0.04);
  }
}

} // namespace

} // namespace tutti::balance
