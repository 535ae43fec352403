// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/kernel_target.h"

#include "abi/backends.h"
#include "compiler/target/prepare.h"

using namespace llvm;

namespace tutti::compiler::target {

StringRef nameOf(const KernelTarget &target) {
  const abi::KernelFormat *format = abi::findKernelFormat(target.format);
  return format ? StringRef(format->name) : StringRef();
}

StringRef titleOf(unsigned format) {
  const abi::KernelFormat *found = abi::findKernelFormat(format);
  return found ? StringRef(found->title) : StringRef();
}

KernelText emitKernels(const KernelTarget &target, const Module &kernels) {
  KernelText result;
  const std::unique_ptr<Module> prepared = prepareKernels(kernels, result.reason);
  if (!prepared) {
    return result;
  }
  const KernelDraft draft = target.draft(*prepared);
  result = draft.known;
  for (const auto &write : draft.parts) {
    const KernelText part = write();
    if (!part.reason.empty()) {
      return part;
    }
    result.text += part.text;
  }
  if (draft.own) {
    result.text = draft.own(result.text);
  }
  return result;
}

} // namespace tutti::compiler::target
