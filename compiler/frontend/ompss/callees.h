// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variables that a task uses only to say which function it calls: `(*function)(x)`,
/// `table[kind](x)`. Clang 19 looks for what a construct uses in the arguments of calls but not
/// there, so it makes no copies of them and crashes when it emits the body.
#pragma once

#include "compiler/frontend/ompss/construct.h"

#include "clang/AST/DeclGroup.h"
#include "clang/Sema/Sema.h"

#include <set>
#include <vector>

namespace tutti::compiler::ompss {

/// Makes such variables firstprivate, as they are without a clause, or reports them once.
class Callees {
public:
  void copy(clang::Sema &sema, const std::vector<Construct> &constructs, clang::DeclGroupRef group);

private:
  std::set<clang::SourceLocation> reported_;
};

} // namespace tutti::compiler::ompss
