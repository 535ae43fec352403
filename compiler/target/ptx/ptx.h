// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels as PTX for NVIDIA GPUs from Volta on (sm_70), by LLVM's NVPTX backend; math through
/// libdevice of the CUDA toolkit, if there is one at compile time.
#pragma once

#include "compiler/target/kernel_text.h"

#include "llvm/IR/Module.h"

namespace tutti::compiler::target {

/// Optimises and prints the kernels of `kernels` (compiler/ir/kernel.h), which stays as it is.
KernelText emitPtx(const llvm::Module &kernels);

} // namespace tutti::compiler::target
