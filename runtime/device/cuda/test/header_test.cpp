// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// That library.h and functions.def say the same as <cuda.h>. Most of it is checked by compiling.
#include "runtime/device/cuda/library.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <string_view>
#include <type_traits>

namespace tutti::device::cuda {

namespace {

/// Arguments travel alike: both pointers, or integers and enumerations of one size.
template <typename Ours, typename Theirs>
constexpr bool isAlike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <typename Ours, typename Theirs> constexpr bool isSameCall = false;

template <typename R, typename... As, typename S, typename... Bs>
  requires(sizeof...(As) == sizeof...(Bs))
constexpr bool isSameCall<R(As...), S(Bs...)> = isAlike<R, S> && (isAlike<As, Bs> && ...);

#define TUTTI_CUDA(name, ...)                                                                      \
  static_assert(isSameCall<Library::Type_##name, decltype(::name)>, #name);
#if CUDA_VERSION >= 13000
#define TUTTI_CUDA_EARLIER(name, ...)
#endif
#include "runtime/device/cuda/functions.def"
#undef TUTTI_CUDA

#define CHECK_CONSTANT(ours, value, theirs)                                                        \
  static_assert((ours) == static_cast<long long>(theirs), #theirs);
TUTTI_CUDA_CONSTANTS(CHECK_CONSTANT)
#undef CHECK_CONSTANT

static_assert(sizeof(CUmemAllocationProp) == sizeof(::CUmemAllocationProp));
static_assert(offsetof(CUmemAllocationProp, requestedHandleTypes) ==
              offsetof(::CUmemAllocationProp, requestedHandleTypes));
static_assert(offsetof(CUmemAllocationProp, location) == offsetof(::CUmemAllocationProp, location));
static_assert(offsetof(CUmemAllocationProp, win32HandleMetaData) ==
              offsetof(::CUmemAllocationProp, win32HandleMetaData));
static_assert(offsetof(CUmemAllocationProp, allocFlags) ==
              offsetof(::CUmemAllocationProp, allocFlags));
static_assert(sizeof(CUmemAccessDesc) == sizeof(::CUmemAccessDesc));
static_assert(offsetof(CUmemAccessDesc, flags) == offsetof(::CUmemAccessDesc, flags));
static_assert(sizeof(CUmemLocation) == sizeof(::CUmemLocation));
static_assert(sizeof(CUuuid) == sizeof(::CUuuid));
static_assert(sizeof(CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(offsetof(CUlaunchAttribute, value) == offsetof(::CUlaunchAttribute, value));
static_assert(sizeof(CUlaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(CUlaunchConfig, sharedMemBytes) ==
              offsetof(::CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(::CUlaunchConfig, hStream));
static_assert(offsetof(CUlaunchConfig, attrs) == offsetof(::CUlaunchConfig, attrs));
static_assert(offsetof(CUlaunchConfig, numAttrs) == offsetof(::CUlaunchConfig, numAttrs));

#define TEXT_OF(...) #__VA_ARGS__
#define EXPANDED(name) TEXT_OF(name)

TEST(CudaHeader, HasTheVersionsOfFunctionsThatAreOpened) {
  EXPECT_EQ(std::string_view(EXPANDED(cuDeviceGetUuid)), "cuDeviceGetUuid_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuDeviceTotalMem)), "cuDeviceTotalMem_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuMemGetInfo)), "cuMemGetInfo_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuDevicePrimaryCtxRelease)), "cuDevicePrimaryCtxRelease_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuMemHostGetDevicePointer)), "cuMemHostGetDevicePointer_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuMemcpyHtoDAsync)), "cuMemcpyHtoDAsync_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuMemcpyDtoHAsync)), "cuMemcpyDtoHAsync_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuMemcpyDtoDAsync)), "cuMemcpyDtoDAsync_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuStreamDestroy)), "cuStreamDestroy_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuEventDestroy)), "cuEventDestroy_v2");
  EXPECT_EQ(std::string_view(EXPANDED(cuStreamWaitEvent)), "cuStreamWaitEvent");
  EXPECT_EQ(std::string_view(EXPANDED(cuMemMap)), "cuMemMap");
}

TEST(CudaHeader, HasTheKeysOfLaunches) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(CU_LAUNCH_PARAM_END), kLaunchEnd);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(CU_LAUNCH_PARAM_BUFFER_POINTER), kLaunchBuffer);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(CU_LAUNCH_PARAM_BUFFER_SIZE), kLaunchBufferSize);
}

} // namespace

} // namespace tutti::device::cuda
