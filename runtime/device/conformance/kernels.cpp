// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/conformance/kernels.h"

#include "abi/abi.h"
#include "base/check.h"

#include <array>

namespace tutti::device::conformance {

namespace {

constexpr const char *kOpencl = R"(
#define FIXED __global uchar *arena, ulong low, ulong high, long lower, long upper, long total, \
              __global uchar *partials

static __global ulong *at(__global uchar *arena, ulong low, ulong high, ulong a) {
  return (__global ulong *)(arena + (a + (a >> 32 ? high : low)));
}

__kernel void scale(FIXED, ulong x, ulong factor) {
  for (long i = lower + get_global_id(0); i < upper; i += get_global_size(0)) {
    *at(arena, low, high, x + i * 8) *= factor;
  }
}

__kernel void sum(FIXED, ulong x, __local ulong2 *locals) { // Not uchar: that is not aligned.
  __local ulong *mine = (__local ulong *)(locals + get_local_id(0));
  *mine = 0;
  for (long i = lower + get_global_id(0); i < upper; i += get_global_size(0)) {
    *mine += *at(arena, low, high, x + i * 8);
  }
  for (uint half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < half_) {
      *mine += mine[2 * half_];
    }
  }
  if (get_local_id(0) == 0) {
    *(__global ulong *)(partials + 16 * get_group_id(0)) = *mine;
  }
}

__kernel void add(FIXED, __local ulong2 *locals) {
  __local ulong *mine = (__local ulong *)(locals + get_local_id(0));
  *mine = 0;
  for (long i = get_global_id(0); i < upper; i += get_global_size(0)) {
    *mine += *(__global ulong *)(arena + 16 * i);
  }
  for (uint half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < half_) {
      *mine += mine[2 * half_];
    }
  }
  if (get_local_id(0) == 0) {
    *(__global ulong *)(partials + 16 * get_group_id(0)) = *mine;
  }
}

__kernel void place(FIXED, ulong x, ulong nx, ulong ny) {
  ulong index = (get_global_id(2) * ny + get_global_id(1)) * nx + get_global_id(0);
  *at(arena, low, high, x + index * 8) = index;
}
)";

constexpr const char *kOpenclFp64 = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void halve(__global uchar *arena, ulong low, ulong high, long lower, long upper,
                    long total, __global uchar *partials, ulong x) {
  for (long i = lower + get_global_id(0); i < upper; i += get_global_size(0)) {
    ulong a = x + i * 8;
    __global double *at = (__global double *)(arena + (a + (a >> 32 ? high : low)));
    *at = *at * 0.5 + 1.0;
  }
}
)";

/// The end of a kernel that reduces `%v` over its group, pairwise in `locals`, and leaves the
/// result.
#define TUTTI_REDUCE_GROUP                                                                         \
  "reduce:\n"                                                                                      \
  "  mov.u32 %r5, locals;\n"                                                                       \
  "  shl.b32 %r6, %r3, 4;\n"                                                                       \
  "  add.u32 %r5, %r5, %r6;\n"                                                                     \
  "  st.shared.u64 [%r5], %v;\n"                                                                   \
  "  mov.u32 %r6, %r2;\n"                                                                          \
  "halve_group:\n"                                                                                 \
  "  bar.sync 0;\n"                                                                                \
  "  shr.u32 %r6, %r6, 1;\n"                                                                       \
  "  setp.eq.u32 %q, %r6, 0;\n"                                                                    \
  "  @%q bra reduced;\n"                                                                           \
  "  setp.ge.u32 %q, %r3, %r6;\n"                                                                  \
  "  @%q bra halve_group;\n"                                                                       \
  "  shl.b32 %r7, %r6, 4;\n"                                                                       \
  "  add.u32 %r7, %r5, %r7;\n"                                                                     \
  "  ld.shared.u64 %w, [%r7];\n"                                                                   \
  "  add.u64 %v, %v, %w;\n"                                                                        \
  "  st.shared.u64 [%r5], %v;\n"                                                                   \
  "  bra halve_group;\n"                                                                           \
  "reduced:\n"                                                                                     \
  "  setp.ne.u32 %q, %r3, 0;\n"                                                                    \
  "  @%q bra end;\n"                                                                               \
  "  ld.param.u64 %p, [partials];\n"                                                               \
  "  mul.wide.u32 %d, %r1, 16;\n"                                                                  \
  "  add.u64 %p, %p, %d;\n"                                                                        \
  "  st.u64 [%p], %v;\n"                                                                           \
  "end:\n"                                                                                         \
  "  ret;\n"                                                                                       \
  "}\n"

