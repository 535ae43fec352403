// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An outlined function in the making, of the form that clang gives the function of a parallel
/// loop, with a body that is copied from elsewhere.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <memory>

namespace tutti::compiler {

class PieceFunction {
public:
  /// `computes`: whether a value of `from` is to be computed again in the piece, where it is
  /// needed.
  PieceFunction(llvm::Function &from, llvm::function_ref<bool(const llvm::Value *)> computes)
      : from_(from), computes_(computes) {}

  /// Says that the piece uses `value`, so that all is captured which that takes.
  void use(llvm::Value *value);

  /// Begins the function: a loop over the iterations up to `last`, an i64, of which nothing is
  /// known in it. Behind it `build` is where an iteration begins.
  ///
  /// Order: after all uses have been said.
  void begin(llvm::Value *last, const llvm::Twine &name);

  /// Lets addresses follow the number of the iteration, of which there is one, 0: no loop is left
  /// of one whose iterations all touch the same.
  ///
  /// Order: behind `begin`.
  void spreadAddresses();

  /// `value` as the piece knows it, computed where `build` is if it has to be.
  llvm::Value *take(llvm::Value *value);

  /// The number of the iteration.
  llvm::Value *iteration() const { return iteration_; }

  /// Where an iteration ends.
  llvm::BasicBlock *latch() const { return latch_; }

  llvm::Function &function() const { return *function_; }

  /// Starts the function in front of `where`.
  void fork(llvm::Instruction &where, const llvm::DebugLoc &place);

  llvm::IRBuilder<> &build() { return *build_; }

  llvm::ValueToValueMapTy map; ///< From values of the function around to those of the piece.

private:
  void decodeCaptures();

  llvm::Function &from_;
  llvm::function_ref<bool(const llvm::Value *)> computes_;
  llvm::SmallSetVector<llvm::Value *, 16> captures_;
  llvm::SmallPtrSet<llvm::Value *, 16> used_;
  llvm::Value *last_ = nullptr;
  llvm::Function *function_ = nullptr;
  llvm::BasicBlock *latch_ = nullptr;
  llvm::Value *iteration_ = nullptr;
  std::unique_ptr<llvm::IRBuilder<>> build_;
};

} // namespace tutti::compiler
