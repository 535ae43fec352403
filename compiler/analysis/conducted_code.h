// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A parallel construct that one thread may conduct: it executes everything but the worksharing
/// loops, as a team of one does, and forks for each loop (docs/adr/0028-conducted-constructs.md).
///
///   #pragma omp parallel
///   for (int t = 0; t < steps; ++t) {      // beside the loops: the conductor
///   #pragma omp for
///     for (...) b[i] = a[i - 1] + a[i + 1];  // a fork
///   #pragma omp single
///     swap(a, b);                            // the conductor
///   }
#pragma once

#include "compiler/analysis/construct_code.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/PassManager.h"

#include <string>
#include <vector>

namespace tutti::compiler {

/// One worksharing loop with all that its threads do for it: `before` branches to `first` alone,
/// `last` to `exit` alone, and no other way leads in or out.
struct ConductedLoop {
  SequencedLoop calls;
  llvm::BasicBlock *before = nullptr;
  llvm::BasicBlock *first = nullptr;
  llvm::BasicBlock *last = nullptr;
  llvm::BasicBlock *exit = nullptr;
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> blocks;

  /// Variables of which each thread needs one, and what the conductor has stored there: null if
  /// the loop stores first.
  llvm::MapVector<llvm::AllocaInst *, llvm::StoreInst *> own;

  /// Variables of the conductor that get what threads have found for themselves.
  llvm::SmallPtrSet<const llvm::AllocaInst *, 4> combined;

  bool contains(const llvm::Instruction &inst) const { return blocks.contains(inst.getParent()); }
};

/// Whether `value` is the number of the calling thread, as other calls want it.
bool isThreadOfCalls(const llvm::Value &value);

/// Whether `call` is one of a function that may ask anything of the team it is in: none of OpenMP,
/// and no library function that is known to know nothing of teams.
bool isCallOfStranger(const llvm::CallBase &call, const llvm::TargetLibraryInfo &library);

/// Whether `inst` calls a function that has a conductor of its own.
bool isCallOfConductor(const llvm::Instruction &inst);

/// Whether `call` is one of a library function that each thread of a team may make for itself,
/// whichever of its threads it is: it knows nothing of teams, nor does what it calls back, and
/// leaves nothing to its thread but results.
bool isCallForItself(const llvm::CallBase &call, const llvm::TargetLibraryInfo &library);

/// Splits blocks of `function` such that `calls` begins with one and ends with one: fills in all of
/// `loop` but what is in it. Returns false if they have an unusual form.
bool bracketLoop(llvm::Function &function, const SequencedLoop &calls, ConductedLoop &loop);

/// The same, such that no other way leads in or out, and finds the blocks. Returns false if they
/// have an unusual form.
bool isolateLoop(llvm::Function &function, const SequencedLoop &calls, ConductedLoop &loop);

/// Finds the blocks of `loop` from its first to its last.
void collectBlocks(ConductedLoop &loop);

/// Why no one thread may conduct `function`, or an empty string. Fills in `own` of each loop.
std::string whyNotConducted(llvm::Function &function, std::vector<ConductedLoop> &loops,
                            llvm::FunctionAnalysisManager &analyses);

/// Why the threads of a team, which all execute `function`, cannot call functions made of its
/// loops, or an empty string. Fills in `own` of each loop.
std::string whyNotCut(llvm::Function &function, std::vector<ConductedLoop> &loops,
                      llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