/// `%i` is the work-item's first iteration, `%s` the step, `%n` the end; `%p` an address of the
/// window, then of the device.
constexpr const char *kPtx = R"(
.version 6.3
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 locals[];

.visible .entry scale(.param .u64 arena, .param .u64 low, .param .u64 high, .param .u64 lower,
                      .param .u64 upper, .param .u64 total, .param .u64 partials,
                      .param .u64 x, .param .u64 factor)
{
  .reg .pred %q;
  .reg .b32 %r<5>;
  .reg .b64 %i, %n, %s, %p, %v, %x, %f, %low, %high, %d;
)" TUTTI_KERNEL_BEGIN R"(
  ld.param.u64 %low, [low];
  ld.param.u64 %high, [high];
  ld.param.u64 %i, [lower];
  ld.param.u64 %n, [upper];
  ld.param.u64 %x, [x];
  ld.param.u64 %f, [factor];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.wide.u32 %i, %r1, %r2, %i;
  cvt.u64.u32 %v, %r3;
  add.u64 %i, %i, %v;
  mul.wide.u32 %s, %r4, %r2;
next:
  setp.ge.s64 %q, %i, %n;
  @%q bra end;
  shl.b64 %p, %i, 3;
  add.u64 %p, %p, %x;
  setp.lt.u64 %q, %p, 4294967296;
  selp.b64 %d, %low, %high, %q;
  add.u64 %p, %p, %d;
  ld.u64 %v, [%p];
  mul.lo.u64 %v, %v, %f;
  st.u64 [%p], %v;
  add.u64 %i, %i, %s;
  bra next;
end:
  ret;
}

.visible .entry halve(.param .u64 arena, .param .u64 low, .param .u64 high, .param .u64 lower,
                      .param .u64 upper, .param .u64 total, .param .u64 partials, .param .u64 x)
{
  .reg .pred %q;
  .reg .b32 %r<5>;
  .reg .b64 %i, %n, %s, %p, %v, %x, %low, %high, %d;
  .reg .f64 %f;
)" TUTTI_KERNEL_BEGIN R"(
  ld.param.u64 %low, [low];
  ld.param.u64 %high, [high];
  ld.param.u64 %i, [lower];
  ld.param.u64 %n, [upper];
  ld.param.u64 %x, [x];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.wide.u32 %i, %r1, %r2, %i;
  cvt.u64.u32 %v, %r3;
  add.u64 %i, %i, %v;
  mul.wide.u32 %s, %r4, %r2;
next:
  setp.ge.s64 %q, %i, %n;
  @%q bra end;
  shl.b64 %p, %i, 3;
  add.u64 %p, %p, %x;
  setp.lt.u64 %q, %p, 4294967296;
  selp.b64 %d, %low, %high, %q;
  add.u64 %p, %p, %d;
  ld.f64 %f, [%p];
  mul.rn.f64 %f, %f, 0d3FE0000000000000;
  add.rn.f64 %f, %f, 0d3FF0000000000000;
  st.f64 [%p], %f;
  add.u64 %i, %i, %s;
  bra next;
end:
  ret;
}

