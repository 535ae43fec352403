// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory that a thread of a parallel construct allocates for itself.
///
///   double *row = malloc(n * 8);     row = tutti_private_malloc(n * 8)
///   ... row[k] ...                   not on the heap that ranks share: private, as a variable is
///   free(row);                       tutti_private_free(row)
///
/// A vector or a string that is local to an iteration is such memory, too. What has a fixed size
/// of some KiB and is not kept from one round of a loop to the next becomes a variable, which
/// devices have as well.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Makes all allocations of `prepared` private whose pointers stay with the thread: they are not
/// stored, nor handed to functions that may keep them. Others are left, which keeps the loop home.
///
/// Order: after all callees have been inlined, before calls are looked at.
void makeAllocationsPrivate(llvm::Function &prepared, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
