// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry to the OpenCL backend. Nothing outside runtime/device/opencl knows OpenCL.
///
/// libOpenCL is opened at run time, when devices are listed, so one build of Tutti starts on
/// machines with and without it. Objects and what is emulated: docs/design/device-opencl.md.
#pragma once

#include "runtime/device/backend.h"

#include <filesystem>
#include <span>
#include <string>

namespace tutti::device::opencl {

extern const Backend kBackend;

/// Whether the kernel shows this process a GPU that is not among those `known` by their places on
/// the bus. `root`: of the file system.
bool hasOtherGpus(std::span<const std::string> known, const std::filesystem::path &root);

} // namespace tutti::device::opencl
