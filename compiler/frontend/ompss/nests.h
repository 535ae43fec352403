// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `collapse(n)` takes loops of which each is all that the one around it does. OpenMP takes others
/// and runs what stands between them as often as the innermost body; OmpSs-2 does not.
#pragma once

#include "compiler/frontend/ompss/construct.h"

#include "clang/AST/DeclGroup.h"
#include "clang/Basic/Diagnostic.h"

#include <set>
#include <vector>

namespace tutti::compiler::ompss {

/// Reports statements between loops that are collapsed, once for each construct.
class Nests {
public:
  void check(clang::DiagnosticsEngine &diagnostics, const std::vector<Construct> &constructs,
             clang::DeclGroupRef group);

private:
  std::set<clang::SourceLocation> reported_; ///< Of the constructs.
};

} // namespace tutti::compiler::ompss
