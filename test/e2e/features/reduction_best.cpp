// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Combiners that keep the better of two objects: what they copy from is chosen.
#include <cstdio>
#include <utility>
#include <vector>

struct Best {
  double value;
  int where;
};

struct Small {
  float value;
  int where;
};

struct Large {
  double value;
  int where;
  double point[4];
};

#pragma omp declare reduction(best:Best : omp_out =                                                \
                                  omp_in.value > omp_out.value ? omp_in : omp_out)                 \
    initializer(omp_priv = Best{-1e300, 0})
#pragma omp declare reduction(best:Small : omp_out =                                               \
                                  omp_in.value > omp_out.value ? omp_in : omp_out)                 \
    initializer(omp_priv = Small{-1e30f, 0})
#pragma omp declare reduction(best                                                                 \
:Large : omp_out = omp_in.value > omp_out.value || (omp_in.value == omp_out.value &&               \
                                                        omp_in.where < omp_out.where)              \
                                      ? omp_in                                                     \
                                      : omp_out)                                                   \
    initializer(omp_priv = Large{-1e300, 1 << 30, {}})

using Pair = std::pair<double, int>;
#pragma omp declare reduction(best:Pair : omp_out =                                                \
                                  omp_in.first > omp_out.first ? omp_in : omp_out)                 \
    initializer(omp_priv = Pair{-1e300, 0})

int main() {
  const int size = 10007;
  std::vector<double> values(size);
  for (int i = 0; i < size; ++i) {
    values[i] = i * 7919 % size;
  }
  Best best{-1e300, 0};
#pragma omp parallel for reduction(best : best)
  for (int i = 0; i < size; ++i) {
    const Best mine{values[i], i};
    best = mine.value > best.value ? mine : best;
  }
  Small small{-1e30f, 0};
#pragma omp target teams distribute parallel for reduction(best : small)
  for (int i = 0; i < size; ++i) {
    if (values[i] > small.value) {
      small = {static_cast<float>(values[i]), i};
    }
  }
  // Equal ones: the first counts.
  Large large{-1e300, 1 << 30, {}};
#pragma omp parallel for reduction(best : large)
  for (int i = 0; i < size; ++i) {
    const double value = static_cast<int>(values[i]) / 100;
    if (value > large.value) {
      large = {value, i, {1.0 * i, 2.0, 3.0, values[i]}};
    }
  }
  // Copied member by member.
  Pair pair{-1e300, 0};
#pragma omp parallel for reduction(best : pair)
  for (int i = 0; i < size; ++i) {
    const Pair mine{values[i], i};
    pair = mine.first > pair.first ? mine : pair;
  }
  std::printf("%g %d\n", pair.first, pair.second);
  std::printf("%g %d %g %d\n", best.value, best.where, small.value, small.where);
  std::printf("%g %d %g %g\n", large.value, large.where, large.point[0], large.point[3]);
  return 0;
}
