// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "blocking.h"
#include "kernels.h"

namespace {

void require(cudaError_t status, const char *what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "cannot %s: %s\n", what, cudaGetErrorString(status));
    std::exit(2);
  }
}

unsigned groups(long items, long size) { return static_cast<unsigned>((items + size - 1) / size); }

/// Device memory of one call after the other, which stays for the next ones.
class Room {
public:
  void *take(int place, std::size_t bytes) {
    if (places_.size() <= static_cast<std::size_t>(place)) {
      places_.resize(place + 1);
    }
    Place &at = places_[place];
    if (at.bytes < bytes) {
      require(cudaFree(at.memory), "free device memory");
      require(cudaMalloc(&at.memory, bytes), "get device memory");
      at.bytes = bytes;
    }
    return at.memory;
  }

private:
  struct Place {
    void *memory = nullptr;
    std::size_t bytes = 0;
  };

  std::vector<Place> places_;
};

Room room;

/// The copies of one call: those in when they are named, those out by `finish`.
class Call {
public:
  template <class T> const T *in(const T *cells, long count) {
    T *to = space<T>(count);
    require(cudaMemcpy(to, cells, count * sizeof(T), cudaMemcpyHostToDevice), "copy in");
    return to;
  }

  template <class T> T *out(T *cells, long count) {
    T *from = space<T>(count);
    back_.push_back({cells, from, count * sizeof(T)});
    return from;
  }

  template <class T> T *inOut(T *cells, long count) {
    T *to = out(cells, count);
    require(cudaMemcpy(to, cells, count * sizeof(T), cudaMemcpyHostToDevice), "copy in");
    return to;
  }

  void finish() {
    require(cudaGetLastError(), "launch");
    for (const Back &each : back_) {
      require(cudaMemcpy(each.to, each.from, each.bytes, cudaMemcpyDeviceToHost), "copy out");
    }
  }

private:
  struct Back {
    void *to;
    const void *from;
    std::size_t bytes;
  };

  template <class T> T *space(long count) {
    return static_cast<T *>(room.take(next_++, count * sizeof(T)));
  }

  int next_ = 0;
  std::vector<Back> back_;
};

} // namespace

void saxpy_blocking(long n, float a, const float *x, float *y) {
  Call call;
  saxpy<<<groups(n, 256), 256>>>(n, a, call.in(x, n), call.inOut(y, n));
  call.finish();
}

void triad_blocking(long n, double s, const double *b, const double *c, double *a) {
  Call call;
  triad<<<groups(n, 256), 256>>>(n, s, call.in(b, n), call.in(c, n), call.out(a, n));
  call.finish();
}

void price_options_blocking(long n, const float *price, const float *strike, const float *years,
                            float *toCall, float *toPut) {
  Call call;
  price_options<<<groups(n, 256), 256>>>(n, call.in(price, n), call.in(strike, n),
                                         call.in(years, n), call.out(toCall, n),
                                         call.out(toPut, n));
  call.finish();
}

void multiply_blocking(long n, const double *a, const double *b, double *c) {
  Call call;
  const dim3 grid(groups(n, 32), groups(n, 32));
  multiply<<<grid, dim3(32, 32)>>>(n, call.in(a, n * n), call.in(b, n * n), call.inOut(c, n * n));
  call.finish();
}

void update_blocking(long n, const double *a, const double *b, double *c) {
  Call call;
  const dim3 grid(groups(n, 32), groups(n, 32));
  update<<<grid, dim3(32, 32)>>>(n, call.in(a, n * n), call.in(b, n * n), call.inOut(c, n * n));
  call.finish();
}

void factorise_blocking(long n, double *a) {
  Call call;
  factorise<<<1, 1024>>>(n, call.inOut(a, n * n));
  call.finish();
}

void solve_blocking(long n, const double *l, double *b) {
  Call call;
  solve<<<static_cast<unsigned>(n), 128, n * sizeof(double)>>>(n, call.in(l, n * n),
                                                               call.inOut(b, n * n));
  call.finish();
}

void heat_blocking(long rows, long columns, long above, long below, const float *power,
                   const float *from, float *to) {
  Call call;
  const dim3 grid(groups(columns, 64), groups(rows, 4));
  heat<<<grid, dim3(64, 4)>>>(rows, columns, above, below, call.in(power, rows * columns),
                              call.in(from, (rows + above + below) * columns),
                              call.out(to, rows * columns));
  call.finish();
}

void relax_blocking(long rows, long columns, long above, long below, const double *from,
                    double *to) {
  Call call;
  const dim3 grid(groups(columns, 64), groups(rows, 4));
  relax<<<grid, dim3(64, 4)>>>(rows, columns, above, below,
                               call.in(from, (rows + above + below) * columns),
                               call.out(to, rows * columns));
  call.finish();
}
