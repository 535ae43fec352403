// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own CUDA version of a step of heat.fa.
#include "ucenv_gpu.h"

namespace {

constexpr int kThreads = 256;

__global__ void step(int size, const double *before, const double *left, const double *right,
                     double *cells, double *lo, double *hi) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < size) {
    const double west = i > 0 ? before[i - 1] : *left;
    const double east = i < size - 1 ? before[i + 1] : *right;
    const double cell = before[i] + 0.25 * (west - 2 * before[i] + east);
    cells[i] = cell;
    if (i == 0) {
      *lo = cell;
    }
    if (i == size - 1) {
      *hi = cell;
    }
  }
}

} // namespace

extern "C" void c_step_cuda(luna::gpu::Queue &queue, int size, const luna::gpu::In &u,
                            const luna::gpu::In &left, const luna::gpu::In &right,
                            luna::gpu::Out &v, luna::gpu::Out &lo, luna::gpu::Out &hi) {
  step<<<(size + kThreads - 1) / kThreads, kThreads, 0, queue.stream()>>>(
      size, u.data<double>(), left.data<double>(), right.data<double>(), v.create<double>(size),
      lo.create<double>(1), hi.create<double>(1));
}
