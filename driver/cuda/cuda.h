// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// CUDA C++: nvcc compiles it, or Clang with what a toolkit has beside nvcc; programs get the
/// runtime library (cudart), which knows their kernels.
#pragma once

#include "driver/cuda/toolkit.h"
#include "driver/device_language.h"

#include <string>
#include <vector>

namespace tutti::driver::cuda {

extern const DeviceLanguage kLanguage;

/// `architectures`: compute capabilities of the GPUs of this machine, such as 90; may be empty.
SourcePlan planFor(const SourceJob &job, const Toolkit &toolkit,
                   const std::vector<int> &architectures);

/// `job` for nvcc: the options that it knows, too, as it writes them.
std::vector<std::string> translated(const SourceJob &job);

std::vector<std::string> linkOptionsFor(const LinkJob &job, const Toolkit &toolkit);

} // namespace tutti::driver::cuda
