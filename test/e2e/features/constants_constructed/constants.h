// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

constexpr int kEntries = 100;

extern const double kKnown;
extern const double known[kEntries];

struct Pair {
  double first;
  double second;
};

extern const double kComputed;
extern const double computed[kEntries];
extern const Pair pair;
