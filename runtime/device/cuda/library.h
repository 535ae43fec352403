// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What of the CUDA driver API the backend uses, declared here so that it builds without the
/// toolkit, and the library that has it, opened at run time.
///
/// Where <cuda.h> is installed, test/header_test.cpp compares every declaration with it.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tutti::device::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmemHandle = unsigned long long; ///< CUmemGenericAllocationHandle
using CUmemHandleType = int;            ///< CUmemAllocationHandleType
using CUattribute = int;                ///< CUdevice_attribute
using CUfunctionAttribute = int;        ///< CUfunction_attribute
using CUgranularity = int;              ///< CUmemAllocationGranularity_flags
using CUjitOption = int;                ///< CUjit_option
using CUpointerAttribute = int;         ///< CUpointer_attribute
using CUcontext = struct ContextObject *;
using CUmodule = struct ModuleObject *;
using CUfunction = struct FunctionObject *;
using CUstream = struct StreamObject *;
using CUevent = struct EventObject *;

struct CUuuid {
  char bytes[16];
};

struct CUmemLocation {
  int type;
  int id;
};

struct CUmemAllocationProp {
  int type;
  int requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;

  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};

struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};

struct CUlaunchAttribute {
  int id;
  char pad[4];

  union {
    char pad[64];
    int programmaticStreamSerializationAllowed;
  } value;
};

struct CUlaunchConfig {
  unsigned gridDimX;
  unsigned gridDimY;
  unsigned gridDimZ;
  unsigned blockDimX;
  unsigned blockDimY;
  unsigned blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};

/// CONSTANT(ours, value, theirs)
#define TUTTI_CUDA_CONSTANTS(CONSTANT)                                                             \
  CONSTANT(kSuccess, 0, CUDA_SUCCESS)                                                              \
  CONSTANT(kInvalidValue, 1, CUDA_ERROR_INVALID_VALUE)                                             \
  CONSTANT(kOutOfMemory, 2, CUDA_ERROR_OUT_OF_MEMORY)                                              \
  CONSTANT(kDeinitialized, 4, CUDA_ERROR_DEINITIALIZED)                                            \
  CONSTANT(kStubLibrary, 34, CUDA_ERROR_STUB_LIBRARY)                                              \
  CONSTANT(kDeviceUnavailable, 46, CUDA_ERROR_DEVICE_UNAVAILABLE)                                  \
  CONSTANT(kNoDevice, 100, CUDA_ERROR_NO_DEVICE)                                                   \
  CONSTANT(kInvalidContext, 201, CUDA_ERROR_INVALID_CONTEXT)                                       \
  CONSTANT(kNoBinaryForGpu, 209, CUDA_ERROR_NO_BINARY_FOR_GPU)                                     \
  CONSTANT(kEccUncorrectable, 214, CUDA_ERROR_ECC_UNCORRECTABLE)                                   \
  CONSTANT(kInvalidPtx, 218, CUDA_ERROR_INVALID_PTX)                                               \
  CONSTANT(kNvlinkUncorrectable, 220, CUDA_ERROR_NVLINK_UNCORRECTABLE)                             \
  CONSTANT(kJitCompilerNotFound, 221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND)                           \
  CONSTANT(kUnsupportedPtxVersion, 222, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)                        \
  CONSTANT(kNotFound, 500, CUDA_ERROR_NOT_FOUND)                                                   \
  CONSTANT(kNotReady, 600, CUDA_ERROR_NOT_READY)                                                   \
  CONSTANT(kIllegalAddress, 700, CUDA_ERROR_ILLEGAL_ADDRESS)                                       \
  CONSTANT(kLaunchOutOfResources, 701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)                         \
  CONSTANT(kLaunchTimeout, 702, CUDA_ERROR_LAUNCH_TIMEOUT)                                         \
  CONSTANT(kContextDestroyed, 709, CUDA_ERROR_CONTEXT_IS_DESTROYED)                                \
  CONSTANT(kAssert, 710, CUDA_ERROR_ASSERT)                                                        \
  CONSTANT(kAlreadyRegistered, 712, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)                     \
  CONSTANT(kHardwareStackError, 714, CUDA_ERROR_HARDWARE_STACK_ERROR)                              \
  CONSTANT(kLaunchFailed, 719, CUDA_ERROR_LAUNCH_FAILED)                                           \
  CONSTANT(kNotPermitted, 800, CUDA_ERROR_NOT_PERMITTED)                                           \
  CONSTANT(kNotSupported, 801, CUDA_ERROR_NOT_SUPPORTED)                                           \
  CONSTANT(kMaxThreadsPerBlock, 1, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)                      \
  CONSTANT(kMaxBlockDimX, 2, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)                                  \
  CONSTANT(kMaxGridDimX, 5, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)                                    \
  CONSTANT(kMultiprocessorCount, 16, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)                     \
  CONSTANT(kComputeMode, 20, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)                                     \
  CONSTANT(kPciBusId, 33, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)                                          \
  CONSTANT(kPciDeviceId, 34, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)                                    \
  CONSTANT(kPciDomainId, 50, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)                                    \
  CONSTANT(kCapabilityMajor, 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)                     \
  CONSTANT(kCapabilityMinor, 76, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)                     \
  CONSTANT(kMaxSharedOptin, 97, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)             \
  CONSTANT(kConcurrentManagedAccess, 89, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)            \
  CONSTANT(kHasVirtualMemory, 102, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)        \
  CONSTANT(kHasFileHandles, 103, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)  \
  CONSTANT(kComputeModeProhibited, 2, CU_COMPUTEMODE_PROHIBITED)                                   \
  CONSTANT(kLocationDevice, 1, CU_MEM_LOCATION_TYPE_DEVICE)                                        \
  CONSTANT(kAllocationPinned, 1, CU_MEM_ALLOCATION_TYPE_PINNED)                                    \
  CONSTANT(kHandleNone, 0, CU_MEM_HANDLE_TYPE_NONE)                                                \
  CONSTANT(kHandleFile, 1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)                               \
  CONSTANT(kGranularityMinimum, 0, CU_MEM_ALLOC_GRANULARITY_MINIMUM)                               \
  CONSTANT(kAccessReadWrite, 3, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)                                \
  CONSTANT(kHostPortable, 1, CU_MEMHOSTALLOC_PORTABLE)                                             \
  CONSTANT(kHostDeviceMap, 2, CU_MEMHOSTALLOC_DEVICEMAP)                                           \
  CONSTANT(kRegisterPortable, 1, CU_MEMHOSTREGISTER_PORTABLE)                                      \
  CONSTANT(kPointerMemoryType, 2, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)                                \
  CONSTANT(kPointerIsManaged, 8, CU_POINTER_ATTRIBUTE_IS_MANAGED)                                  \
  CONSTANT(kJitErrorLog, 5, CU_JIT_ERROR_LOG_BUFFER)                                               \
  CONSTANT(kJitErrorLogBytes, 6, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)                               \
  CONSTANT(kFunctionMaxThreads, 0, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)                        \
  CONSTANT(kFunctionSharedBytes, 1, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)                           \
  CONSTANT(kFunctionMaxDynamicShared, 8, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)          \
  CONSTANT(kLaunchSerialization, 6, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)         \
  CONSTANT(kStreamNonBlocking, 1, CU_STREAM_NON_BLOCKING)                                          \
  CONSTANT(kEventDisableTiming, 2, CU_EVENT_DISABLE_TIMING)

