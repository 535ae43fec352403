// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Return codes of OpenCL as `Status`, with their names.
#pragma once

#include "base/result.h"
#include "runtime/device/opencl/library.h"

#include <source_location>
#include <string>

namespace tutti::device::opencl {

/// "CL_OUT_OF_RESOURCES", or the number.
std::string nameOf(Int code);

/// The outcome of `call`, made on the host.
///
/// Errors: OutOfMemory, DeviceLost where OpenCL says so; else InvalidArgument.
Status statusOf(Int code, const char *call,
                std::source_location where = std::source_location::current());

/// The outcome of `what`, which ran on the device: KernelFault, unless the device is lost.
Status outcomeOf(Int code, const char *what,
                 std::source_location where = std::source_location::current());

} // namespace tutti::device::opencl
