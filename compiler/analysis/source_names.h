// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the source calls things, for remarks: places in a parallel construct and what pointers lead
/// to, as far as debug information tells.
#pragma once

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InstrTypes.h"

#include <string>

namespace tutti::compiler {

/// Where the source has `call`. libomp is told the place of its construct, which is the same
/// whatever debuggers are told; clang's location of the instruction is not.
llvm::DebugLoc placeOf(const llvm::CallBase &call);

/// " (line 80)", the line in the construct's own code, or " (line 80, in 'flux' at line 18)" for a
/// place in a function of the same file that is called there; empty if it is not known.
std::string describePlace(const llvm::DebugLoc &location);

/// Its first line alone: 0 if it is not known.
unsigned lineInConstruct(const llvm::DebugLoc &location);

/// Name of what `pointer` leads to: `x`, `mesh->volume` or `lattice.cells`. Empty if it is not
/// known, or if only a function that the construct calls has a name for it.
std::string nameOf(llvm::Value &pointer);

} // namespace tutti::compiler
