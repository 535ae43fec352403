// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Seven shapes of tasks that do nothing, and what one task of each costs. Who includes this says
/// how tasks are made: `Tasks` has `make(f)`, `makeInOut(f, p)`, `makeIn(f, p)`, `makeOut(f, p)`,
/// `wait()` and `team(f)`, which calls `f` where tasks may be made.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace shapes {

constexpr int kTasks = 1000;
constexpr int kCells = 1024;

inline long cells[kCells];
inline std::atomic<bool> mayGo{true};

using Clock = std::chrono::steady_clock;

inline double nanosecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// One repetition each; nanoseconds per task.
template <typename Tasks> double independent() {
  const auto begin = Clock::now();
  for (int index = 0; index < kTasks; ++index) {
    Tasks::make([] {});
  }
  Tasks::wait();
  return nanosecondsSince(begin) / kTasks;
}

template <typename Tasks> double roundRobin() {
  const auto begin = Clock::now();
  for (int index = 0; index < kTasks; ++index) {
    Tasks::makeInOut([] {}, &cells[index % kCells]);
  }
  Tasks::wait();
  return nanosecondsSince(begin) / kTasks;
}

template <typename Tasks> double chain() {
  const auto begin = Clock::now();
  for (int index = 0; index < kTasks; ++index) {
    Tasks::makeInOut([] {}, &cells[0]);
  }
  Tasks::wait();
  return nanosecondsSince(begin) / kTasks;
}

/// The tasks exist already. With one worker none has run; else the first one waits.
template <typename Tasks> double handOver(bool isAlone) {
  mayGo = isAlone;
  Tasks::makeInOut(
      [] {
        while (!mayGo.load(std::memory_order_acquire)) {
        }
      },
      &cells[0]);
  for (int index = 0; index < kTasks; ++index) {
    Tasks::makeInOut([] {}, &cells[0]);
  }
  const auto begin = Clock::now();
  mayGo.store(true, std::memory_order_release);
  Tasks::wait();
  return nanosecondsSince(begin) / kTasks;
}

template <typename Tasks> double fan() {
  constexpr int kReaders = 15;
  const auto begin = Clock::now();
  for (int index = 0; index < kTasks / (kReaders + 1); ++index) {
    Tasks::makeOut([] {}, &cells[0]);
    for (int reader = 0; reader < kReaders; ++reader) {
      Tasks::makeIn([] {}, &cells[0]);
    }
  }
  Tasks::wait();
  return nanosecondsSince(begin) / (kTasks / (kReaders + 1) * (kReaders + 1));
}

template <typename Tasks> double single() {
  const auto begin = Clock::now();
  for (int index = 0; index < kTasks; ++index) {
    Tasks::make([] {});
    Tasks::wait();
  }
  return nanosecondsSince(begin) / kTasks;
}

template <typename Tasks> double nested() {
  constexpr int kInner = 63;
  constexpr int kOuter = 16;
  const auto begin = Clock::now();
  for (int index = 0; index < kOuter; ++index) {
    Tasks::make([] {
      for (int inner = 0; inner < kInner; ++inner) {
        Tasks::make([] {});
      }
      Tasks::wait();
    });
  }
  Tasks::wait();
  return nanosecondsSince(begin) / (kOuter * (kInner + 1));
}

template <typename Repetition> void measure(const char *name, Repetition &&repetition) {
  constexpr int kRepetitions = 700;
  std::vector<double> times;
  for (int index = 0; index < kRepetitions; ++index) {
    times.push_back(repetition());
  }
  std::sort(times.begin(), times.end());
  std::printf("%s %.1f %.1f\n", name, times.front(), times[times.size() / 2]);
  std::fflush(stdout);
}

/// Prints name, best and median of each shape.
template <typename Tasks> int main(int argc, char **argv) {
  const bool isAlone = argc > 1 && std::atoi(argv[1]) == 1;
  const char *only = argc > 2 ? argv[2] : nullptr;
  const auto runs = [only](const char *name) { return !only || std::strcmp(only, name) == 0; };
  Tasks::team([&] {
    if (runs("independent")) {
      measure("independent", independent<Tasks>);
    }
    if (runs("inout")) {
      measure("inout", roundRobin<Tasks>);
    }
    if (runs("chain")) {
      measure("chain", chain<Tasks>);
    }
    if (runs("handover")) {
      measure("handover", [isAlone] { return handOver<Tasks>(isAlone); });
    }
    if (runs("fan")) {
      measure("fan", fan<Tasks>);
    }
    if (runs("single")) {
      measure("single", single<Tasks>);
    }
    if (runs("nested")) {
      measure("nested", nested<Tasks>);
    }
  });
  return 0;
}

} // namespace shapes
