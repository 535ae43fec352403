// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/changes.h"

namespace tutti::device::opencl {

namespace {

constexpr const char *kText = R"(
__kernel void tutti_changes(__global const uint *now, ulong at, __global const uint *before,
                            ulong offset, ulong grains, __global uint *out) {
  const ulong grain = get_global_id(0);
  if (grain >= grains) {
    return;
  }
  now += at + 8 * grain;
  before += offset + 8 * grain;
  uint mask = 0;
  for (uint word = 0; word < 8; ++word) {
    const uint differs = now[word] ^ before[word];
    if (differs) {
      for (uint byte = 0; byte < 4; ++byte) {
        if (differs >> 8 * byte & 255) {
          mask |= 1u << (4 * word + byte);
        }
      }
    }
  }
  if (mask) {
    __global uint *change = out + 4 + 10 * (ulong)atomic_inc(out);
    change[0] = (uint)grain;
    change[1] = mask;
    for (uint word = 0; word < 8; ++word) {
      change[2 + word] = now[word];
    }
  }
}
)";

} // namespace

const tutti_kernel kChangesKernel{TUTTI_KERNEL_OPENCL_C, 0, "tutti_changes", kText};

} // namespace tutti::device::opencl
