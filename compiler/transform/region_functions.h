// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes what the runtime asks a region: which values to gather, how many iterations there are,
/// and what a chunk touches. The functions are described in abi/abi.h at `tutti_region`.
#pragma once

#include "compiler/analysis/accesses.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Function.h"

namespace tutti::compiler {

struct RegionFunctions {
  llvm::Function *gather;
  llvm::Function *trip;
  llvm::Function *accesses;
  llvm::BitVector shaping; ///< The values that `trip` or `accesses` use.
};

/// Emits the three functions into the model's module, named `name` with a suffix.
RegionFunctions emitRegionFunctions(ChunkModel &model, const RegionAccesses &accesses,
                                    llvm::ScalarEvolution &scev, llvm::StringRef name);

} // namespace tutti::compiler
