// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What must hold for a parallel construct with one worksharing loop to be one launch, however it
/// came about: as the program has it, split off from others, or merged from teams.
///
/// In a launch each place (rank, device, portion of a device's memory) executes the whole construct
/// with its own part of the loop's iterations, on memory as it was before the launch. Nothing
/// passes between places before the launch has ended, and places do not wait for each other. So
///
///   * every thread executes the loop at most once: a second execution would have to see what other
///     places wrote in the first one;
///   * beside the loop, only private variables change: every place would change shared ones;
///   * nothing that is read beside the loop is changed by the loop, if a barrier lies between: in
///     the program the barrier decides whether the old or the new value is read.
///
///   #pragma omp parallel
///   for (int k = 0; k < sweeps; ++k) {   // the loop is executed repeatedly
///     const double limit = u[k];         // read beside the loop, and changed by it
///   #pragma omp barrier
///   #pragma omp for
///     for (...) u[i] = u[i] * 0.9 + limit;
///   }
#pragma once

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// Why `outlined` cannot be one launch, or an empty string. `place` is where that is seen.
///
/// Scalars that captures lead to directly may be read across barriers: they become values of the
/// region (abi.h), and the runtime refuses a launch that writes one of those.
///
/// Order: after `findWorksharing` has found nothing in the way, and before endings are dropped:
/// what the program's end depends on counts, too.
std::string whyNotOneLaunch(llvm::Function &outlined, llvm::FunctionAnalysisManager &analyses,
                            llvm::DebugLoc &place);

} // namespace tutti::compiler
