// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels as PTX for NVIDIA GPUs from Volta on (sm_70), by LLVM's NVPTX backend; math through
/// libdevice of the CUDA toolkit, if there is one at compile time.
#pragma once

#include "compiler/target/kernel_target.h"

namespace tutti::compiler::target::ptx {

extern const KernelTarget kTarget;

} // namespace tutti::compiler::target::ptx
