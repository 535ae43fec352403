// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes loops over thread numbers of what the threads of a construct do by their numbers
/// (docs/adr/0038-thread-numbers.md).
///
///   #pragma omp parallel                    #pragma omp parallel
///   {                                       #pragma omp for schedule(static)
///     int id = omp_get_thread_num();        for (int id = 0; id < team; ++id)
///     sum[id] = f(id);                        sum[id] = f(id);
///   }
///
/// `team` is what the construct would have been told, found in front of its fork, and one more
/// capture. A worksharing loop inside that depends on the number becomes the thread's share of it.
/// What comes out is a construct of ordinary loops, which other passes split or conduct. One that
/// is left as it was says why in the attribute kNotByNumbers.
#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace tutti::compiler {

/// A construct all of whose threads one thread executes, in turn from one place where they meet to
/// the next.
struct ThreadsInTurn {
  llvm::Function *function = nullptr; ///< Null if that cannot be done.
  std::uint64_t bytesKept = 0;        ///< For each thread.
};

/// The function of the construct that `fork`, inside of a team, starts, for the thread that stands
/// for the team. It has two more captures: the number of threads, an i64 from 1, and memory for
/// what is kept of each. If there is none, the attribute kNotByNumbers of the construct says why.
ThreadsInTurn takeTurns(llvm::CallInst &fork, llvm::FunctionAnalysisManager &functions);

/// Order: after teams have been merged; before updates are reduced and constructs split.
class ThreadLoopsPass : public llvm::PassInfoMixin<ThreadLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
