// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/status.h"

namespace tutti::device::opencl {

namespace {

/// NVIDIA's OpenCL invalidates context and queues after a fault of a kernel.
bool isLost(Int code) {
  return code == kDeviceNotAvailable || code == kInvalidContext || code == kInvalidCommandQueue ||
         code == kContextTerminated;
}

ErrorCode codeOf(Int code) {
  switch (code) {
  case kAllocationFailure:
  case kOutOfResources:
  case kOutOfHostMemory:
  case kInvalidBufferSize:
    return ErrorCode::OutOfMemory;
  default:
    return isLost(code) ? ErrorCode::DeviceLost : ErrorCode::InvalidArgument;
  }
}

} // namespace

std::string nameOf(Int code) {
  switch (code) {
#define TUTTI_OPENCL_ERROR(name, value)                                                            \
  case value:                                                                                      \
    return #name;
#include "runtime/device/opencl/errors.def"
#undef TUTTI_OPENCL_ERROR
  default:
    return fmt::format("OpenCL error {}", code);
  }
}

Status statusOf(Int code, const char *call, std::source_location where) {
  if (code == kSuccess) {
    return {};
  }
  // The fault is an earlier kernel's; every later call gives its code.
  const ErrorCode meaning = code == kIllegalAccess ? ErrorCode::DeviceLost : codeOf(code);
  return Error{meaning, fmt::format("{}: {}", call, nameOf(code)), code, where};
}

Status outcomeOf(Int code, const char *what, std::source_location where) {
  if (code >= kSuccess) {
    return {};
  }
  return Error{isLost(code) ? ErrorCode::DeviceLost : ErrorCode::KernelFault,
               fmt::format("{} failed: {}", what, nameOf(code)), code, where};
}

} // namespace tutti::device::opencl
