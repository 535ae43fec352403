// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the stretches of a construct (analysis/thread_stretches.h) have in common, where each of
/// them becomes a loop over the numbers of threads.
///
/// Values that are the same for all threads are computed in front of the loop, those that follow
/// from the number are computed again in each. Other private values and variables that outlive a
/// stretch stand in memory, an element for each thread:
///
///   double own = 0;                          for (id...) {
///   for (...) own += a[i];                     double own = 0;
///   #pragma omp barrier                        for (...) own += a[i];
///   sum[id] = own;                             kept[id] = own;
///                                            }
///                                            for (id...) sum[id] = kept[id];
///
/// A small variable of which functions of libraries are told the address, the seed of a generator,
/// say, comes from there into one that is private again, and goes back at the end.
#pragma once

#include "compiler/analysis/thread_stretches.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

namespace tutti::compiler {

class StretchValues {
public:
  StretchValues(llvm::Function &function, llvm::Instruction &number,
                const ThreadStretches &stretches, ThreadDependence &dependence,
                llvm::AAResults &aliases)
      : function_(function), number_(number), stretches_(stretches), dependence_(dependence),
        aliases_(aliases), dominators_(function) {
    for (const ThreadStretch &stretch : stretches.stretches()) {
      for (const llvm::BasicBlock *block : stretch.blocks) {
        stretchOfBlock_.try_emplace(block, &stretch);
      }
    }
  }

  /// Says that `stretch` becomes a loop.
  void loop(const ThreadStretch &stretch) { looped_.insert(&stretch); }

  /// Says that `variable` is of the thread that executes iterations, not of each of them.
  void exempt(const llvm::AllocaInst &variable) { exempt_.insert(&variable); }

  /// Looks at what stretches leave to others, which may take that more stretches become loops.
  /// Returns why one of them cannot be a loop, and sets `place`; or an empty string.
  std::string prepare(llvm::DebugLoc &place);

  /// Order: after `prepare`.
  llvm::ArrayRef<const ThreadStretch *> looped() const { return looped_.getArrayRef(); }

  /// Whether anything comes of `stretch`: what is computed again elsewhere does not count.
  bool hasEffect(const ThreadStretch &stretch) const;

  /// How many bytes are kept for each thread.
  std::uint64_t bytesKept() const { return bytes_; }

  /// A thread, as an iteration knows it.
  struct Thread {
    llvm::Value *number; ///< i32
    llvm::Value *team;   ///< i64: how many there are.
    llvm::Value *memory; ///< ptr: where values are kept for all of them.
  };

  /// Where an iteration of the loop over `stretch` begins: gives it what is its thread's.
  void give(llvm::IRBuilder<> &build, const ThreadStretch &stretch, const Thread &thread);

  /// Order: when all loops have been given what they need, which is computed from what stretches
  /// hold.
  void settle();

  /// Where it ends.
  void end(llvm::IRBuilder<> &build, const ThreadStretch &stretch);

private:
  /// Where values are computed again, and those that have been.
  struct Here {
    llvm::IRBuilder<> &build;
    Thread thread;
    llvm::DenseMap<const llvm::Value *, llvm::Value *> known{};
  };

  /// What is kept for each thread: a value or a variable, and how far behind the first one of all.
  struct Kept {
    std::uint64_t offset;
    std::uint64_t bytes;
  };

  /// Who gets at a private variable.
  struct Users {
    llvm::SmallSetVector<const ThreadStretch *, 4> stretches; ///< Null: what is in none.
    llvm::SmallSetVector<const ThreadStretch *, 4> writers;
    llvm::SmallSetVector<const ThreadStretch *, 4> callers; ///< That tell functions its address.
    bool isKept = false;                                    ///< Its address is stored.
  };

  /// A kept variable, and the private one that stands for it in an iteration of a stretch.
  struct Fetched {
    llvm::AllocaInst *own;
    llvm::Value *kept; ///< Its address in the iteration.
    bool isChanged;
  };

  const ThreadStretch *anyStretchOf(const llvm::BasicBlock &block) const {
    return stretchOfBlock_.lookup(&block);
  }

  const ThreadStretch *stretchOf(const llvm::BasicBlock &block) const;
  const ThreadStretch *stretchOf(const llvm::Use &use) const;
  Users usersOf(llvm::AllocaInst &variable) const;
  std::string settleVariable(llvm::AllocaInst &variable, bool &changed);
  std::string settleValue(llvm::Instruction &inst, bool &changed);
  std::string settleUse(llvm::Instruction &inst, llvm::Use &use, bool &changed);
  bool isBegunIn(const llvm::AllocaInst &variable, const ThreadStretch &stretch) const;
  bool isAgain(llvm::Value &value, bool isForOne);
  bool lift(llvm::Value &value, const ThreadStretch &stretch);
  bool mayLift(const llvm::Instruction &inst, const ThreadStretch &stretch);
  bool mayLower(const llvm::LoadInst &load, const ThreadStretch &stretch);
  llvm::Value *lower(llvm::Value &value, const ThreadStretch &stretch);
  bool keep(llvm::Instruction &value, bool &changed);
  bool keepWhereFound(llvm::Instruction &value, bool &changed);
  llvm::Value *compute(llvm::Value &value, Here &here);
  void fetch(const ThreadStretch &stretch, Here &here);
  llvm::Value *addressOf(const Kept &kept, llvm::IRBuilder<> &build, const Thread &thread) const;
  bool isDropped(const llvm::Use &use) const;
  void file();

  llvm::Function &function_;
  llvm::Instruction &number_;
  const ThreadStretches &stretches_;
  ThreadDependence &dependence_;
  llvm::AAResults &aliases_;
  llvm::DominatorTree dominators_;
  llvm::DenseMap<const llvm::BasicBlock *, const ThreadStretch *> stretchOfBlock_;
  llvm::SmallSetVector<const ThreadStretch *, 8> looped_;
  llvm::DenseMap<llvm::Value *, llvm::Value *> lowered_;
  llvm::MapVector<llvm::Instruction *, Kept> kept_; ///< Values, and variables.
  llvm::SmallPtrSet<const llvm::AllocaInst *, 4> exempt_;
  std::uint64_t bytes_ = 0;
  llvm::MapVector<const ThreadStretch *, llvm::SmallVector<llvm::Use *, 8>> needs_;
  llvm::SmallVector<std::pair<const llvm::Use *, llvm::Value *>, 32> given_;
  llvm::MapVector<const ThreadStretch *, llvm::SmallVector<llvm::AllocaInst *, 4>> variables_;
  llvm::MapVector<const ThreadStretch *, llvm::SmallVector<Fetched, 4>> fetched_;
};

} // namespace tutti::compiler
