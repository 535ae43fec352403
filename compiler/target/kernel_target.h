// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A target for kernels, as its folder describes itself, and the list of those that were built.
///
/// A new one brings
///   1. compiler/target/NAME/CMakeLists.txt, which makes the library tutti_target_NAME;
///   2. compiler/target/NAME/NAME.h, which declares
///      `extern const KernelTarget tutti::compiler::target::NAME::kTarget`;
///   3. a line for its format in abi/backends.def, unless devices take that already.
#pragma once

#include "abi/abi.h"
#include "compiler/target/kernel_text.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tutti::compiler::target {

/// Kernels of which the text may still have to be written.
struct KernelDraft {
  KernelText known; ///< All but the text, if there are `parts`.
  /// Each returns a part of the text, which follows that of the one before, or why it could not be
  /// written after all. None if `known` has the text or a reason.
  ///
  /// Threading: may be called on any threads, beside one another.
  std::vector<std::function<KernelText()>> parts;
  /// If there is one: of drafts of one target with equal forms only the parts of one have to be
  /// written. `own` makes the draft's text of all parts in a row.
  std::shared_ptr<const std::string> form = {};
  std::function<std::string(const std::string &)> own = {};
};

struct KernelTarget {
  tutti_kernel_format format; ///< Named in abi/backends.def.
  /// Whether `draft` changes the kernels that it gets.
  bool changesKernels;
  /// Whether barriers under conditions and in loops are sound: kernels by groups and by tiles need
  /// them.
  bool hasFreeBarriers;
  /// Of kernels that were prepared (compiler/target/prepare.h), which nobody changes any more.
  KernelDraft (*draft)(llvm::Module &kernels);
};

/// The targets of this build, by the numbers of their formats.
llvm::ArrayRef<const KernelTarget *> kernelTargets();

/// As in TUTTI_TARGETS.
llvm::StringRef nameOf(const KernelTarget &target);

/// For people.
llvm::StringRef titleOf(unsigned format);

/// The text of kernels that were not prepared, at once. They stay as they are.
KernelText emitKernels(const KernelTarget &target, const llvm::Module &kernels);

} // namespace tutti::compiler::target
