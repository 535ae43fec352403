// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What an outlined OpenMP function consists of: its one worksharing loop, its reduction, and the
/// calls it makes. Decides nothing about memory.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// The calls of an outlined function that holds exactly one worksharing loop.
struct Worksharing {
  llvm::CallInst *init = nullptr;
  llvm::SmallVector<llvm::CallInst *, 2> next;        ///< After loop rotation several.
  llvm::SmallVector<llvm::CallInst *, 2> reduce;      ///< At most one.
  llvm::SmallVector<llvm::CallInst *, 8> bookkeeping; ///< Ends and barriers: no effect here.

  bool isDispatch() const { return !next.empty(); }

  /// The pointers that `init` or a `next` writes the bounds to; null for dispatch_init.
  llvm::Type *counterType() const;
  bool isUnsigned() const;

  /// Value of the last iteration (iterations run from 0), as the program computed it.
  llvm::Value *lastIteration() const;

  /// Whether its iterations are the threads of a construct (compiler/analysis/thread_stretches.h).
  bool isOverThreads() const;

  /// Whether the first iteration is 0: not so in the share of one team of several.
  bool startsAtZero() const;

private:
  /// What `init` finds in one of its variables.
  llvm::Value *storedBefore(const llvm::Value *variable) const;
};

/// Result of looking at an outlined function: the loop, or why it stays home.
struct WorksharingOrReason {
  Worksharing loop;
  std::string reason;      ///< Empty if `loop` is set.
  llvm::DebugLoc location; ///< Where the reason is seen, if that is one place.
};

/// Finds the worksharing loop of `outlined` and checks every call it makes, but for those that end
/// the program (compiler/analysis/endings.h).
///
/// Calls to functions defined in the module are reported as reasons, too: inline them first.
WorksharingOrReason findWorksharing(llvm::Function &outlined);

/// Whether `call` does nothing but compute from its arguments, as calls of a loop may that runs in
/// parallel.
bool mayStandInLoop(const llvm::CallBase &call);

/// Whether `call` does no more than that but to read memory that other threads see, through the
/// arguments of which `argumentUse` says that it only reads (compiler/ir/library_functions.h).
bool readsShared(const llvm::CallBase &call);

/// What is in the way of a loop that makes `call`, which may not stand in it.
std::string describeCall(const llvm::CallBase &call);

/// Whether `function` holds a reduction.
bool holdsReduction(const llvm::Function &function);

/// Removes what reductions do where threads combine atomically or under a lock (answer 2): Tutti
/// answers 0 or 1 only.
void dropAtomicReductions(llvm::Function &function);

/// Removes the places where profilers are to count: no instructions in the end, but until then
/// calls that touch memory.
void dropProbes(llvm::Function &function);

/// Inlines calls to functions with a body into `function`, transitively.
/// Returns a reason if that is not possible (recursion, size), or an empty string.
std::string inlineCallees(llvm::Function &function);

/// A copy named `name` without calls to functions that can be inlined, in which variables that are
/// not shared are values.
llvm::Function *promotedCopy(llvm::Function &function, const llvm::Twine &name,
                             llvm::FunctionAnalysisManager &analyses);

/// Makes pointers of loads that read a pointer as an integer, and takes copies of pointers for what
/// they are copies of.
///
/// Copies of small objects, iterators say, become such loads, and hide where a pointer is from:
///
///   %bits = load i64, ptr %iterator
///   %p = inttoptr i64 %bits to ptr      ; %p = load ptr, ptr %iterator
void loadPointersAsPointers(llvm::Function &function);

/// Makes loads of bytes of loads that read one bit.
///
/// A static variable that has one other value than its first becomes a bit, which closed forms do
/// not read:
///
///   %isSet = load i1, ptr @n            ; %byte = load i8, ptr @n
///   %n = select i1 %isSet, i32 1400, 0  ; %isSet = trunc i8 %byte to i1
void loadBitsAsBytes(llvm::Function &function);

} // namespace tutti::compiler
