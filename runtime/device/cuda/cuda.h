// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry to the CUDA backend. Nothing outside runtime/device/cuda knows CUDA.
///
/// The driver API is opened at run time, when devices are listed, so one build of Tutti starts on
/// machines with and without it. Objects and what is emulated: docs/design/device-cuda.md.
#pragma once

#include "runtime/device/backend.h"

#include <memory>
#include <string>

namespace tutti::device::cuda {

extern const Backend kBackend;

/// Opens nothing yet. `library` is the driver's; tests have one of their own.
std::unique_ptr<Driver> makeDriver(std::string library = "libcuda.so.1");

} // namespace tutti::device::cuda
