// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/bones/bones.h"

#include "compiler/target/prepare.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

KernelDraft draft(Module &kernels) {
  KernelDraft draft;
  draft.known.usesFp64 = usesFp64(kernels);
  for (const Function &function : kernels) {
    if (!function.isDeclaration()) {
      draft.known.text += ("bones of " + function.getName() + "\n").str();
    }
  }
  return draft;
}

} // namespace

const KernelTarget bones::kTarget{TUTTI_KERNEL_BONES, /*changesKernels=*/false,
                                  /*hasFreeBarriers=*/true, draft};

} // namespace tutti::compiler::target
