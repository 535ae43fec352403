// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A parallel construct whose threads ask for their numbers, cut at the places where they meet:
/// worksharing loops that do not depend on numbers, barriers, what one thread does for all, and
/// ways that all of them take alike. Between two such places lies a *stretch*, which a loop over
/// the numbers of the threads may execute (docs/adr/0038-thread-numbers.md).
///
///   const int id = omp_get_thread_num();
///   for (int t = 0; t < steps; ++t) {       // a way that all take alike
///     for (int i = id; i < n; i += threads) // a stretch
///       b[i] = a[i];
///   #pragma omp barrier
///     sum[id] = f(b, t);                    // a stretch
///   #pragma omp single                      // one thread for all
///     printf(...);
///   }
#pragma once

#include "compiler/analysis/conducted_code.h"
#include "compiler/analysis/thread_dependence.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugLoc.h"

#include <string>
#include <vector>

namespace tutti::compiler {

/// Attribute of an outlined function that asks for thread numbers and is no loop over them; says
/// why, with the place.
inline constexpr const char *kNotByNumbers = "tutti-not-by-numbers";

/// Attribute of the call that begins a loop over thread numbers.
inline constexpr const char *kOverThreads = "tutti-over-threads";

/// Attribute of a call that each thread makes for itself and no loop over ranks can make: what it
/// gives differs from thread to thread.
inline constexpr const char *kForItself = "tutti-for-itself";

/// Blocks of which `first` alone is entered, from `before`, and `last` alone is left, to `exit`.
struct ThreadStretch {
  llvm::BasicBlock *before = nullptr;
  llvm::BasicBlock *first = nullptr;
  llvm::BasicBlock *last = nullptr;
  llvm::BasicBlock *exit = nullptr;
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> blocks;

  bool contains(const llvm::Instruction &inst) const { return blocks.contains(inst.getParent()); }
};

/// Whether `inst` is a call that a thread makes for itself (`kForItself`).
bool isForItself(const llvm::Instruction &inst);

/// Lets `dependence` know what differs from thread to thread in `function`: `number`, and what
/// calls that each thread makes for itself give.
void addThreads(ThreadDependence &dependence, llvm::Function &function,
                const llvm::Instruction &number);

/// Whether `function`, or one of this module that it calls, asks for the number of its thread or of
/// all threads.
bool asksForThreads(const llvm::Function &function);

/// Whether `call` asks for the number of the calling thread, or for how many there are.
bool asksForThread(const llvm::Instruction &call);
bool asksForTeam(const llvm::Instruction &call);

/// Why threads of `function` talk to each other, or know each other, in more ways than a loop over
/// their numbers lets them; empty if they do not. `place` is where that is seen.
std::string whyNotByNumbers(llvm::Function &function, llvm::DebugLoc &place);

/// Lets what ends the program seem to go on where the others go on, as it never gets there: so ways
/// meet. Clean-up of blocks takes that back.
void bridgeEnds(llvm::Function &function);

/// The worksharing loops in `function` whose iterations depend on the thread that executes them.
llvm::SmallVector<SequencedLoop, 4> loopsOfThreads(llvm::Function &function,
                                                   const llvm::Instruction &number);

/// The reductions in `function` that are of its threads, not of a worksharing loop alone.
llvm::SmallVector<llvm::CallInst *, 2> reductionsOfThreads(llvm::Function &function);

/// Lets one thread alone come to what only the first of them does, if that calls what a loop cannot
/// call: as if `master` was written there. `number` and `self` are the thread, as the program and
/// as calls want it; `place` is where the construct stands.
void nameFirsts(llvm::Function &function, llvm::Instruction &number, llvm::Value &self,
                llvm::Value &place);

/// The stretches of a construct.
class ThreadStretches {
public:
  /// `number` is the number of the thread, in the entry of `function`.
  ///
  /// Order: no worksharing loop is left that depends on it.
  ThreadStretches(llvm::Function &function, const llvm::Instruction &number)
      : function_(function), number_(number) {}

  /// Cuts the blocks of the function. Returns why that cannot be done, or an empty string.
  std::string cut();

  llvm::ArrayRef<ThreadStretch> stretches() const { return stretches_; }

  llvm::ArrayRef<ConductedLoop> loops() const { return loops_; }

  /// Whether the program ends from `block` on, which is in no stretch.
  bool isLast(const llvm::BasicBlock &block) const { return last_.contains(&block); }

  /// Whether one thread executes `block` for all of them.
  bool isOfOne(const llvm::BasicBlock &block) const { return ofOne_.contains(&block); }

private:
  void isolateEnds();
  std::string isolateLoops();
  std::string isolateOnes();
  void isolateBarriers();
  std::string isolateReductions();
  std::string isolateWays();
  std::string collect();

  bool isFixed(const llvm::BasicBlock &block) const { return fixed_.contains(&block); }

  llvm::Function &function_;
  const llvm::Instruction &number_;
  std::vector<ThreadStretch> stretches_;
  std::vector<ConductedLoop> loops_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> ofOne_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> last_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> fixed_; ///< In no stretch.
};

} // namespace tutti::compiler
