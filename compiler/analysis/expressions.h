// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which values of a chunk model are functions of captures, values and the chunk's bounds alone,
/// and code that computes them elsewhere.
#pragma once

#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/walks.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"

namespace tutti::compiler {

/// Tells closed forms from others. Always: what it accepts, `ExpressionEmitter` can emit.
class ClosedForms {
public:
  ClosedForms(const ChunkModel &model, llvm::ScalarEvolution &scev) : model_(model), scev_(scev) {}

  bool isClosed(const llvm::SCEV *expression) const;
  bool isClosed(llvm::Value *value) const;

  /// Sets the loads that count as known, because they are followed (walks.h).
  void setFollowed(llvm::ArrayRef<llvm::LoadInst *> loads) {
    followed_.assign(loads.begin(), loads.end());
  }

private:
  bool isClosedLeaf(llvm::Value *value) const;

  const ChunkModel &model_;
  llvm::ScalarEvolution &scev_;
  llvm::SmallVector<llvm::LoadInst *, 2> followed_;
};

/// Emits closed forms into another function. Pointers become 64-bit integers; divisions by zero,
/// which the program guards against, give some number instead of a trap. What has been emitted is
/// used again, so it must stand in front of all that is emitted later.
class ExpressionEmitter {
public:
  /// What the leaves of expressions stand for at the insertion point of `build`.
  struct Leaves {
    llvm::Value *captures;           ///< ptr to the 64-bit captures
    llvm::Value *values;             ///< ptr to the 64-bit values
    llvm::Value *lower = nullptr;    ///< i64
    llvm::Value *upper = nullptr;    ///< i64, inclusive
    llvm::Value *isLast = nullptr;   ///< i32
    llvm::BitVector *used = nullptr; ///< Gets the indices of the values that are used.
    llvm::Value *sink = nullptr;     ///< ptr; where what is followed is asked for
    const Walks *walks = nullptr;    ///< What is walked through here.
    llvm::SmallVector<llvm::Value *, 2> counters = {}; ///< i64, of the levels
  };

  ExpressionEmitter(llvm::IRBuilder<> &build, ChunkModel &model, llvm::ScalarEvolution &scev,
                    const Leaves &leaves)
      : build_(build), model_(model), scev_(scev), leaves_(leaves) {}

  llvm::Value *emit(const llvm::SCEV *expression);
  llvm::Value *emit(llvm::Value *value);

  /// As `emit`, brought to 64 bits (sign-extended if `isSigned`).
  llvm::Value *emit64(const llvm::SCEV *expression, bool isSigned);

  /// Whether `address` is one that a null pointer leads to, which was followed: no program gets
  /// there.
  llvm::Value *isNull(const llvm::SCEV *address);

  /// Makes `known` stand for the model's `value`.
  ///
  /// Order: before anything that uses it is emitted.
  void define(llvm::Value *value, llvm::Value *known) { cache_[value] = known; }

private:
  llvm::Value *emitAnew(const llvm::SCEV *expression);
  llvm::Value *emitSum(const llvm::SCEVAddExpr *sum);
  llvm::Value *emitLeaf(llvm::Value *value);
  llvm::Value *emitFollow(const Walks::Follow &follow);

  const Walks::Follow *followOf(const llvm::Value *value) const {
    return leaves_.walks ? leaves_.walks->followOf(value) : nullptr;
  }

  llvm::Value *emitOperation(llvm::Instruction &inst);
  llvm::Value *emitMinMax(const llvm::SCEVNAryExpr *expression, llvm::Intrinsic::ID id);
  llvm::Type *plain(llvm::Type *type) const;
  llvm::Value *loadSlot(llvm::Value *array, unsigned index, llvm::Type *type);
  llvm::Value *nonZero(llvm::Value *divisor);

  llvm::IRBuilder<> &build_;
  ChunkModel &model_;
  llvm::ScalarEvolution &scev_;
  Leaves leaves_;
  llvm::DenseMap<llvm::Value *, llvm::Value *> cache_;
  llvm::DenseMap<const llvm::SCEV *, llvm::Value *> emitted_;
};

} // namespace tutti::compiler
