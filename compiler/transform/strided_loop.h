// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Divides the iterations of a loop over work-items: one of them executes iterations first,
/// first + step, first + 2 step, ...
///
///   do { body(i); } while (++i < n);
/// becomes
///   if (first < trip) { k = first; do { body(start + k); k += step; } while (k < trip); }
///
/// Induction variables are computed from k. What the loop accumulates goes on from one executed
/// iteration to the next. If it accumulates nothing, a work-item without iterations is done: what
/// follows the loop uses what an iteration has left, maybe as an address.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

#include <string>

namespace tutti::compiler {

class StridedLoop {
public:
  /// Shape: `loop` is simplified, rotated and in LCSSA form.
  StridedLoop(llvm::Loop &loop, llvm::ScalarEvolution &scev) : loop_(loop), scev_(scev) {}

  /// Why the loop cannot be divided, or empty. If `accumulating`, variables that are live after the
  /// loop are sums over the iterations that were executed.
  std::string analyse(bool accumulating);

  /// Divides the loop, which has `trip` iterations. The values are i64 and available before it.
  /// Order: after `analyse` found no reason. Analyses of the function are out of date behind it.
  void divide(llvm::Value *first, llvm::Value *step, llvm::Value *trip);

private:
  const llvm::SCEVAddRecExpr *recurrenceOf(llvm::PHINode &phi) const;
  bool isLiveAfter(const llvm::Value &value) const;
  bool accumulates(llvm::PHINode &phi) const;
  bool onlyCounts(llvm::PHINode &phi) const;
  llvm::Value *withoutIterations(llvm::Value *value) const;
  llvm::Value *atIteration(llvm::PHINode &phi, llvm::Value *counter,
                           llvm::Instruction *before) const;

  llvm::Loop &loop_;
  llvm::ScalarEvolution &scev_;
  llvm::SmallVector<llvm::PHINode *, 4> inductions_;
  bool accumulating_ = false;
};

} // namespace tutti::compiler