#define TUTTI_CUDA_CONSTANT(ours, value, theirs) inline constexpr int ours = value;
TUTTI_CUDA_CONSTANTS(TUTTI_CUDA_CONSTANT)
#undef TUTTI_CUDA_CONSTANT

/// For the last argument of cuLaunchKernel; pointers in <cuda.h>.
inline constexpr std::uintptr_t kLaunchEnd = 0;        ///< CU_LAUNCH_PARAM_END
inline constexpr std::uintptr_t kLaunchBuffer = 1;     ///< CU_LAUNCH_PARAM_BUFFER_POINTER
inline constexpr std::uintptr_t kLaunchBufferSize = 2; ///< CU_LAUNCH_PARAM_BUFFER_SIZE

/// The functions of an opened driver library, which stays loaded; null if it does not have an
/// optional one.
///
/// Threading: immutable.
/// Ownership: shared by driver and contexts, because devices may outlive the driver that opened
///            them.
struct Library {
#define TUTTI_CUDA(name, ...)                                                                      \
  using Type_##name = __VA_ARGS__;                                                                 \
  Type_##name *name = nullptr;
#include "runtime/device/cuda/functions.def"
#undef TUTTI_CUDA
};

/// Opens `file` and initialises the driver. Null if there is no driver or it sees no device.
///
/// Errors: DriverMissing  there is one, but it is too old or does not start.
/// Source: cuInit.
Result<std::shared_ptr<const Library>> openLibrary(const std::string &file);

/// "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure".
std::string describe(const Library &cuda, CUresult result);

} // namespace tutti::device::cuda
