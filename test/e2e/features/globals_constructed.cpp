// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Globals with constructors, iostreams, exceptions and function statics.
#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<double> values(500, 1.5);
std::map<std::string, int> names = {{"one", 1}, {"two", 2}};

struct Announcer {
  Announcer() { std::cout << "start\n"; }

  ~Announcer() { std::cout << "end\n"; }
} announcer;

double compute(int seed) {
  static std::vector<double> scratch(200);
  if (seed < 0) {
    throw std::invalid_argument("negative");
  }
#pragma omp parallel for
  for (int i = 0; i < 200; ++i) {
    scratch[i] += values[i] * seed;
  }
  return *std::max_element(scratch.begin(), scratch.end());
}

} // namespace

int main() {
  names["three"] = 3;
  for (const auto &entry : names) {
    const int number = entry.second;
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += static_cast<double>(i % number) + 0.5;
    }
    std::cout << entry.first << ' ' << compute(number) << '\n';
  }
  try {
    compute(-1);
  } catch (const std::exception &error) {
    std::cout << "caught " << error.what() << '\n';
  }
  std::sort(values.begin(), values.end());
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] * static_cast<double>(i);
  }
  std::cout << "sum " << sum << '\n';
  return 0;
}
