// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The applications of HyCOMP's Fig. 12 with MPI and CUDA by hand, as the paper has them: the root
/// broadcasts or scatters what is read and gathers what was written, in each step.
///
///   hand NAME SIZE SECONDS
///
/// Prints `NAME SIZE seconds_per_step steps check transfer kernel in out`: what is named behind the
/// check are seconds of a step on the root. SIZE is cut into equal parts: ranks divide it.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../../cuda/xmp/nodes.cuh"

namespace {

constexpr int kTile = 16;

enum Phase { kTransfer, kKernel, kIn, kOut, kPhases };

struct Job {
  Ranks ranks;
  long n;
  double spent[kPhases] = {};

  long own() const { return n / ranks.all; }

  long first() const { return own() * ranks.own; }

  template <typename Body> void timed(Phase phase, Body body) {
    const double begin = seconds();
    body();
    if (phase != kTransfer) {
      CHECK(cudaDeviceSynchronize());
    }
    spent[phase] += seconds() - begin;
  }
};

template <typename T> T *onDevice(size_t count) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}

template <typename T> T *pinned(size_t count) {
  T *memory = nullptr;
  CHECK(cudaMallocHost(&memory, count * sizeof(T)));
  return memory;
}

template <typename T> void copy(T *to, const T *from, size_t count, cudaMemcpyKind kind) {
  CHECK(cudaMemcpy(to, from, count * sizeof(T), kind));
}

__global__ void multiply(long n, long rows, const float *a, const float *b, float *c) {
  const long j = blockIdx.x * long(kTile) + threadIdx.x;
  const long i = blockIdx.y * long(kTile) + threadIdx.y;
  if (i < rows && j < n) {
    float sum = 0;
    for (long k = 0; k < n; ++k) {
      sum += a[i * n + k] * b[k * n + j];
    }
    c[i * n + j] = sum;
  }
}

class Mm {
public:
  explicit Mm(Job &job) : job_(job) {
    const long n = job.n;
    left_.resize(job.own() * n);
    for (long i = 0; i < job.own(); ++i) {
      for (long j = 0; j < n; ++j) {
        left_[i * n + j] = float((job.first() + i + 2 * j) % 17) / (8.0f * float(n));
      }
    }
    right_ = pinned<float>(n * n);
    for (long i = 0; i < n * n; ++i) {
      right_[i] = float((3 * (i / n) + i % n) % 13) / 13.0f;
    }
    rows_ = pinned<float>(job.own() * n);
    a_ = onDevice<float>(job.own() * n);
    b_ = onDevice<float>(n * n);
    c_ = onDevice<float>(job.own() * n);
    copy(a_, left_.data(), job.own() * n, cudaMemcpyHostToDevice);
  }

  void step() {
    const long n = job_.n, count = job_.own() * n;
    job_.timed(kTransfer, [&] { MPI_Bcast(right_, int(n * n), MPI_FLOAT, 0, MPI_COMM_WORLD); });
    job_.timed(kIn, [&] { copy(b_, right_, n * n, cudaMemcpyHostToDevice); });
    job_.timed(kKernel, [&] {
      const dim3 grid((n + kTile - 1) / kTile, (job_.own() + kTile - 1) / kTile);
      multiply<<<grid, dim3(kTile, kTile)>>>(n, job_.own(), a_, b_, c_);
    });
    job_.timed(kOut, [&] { copy(rows_, c_, count, cudaMemcpyDeviceToHost); });
    job_.timed(kTransfer, [&] {
      MPI_Gather(rows_, int(count), MPI_FLOAT, right_, int(count), MPI_FLOAT, 0, MPI_COMM_WORLD);
    });
  }

  double check() const {
    double sum = 0;
    for (long i = 0; i < job_.n * job_.n; ++i) {
      sum += right_[i] * double(i % 7 + 1);
    }
    return sum;
  }

private:
  Job &job_;
  std::vector<float> left_;
  float *right_, *rows_, *a_, *b_, *c_;
};

