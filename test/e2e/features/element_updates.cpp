// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations update elements that they compute atomically: sums, bits, extremes, of all types, in
/// arrays of the heap, of the program and of main, beside other writes and reductions.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kIterations = 30000;
constexpr int kBins = 500;

struct Cell {
  double mass;
  double momentum[2];
};

std::int64_t counts[kBins];
unsigned char small[kBins];

std::size_t binOf(int i) { return static_cast<std::size_t>(i) * 7919U % kBins; }

template <typename T> double checksum(const T *values, std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    sum += static_cast<double>(values[k]) * static_cast<double>(1 + k % 17);
  }
  return sum;
}

/// Updates of elements of one type, over and over: what was there before stays.
template <typename T> void sumInto(std::vector<T> &bins, const std::vector<int> &index, int scale) {
  T *const to = bins.data();
  const int *const from = index.data();
#pragma omp parallel for
  for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
    to[from[i]] += static_cast<T>(i % scale);
  }
}

template <typename T> void sums(const std::vector<int> &index, const char *name) {
  std::vector<T> bins(kBins, T(3));
  for (int round = 1; round < 4; ++round) {
    sumInto(bins, index, round + 1);
    bins[static_cast<std::size_t>(round)] -= T(1);
  }
  std::printf("%s %.1f\n", name, checksum(bins.data(), bins.size()));
}

/// Cells of a mesh to which faces add on both sides.
void faces(const std::vector<int> &index) {
  std::vector<Cell> cells(kBins, Cell{1, {0, 0}});
  Cell *const to = cells.data();
  const int *const from = index.data();
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < kIterations; ++i) {
    const double flow = i % 9;
    Cell &left = to[from[i]];
    Cell &right = to[from[kIterations - 1 - i]];
    total += flow;
#pragma omp atomic
    left.mass -= flow;
#pragma omp atomic
    right.mass += flow;
#pragma omp atomic
    left.momentum[0] += 2 * flow;
#pragma omp atomic
    right.momentum[1] += flow + 1;
  }
  double sum = 0;
  for (const Cell &cell : cells) {
    sum = sum / 3 + cell.mass + 5 * cell.momentum[0] - 2 * cell.momentum[1];
  }
  std::printf("faces %.6f %.1f\n", sum, total);
}

void bits(const std::vector<int> &index) {
  std::vector<std::uint32_t> any(kBins);
  std::vector<std::uint32_t> all(kBins, ~0U);
  std::vector<std::uint16_t> odd(kBins, 7);
  std::uint32_t *const anyOf = any.data();
  std::uint32_t *const allOf = all.data();
  std::uint16_t *const oddOf = odd.data();
  const int *const from = index.data();
#pragma omp parallel for
  for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
    anyOf[from[i]] |= 1U << (i % 31);
#pragma omp atomic
    allOf[from[i]] &= ~(1U << (i % 29));
#pragma omp atomic
    oddOf[from[i]] ^= static_cast<std::uint16_t>(i);
  }
  std::printf("bits %.0f %.0f %.0f\n", checksum(any.data(), kBins), checksum(all.data(), kBins),
              checksum(odd.data(), kBins));
}

/// Arrays of the program, which are updated while other elements are written.
void ofProgram(std::vector<int> &written) {
  int *const to = written.data();
#pragma omp parallel for
  for (int i = 0; i < kIterations; ++i) {
    to[i] = 2 * i;
#pragma omp atomic
    counts[binOf(i)] += i;
#pragma omp atomic
    ++small[binOf(3 * i)];
  }
  std::printf("program %.0f %.0f %.0f\n", checksum(counts, kBins), checksum(small, kBins),
              checksum(written.data(), written.size()));
}

/// The same elements are looked at, too: only one place can do that.
void mixed(const std::vector<int> &index) {
  std::vector<int> bins(kBins);
  int *const to = bins.data();
  const int *const from = index.data();
  int high = 0;
#pragma omp parallel for reduction(+ : high)
  for (int i = 0; i < kIterations; ++i) {
    high += to[kBins - 1] > 1000000; // An element that nobody updates; the records do not know.
    if (from[i] != kBins - 1) {
#pragma omp atomic
      to[from[i]] += 1;
    }
  }
  std::printf("mixed %.0f %d\n", checksum(bins.data(), kBins), high);
}

/// Each thread adds beside its loop: one must not be counted for several.
void beside(const std::vector<int> &index) {
  std::vector<int> bins(kBins);
  int *const to = bins.data();
  const int *const from = index.data();
#pragma omp parallel num_threads(1)
  {
#pragma omp for
    for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
      to[from[i]] += 1;
    }
#pragma omp atomic
    to[from[5]] += 100;
  }
  std::printf("beside %.0f\n", checksum(bins.data(), kBins));
}

} // namespace

/// With an argument: so many rounds of one histogram.
int main(int argc, char **argv) {
  std::vector<int> index(kIterations);
  for (int i = 0; i < kIterations; ++i) {
    index[static_cast<std::size_t>(i)] = static_cast<int>(binOf(i + i / 7));
  }
  if (argc > 1) {
    std::vector<long> bins(kBins);
    for (int round = std::atoi(argv[1]); round > 0; --round) {
      sumInto(bins, index, 9);
    }
    std::printf("histogram %.0f\n", checksum(bins.data(), bins.size()));
    return 0;
  }
  sums<std::int8_t>(index, "int8");
  sums<std::uint16_t>(index, "uint16");
  sums<int>(index, "int");
  sums<unsigned long>(index, "long");
  sums<float>(index, "float");
  sums<double>(index, "double");
  faces(index);
  bits(index);
  std::vector<int> written(kIterations);
  ofProgram(written);
  ofProgram(written);
  mixed(index);
  beside(index);
  int local[kBins] = {};
  const int *const from = index.data();
#pragma omp parallel for
  for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
    local[from[i]] -= i % 3;
  }
  std::printf("local %.0f\n", checksum(local, kBins));
  return 0;
}
