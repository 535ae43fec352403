// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How copies of a variable, one of each thread, become one value again: sums and extremes, of
/// which the order does not matter.
#pragma once

#include "llvm/IR/Constant.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

using Operation = llvm::AtomicRMWInst::BinOp;

/// How copies of a variable are combined, which is updated by `operation`.
Operation combining(Operation operation);

llvm::Value *combine(llvm::IRBuilder<> &build, Operation operation, llvm::Value *one,
                     llvm::Value *other);

/// What changes nothing when it is combined.
llvm::Constant *identity(Operation operation, llvm::Type *type);

/// What no value is worse than, of those that are better if they compare with it by `choice`.
llvm::Constant *worst(llvm::CmpInst::Predicate choice, llvm::Type *type);

/// A function without a body yet, beside `of`, to combine two lists of addresses of copies:
/// void (ours, theirs)
llvm::Function *declareCombiner(llvm::Function &of);

} // namespace tutti::compiler
