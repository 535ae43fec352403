// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Executes several neighbouring items of a kernel at once: what does not depend on an item's
/// number is computed once for all of them, and everything else for one item after the other at
/// each instruction. So a value that several items load is loaded once, and many loads are under
/// way together. (Known as thread coarsening, or unroll-and-jam of the loops over items.)
#pragma once

#include "compiler/transform/item_dependences.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>

namespace tutti::compiler {

/// Items of a tile that only loads its neighbours' values once; larger ones are of products, which
/// run through a loop.
inline constexpr unsigned kSmallTile = 8;

/// Items of a tile with so many along each dimension.
unsigned sizeOfTile(llvm::ArrayRef<unsigned> counts);

class Tile {
public:
  /// `numbers`: which parameters of `item` are its number, by dimension of the grid. `slots`: those
  /// that point to accumulators, which items change one after the other.
  Tile(llvm::Function &item, llvm::ArrayRef<unsigned> numbers, llvm::ArrayRef<unsigned> slots);

  /// Chooses how many items are worth to be executed at once, by dimension; 1 for all if nothing is
  /// gained, or if items may take different ways.
  llvm::SmallVector<unsigned, 3> choose() const;

  /// Makes the item execute `counts` items at once: numbers n, n + step, ... by dimension.
  /// `limits`: parameters that numbers stay below, by dimension; items beyond them do what the last
  /// one before them does, but write nothing. Empty where all items exist.
  /// Order: once, with counts that `choose` returned; with limits only if `mayRepeat`.
  void widen(llvm::ArrayRef<unsigned> counts, llvm::ArrayRef<unsigned> steps,
             llvm::ArrayRef<unsigned> limits = {});

  /// Whether a tile at a border is worth the form with limits, and an item may be executed more
  /// than once if it writes once: nothing that it reads changes meanwhile.
  bool mayRepeat() const;

private:
  using Dimensions = ItemDependences::Dimensions;

  bool keepsTogether() const;

  bool isChain(const llvm::Instruction &inst) const { return chain_.contains(&inst); }

  Dimensions of(const llvm::Value *value) const { return dependences_.of(value); }

  void findChain();
  llvm::Value *copyOf(llvm::Value *value, unsigned copy) const;
  unsigned projected(unsigned copy, Dimensions dimensions) const;
  void multiply(llvm::Instruction &inst);
  void multiplyChain();
  void computeBehindLoops();
  void multiplyNumbers();
  llvm::Value *number(llvm::IRBuilderBase &build, llvm::Value *first, unsigned copy,
                      unsigned dimension) const;
  void guardWrites(llvm::ArrayRef<llvm::Instruction *> order);
  void mergePointers();
  void unrollLoops();

  llvm::Function &item_;
  llvm::SmallVector<unsigned, 3> numbers_;
  llvm::SmallVector<unsigned, 2> slots_;
  ItemDependences dependences_;
  /// What stands for an item's number: the parameters, by dimension, and copies of them.
  llvm::SmallVector<ItemDependences::Origin, 4> origins_;
  llvm::SetVector<const llvm::Instruction *> chain_; ///< What accumulators pass through, in order.
  bool isChainStraight_ = true;
  llvm::SmallVector<unsigned, 3> counts_;
  llvm::SmallVector<unsigned, 3> steps_;
  llvm::SmallVector<unsigned, 3> limits_;
  /// Copies but the first, which is the value itself.
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<llvm::Value *, 16>> copies_;
};

} // namespace tutti::compiler
