// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// OpenCL C: a file becomes an object that holds its text, which is built when it is needed, for
/// the device that there is then.
#pragma once

#include "driver/device_language.h"

namespace tutti::driver::opencl {

extern const DeviceLanguage kLanguage;

} // namespace tutti::driver::opencl
