// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What it costs to cut a loop for many devices: the cut of a launch, new borders, and what one
/// timed launch teaches. Prints the least of several times, in microseconds.
#include "runtime/balance/cut.h"
#include "runtime/balance/rope.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

using namespace tutti::balance;

namespace {

constexpr int kTimes = 20;

/// Microseconds of a call, if they are less than `least`.
template <typename Call> void time(double &least, Call &&call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  least = std::min(least, took.count());
}

/// What the parts of a launch take whose work grows along the loop.
std::vector<PartTime> launch(const Rope &rope, const std::vector<double> &speeds) {
  double all = 0;
  for (const std::uint32_t weight : rope.weights()) {
    all += weight;
  }
  std::vector<PartTime> parts;
  double lower = 0;
  for (std::size_t place = 0; place < speeds.size(); ++place) {
    const double upper = std::min(lower + rope.weights()[place] / all, 1.0);
    parts.push_back({static_cast<std::int32_t>(place), lower, upper,
                     (upper - lower) * (1 + lower) / speeds[place]});
    lower = upper;
  }
  return parts;
}

} // namespace

int main(int argc, char **argv) {
  const int places = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<double> speeds;
  for (int place = 0; place < places; ++place) {
    speeds.push_back(1 + place % 7);
  }
  constexpr double kNone = std::numeric_limits<double>::max();
  double borders = kNone;
  double cuts = kNone;
  double learning = kNone;
  std::size_t chunks = 0;
  for (int round = 0; round < kTimes; ++round) {
    time(borders, [&] { chunks += Rope(speeds, Places::Unlike).weights().size(); });
    Rope rope(speeds, Places::Unlike);
    const Rope::Loop loop = rope.addLoop();
    const std::vector<PartTime> parts = launch(rope, speeds);
    time(learning, [&] { rope.add(loop, parts, 1, {1e6, 1e9}); });
    time(cuts, [&] { chunks += cut(1000000, rope.weights()).size(); });
  }
  std::printf("%d places: cut %.1f us, borders %.1f us, learning %.1f us\n", places, cuts, borders,
              learning);
  return chunks > 0 ? 0 : 1; // Keeps the cuts alive.
}
