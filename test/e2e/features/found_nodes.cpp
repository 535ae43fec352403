// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Nodes of the C++ library's containers, which loops find by pointers in memory.
#include <cstdio>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace {

constexpr int kCount = 800;

struct Shape {
  double width;
  std::unique_ptr<Shape> inner;
};

void print(const char *name, const std::vector<double> &values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] * static_cast<double>(i % 7 + 1);
  }
  std::printf("%s: %.10g\n", name, sum);
}

void sumLists() {
  std::vector<std::list<double>> lists(kCount);
  std::vector<double> sums(kCount);
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < i % 9; ++k) {
      lists[i].push_back(i + 0.5 * k);
    }
  }
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) {
      double sum = 0.0;
      for (const double value : lists[i]) {
        sum += value;
      }
      sums[i] = sum;
    }
    print("lists", sums);
    lists[10 * round].push_front(1e3);
    lists[10 * round + 5].clear();
  }
}

void lookUp() {
  std::map<int, double> ordered;
  std::unordered_map<int, double> hashed;
  std::vector<double> found(kCount);
  for (int i = 0; i < 3 * kCount; i += 3) {
    ordered[i] = i * 0.5;
    hashed[i] = i * 0.25;
  }
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    const auto at = ordered.find(2 * i);
    found[i] = at == ordered.end() ? -1.0 : at->second;
  }
  print("ordered", found);
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    const auto at = hashed.find(2 * i);
    found[i] = at == hashed.end() ? -1.0 : at->second;
  }
  print("hashed", found);
}

void nest() {
  std::vector<std::unique_ptr<Shape>> shapes(kCount);
  for (int i = 0; i < kCount; ++i) {
    for (int depth = 0; depth <= i % 6; ++depth) {
      shapes[i] = std::make_unique<Shape>(Shape{i + 0.1 * depth, std::move(shapes[i])});
    }
  }
  double widest = 0.0;
  long depth = 0;
#pragma omp parallel for reduction(max : widest) reduction(+ : depth)
  for (int i = 0; i < kCount; ++i) {
    for (const Shape *shape = shapes[i].get(); shape; shape = shape->inner.get()) {
      widest = shape->width > widest ? shape->width : widest;
      ++depth;
    }
  }
  std::printf("nested: %g %ld\n", widest, depth);
}

} // namespace

int main() {
  sumLists();
  lookUp();
  nest();
  return 0;
}
