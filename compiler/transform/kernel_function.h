// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns an outlined OpenMP function into kernels (compiler/ir/kernel.h), in a module of their own.
///
/// The body of a kernel is the outlined function with the loop over one chunk, as the chunk model
/// has it, but complete: its values are arguments, its reduction happens in the work-group, and
/// loops are divided over work-items.
#pragma once

#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/worksharing.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::compiler {

/// One entry point: a way to divide the region's iterations over work-items.
struct KernelEntry {
  llvm::Function *function = nullptr;
  unsigned dimensions = 1;
  bool needsDisjoint = false;
  llvm::Function *extents = nullptr; ///< In the program's module.
  bool alwaysHolds = false;          ///< Whatever the captures.
  bool byGroups = false;             ///< Groups execute iterations (TUTTI_MAPPING_GROUPS).
};

struct RegionKernels {
  std::unique_ptr<llvm::Module> module;
  std::vector<KernelEntry> entries;              ///< The best first; the last one always holds.
  std::vector<llvm::GlobalValue *> symbols;      ///< In the program's module.
  unsigned partialBytes = 0;                     ///< 0: does not reduce.
  llvm::SmallVector<std::uint64_t, 4> slotSizes; ///< Bytes of each reduced variable.
  llvm::Function *combine = nullptr;             ///< In the program's module.
  llvm::Function *combiner = nullptr;            ///< Entry point for partial results, or null.
  std::string limit;                             ///< Why the best one divides no more loops.
  std::string reason;                            ///< Why there are no kernels, or empty.
  /// What the kernels follow from: regions with equal forms have kernels that are equal but for
  /// their names. Empty if that is not known of any.
  std::string form;
  bool isKnown = false; ///< The form was known already, so no kernels were made.
};

/// Whether a region of this form has kernels already.
using IsKnownForm = llvm::function_ref<bool(llvm::StringRef form)>;

/// Builds the kernels of `prepared`, an outlined function that has a model and a chunk function.
/// `chases`: it follows pointers that it finds in memory while it runs.
RegionKernels buildKernels(llvm::Function &prepared, const Worksharing &loop, ChunkModel &model,
                           llvm::FunctionAnalysisManager &analyses, llvm::StringRef name,
                           bool chases, IsKnownForm isKnown);

} // namespace tutti::compiler
