// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels as PTX for NVIDIA GPUs from Volta on (sm_70), by LLVM's NVPTX backend; math through
/// libdevice of the CUDA toolkit, if there is one at compile time.
#pragma once

#include "compiler/target/kernel_text.h"

#include "llvm/IR/Module.h"

#include <functional>

namespace tutti::compiler::target {

/// PTX that is still to be written.
struct PtxDraft {
  KernelText known; ///< All but the text.
  /// The text, or why it could not be written after all; null where `known` has a reason.
  ///
  /// Threading: may be called on any thread, beside others.
  std::function<KernelText()> translate;
};

/// Of `kernels` (compiler/target/prepare.h), which stays as it is and is not used any more then.
PtxDraft draftPtx(const llvm::Module &kernels);

/// Of kernels that were not prepared, at once.
KernelText emitPtx(const llvm::Module &kernels);

} // namespace tutti::compiler::target
