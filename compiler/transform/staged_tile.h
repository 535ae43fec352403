// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lets the work-items of a group load together what the items of a product load again and again: a
/// row of the first factor is the same for all columns of the group's tile, a column of the second
/// one for all rows. Blocks of both go through local memory:
///
///     for (k = 0; k < n - n % kDepth; k += kDepth) {
///       left[c][r] = a[r][k + c];  right[c][j] = b[k + c][j];   each item a few of them
///       barrier
///       for (c = 0; c < kDepth; ++c) sum += left[c][r] * right[c][j];
///       barrier
///     }
#pragma once

#include "abi/abi.h"
#include "compiler/ir/kernel_calls.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

#include <array>

namespace tutti::compiler {

/// Work-items of the groups that stage, by dimension (TUTTI_MAPPING_TILES).
inline constexpr std::array<unsigned, 2> kTileGroup{TUTTI_TILE_COLUMNS, TUTTI_TILE_ROWS};

/// The work-item's position in such a group, by dimension.
std::array<llvm::Value *, 2> positionInGroup(llvm::IRBuilderBase &build, const KernelCalls &calls);

/// Changes `item`, the body of a nest for one item: to be widened afterwards to `tile`. `numbers`:
/// which parameters are the item's number, by dimension; `shifts`: which,
/// added to it, give the item's place in the group's tile. Returns false, and leaves the item as it
/// is for all purposes, where it has no loop of this form. Always: what an item computes, and in
/// which order, stays the same.
bool stageTile(llvm::Function &item, llvm::ArrayRef<unsigned> numbers,
               llvm::ArrayRef<unsigned> shifts, llvm::ArrayRef<unsigned> tile,
               llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
