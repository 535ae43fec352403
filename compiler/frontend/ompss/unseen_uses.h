// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variables that a task uses only where Clang 19 does not look for what a construct uses: to say
/// which function it calls, `(*function)(x)`, `table[kind](x)`, and how large the arrays of a type
/// are, `(double (*)[n])p`. It makes no copies of them and crashes when it emits the body.
#pragma once

#include "compiler/frontend/ompss/construct.h"

#include "clang/AST/DeclGroup.h"
#include "clang/Sema/Sema.h"

#include <set>
#include <vector>

namespace tutti::compiler::ompss {

/// Makes such variables firstprivate, as they are without a clause, or reports them once.
class UnseenUses {
public:
  void copy(clang::Sema &sema, const std::vector<Construct> &constructs, clang::DeclGroupRef group);

private:
  std::set<clang::SourceLocation> reported_;
};

} // namespace tutti::compiler::ompss
