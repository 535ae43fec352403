// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns an outlined OpenMP function into one that runs a chunk on a compute view.
///
///   call void @__kmpc_for_static_init_4(ptr @loc, i32 %gtid, ...)
///   %x = load double, ptr %address
/// becomes
///   call void @tutti_static_init_4(ptr %chunk, ptr @loc, i32 %gtid, ...)
///   %there = getelementptr i8, ptr %address, i64 %delta      ; chunk->delta
///   %x = load double, ptr %there
///
/// Pointers keep their meaning (comparisons, stores of pointers); only dereferences move.
#pragma once

#include "compiler/analysis/worksharing.h"

#include "llvm/IR/Function.h"

#include <string>

namespace tutti::compiler {

/// Why `outlined` cannot become a chunk function, or empty.
std::string whyNoChunkFunction(llvm::Function &outlined, const Worksharing &loop);

/// Clones `outlined` with one more argument, the chunk. `whyNoChunkFunction` was empty.
llvm::Function *createChunkFunction(llvm::Function &outlined, llvm::StringRef name);

} // namespace tutti::compiler
