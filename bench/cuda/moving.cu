// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// bench/moving by hand: loops whose bounds and offsets change from launch to launch, on data that
/// stays on the device. A thread for each element, rows along x.
///
/// usage: moving CASE [n]
/// Prints: CASE n launches seconds check
#include <cstring>

#include "bench.cuh"

namespace {

constexpr int kX = 128;
constexpr int kY = 4;
constexpr long kBlock = 32;
constexpr long kStep = 997;
constexpr int kWalks = 20;

long launches;

dim3 gridFor(long columns, long rows) {
  return dim3(unsigned((columns + kX - 1) / kX), unsigned((rows + kY - 1) / kY));
}

__global__ void fill(double *a, long n) {
  const long j = long(blockIdx.x) * kX + threadIdx.x;
  const long i = long(blockIdx.y) * kY + threadIdx.y;
  if (i < n && j < n) {
    a[i * n + j] = double((i * 7 + j * 13) % 101) / 101.0 + (i == j ? double(n) : 0.0);
  }
}

__global__ void eliminate(double *a, long n, long k) {
  const long j = k + 1 + long(blockIdx.x) * kX + threadIdx.x;
  const long i = k + 1 + long(blockIdx.y) * kY + threadIdx.y;
  if (i < n && j < n) {
    a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
  }
}

__global__ void shorten(double *d, long n, long k) {
  const long j = long(blockIdx.x) * kX + threadIdx.x;
  const long i = long(blockIdx.y) * kY + threadIdx.y;
  if (i < n && j < n) {
    const double sum = d[i * n + k] + d[k * n + j];
    if (sum < d[i * n + j]) {
      d[i * n + j] = sum;
    }
  }
}

__global__ void substitute(const double *l, double *x, long n, long k) {
  const long j = long(blockIdx.x) * kX + threadIdx.x;
  const long i = k + 1 + long(blockIdx.y) * kY + threadIdx.y;
  if (i < n && j < n) {
    x[i * n + j] -= l[i * n + k] / l[k * n + k] * x[k * n + j];
  }
}

/// A thread for each row: 32 columns are too few to divide.
__global__ void panel(double *a, long n, long k, long e) {
  const long i = k + 1 + long(blockIdx.x) * kX + threadIdx.x;
  if (i < n) {
    const double factor = a[i * n + k] / a[k * n + k];
    a[i * n + k] = factor;
    for (long j = k + 1; j < e; ++j) {
      a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

__global__ void blockRow(double *a, long n, long b, long e) {
  const long j = e + long(blockIdx.x) * kX + threadIdx.x;
  if (j < n) {
    for (long k = b; k < e; ++k) {
      for (long i = k + 1; i < e; ++i) {
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
      }
    }
  }
}

__global__ void product(double *a, long n, long b, long e) {
  const long j = e + long(blockIdx.x) * kX + threadIdx.x;
  const long i = e + long(blockIdx.y) * kY + threadIdx.y;
  if (i < n && j < n) {
    double sum = 0.0;
    for (long k = b; k < e; ++k) {
      sum += a[i * n + k] * a[k * n + j];
    }
    a[i * n + j] -= sum;
  }
}

/// Rows and columns [lower, upper).
__global__ void stencil(const double *__restrict__ from, double *__restrict__ to, long n,
                        long lower, long upper) {
  const long j = lower + long(blockIdx.x) * kX + threadIdx.x;
  const long i = lower + long(blockIdx.y) * kY + threadIdx.y;
  if (i < upper && j < upper) {
    to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] +
                            from[i * n + j + 1]);
  }
}

void elimination(double *a, double *, long n) {
  for (long k = 0; k < n - 1; ++k, ++launches) {
    eliminate<<<gridFor(n - k - 1, n - k - 1), dim3(kX, kY)>>>(a, n, k);
  }
}

void paths(double *d, double *, long n) {
  for (long k = 0; k < n; ++k, ++launches) {
    shorten<<<gridFor(n, n), dim3(kX, kY)>>>(d, n, k);
  }
}

void triangular(double *l, double *x, long n) {
  for (long k = 0; k < n - 1; ++k, ++launches) {
    substitute<<<gridFor(n, n - k - 1), dim3(kX, kY)>>>(l, x, n, k);
  }
}

void blocks(double *a, double *, long n) {
  for (long b = 0; b < n; b += kBlock) {
    const long e = b + kBlock < n ? b + kBlock : n;
    for (long k = b; k < e && k < n - 1; ++k, ++launches) {
      panel<<<unsigned((n - k - 1 + kX - 1) / kX), kX>>>(a, n, k, e);
    }
    if (e < n) {
      launches += 2;
      blockRow<<<unsigned((n - e + kX - 1) / kX), kX>>>(a, n, b, e);
      product<<<gridFor(n - e, n - e), dim3(kX, kY)>>>(a, n, b, e);
    }
  }
}

void growing(double *from, double *to, long n) {
  const long middle = n / 2;
  for (long s = 1; s < middle - 1; ++s, ++launches) {
    stencil<<<gridFor(2 * s, 2 * s), dim3(kX, kY)>>>(from, to, n, middle - s, middle + s);
    std::swap(from, to);
  }
}

double *pinned;

/// One copy of the result into pinned memory, then the walk.
void walk(double *from, double *to, long n) {
  ++launches;
  stencil<<<gridFor(n - 2, n - 2), dim3(kX, kY)>>>(from, to, n, 1, n - 1);
  CHECK(cudaMemcpy(pinned, to, std::size_t(n) * n * sizeof(double), cudaMemcpyDeviceToHost));
  double sum = 0.0;
  for (long at = 0; at < n * n; at += kStep) {
    sum += pinned[at];
  }
  *static_cast<volatile double *>(pinned) = sum;
}

void walks(double *from, double *to, long n) {
  for (int i = 0; i < kWalks; ++i) {
    walk(from, to, n);
  }
}

double checkOf(const double *a, long n) {
  double *host = static_cast<double *>(std::malloc(std::size_t(n) * n * sizeof(double)));
  CHECK(cudaMemcpy(host, a, std::size_t(n) * n * sizeof(double), cudaMemcpyDeviceToHost));
  double sum = 0.0;
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      sum += host[i * n + j] * double((i + 3 * j) % 7 + 1);
    }
  }
  std::free(host);
  return sum;
}

