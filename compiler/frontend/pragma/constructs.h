// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Visits OpenMP constructs.
///
/// One function for all who look for constructs: Clang's visitor is a template whose instance takes
/// a compiler longer than any other file of this folder.
#pragma once

#include "clang/AST/DeclGroup.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tutti::compiler::pragma {

enum class Reach {
  Implicit,  ///< What is written, and what Clang adds to it.
  Instances, ///< What is written, and instances of templates.
};

/// Calls `enter` for each construct in the declarations, then visits what is inside of it, then
/// calls `leave`. Either may change the construct.
void visitConstructs(
    clang::DeclGroupRef group, Reach reach,
    llvm::function_ref<void(clang::OMPExecutableDirective &)> enter,
    llvm::function_ref<void()> leave = [] {});

} // namespace tutti::compiler::pragma
