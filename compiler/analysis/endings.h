// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code of a parallel construct that ends the program: failed assertions, `abort`, exceptions,
/// which never leave a parallel construct, and `exit`; and what it tells before.
///
/// A rank that gets there ends the job as it would end the program, or asks rank 0 to, so that such
/// code need not be analysed: what it does to memory nobody sees any more.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"

namespace tutti::compiler {

/// Whether the function of that name makes or throws an exception.
bool isThrow(llvm::StringRef name);

/// Whether each rank has for itself what `pointer` leads to: private memory, or constants.
bool leadsToOwn(const llvm::Value *pointer);

/// The blocks of `function` that lead to the program's end and nowhere else, by no other calls than
/// those of which that is known. Empty if the function always ends there.
llvm::SmallPtrSet<llvm::BasicBlock *, 8> findEndings(llvm::Function &function);

/// Those of the endings from which all ways lead to `exit`: by rank 0, to which goes what they
/// tell.
llvm::SmallPtrSet<llvm::BasicBlock *, 8> findExits(llvm::Function &function);

/// The blocks of `function` that lead to the program's end and nowhere else, whatever they call.
llvm::SmallPtrSet<llvm::BasicBlock *, 8> findLastBlocks(llvm::Function &function);

/// Makes the endings of `function` unreachable, as if their conditions never held. Returns where
/// the first of them is.
///
/// Order: after `findWorksharing` has found nothing in the way.
llvm::DebugLoc dropEndings(llvm::Function &function);

} // namespace tutti::compiler
