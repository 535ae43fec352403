// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the outlined function of a teams construct consists of, and whether threads can stand for
/// its teams. Reads code as clang emits it, with private variables promoted to values; changes
/// nothing.
///
/// The rule behind all checks: what a teams function does outside of its loop, it does once per
/// team. Merged, each thread does it. That is the same if it touches only the team's own variables,
/// and if the threads of a team share those only for reading, or to combine results into.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// The calls of a teams function that make its loop.
struct Teams {
  llvm::CallInst *distribute = nullptr; ///< The init of its loop; null if it cannot be merged.
  llvm::SmallVector<llvm::CallInst *, 2> forks; ///< Parallel constructs, all inside of the loop.
};

/// What an inner reduction combines into.
enum class InnerReduction {
  None,
  IntoPrivate, ///< Variables of the team, which merged belong to the thread.
  IntoShared,
  Unknown, ///< Not recognised, or the inner function forbids merging for another reason.
};

Teams findTeams(llvm::Function &teams);

/// Whether `fork` passes the bounds that `distribute` has set as its first two captures.
bool handsOutIterations(const llvm::CallInst &fork, const llvm::CallInst &distribute);

/// Whether the inner function of `fork`, a `parallel for` of a teams function, can be merged.
InnerReduction checkInner(llvm::Function &inner, const llvm::CallInst &fork);

/// Whether all that reductions of `inner` combine into belongs to the team that starts it by
/// `fork`.
bool reducesIntoTeam(llvm::Function &inner, const llvm::CallInst &fork);

/// Whether `call` asks OpenMP for something that depends on teams or threads.
bool asksForTeams(const llvm::CallBase &call);

/// The init of the only loop in the inner function of `fork` if one thread can execute all of it
/// alone, or null.
llvm::CallInst *checkSerial(llvm::Function &inner, const llvm::CallInst &fork);

/// The init of the loop of `inner`, or null.
llvm::CallInst *initOf(llvm::Function &inner);

/// Whether the loop of `init` looks at its stride alone: clang's form of schedule(static, 1) below
/// `distribute`, in which a thread's share is not a range.
bool stepsByStride(const llvm::CallInst &init);

/// Where the loop of `inner` leaves whether the last iteration was this thread's, or null.
llvm::Value *lastFlagOf(llvm::Function &inner);

void eraseLifetimes(llvm::Instruction &variable);

} // namespace tutti::compiler
