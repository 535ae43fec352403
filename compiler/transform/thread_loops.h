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

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: after teams have been merged; before updates are reduced and constructs split.
class ThreadLoopsPass : public llvm::PassInfoMixin<ThreadLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
