// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

__global__ void axpy(long n, double a, const double *x, double *y) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) {
    y[i] += a * x[i];
  }
}

__global__ void saxpy(long n, float a, const float *x, float *y) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) {
    y[i] += a * x[i];
  }
}

__global__ void triad(long n, double s, const double *b, const double *c, double *a) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) {
    a[i] = b[i] + s * c[i];
  }
}

__global__ void price_options(long n, const float *price, const float *strike, const float *years,
                              float *call, float *put) {
  constexpr float kRate = 0.02F;
  constexpr float kVolatility = 0.30F;
  constexpr float kRootOfHalf = 0.70710678F;
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i >= n) {
    return;
  }
  const float spread = kVolatility * sqrtf(years[i]);
  const float high =
      (logf(price[i] / strike[i]) + (kRate + 0.5F * kVolatility * kVolatility) * years[i]) / spread;
  const float later = strike[i] * expf(-kRate * years[i]);
  const float ofPrice = 0.5F * erfcf(-high * kRootOfHalf);
  const float ofStrike = 0.5F * erfcf(-(high - spread) * kRootOfHalf);
  call[i] = price[i] * ofPrice - later * ofStrike;
  put[i] = later * (1 - ofStrike) - price[i] * (1 - ofPrice);
}

__global__ void multiply(long n, const double *a, const double *b, double *c) {
  __shared__ double left[32][33];
  __shared__ double right[32][33];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const long row = blockIdx.y * 32L + y;
  const long column = blockIdx.x * 32L + x;
  double sum = 0;
  for (long k = 0; k < n; k += 32) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int inner = 0; inner < 32; ++inner) {
      sum += left[y][inner] * right[inner][x];
    }
    __syncthreads();
  }
  c[row * n + column] += sum;
}

__global__ void update(long n, const double *a, const double *b, double *c) {
  __shared__ double left[32][33];
  __shared__ double right[32][33];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const long row = blockIdx.y * 32L + y;
  const long column = blockIdx.x * 32L + x;
  double sum = 0;
  for (long k = 0; k < n; k += 32) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(blockIdx.x * 32L + y) * n + k + x];
    __syncthreads();
    for (int inner = 0; inner < 32; ++inner) {
      sum += left[y][inner] * right[x][inner];
    }
    __syncthreads();
  }
  c[row * n + column] -= sum;
}

__global__ void factorise(long n, double *a) {
  for (long k = 0; k < n; ++k) {
    const double root = sqrt(a[k * n + k]);
    __syncthreads();
    for (long i = k + threadIdx.x; i < n; i += blockDim.x) {
      a[i * n + k] = i == k ? root : a[i * n + k] / root;
    }
    __syncthreads();
    for (long i = k + 1 + threadIdx.x / 32; i < n; i += blockDim.x / 32) {
      for (long j = k + 1 + threadIdx.x % 32; j <= i; j += 32) {
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
      }
    }
    __syncthreads();
  }
}

__global__ void solve(long n, const double *l, double *b) {
  extern __shared__ double row[];
  double *const of = b + blockIdx.x * n;
  for (long j = threadIdx.x; j < n; j += blockDim.x) {
    row[j] = of[j];
  }
  for (long k = 0; k < n; ++k) {
    __syncthreads();
    const double value = row[k] / l[k * n + k];
    __syncthreads();
    for (long j = k + threadIdx.x; j < n; j += blockDim.x) {
      row[j] = j == k ? value : row[j] - value * l[j * n + k];
    }
  }
  __syncthreads();
  for (long j = threadIdx.x; j < n; j += blockDim.x) {
    of[j] = row[j];
  }
}

__global__ void heat(long rows, long columns, long above, long below, const float *power,
                     const float *from, float *to) {
  constexpr float kAmbient = 80;
  const long column = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  const long row = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y;
  if (row >= rows || column >= columns) {
    return;
  }
  const long at = (row + above) * columns + column;
  const float own = from[at];
  const float north = row + above > 0 ? from[at - columns] : own;
  const float south = row + 1 < rows + below ? from[at + columns] : own;
  const float west = column > 0 ? from[at - 1] : own;
  const float east = column + 1 < columns ? from[at + 1] : own;
  to[row * columns + column] = own + 0.1F * (power[row * columns + column] + north + south + west +
                                             east - 4 * own + 0.01F * (kAmbient - own));
}

__global__ void relax(long rows, long columns, long above, long below, const double *from,
                      double *to) {
  const long column = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  const long row = blockIdx.y * static_cast<long>(blockDim.y) + threadIdx.y;
  if (row >= rows || column >= columns) {
    return;
  }
  const long at = (row + above) * columns + column;
  const bool isInside =
      row + above > 0 && row + 1 < rows + below && column > 0 && column + 1 < columns;
  to[row * columns + column] =
      isInside ? 0.25 * (from[at - columns] + from[at + columns] + from[at - 1] + from[at + 1])
               : from[at];
}

__global__ void spin(long n, long turns, double *y) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  double value = i < n ? y[i] : 0;
  for (long turn = 0; turn < turns; ++turn) {
    value = value * 1.0000001 + 1e-9;
  }
  if (i < n) {
    y[i] = value;
  }
}
