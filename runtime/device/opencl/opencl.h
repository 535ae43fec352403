// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry to the OpenCL backend. Nothing outside runtime/device/opencl knows OpenCL.
///
/// libOpenCL is opened at run time, when devices are listed, so one build of Tutti starts on
/// machines with and without it. Objects and what is emulated: docs/design/device-opencl.md.
#pragma once

#include "runtime/device/backend.h"

namespace tutti::device::opencl {

extern const Backend kBackend;

} // namespace tutti::device::opencl