__global__ void relax(long n, long first, long lower, long upper, double *points, int colour) {
  const long i = lower + blockIdx.y * long(kTile) + threadIdx.y;
  const long j = 1 + (i + colour) % 2 + 2 * (blockIdx.x * long(kTile) + threadIdx.x);
  if (i < upper && j < n - 1) {
    double *at = points + (i - first) * n + j;
    const double mean = 0.25 * (at[-n] + at[n] + at[-1] + at[1]);
    *at += 1.5 * (mean - *at);
  }
}

/// Each rank has its rows and one more at each end.
class Sor {
public:
  explicit Sor(Job &job) : job_(job) {
    const long n = job.n;
    if (job.ranks.own == 0) {
      grid_.resize(n * n);
      for (long i = 0; i < n * n; ++i) {
        grid_[i] = i % n == 0 ? 1 : 0;
      }
    }
    for (int rank = 0; rank < job.ranks.all; ++rank) {
      const long begin = std::max(0L, job.own() * rank - 1);
      const long end = std::min(n, job.own() * (rank + 1) + 1);
      starts_.push_back(int(begin * n));
      counts_.push_back(int((end - begin) * n));
      ownStarts_.push_back(int(job.own() * rank * n));
      ownCounts_.push_back(int(job.own() * n));
    }
    begin_ = starts_[job.ranks.own] / n;
    points_ = pinned<double>(counts_[job.ranks.own]);
    device_ = onDevice<double>(counts_[job.ranks.own]);
  }

  void step() {
    sweep(0);
    sweep(1);
  }

