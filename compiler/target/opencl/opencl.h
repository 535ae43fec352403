// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels as OpenCL C 1.2, which every vendor's driver accepts.
#pragma once

#include "compiler/target/kernel_text.h"

#include "llvm/IR/Module.h"

namespace tutti::compiler::target {

/// Prints the kernels of `kernels` (compiler/ir/kernel.h), which stays as it is.
KernelText emitOpenClC(const llvm::Module &kernels);

} // namespace tutti::compiler::target
