// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The calls that start parallel and teams constructs: fork(place, count, outlined, captures...),
/// whose function gets two pointers to thread numbers, then the captures.
#pragma once

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace tutti::compiler {

constexpr unsigned kFirstCapture = 3;    ///< Operand of a fork: after place, count, function.
constexpr unsigned kThreadArguments = 2; ///< Of an outlined function, before the captures.

/// What `fork` starts; null if that is not a function of this module that gets what `fork` passes.
llvm::Function *outlinedOf(const llvm::CallInst &fork);

/// The calls of that kind (Fork, ForkTeams) of which `outlinedOf` knows the function, in the order
/// of the module.
llvm::SmallVector<llvm::CallInst *, 16> findForks(llvm::Module &module, CallKind kind);

/// What a construct asks of its threads: calls before its fork, which hold for the next fork only.
struct ThreadRequests {
  llvm::CallInst *threads = nullptr; ///< RequestThreads; the number is an i32.
  llvm::CallInst *binding = nullptr; ///< RequestBinding; a constant.

  /// Asks for the same once more, for one more fork.
  void repeat(llvm::IRBuilder<> &build) const;
};

ThreadRequests threadRequests(llvm::CallInst &fork);

} // namespace tutti::compiler
