// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sums and extremes that the threads of a worksharing loop leave in private variables. What a team
/// of one leaves there is what all threads have found, combined.
///
///   double mine = 0, own[5] = {0};       // private
///   #pragma omp for
///   for (...) { mine += a[i]; own[i % 5] += b[i]; }
///   #pragma omp critical
///   total += mine;                       // a left value
#pragma once

#include "compiler/analysis/conducted_code.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::compiler {

/// How values of threads become one.
struct Combination {
  /// Of sums and the like, or FMax and FMin, which take no NaN where there is a number.
  llvm::AtomicRMWInst::BinOp operation = llvm::AtomicRMWInst::BAD_BINOP;
  /// Otherwise a value is taken that compares so with the one that there was: a strict one.
  llvm::CmpInst::Predicate choice = llvm::CmpInst::BAD_ICMP_PREDICATE;

  /// Whether values may be combined with what there was more than once.
  bool isIdempotent() const {
    return operation != llvm::AtomicRMWInst::Add && operation != llvm::AtomicRMWInst::FAdd &&
           operation != llvm::AtomicRMWInst::Xor;
  }

  bool isKnown() const {
    return operation != llvm::AtomicRMWInst::BAD_BINOP ||
           choice != llvm::CmpInst::BAD_ICMP_PREDICATE;
  }

  friend bool operator==(const Combination &one, const Combination &other) {
    return one.operation == other.operation && one.choice == other.choice;
  }
};

struct LeftValue {
  Combination combination;
  llvm::Type *type = nullptr; ///< Of the value; of an array's elements.

  llvm::Instruction *value = nullptr;      ///< What is used behind the loop,
  llvm::SmallVector<llvm::Use *, 2> begin; ///< where the loop begins it with what there was;

  llvm::AllocaInst *variable = nullptr; ///< or an array, and the number of its elements.
  std::uint64_t count = 1;
};

/// All that `loop` of `function` leaves; nothing if some of it is no such value, or if it leaves
/// nothing. The function is in SSA form, and what is loaded twice has been loaded once.
std::optional<std::vector<LeftValue>> findLeftValues(llvm::Function &function,
                                                     const ConductedLoop &loop);

} // namespace tutti::compiler
