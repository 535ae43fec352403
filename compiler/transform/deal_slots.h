// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops whose iterations take slots from a counter, in an order that the program leaves open.
/// Blocks of iterations count first how many each of them takes, and then begin where the ones
/// before end (docs/adr/0064-slots-are-counted-first.md).
///
///   #pragma omp parallel for            counts[b] = how often a[i] > 0 in block b
///   for (i...)                          sums of counts; n += the last one
///     if (a[i] > 0) {                   next = what n was + counts[b]
///   #pragma omp atomic capture          for (i of block b)
///       at = n++;                         if (a[i] > 0)
///       out[at] = i;                        out[next++] = i;
///     }
#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace tutti::compiler {

/// A construct that takes slots from a counter as two that ask for thread numbers, each with one
/// more capture, `kSlotCounts` numbers: of each block how much it adds to the counter, and how
/// often, and what was there.
struct DealtSlots {
  llvm::Function *count =
      nullptr; ///< Fills the counts; null if the construct takes no slots, or no such.
  llvm::Function *take = nullptr;           ///< Begins with what its count says.
  llvm::Type *type = nullptr;               ///< Of the counter.
  llvm::GlobalVariable *variable = nullptr; ///< It lies there,
  unsigned argument = 0;                    ///< or behind this argument of the construct.
  std::int64_t offset = 0;
  bool isFound = false; ///< A pointer is there, and leads to it.
  std::int64_t foundOffset = 0;

  /// In front of `place`, which is between the two forks in the place of `fork`: adds to the
  /// counter what all blocks take, and lets `counts` say where each of them begins.
  void reserve(const llvm::CallInst &fork, llvm::Instruction &place, llvm::Value &counts) const;
};

/// Attributes of what the two functions become.
inline constexpr const char *kCountsSlots = "tutti.counts-slots";
inline constexpr const char *kTakesSlots = "tutti.takes-slots";

/// How many blocks the iterations are divided into: several for each thread of many ranks.
inline constexpr std::uint64_t kSlotBlocks = 128;
inline constexpr std::uint64_t kSlotCounts = 2 * kSlotBlocks + 1;

/// Makes the two functions of `outlined`, which does not ask for threads.
DealtSlots dealSlots(llvm::Function &outlined, llvm::FunctionAnalysisManager &functions);

} // namespace tutti::compiler
