// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks pointers that a loop finds in memory while it runs, before it follows them. One that
/// leads outside of unified memory is noted in `tutti_reach`, and the loop is left: what it
/// computes from there on counts for nothing.
///
///   %p = load ptr, ptr %slot                 %p = load ptr, ptr %slot
///   %v = load double, ptr %p                 br i1 (is %p in unified memory), %go, %stray
///                                          go:
///                                            %v = load double, ptr %p
///
/// In two steps: markers stand where a check will be while addresses are translated and loops are
/// looked at, since a loop with a second exit is not what they were written for. No pass removes
/// markers or moves what reads memory in front of them.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// Places markers in front of all dereferences of pointers that are found at addresses which are
/// not known before the loop. `reach` is the module's `tutti_reach`.
///
/// Order: before addresses are translated.
void markFoundPointers(llvm::Function &function, llvm::GlobalVariable &reach,
                       llvm::FunctionAnalysisManager &analyses);

/// The marker if `inst` is one.
llvm::CallInst *asPointerCheck(llvm::Instruction &inst);

/// The operand of a marker that is the address of `tutti_reach`.
inline constexpr unsigned kReachOperand = 1;

/// Makes checks of the markers in `function`. Gives the reason if that is not possible, and leaves
/// markers then.
std::string expandPointerChecks(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