.visible .entry sum(.param .u64 arena, .param .u64 low, .param .u64 high, .param .u64 lower,
                    .param .u64 upper, .param .u64 total, .param .u64 partials, .param .u64 x)
{
  .reg .pred %q;
  .reg .b32 %r<8>;
  .reg .b64 %i, %n, %s, %p, %v, %w, %x, %low, %high, %d;
)" TUTTI_KERNEL_BEGIN R"(
  ld.param.u64 %low, [low];
  ld.param.u64 %high, [high];
  ld.param.u64 %i, [lower];
  ld.param.u64 %n, [upper];
  ld.param.u64 %x, [x];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.wide.u32 %i, %r1, %r2, %i;
  cvt.u64.u32 %v, %r3;
  add.u64 %i, %i, %v;
  mul.wide.u32 %s, %r4, %r2;
  mov.u64 %v, 0;
next:
  setp.ge.s64 %q, %i, %n;
  @%q bra reduce;
  shl.b64 %p, %i, 3;
  add.u64 %p, %p, %x;
  setp.lt.u64 %q, %p, 4294967296;
  selp.b64 %d, %low, %high, %q;
  add.u64 %p, %p, %d;
  ld.u64 %w, [%p];
  add.u64 %v, %v, %w;
  add.u64 %i, %i, %s;
  bra next;
)" TUTTI_REDUCE_GROUP R"(
.visible .entry add(.param .u64 arena, .param .u64 low, .param .u64 high, .param .u64 lower,
                    .param .u64 upper, .param .u64 total, .param .u64 partials)
{
  .reg .pred %q;
  .reg .b32 %r<8>;
  .reg .b64 %i, %n, %s, %p, %v, %w, %x, %d;
)" TUTTI_KERNEL_BEGIN R"(
  ld.param.u64 %n, [upper];
  ld.param.u64 %x, [arena];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  cvt.u64.u32 %i, %r3;
  mad.wide.u32 %i, %r1, %r2, %i;
  mul.wide.u32 %s, %r4, %r2;
  mov.u64 %v, 0;
next:
  setp.ge.s64 %q, %i, %n;
  @%q bra reduce;
  shl.b64 %p, %i, 4;
  add.u64 %p, %p, %x;
  ld.u64 %w, [%p];
  add.u64 %v, %v, %w;
  add.u64 %i, %i, %s;
  bra next;
)" TUTTI_REDUCE_GROUP R"(
.visible .entry place(.param .u64 arena, .param .u64 low, .param .u64 high, .param .u64 lower,
                      .param .u64 upper, .param .u64 total, .param .u64 partials,
                      .param .u64 x, .param .u64 nx, .param .u64 ny)
{
  .reg .pred %q;
  .reg .b32 %r<4>;
  .reg .b64 %i, %n, %p, %v, %low, %high, %d;
)" TUTTI_KERNEL_BEGIN R"(
  ld.param.u64 %low, [low];
  ld.param.u64 %high, [high];
  mov.u32 %r1, %ctaid.z;
  mov.u32 %r2, %ntid.z;
  mov.u32 %r3, %tid.z;
  cvt.u64.u32 %v, %r3;
  mad.wide.u32 %i, %r1, %r2, %v;
  ld.param.u64 %n, [ny];
  mul.lo.u64 %i, %i, %n;
  mov.u32 %r1, %ctaid.y;
  mov.u32 %r2, %ntid.y;
  mov.u32 %r3, %tid.y;
  cvt.u64.u32 %v, %r3;
  add.u64 %i, %i, %v;
  mad.wide.u32 %i, %r1, %r2, %i;
  ld.param.u64 %n, [nx];
  mul.lo.u64 %i, %i, %n;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  cvt.u64.u32 %v, %r3;
  add.u64 %i, %i, %v;
  mad.wide.u32 %i, %r1, %r2, %i;
  ld.param.u64 %p, [x];
  shl.b64 %v, %i, 3;
  add.u64 %p, %p, %v;
  setp.lt.u64 %q, %p, 4294967296;
  selp.b64 %d, %low, %high, %q;
  add.u64 %p, %p, %d;
  st.u64 [%p], %i;
  ret;
}
)";

constexpr std::array<tutti_kernel, 10> kKernels{{
    {TUTTI_KERNEL_OPENCL_C, 0, "scale", kOpencl},
    {TUTTI_KERNEL_OPENCL_C, TUTTI_KERNEL_FP64, "halve", kOpenclFp64},
    {TUTTI_KERNEL_OPENCL_C, 0, "sum", kOpencl},
    {TUTTI_KERNEL_OPENCL_C, 0, "add", kOpencl},
    {TUTTI_KERNEL_OPENCL_C, 0, "place", kOpencl},
    {TUTTI_KERNEL_PTX, 0, "scale", kPtx},
    {TUTTI_KERNEL_PTX, TUTTI_KERNEL_FP64, "halve", kPtx},
    {TUTTI_KERNEL_PTX, 0, "sum", kPtx},
    {TUTTI_KERNEL_PTX, 0, "add", kPtx},
    {TUTTI_KERNEL_PTX, 0, "place", kPtx},
}};

std::uint64_t elementOf(const mock::KernelRun &run, std::uint64_t index) {
  return run.launch().arguments[0] + index * 8;
}

void scale(const mock::KernelRun &run) {
  for (std::int64_t i = run.launch().lower; i < run.launch().upper; ++i) {
    run.value<std::uint64_t>(elementOf(run, i)) *= run.launch().arguments[1];
  }
}

void halve(const mock::KernelRun &run) {
  for (std::int64_t i = run.launch().lower; i < run.launch().upper; ++i) {
    auto &value = run.value<double>(elementOf(run, i));
    value = value * 0.5 + 1.0;
  }
}

void sum(const mock::KernelRun &run) {
  const KernelLaunch &launch = run.launch();
  const std::uint64_t groups = launch.grid.groupCount();
  const std::uint64_t size = launch.grid.groupSize();
  for (std::uint64_t group = 0; group < groups; ++group) {
    std::uint64_t sum = 0;
    for (std::int64_t i = launch.lower; i < launch.upper; ++i) {
      const auto item = static_cast<std::uint64_t>(i - launch.lower) / size;
      sum += item % groups == group ? run.value<std::uint64_t>(elementOf(run, i)) : 0;
    }
    std::memcpy(run.partial(group), &sum, sizeof sum);
  }
}

void add(const mock::KernelRun &run) {
  const KernelLaunch &launch = run.launch();
  const std::uint64_t groups = launch.grid.groupCount();
  for (std::uint64_t group = 0; group < groups; ++group) {
    std::uint64_t sum = 0;
    for (std::int64_t i = launch.lower; i < launch.upper; ++i) {
      const auto index = static_cast<std::uint64_t>(i);
      std::uint64_t partial = 0;
      std::memcpy(&partial, run.uncombined(index), sizeof partial);
      sum += index / launch.grid.groupSize() % groups == group ? partial : 0;
    }
    std::memcpy(run.partial(group), &sum, sizeof sum);
  }
}

void place(const mock::KernelRun &run) {
  const Grid &grid = run.launch().grid;
  const std::uint64_t nx = run.launch().arguments[1];
  const std::uint64_t ny = run.launch().arguments[2];
  for (std::uint64_t z = 0; z < grid.groups[2] * grid.group[2]; ++z) {
    for (std::uint64_t y = 0; y < grid.groups[1] * grid.group[1]; ++y) {
      for (std::uint64_t x = 0; x < grid.groups[0] * grid.group[0]; ++x) {
        const std::uint64_t index = (z * ny + y) * nx + x;
        run.value<std::uint64_t>(elementOf(run, index)) = index;
      }
    }
  }
}

} // namespace

const tutti_kernel *kernelNamed(std::string_view name, tutti_kernel_format format) {
  for (const tutti_kernel &kernel : kKernels) {
    if (kernel.name == name && kernel.format == format) {
      return &kernel;
    }
  }
  TUTTI_CHECK(false, "the suite has no kernel {} of format {}", name, static_cast<int>(format));
  return nullptr;
}

std::vector<std::pair<std::string_view, mock::Function>> hostFunctions() {
  return {{"scale", scale}, {"halve", halve}, {"sum", sum}, {"add", add}, {"place", place}};
}

} // namespace tutti::device::conformance
