// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What of OpenCL 1.2 the backend uses, declared here so that it builds without the headers, and
/// the library that has it, opened at run time.
///
/// Types and constants have our names with the specification's beside them; values are of its
/// registry (cl.xml).
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::device::opencl {

using Int = std::int32_t;
using Uint = std::uint32_t;  ///< Also cl_bool.
using Ulong = std::uint64_t; ///< Also bit fields.
using Size = std::size_t;
using Property = std::intptr_t; ///< cl_context_properties

using PlatformId = struct PlatformObject *; ///< cl_platform_id
using DeviceId = struct DeviceObject *;     ///< cl_device_id
using Context = struct ContextObject *;     ///< cl_context
using CommandQueue = struct QueueObject *;  ///< cl_command_queue
using Memory = struct MemoryObject *;       ///< cl_mem
using Program = struct ProgramObject *;     ///< cl_program
using NativeKernel = struct KernelObject *; ///< cl_kernel
using NativeEvent = struct EventObject *;   ///< cl_event

using ContextCallback = void (*)(const char *, const void *, Size, void *);
using BuildCallback = void (*)(Program, void *);

/// Codes that are told apart; all are in `errors.def`.
inline constexpr Int kSuccess = 0;               ///< CL_SUCCESS
inline constexpr Int kDeviceNotFound = -1;       ///< CL_DEVICE_NOT_FOUND
inline constexpr Int kDeviceNotAvailable = -2;   ///< CL_DEVICE_NOT_AVAILABLE
inline constexpr Int kAllocationFailure = -4;    ///< CL_MEM_OBJECT_ALLOCATION_FAILURE
inline constexpr Int kOutOfResources = -5;       ///< CL_OUT_OF_RESOURCES
inline constexpr Int kOutOfHostMemory = -6;      ///< CL_OUT_OF_HOST_MEMORY
inline constexpr Int kBuildFailure = -11;        ///< CL_BUILD_PROGRAM_FAILURE
inline constexpr Int kInvalidContext = -34;      ///< CL_INVALID_CONTEXT
inline constexpr Int kInvalidCommandQueue = -36; ///< CL_INVALID_COMMAND_QUEUE
inline constexpr Int kInvalidKernelName = -46;   ///< CL_INVALID_KERNEL_NAME
inline constexpr Int kInvalidArgumentSize = -51; ///< CL_INVALID_ARG_SIZE
inline constexpr Int kInvalidBufferSize = -61;   ///< CL_INVALID_BUFFER_SIZE
inline constexpr Int kPlatformNotFound = -1001;  ///< CL_PLATFORM_NOT_FOUND_KHR
inline constexpr Int kContextTerminated = -1121; ///< CL_CONTEXT_TERMINATED_KHR
inline constexpr Int kIllegalAccess = -9999; ///< Of NVIDIA: a kernel has touched what it may not.

inline constexpr Uint kTrue = 1;

/// Platforms and devices.
inline constexpr Uint kPlatformName = 0x0902;            ///< CL_PLATFORM_NAME
inline constexpr Property kContextPlatform = 0x1084;     ///< CL_CONTEXT_PLATFORM
inline constexpr Ulong kDeviceTypeAll = 0xFFFFFFFF;      ///< CL_DEVICE_TYPE_ALL
inline constexpr Ulong kDeviceTypeGpu = 1 << 2;          ///< CL_DEVICE_TYPE_GPU
inline constexpr Ulong kDeviceTypeCustom = 1 << 4;       ///< CL_DEVICE_TYPE_CUSTOM
inline constexpr Uint kDeviceType = 0x1000;              ///< CL_DEVICE_TYPE
inline constexpr Uint kDeviceVendor = 0x1001;            ///< CL_DEVICE_VENDOR_ID
inline constexpr Uint kDeviceMaxComputeUnits = 0x1002;   ///< CL_DEVICE_MAX_COMPUTE_UNITS
inline constexpr Uint kDeviceMaxGroupSize = 0x1004;      ///< CL_DEVICE_MAX_WORK_GROUP_SIZE
inline constexpr Uint kDeviceMaxItemSizes = 0x1005;      ///< CL_DEVICE_MAX_WORK_ITEM_SIZES
inline constexpr Uint kDeviceAddressBits = 0x100D;       ///< CL_DEVICE_ADDRESS_BITS
inline constexpr Uint kDeviceMaxAllocation = 0x1010;     ///< CL_DEVICE_MAX_MEM_ALLOC_SIZE
inline constexpr Uint kDeviceAddressAlign = 0x1019;      ///< CL_DEVICE_MEM_BASE_ADDR_ALIGN
inline constexpr Uint kDeviceSingleConfig = 0x101B;      ///< CL_DEVICE_SINGLE_FP_CONFIG
inline constexpr Uint kDeviceGlobalMemory = 0x101F;      ///< CL_DEVICE_GLOBAL_MEM_SIZE
inline constexpr Uint kDeviceConstantBytes = 0x1020;     ///< CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE
inline constexpr Uint kDeviceLocalMemory = 0x1023;       ///< CL_DEVICE_LOCAL_MEM_SIZE
inline constexpr Uint kDeviceLittleEndian = 0x1026;      ///< CL_DEVICE_ENDIAN_LITTLE
inline constexpr Uint kDeviceAvailable = 0x1027;         ///< CL_DEVICE_AVAILABLE
inline constexpr Uint kDeviceHasCompiler = 0x1028;       ///< CL_DEVICE_COMPILER_AVAILABLE
inline constexpr Uint kDeviceName = 0x102B;              ///< CL_DEVICE_NAME
inline constexpr Uint kDriverVersion = 0x102D;           ///< CL_DRIVER_VERSION
inline constexpr Uint kDeviceProfile = 0x102E;           ///< CL_DEVICE_PROFILE
inline constexpr Uint kDeviceVersion = 0x102F;           ///< CL_DEVICE_VERSION
inline constexpr Uint kDeviceExtensions = 0x1030;        ///< CL_DEVICE_EXTENSIONS
inline constexpr Uint kDeviceDoubleConfig = 0x1032;      ///< CL_DEVICE_DOUBLE_FP_CONFIG
inline constexpr Uint kDevicePciBusInfo = 0x410F;        ///< CL_DEVICE_PCI_BUS_INFO_KHR
inline constexpr Uint kDevicePciBusNv = 0x4008;          ///< CL_DEVICE_PCI_BUS_ID_NV
inline constexpr Uint kDevicePciSlotNv = 0x4009;         ///< CL_DEVICE_PCI_SLOT_ID_NV
inline constexpr Uint kDevicePciDomainNv = 0x400A;       ///< CL_DEVICE_PCI_DOMAIN_ID_NV
inline constexpr Ulong kCorrectlyRoundedDivide = 1 << 7; ///< CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT

/// cl_device_pci_bus_info_khr
struct PciBusInfo {
  Uint domain;
  Uint bus;
  Uint device;
  Uint function;
};

/// Buffers.
inline constexpr Ulong kMemReadWrite = 1 << 0;    ///< CL_MEM_READ_WRITE
inline constexpr Ulong kMemAllocHostPtr = 1 << 4; ///< CL_MEM_ALLOC_HOST_PTR
inline constexpr Ulong kMapReadWrite = 3;         ///< CL_MAP_READ | CL_MAP_WRITE
inline constexpr Uint kCreateRegion = 0x1220;     ///< CL_BUFFER_CREATE_TYPE_REGION

/// cl_buffer_region
struct BufferRegion {
  Size origin;
  Size bytes;
};

/// Programs, kernels and events.
inline constexpr Uint kProgramBuildLog = 0x1183;      ///< CL_PROGRAM_BUILD_LOG
inline constexpr Uint kKernelFunctionName = 0x1190;   ///< CL_KERNEL_FUNCTION_NAME
inline constexpr Uint kKernelArguments = 0x1191;      ///< CL_KERNEL_NUM_ARGS
inline constexpr Uint kArgumentAddress = 0x1196;      ///< CL_KERNEL_ARG_ADDRESS_QUALIFIER
inline constexpr Uint kArgumentAccess = 0x1197;       ///< CL_KERNEL_ARG_ACCESS_QUALIFIER
inline constexpr Uint kArgumentTypeName = 0x1198;     ///< CL_KERNEL_ARG_TYPE_NAME
inline constexpr Uint kArgumentName = 0x119A;         ///< CL_KERNEL_ARG_NAME
inline constexpr Uint kAddressGlobal = 0x119B;        ///< CL_KERNEL_ARG_ADDRESS_GLOBAL
inline constexpr Uint kAddressLocal = 0x119C;         ///< CL_KERNEL_ARG_ADDRESS_LOCAL
inline constexpr Uint kAddressConstant = 0x119D;      ///< CL_KERNEL_ARG_ADDRESS_CONSTANT
inline constexpr Uint kAddressPrivate = 0x119E;       ///< CL_KERNEL_ARG_ADDRESS_PRIVATE
inline constexpr Uint kAccessNone = 0x11A3;           ///< CL_KERNEL_ARG_ACCESS_NONE
inline constexpr Uint kKernelCompileGroup = 0x11B1;   ///< CL_KERNEL_COMPILE_WORK_GROUP_SIZE
inline constexpr Uint kKernelGroupSize = 0x11B0;      ///< CL_KERNEL_WORK_GROUP_SIZE
inline constexpr Uint kKernelLocalMemory = 0x11B2;    ///< CL_KERNEL_LOCAL_MEM_SIZE
inline constexpr Uint kEventExecutionStatus = 0x11D3; ///< CL_EVENT_COMMAND_EXECUTION_STATUS
inline constexpr Int kComplete = 0;                   ///< CL_COMPLETE

/// The functions of an opened libOpenCL; the library stays loaded.
///
/// Threading: immutable.
struct Library {
#define TUTTI_OPENCL(ours, theirs, ...)                                                            \
  using Type_##ours = __VA_ARGS__;                                                                 \
  Type_##ours *ours = nullptr;
#include "runtime/device/opencl/functions.def"
#undef TUTTI_OPENCL
};

/// The library of this process; null if there is none on this machine.
///
/// Errors: DriverMissing  there is one, but functions are missing: it is older than OpenCL 1.2.
Result<const Library *> openLibrary();

/// A native handle that releases itself.
///
/// Ownership: the library outlives it.
template <typename T> class Owned {
public:
  using Release = Int (*)(T);

  Owned() = default;

  Owned(T handle, Release release) : handle_(handle), release_(release) {}

  Owned(Owned &&other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}

  Owned &operator=(Owned &&other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
      release_ = other.release_;
    }
    return *this;
  }

  ~Owned() { reset(); }

  T get() const { return handle_; }

  explicit operator bool() const { return handle_ != nullptr; }

  void reset() {
    if (handle_) {
      release_(std::exchange(handle_, nullptr));
    }
  }

private:
  T handle_ = nullptr;
  Release release_ = nullptr;
};

} // namespace tutti::device::opencl
