// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a kernel does in place of a reduction of threads: the work-items of a group combine their
/// private copies in local memory, and one of them leaves the result behind `partials`.
///
///   mine = local + local.id * partialBytes;  *mine = copies
///   for (half = local.count / 2; half > 0; half /= 2) {
///     barrier; if (local.id < half) { combine(copies, mine[half]); *mine = copies; }
///   }
///   if (local.id == 0) partials[group.id] = copies
///
/// Arrays with computed indices are in local memory all the time: they are `*mine` themselves.
///
/// And the kernel that combines what many groups have left.
#pragma once

#include "compiler/transform/chunk_function.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <string>

namespace tutti::compiler {

/// The private copies behind each other, at multiples of 16 bytes.
struct PartialLayout {
  unsigned bytes = 0;
  llvm::SmallVector<std::uint64_t, 4> sizes;
  std::string reason; ///< Why kernels cannot reduce these variables, or empty.
};

PartialLayout layOutPartials(llvm::CallInst &reduce);

/// Replaces `reduce` in a function of a kernel module.
/// Shape: `combine` is the combiner in the same module, `partials` a pointer argument.
void reduceInGroup(llvm::CallInst &reduce, llvm::Function &combine, llvm::Value &partials);

/// The combiner of `tutti_device_code` (abi/abi.h), without a name, in the module of `combine`.
/// Which partial results it combines in which order depends on their number and its grid alone.
///
///   mine = local + local.id * partialBytes;  *mine = arena[item.id]
///   for (k = item.id + item.count; k < upper; k += item.count) combine(mine, arena[k])
///   for (half = local.count / 2; half > 0; half /= 2) {
///     barrier; if (local.id < half) combine(mine, mine[half])
///   }
///   if (local.id == 0) partials[group.id] = *mine
llvm::Function *createCombiner(const PartialLayout &layout, llvm::Function &combine);

} // namespace tutti::compiler