  double check() const {
    double sum = 0;
    for (long i = 0; i < job_.n * job_.n; ++i) {
      sum += grid_[i] * double(i % 7 + 1);
    }
    return sum;
  }

private:
  void sweep(int colour) {
    const long n = job_.n;
    const int count = counts_[job_.ranks.own], own = ownCounts_[job_.ranks.own];
    double *rows = points_ + (job_.first() - begin_) * n;
    job_.timed(kTransfer, [&] {
      MPI_Scatterv(grid_.data(), counts_.data(), starts_.data(), MPI_DOUBLE, points_, count,
                   MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
    job_.timed(kIn, [&] { copy(device_, points_, count, cudaMemcpyHostToDevice); });
    job_.timed(kKernel, [&] {
      const long lower = std::max(1L, job_.first());
      const long upper = std::min(n - 1, job_.first() + job_.own());
      const dim3 grid((n / 2 + kTile) / kTile, (upper - lower + kTile - 1) / kTile);
      relax<<<grid, dim3(kTile, kTile)>>>(n, begin_, lower, upper, device_, colour);
    });
    job_.timed(kOut, [&] {
      copy(rows, device_ + (job_.first() - begin_) * n, own, cudaMemcpyDeviceToHost);
    });
    job_.timed(kTransfer, [&] {
      MPI_Gatherv(rows, own, MPI_DOUBLE, grid_.data(), ownCounts_.data(), ownStarts_.data(),
                  MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
  }

  Job &job_;
  std::vector<double> grid_;
  std::vector<int> starts_, counts_, ownStarts_, ownCounts_;
  long begin_;
  double *points_, *device_;
};

__global__ void attract(long n, long first, long own, const float4 *bodies, float4 *parts,
                        float3 *speeds) {
  const long i = blockIdx.x * long(kTile * kTile) + threadIdx.x;
  if (i >= own) {
    return;
  }
  const float4 self = bodies[first + i];
  float ax = 0, ay = 0, az = 0;
  for (long j = 0; j < n; ++j) {
    const float dx = bodies[j].x - self.x, dy = bodies[j].y - self.y, dz = bodies[j].z - self.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
    const float pull = bodies[j].w * inverse * inverse * inverse;
    ax += dx * pull, ay += dy * pull, az += dz * pull;
  }
  float3 &speed = speeds[i];
  speed.x += 1e-4f * ax, speed.y += 1e-4f * ay, speed.z += 1e-4f * az;
  parts[i] = {self.x + 1e-4f * speed.x, self.y + 1e-4f * speed.y, self.z + 1e-4f * speed.z, self.w};
}

class Nbody {
public:
  explicit Nbody(Job &job) : job_(job) {
    bodies_ = pinned<float4>(job.n);
    parts_ = pinned<float4>(job.own());
    for (long i = 0; i < job.n; ++i) {
      bodies_[i] = {float(i * 7 % 101), float(i * 11 % 103), float(i * 13 % 107),
                    1.0f + float(i % 3)};
    }
    all_ = onDevice<float4>(job.n);
    moved_ = onDevice<float4>(job.own());
    speeds_ = onDevice<float3>(job.own());
    CHECK(cudaMemset(speeds_, 0, job.own() * sizeof *speeds_));
  }

  void step() {
    const long own = job_.own();
    job_.timed(kTransfer,
               [&] { MPI_Bcast(bodies_, int(4 * job_.n), MPI_FLOAT, 0, MPI_COMM_WORLD); });
    job_.timed(kIn, [&] { copy(all_, bodies_, job_.n, cudaMemcpyHostToDevice); });
    job_.timed(kKernel, [&] {
      constexpr int kThreads = kTile * kTile;
      attract<<<(own + kThreads - 1) / kThreads, kThreads>>>(job_.n, job_.first(), own, all_,
                                                             moved_, speeds_);
    });
    job_.timed(kOut, [&] { copy(parts_, moved_, own, cudaMemcpyDeviceToHost); });
    job_.timed(kTransfer, [&] {
      MPI_Gather(parts_, int(4 * own), MPI_FLOAT, bodies_, int(4 * own), MPI_FLOAT, 0,
                 MPI_COMM_WORLD);
    });
  }

  double check() const {
    std::vector<float3> own(job_.own());
    copy(own.data(), speeds_, own.size(), cudaMemcpyDeviceToHost);
    double sum = 0, all = 0;
    for (const float3 &speed : own) {
      sum += speed.x * speed.x + speed.y * speed.y + speed.z * speed.z;
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
  }

private:
  Job &job_;
  float4 *bodies_, *parts_, *all_, *moved_;
  float3 *speeds_;
};

template <typename App> void run(Job &job, const std::string &name, double enough) {
  App app(job);
  for (int step = 0; step < 3; ++step) {
    app.step();
  }
  const double check = name == "nbody" || job.ranks.own == 0 ? app.check() : 0;
  long steps = 1;
  double each = 0;
  while (true) {
    std::fill(std::begin(job.spent), std::end(job.spent), 0);
    each = together(steps, [&] { app.step(); });
    MPI_Bcast(&each, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (each * double(steps) >= enough) {
      break;
    }
    steps *= each * double(steps) < enough / 16 ? 8 : 2;
  }
  if (job.ranks.own == 0) {
    std::printf("%s %ld %.6e %ld %.9e", name.c_str(), job.n, each, steps, check);
    for (const double spent : job.spent) {
      std::printf(" %.6e", spent / double(steps));
    }
    std::printf("\n");
  }
}

} // namespace

int main(int argc, char **argv) {
  Job job{start(&argc, &argv), argc > 2 ? std::atol(argv[2]) : 0};
  const std::string name = argc > 3 ? argv[1] : "";
  const double enough = argc > 3 ? std::atof(argv[3]) : 0;
  const bool isKnown = name == "mm" || name == "sor" || name == "nbody";
  if (!isKnown || job.n < 2 * job.ranks.all || job.n % job.ranks.all != 0) {
    std::fprintf(stderr, "usage: hand mm|sor|nbody SIZE SECONDS; ranks divide SIZE\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (name == "mm") {
    run<Mm>(job, name, enough);
  } else if (name == "sor") {
    run<Sor>(job, name, enough);
  } else {
    run<Nbody>(job, name, enough);
  }
  MPI_Finalize();
  return 0;
}
