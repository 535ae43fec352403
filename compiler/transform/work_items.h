// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Divides the loops of a nest over the work-items of a grid.
///
/// What a kernel does in one iteration of all loops together becomes a function of the iterations'
/// numbers; loops over the numbers that are a work-item's own call it:
///
///   for i: { for j: c[i][j] = 0;  for k: for j: c[i][j] += a[i][k] * b[k][j]; }
/// becomes
///   item(i, j):  { c[i][j] = 0;  for k: c[i][j] += a[i][k] * b[k][j]; }
///   kernel:      for i, j of the work-item: item(i, j)
///
/// so a value in memory that only item (i, j) touches may stay in a register. Where neighbouring
/// items load the same, a work-item takes tiles of them (compiler/transform/tile.h): in the loops
/// over slower dimensions consecutive numbers, in the fastest one those that are 32 apart, so that
/// neighbouring work-items still touch neighbouring memory.
#pragma once

#include "compiler/analysis/parallel_loops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

class WorkItems {
public:
  /// `kernel` has the entry point's parameters; `nest` was found in it.
  WorkItems(llvm::Function &kernel, const ParallelNest &nest,
            llvm::FunctionAnalysisManager &analyses);
  ~WorkItems();
  WorkItems(const WorkItems &) = delete;
  WorkItems &operator=(const WorkItems &) = delete;

  /// Takes the loops of the nest apart. Returns whether that is possible; the kernel is of no use
  /// if it is not.
  bool prepare();

  /// By dimension of the grid: of how many items a tile is; 1 everywhere if there are no tiles.
  /// Order: after `prepare`.
  llvm::ArrayRef<unsigned> tile() const { return tile_; }

  /// Another kernel, whose work-items execute tiles.
  /// Order: before `divide`; only if there are tiles.
  llvm::Function *createTiled(const llvm::Twine &name);

  /// Another one, whose groups load together what their tiles share
  /// (compiler/transform/staged_tile.h); null if that is not possible. Order: as for `createTiled`.
  llvm::Function *createStaged(const llvm::Twine &name);

  /// Items of a staged tile, by dimension.
  static llvm::ArrayRef<unsigned> stagedTile();

  /// Makes work-items of the kernel execute items.
  void divide();

private:
  /// A loop of the nest that is to be executed for one iteration only.
  struct Single {
    llvm::BasicBlock *preheader;
    llvm::BasicBlock *header;
    llvm::BasicBlock *latch;
    llvm::BasicBlock *exit;
    unsigned dimension;
    llvm::Value *trip; ///< Iterations, if not all work-items have one of their own; or null.
    /// Counters and their steps.
    llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 4> inductions;
    llvm::SmallPtrSet<llvm::PHINode *, 4> noWrap; ///< Counters that do not, as signed numbers.
    llvm::SmallVector<llvm::PHINode *, 2> accumulators;
  };

  /// Where a kernel calls the item.
  struct Site {
    llvm::CallInst *call = nullptr;
    llvm::SmallVector<llvm::Value *, 3> bounds; ///< Of numbers, by dimension of the grid.
  };

  /// What a kernel executes in the place of items; `full` is null for items.
  struct Tiles {
    llvm::Function *full;
    llvm::Function *border; ///< Where not all items exist; null: one item after the other.
    llvm::ArrayRef<unsigned> counts;
    bool isStaged; ///< A whole group executes `full`, or none of its work-items.
  };

  class Caller;

  /// Not a parameter: the item does not depend on its number.
  static constexpr unsigned kNone = ~0U;

  bool analyse(llvm::Loop &loop, unsigned dimension, const llvm::SCEV *trip);
  bool expandBounds();
  static llvm::Value *withoutIterations(llvm::Value *value, const Single &single);
  llvm::Value *inductionAt(llvm::PHINode &phi, llvm::Value *step, const Single &single);
  void takeOne(Single &single);
  void keepInSlot(llvm::PHINode &phi, const Single &chunk);
  bool extractItem();
  void simplifyItem();
  llvm::SmallVector<unsigned, 2> slotParameters() const;
  void chooseTile();
  llvm::Function *extendedItem(const llvm::Twine &name,
                               llvm::SmallVectorImpl<unsigned> &added) const;
  llvm::SmallVector<unsigned, 3> steps() const;
  llvm::Function *limitedTile(llvm::ArrayRef<unsigned> counts) const;
  llvm::Function *makeStagedTile(llvm::ArrayRef<unsigned> counts) const;
  llvm::Function *createKernel(const llvm::Twine &name, const Tiles &tiles);
  void callItems(const Site &site, const Tiles &tiles);

  llvm::Function &kernel_;
  const ParallelNest &nest_;
  llvm::FunctionAnalysisManager &analyses_;
  llvm::SmallVector<Single, 4> singles_; ///< The chunk's loop first.
  llvm::SmallVector<llvm::BasicBlock *, 16> body_;
  llvm::SmallVector<llvm::Instruction *, 3> numbers_; ///< Stand for the iterations' numbers.
  llvm::SmallVector<llvm::Value *, 2> slots_;         ///< Of accumulators.
  llvm::Function *item_ = nullptr;
  llvm::SmallVector<unsigned, 3> parameters_; ///< Of the item: its numbers, by dimension.
  llvm::SmallVector<unsigned, 3> tile_;
  Site site_;
};

} // namespace tutti::compiler
