// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which kernels the backend's strength reduction is for.
#pragma once

#include "llvm/IR/Module.h"

namespace tutti::compiler::target {

/// Whether an innermost loop steps over memory by a distance that is not constant, as a column of a
/// matrix is read: to add it up in the place of multiplying has doubled the speed of such loops.
/// Others gain nothing that can be measured: a constant distance is part of the instruction, and
/// ptxas moves what does not change out of loops.
///
/// Loops over the work-item's iterations do not count once `hideGridSteps` has been there, nor do
/// kernels whose groups execute iterations: the loops that they share step by the group's size over
/// memory that is contiguous.
bool needsStrengthReduction(llvm::Module &kernels);

} // namespace tutti::compiler::target
