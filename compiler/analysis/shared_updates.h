// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What threads of a construct do to shared variables one after the other, atomically or in
/// critical sections, if the order does not matter: sums, extremes, an extreme with what belongs to
/// it. Reads functions in SSA form; changes nothing.
///
///   #pragma omp atomic
///     sum += x[i];
///   #pragma omp critical
///     if (x[i] > most) { most = x[i]; where = i; }
#pragma once

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::compiler {

/// A shared variable that is updated.
struct UpdatedVariable {
  llvm::Value *base;   ///< Capture or variable of the program that it lies in.
  std::int64_t offset; ///< Bytes from there.
  llvm::Type *type;
  llvm::AtomicRMWInst::BinOp operation;       ///< Of a choice: Xchg.
  llvm::SmallVector<llvm::Use *, 2> pointers; ///< By which the update reads and writes it.

  friend bool operator==(const UpdatedVariable &one, const UpdatedVariable &other) {
    return one.base == other.base && one.offset == other.offset;
  }
};

struct SharedUpdate {
  /// Of a choice the first is compared, and the others are set with it.
  llvm::SmallVector<UpdatedVariable, 2> variables;
  /// Of a choice: it is made if a value is less, or greater, than the first variable.
  llvm::CmpInst::Predicate choice = llvm::CmpInst::BAD_ICMP_PREDICATE;
  /// Of a choice that says who wins between equal values: it is made, too, if such a value comes
  /// with one that is less, or greater, than the second variable.
  llvm::CmpInst::Predicate tie = llvm::CmpInst::BAD_ICMP_PREDICATE;
  llvm::AtomicRMWInst *atomic = nullptr; ///< Either this does it,
  llvm::CallInst *begin = nullptr;       ///< or a critical section
  llvm::CallInst *end = nullptr;         ///< with its end.
  bool isOfConstant = false;             ///< Whatever is combined is a constant.

  bool isChoice() const { return choice != llvm::CmpInst::BAD_ICMP_PREDICATE; }
};

/// What an access record says of `update` (abi/updates.h), if that is all that its element is for,
/// wherever it lies: the threads of all ranks may do it in any order, each rank to its own copy.
std::optional<unsigned> recordedUpdate(const llvm::AtomicRMWInst &update);

/// The updates of `function`. Nothing if threads also do something else atomically or in critical
/// sections, or may look at the variables elsewhere: in functions that they call, too.
std::optional<std::vector<SharedUpdate>> findSharedUpdates(llvm::Function &function,
                                                           const llvm::TargetLibraryInfo &library);

} // namespace tutti::compiler
