// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An exception leaves functions with arrays that loops have used; then system calls write there.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/stat.h>

namespace {

constexpr int kCount = 1 << 16;

[[gnu::noinline]] void computeAndThrow(int time) {
  double a[kCount];
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    a[i] = i + time;
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += a[i];
  }
  if (sum > 0) {
    throw std::runtime_error(std::to_string(sum));
  }
}

[[gnu::noinline]] int useDeep(int depth) {
  alignas(struct stat) char room[8192]; // That nothing touches before the system.
  auto *status = reinterpret_cast<struct stat *>(room + 2048);
  const int good = stat("/", status) == 0 && S_ISDIR(status->st_mode);
  return good + (depth > 0 ? useDeep(depth - 1) : 0);
}

} // namespace

int main() {
  for (int time = 0; time < 3; ++time) {
    try {
      computeAndThrow(time);
    } catch (const std::runtime_error &error) {
      std::printf("%s %d\n", error.what(), useDeep(40));
    }
  }
  return 0;
}
