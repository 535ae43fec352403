// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/conformance/natives.h"

#include "abi/abi.h"
#include "base/check.h"
#include "runtime/device/mock/run.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::device::cuda {

// As the backend calls what the driver's handles point to.
struct FunctionObject;
struct ModuleObject;

} // namespace tutti::device::cuda

namespace tutti::device::conformance {

namespace {

constexpr const char *kOpencl = R"(
typedef struct { int i; long l; } Pair;

__kernel void scaled(long n, ulong factor, __global ulong *x) {
  const long i = get_global_id(0);
  if (i < n) {
    x[i] *= factor;
  }
}

__kernel void mixed(uchar a, short b, float f, Pair p, __global const ulong *in,
                    __global ulong *restrict out) {
  *out = *in + a + b + (ulong)f + p.i + p.l;
}
)";

constexpr const char *kOpenclLocal = R"(
static size_t other(void) { return get_local_size(0) - 1 - get_local_id(0); }

kernel void turned(global ulong *x, local ulong *shared_) {
  shared_[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = shared_[other()];
}

__kernel void reversed(__global ulong *x) {
  __local ulong own[64];
  own[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = own[other()];
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void fixed_(__global ulong *x) {
  x[get_global_id(0)] += 1;
}

__kernel void looked_up(__constant ulong *table, __global ulong *x) {
  x[get_global_id(0)] += table[get_local_id(0)];
}

__kernel void rows(__global ulong (*x)[4]) { x[get_global_id(0)][3] += 1; }

__kernel void absent(__global ulong *x, ulong value, __global ulong *maybe) {
  x[get_global_id(0)] = maybe ? value : value + 1;
}
)";

constexpr const char *kOpenclImage = R"(
__kernel void pictured(read_only image2d_t picture, __global ulong *x) {
  x[get_global_id(0)] = get_image_width(picture);
}
)";

// The kernels of each module as text: a stub is the address of one.
constexpr const char *kScaledPtx = R"(
.version 6.3
.target sm_70
.address_size 64

.visible .entry scaled( .param .u64 n, .param .u64 factor, .param .u64 x )
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd4, [n];
  ld.param.u64 %rd2, [factor];
  ld.param.u64 %rd3, [x];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mul.wide.u32 %rd5, %r1, %r2;
  mov.u32 %r3, %tid.x;
  cvt.u64.u32 %rd6, %r3;
  add.s64 %rd1, %rd5, %rd6;
  setp.ge.s64 %p1, %rd1, %rd4;
  @%p1 bra end;
  shl.b64 %rd8, %rd1, 3;
  add.s64 %rd9, %rd3, %rd8;
  ld.u64 %rd10, [%rd9];
  mul.lo.s64 %rd11, %rd10, %rd2;
  st.u64 [%rd9], %rd11;
end:
  ret;
}
)";

constexpr const char *kMixedPtx = R"(
.version 6.3
.target sm_70
.address_size 64

.visible .entry mixed( .param .u8 a, .param .u16 b, .param .f32 f, .param .align 8 .b8 p[16],
                       .param .u64 in, .param .u64 out )
{
  .reg .b16 %rs<2>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<16>;
  ld.param.u8 %rs1, [a];
  ld.param.s16 %rd1, [b];
  ld.param.f32 %f1, [f];
  ld.param.u64 %rd2, [in];
  ld.param.u64 %rd3, [out];
  ld.param.s32 %rd4, [p];
  ld.param.u64 %rd5, [p+8];
  ld.u64 %rd8, [%rd2];
  cvt.u64.u16 %rd9, %rs1;
  cvt.rzi.u64.f32 %rd10, %f1;
  add.s64 %rd11, %rd1, %rd9;
  add.s64 %rd12, %rd11, %rd5;
  add.s64 %rd13, %rd12, %rd4;
  add.s64 %rd14, %rd13, %rd8;
  add.s64 %rd15, %rd14, %rd10;
  st.u64 [%rd3], %rd15;
  ret;
}
)";

#define TURNING(name, memory)                                                                      \
  "\n.version 6.3\n.target sm_70\n.address_size 64\n\n" memory "\n\n.visible .entry " name         \
  "( .param .u64 x )\n"                                                                            \
  R"({
  .reg .b32 %r<11>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mul.wide.u32 %rd3, %r3, %r1;
  cvt.u64.u32 %rd4, %r2;
  add.s64 %rd5, %rd3, %rd4;
  shl.b64 %rd6, %rd5, 3;
  add.s64 %rd7, %rd1, %rd6;
  ld.u64 %rd8, [%rd7];
  shl.b32 %r4, %r2, 3;
  mov.u32 %r5, words;
  add.s32 %r6, %r5, %r4;
  st.shared.u64 [%r6], %rd8;
  bar.sync 0;
  not.b32 %r7, %r2;
  add.s32 %r8, %r1, %r7;
  shl.b32 %r9, %r8, 3;
  add.s32 %r10, %r5, %r9;
  ld.shared.u64 %rd9, [%r10];
  st.u64 [%rd7], %rd9;
  ret;
}
)"

constexpr const char *kTurnedPtx = TURNING("turned", ".extern .shared .align 16 .b8 words[];");
constexpr const char *kReversedPtx = TURNING("reversed", ".shared .align 8 .b8 words[512];");

