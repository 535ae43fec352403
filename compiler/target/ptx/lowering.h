// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From kernel IR (compiler/ir/kernel.h) to what LLVM's NVPTX backend takes: special registers for
/// work-items, shared memory, libdevice for math, and address spaces where the contract gives them.
#pragma once

#include "llvm/IR/Module.h"

#include <string>

namespace tutti::compiler::target {

/// Which library the kernels need that is not on this machine, or nothing; completes "it ...".
///
/// Order: after `prepareKernels`.
std::string missingLibrary(const llvm::Module &kernels);

/// Returns why the kernels cannot be lowered, or nothing; completes "it ...".
///
/// Order: where `missingLibrary` has nothing to say, with the target's data layout set.
std::string lowerForPtx(llvm::Module &kernels);

/// libdevice of the CUDA toolkit on this machine, or nothing.
std::string findLibdevice();

} // namespace tutti::compiler::target
