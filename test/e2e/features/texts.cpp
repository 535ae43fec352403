// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions of the C library, and of the program that call themselves, which read memory that all
/// threads see, or change memory of the iteration's own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int n = 3000;
static char lines[n][32];

static long queens(unsigned all, unsigned columns, unsigned left, unsigned right) {
  if (columns == all) {
    return 1;
  }
  long sum = 0;
  for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
    const unsigned bit = free & -free;
    sum += queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return sum;
}

static double fold(const double *v, int low, int high) {
  if (high - low < 2) {
    return low < high ? v[low] : 0;
  }
  const int middle = std::min(low + (high - low) / 3 + 1, high - 1);
  return fold(v, low, middle) * 0.5 + fold(v, middle, high);
}

static int compare(const void *one, const void *other) {
  const double a = *static_cast<const double *>(one), b = *static_cast<const double *>(other);
  return (a > b) - (a < b);
}

int main() {
  char *table[64];
  std::vector<long> a(n);
  std::vector<double> v(n);
  for (int i = 0; i < n; ++i) {
    std::snprintf(lines[i], 32, "%d,%d;%d", i, i * 7 % 13, i % 5);
    v[i] = i % 17;
  }
  for (int i = 0; i < 64; ++i) {
    table[i] = static_cast<char *>(std::malloc(16));
    std::snprintf(table[i], 16, "t%d", i * i);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = std::strlen(lines[i]) * 10 + (std::strcmp(lines[i], lines[i * 7 % n]) < 0) +
           std::atoi(lines[n - 1 - i]);
  }
  // What calls read next is on several ranks now.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    lines[i][1 + i % 3] = 'x';
    lines[i][0] = '1' + i % 7;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] += std::strcspn(lines[i * 11 % n], "x;") + (std::strstr(lines[i * 3 % n], ",1") ? 2 : 0) +
            (std::strchr(lines[i], '9') != nullptr) + (std::memcmp(lines[i], "2x", 2) < 0);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    char text[40];
    std::strcat(std::strcpy(text, lines[i]), "!");
    char *x = std::strchr(text, 'x');
    *x = 'y';
    a[i] += (std::strrchr(text, '!') - text) + *x + (std::strstr(text, "yx") != nullptr) +
            std::strlen(i % 2 ? text : lines[i]) + std::strlen(i % 3 ? "three" : "no");
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] += std::strlen(table[i * 5 % 64]);
  }

  long solutions = 0;
#pragma omp parallel for reduction(+ : solutions)
  for (int i = 0; i < 8; ++i) {
    solutions += queens(255, 1U << i, 2U << i, (1U << i) >> 1);
  }
  double folded = 0;
  const double *p = v.data();
#pragma omp parallel for reduction(+ : folded)
  for (int i = 0; i < 200; ++i) {
    folded += fold(p, i, n - i);
  }
  double medians = 0;
#pragma omp parallel for reduction(+ : medians)
  for (int i = 0; i < 200; ++i) {
    double own[100];
    for (int k = 0; k < 100; ++k) {
      own[k] = v[(i * 31 + k * 7) % n] + k * 1e-3;
    }
    std::sort(own, own + 100);
    medians += own[50] * i;
  }
  // Memory that an iteration allocates for itself.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::vector<int> own(i % 37 + 20);
    for (std::size_t k = 0; k < own.size(); ++k) {
      own[k] = static_cast<int>(i * k * 31 % 17);
    }
    std::sort(own.begin(), own.end());
    a[i] += own[7];
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const int count = i % 50 + 200;
    double *own = static_cast<double *>(std::malloc(count * sizeof *own));
    for (int k = 0; k < count; ++k) {
      own[k] = v[i * k % n];
    }
    std::qsort(own, count, sizeof *own, compare);
    a[i] += static_cast<long>(own[count / 3]);
    std::free(own);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    char *text = static_cast<char *>(std::malloc(64));
    std::strcpy(text, lines[i]);
    std::strcat(text, i % 2 ? "x,x" : ",");
    for (const char *at = text; (at = std::strpbrk(at, "x,")); ++at) {
      a[i] += at - text;
    }
    std::free(text);
  }
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 5 + 1);
  }
  std::printf("%ld %ld %.6f %.6f\n", sum, solutions, folded, medians);
}