/// As a program's cudaGetFuncBySymbol: the stub's kernel in the context that is current.
int functionBySymbol(cuda::FunctionObject **function, const void *stub) {
  using Load = int(cuda::ModuleObject **, const void *, unsigned, int *, void **);
  using Get = int(cuda::FunctionObject **, cuda::ModuleObject *, const char *);
  void *const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  auto *load = reinterpret_cast<Load *>(::dlsym(driver, "cuModuleLoadDataEx"));
  auto *get = reinterpret_cast<Get *>(::dlsym(driver, "cuModuleGetFunction"));
  const std::string_view text = static_cast<const char *>(stub);
  const std::size_t begin = text.find(".entry ") + 7;
  const std::string name(text.substr(begin, text.find('(', begin) - begin));
  // Go with their context; never destroyed, so that they can be found to the very end.
  static auto &modules = *new std::vector<cuda::ModuleObject *>;
  cuda::ModuleObject *&module = modules.emplace_back();
  if (const int result = load(&module, stub, 0, nullptr, nullptr)) {
    return result;
  }
  return get(function, module, name.c_str());
}

template <typename T> T argument(const tutti_mock_run *run, std::size_t index) {
  T value;
  std::memcpy(&value, run->arguments[index], sizeof value);
  return value;
}

std::uint64_t &word(const tutti_mock_run *run, std::uint64_t address) {
  return *static_cast<std::uint64_t *>(run->at(run, address));
}

void scaled(const tutti_mock_run *run) {
  const auto n = std::min(static_cast<std::uint64_t>(argument<std::int64_t>(run, 0)),
                          run->groups[0] * run->group[0]);
  for (std::uint64_t i = 0; i < n; ++i) {
    word(run, argument<std::uint64_t>(run, 2) + i * 8) *= argument<std::uint64_t>(run, 1);
  }
}

void mixed(const tutti_mock_run *run) {
  const auto pair = argument<Pair>(run, 3);
  word(run, argument<std::uint64_t>(run, 5)) =
      word(run, argument<std::uint64_t>(run, 4)) + argument<std::uint8_t>(run, 0) +
      static_cast<std::uint64_t>(argument<std::int16_t>(run, 1)) +
      static_cast<std::uint64_t>(argument<float>(run, 2)) + static_cast<std::uint64_t>(pair.i) +
      static_cast<std::uint64_t>(pair.l);
}

void turned(const tutti_mock_run *run) {
  for (std::uint64_t group = 0; group < run->groups[0]; ++group) {
    const std::uint64_t x = argument<std::uint64_t>(run, 0) + group * run->group[0] * 8;
    for (std::uint64_t i = 0; i < run->group[0] / 2; ++i) {
      std::swap(word(run, x + i * 8), word(run, x + (run->group[0] - 1 - i) * 8));
    }
  }
}

constexpr std::array<tutti_task_text, 3> kTexts{
    {{"first.cl", kOpencl}, {"second.cl", kOpenclLocal}, {"third.cl", kOpenclImage}}};
constexpr std::array<tutti_task_text, 1> kWrongTexts{
    {{"wrong.cl", "__kernel void scaled(int n) { undeclared(n); }"}}};

tutti_task_kernel asText(const char *name) {
  return {TUTTI_DEVICE_OPENCL, name, {}, nullptr, kTexts.data(), kTexts.data() + kTexts.size()};
}

tutti_task_kernel asModule(const char *name, const char *text) {
  return {TUTTI_DEVICE_CUDA, name,
          {nullptr, text},   reinterpret_cast<const void *>(&functionBySymbol),
          nullptr,           nullptr};
}

tutti_task_kernel asFunction(const char *name, tutti_mock_kernel function) {
  return {TUTTI_DEVICE_GPU, name,    {reinterpret_cast<const void *>(function), nullptr},
          nullptr,          nullptr, nullptr};
}

using Kernels = std::map<std::string_view, tutti_task_kernel>;

const Kernels &kernelsFor(const Info &info) {
  static const Kernels texts{{"scaled", asText("scaled")},     {"mixed", asText("mixed")},
                             {"turned", asText("turned")},     {"reversed", asText("reversed")},
                             {"fixed_", asText("fixed_")},     {"looked_up", asText("looked_up")},
                             {"absent", asText("absent")},     {"rows", asText("rows")},
                             {"pictured", asText("pictured")}, {"nothing", asText("nothing")}};
  static const Kernels modules{{"scaled", asModule("scaled", kScaledPtx)},
                               {"mixed", asModule("mixed", kMixedPtx)},
                               {"turned", asModule("turned", kTurnedPtx)},
                               {"reversed", asModule("reversed", kReversedPtx)},
                               {"nothing", asModule("nothing", nullptr)}};
  static const Kernels functions{{"scaled", asFunction("scaled", scaled)},
                                 {"mixed", asFunction("mixed", mixed)},
                                 {"turned", asFunction("turned", turned)},
                                 {"reversed", asFunction("reversed", turned)},
                                 {"nothing", asFunction("nothing", nullptr)}};
  if (comesAsText(info)) {
    return texts;
  }
  return info.driver == "mock" ? functions : modules;
}

} // namespace

const tutti_task_kernel *nativeNamed(std::string_view name, const Info &info) {
  const Kernels &kernels = kernelsFor(info);
  const auto found = kernels.find(name);
  TUTTI_CHECK(found != kernels.end(), "the suite has no kernel {} for {}", name, info.name);
  return &found->second;
}

const tutti_task_kernel *nativeOfWrongText() {
  static const tutti_task_kernel kernel{TUTTI_DEVICE_OPENCL,
                                        "scaled",
                                        {},
                                        nullptr,
                                        kWrongTexts.data(),
                                        kWrongTexts.data() + kWrongTexts.size()};
  return &kernel;
}

bool comesAsText(const Info &info) {
  return info.driver != "mock" && info.format == TUTTI_KERNEL_OPENCL_C;
}

} // namespace tutti::device::conformance
