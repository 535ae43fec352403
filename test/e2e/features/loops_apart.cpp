// A construct whose worksharing loops become constructs of their own: one is executed under a
// condition, one hands out iterations as threads ask, one sums up, and an `if` clause has the
// construct's function called without threads, too.
#include <cstdio>

constexpr int kSize = 2000;
static double values[4][kSize];

static double checked(double value) { return value > 1e9 ? 0 : value + 1; }

static double all(int threads, bool isSecond, double by) {
  double sum = 0;
#pragma omp parallel if (threads > 1)
  {
    const double twice = 2 * by;
#pragma omp for
    for (int i = 0; i < kSize; i++) {
      values[0][i] = twice * i;
    }
#pragma omp for schedule(dynamic, 32)
    for (int i = 0; i < kSize; i++) {
      values[1][i] = checked(values[0][kSize - 1 - i]);
    }
    if (isSecond) {
#pragma omp for nowait
      for (int i = 0; i < kSize; i++) {
        values[2][i] = checked(values[1][i]) * by;
      }
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < kSize; i++) {
      sum += values[1][i];
    }
#pragma omp for schedule(static, 8)
    for (int i = 1; i < kSize - 1; i++) {
      values[3][i] = values[1][i - 1] + twice * values[1][i + 1];
    }
  }
  return sum;
}

int main(int argc, char **) {
  for (int threads = 1; threads < 4; threads++) {
    const double sum = all(threads, threads % 2 == argc, 0.5 * threads);
    double check = 0;
    for (int row = 0; row < 4; row++) {
      for (int i = 0; i < kSize; i++) {
        check += (row + 1) * values[row][i] * (i % 5);
      }
    }
    std::printf("%d %.3f %.3f\n", threads, sum, check);
  }
}