struct Case {
  const char *name;
  void (*run)(double *, double *, long);
};

constexpr Case kCases[] = {{"elimination", elimination}, {"paths", paths},
                           {"triangular", triangular},   {"blocks", blocks},
                           {"growing", growing},         {"walk", walk},               {"walks", walks}};

} // namespace

int main(int argc, char **argv) {
  const long n = argument(argc, argv, 2, 4096);
  for (const Case &each : kCases) {
    if (argc < 2 || std::strcmp(argv[1], each.name) != 0) {
      continue;
    }
    double *a = allocate<double>(std::size_t(n) * n);
    double *b = allocate<double>(std::size_t(n) * n);
    CHECK(cudaMallocHost(&pinned, std::size_t(n) * n * sizeof(double)));
    each.run(a, b, 2 * kBlock); // Loads the kernels.
    fill<<<gridFor(n, n), dim3(kX, kY)>>>(a, n);
    fill<<<gridFor(n, n), dim3(kX, kY)>>>(b, n);
    CHECK(cudaDeviceSynchronize());
    launches = 0;
    const double begin = seconds();
    each.run(a, b, n);
    CHECK(cudaDeviceSynchronize());
    const double time = seconds() - begin;
    std::printf("%s %ld %ld %.6f %.9e\n", each.name, n, launches, time,
                checkOf(a, n) + checkOf(b, n));
    return 0;
  }
  std::fprintf(stderr, "usage: moving elimination|paths|triangular|blocks|growing|walk|walks [n]\n");
  return 1;
}
