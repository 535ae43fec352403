// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels as OpenCL C 1.2, which every vendor's driver accepts.
///
/// llvm.fmuladd becomes `fma` where the device says that this is fast (FP_FAST_FMA), else a product
/// and a sum; nothing else is contracted. Division and square root of floats are as exact as the
/// host's only with the build option -cl-fp32-correctly-rounded-divide-sqrt. The parameter
/// `tutti_local` is there only if a kernel calls `tutti.local.memory`.
#pragma once

#include "compiler/target/kernel_target.h"

namespace tutti::compiler::target::opencl {

extern const KernelTarget kTarget;

} // namespace tutti::compiler::target::opencl
