// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every form of new and delete, in a time loop.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>

namespace {

struct alignas(128) Wide {
  double values[16];
};

} // namespace

int main() {
  double sum = 0.0;
  for (int step = 1; step <= 6; ++step) {
    const int n = step * 111;
    double *a = new double[n];
    auto *b = new (std::nothrow) int[n]();
    Wide *w = new Wide[step]();
    auto owned = std::make_unique<double[]>(n);
    auto shared = std::shared_ptr<long>(new long[n]{}, std::default_delete<long[]>());
    double *o = owned.get();
    long *s = shared.get();
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      a[i] = i * 0.5;
      b[i] += i;
      o[i] += a[i] + b[i];
      s[i] = i % step;
    }
#pragma omp parallel for
    for (int k = 0; k < step; ++k) {
      for (int i = 0; i < 16; ++i) {
        w[k].values[i] += o[k * 16 + i];
      }
    }
    for (int k = 0; k < step; ++k) {
      sum +=
          w[k].values[step % 16] + static_cast<double>(reinterpret_cast<std::uintptr_t>(w) % 128);
    }
    for (int i = 0; i < n; ++i) {
      sum += o[i] + static_cast<double>(s[i]);
    }
    delete[] a;
    delete[] b;
    delete[] w;
    alignas(Wide) unsigned char buffer[sizeof(Wide)];
    Wide *placed = new (buffer) Wide();
    sum += placed->values[0];
    auto *single = new double(3.5);
    sum += *single;
    delete single;
  }
  std::printf("sum %.6f\n", sum);
  return 0;
}
