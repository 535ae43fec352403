// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels as PTX for NVIDIA GPUs from Volta on (sm_70), by LLVM's NVPTX backend; math through
/// libdevice of the CUDA toolkit, if there is one at compile time.
#pragma once

#include "compiler/target/kernel_text.h"

#include "llvm/IR/Module.h"

#include <functional>

namespace tutti::compiler::target {

/// What optimises and prints the kernels of `kernels` (compiler/ir/kernel.h), which stays as it is
/// and is not used any more then.
///
/// Threading: needs the context of `kernels`; what it returns may be called on any thread, beside
/// others.
std::function<KernelText()> preparePtx(const llvm::Module &kernels);

/// Both at once.
KernelText emitPtx(const llvm::Module &kernels);

} // namespace tutti::compiler::target
