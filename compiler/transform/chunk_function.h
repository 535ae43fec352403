// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns an outlined OpenMP function into one that runs a chunk on a compute view.
///
///   call void @static_init_4(ptr @loc, i32 %gtid, ...)       ; by ir/construct_calls.h
///   %x = load double, ptr %address
/// becomes
///   call void @tutti_static_init_4(ptr %chunk, ptr @loc, i32 %gtid, ...)
///   %there = getelementptr i8, ptr %address, i64 %delta      ; chunk->delta
///   %x = load double, ptr %there
///
/// Pointers keep their meaning (comparisons, stores of pointers); only dereferences move. With the
/// chunk `TUTTI_WHOLE` (abi/abi.h) the function does what the outlined one did.
#pragma once

#include "compiler/analysis/worksharing.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::compiler {

/// The pointer operands through which `inst` reaches memory, or through which a check in its place
/// will (compiler/transform/pointer_checks.h).
llvm::SmallVector<llvm::Use *, 2> dereferences(llvm::Instruction &inst);

/// One slot of a reduction's list: a pointer to a private copy, or a length.
struct ReductionSlot {
  std::uint64_t elementBytes = 0;
  llvm::Value *elements = nullptr;  ///< Null: a slot that is no pointer.
  llvm::AllocaInst *copy = nullptr; ///< Null: likewise.
};

/// The slots of the list of `reduce`. Nothing if one is filled in a way that is not understood.
std::optional<llvm::SmallVector<ReductionSlot, 4>> reductionSlots(llvm::CallInst &reduce);

/// Why `outlined` cannot become a chunk function, or empty. `place` is where that is seen, if it is
/// one place.
std::string whyNoChunkFunction(llvm::Function &outlined, const Worksharing &loop,
                               llvm::DebugLoc &place);

/// Clones `outlined` with one more argument, the chunk. `whyNoChunkFunction` was empty for it, at
/// least without what libomp's atomic reductions do. Null, with the reason, if threads that end the
/// program cannot leave their loop.
llvm::Function *createChunkFunction(llvm::Function &outlined, llvm::StringRef name,
                                    llvm::FunctionAnalysisManager &analyses, std::string &reason);

/// The same for a region that follows pointers that it finds in memory: they are checked, and it
/// executes chunks only, never the whole construct. Null, with the reason, if they cannot be.
llvm::Function *createChasingFunction(llvm::Function &outlined, llvm::StringRef name,
                                      llvm::FunctionAnalysisManager &analyses, std::string &reason);

} // namespace tutti::compiler
