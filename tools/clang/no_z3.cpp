// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stands in for LLVM's interface to Z3, which only an option of the static analyzer asks for. The
/// library behind it would be loaded, and its 19,000 relocations done, before every compilation.
///
/// Source: llvm/lib/Support/Z3Solver.cpp, as it is where LLVM is built without Z3.
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SMTAPI.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {

SMTSolverRef CreateZ3Solver() {
  report_fatal_error("tutticc has no Z3 for the static analyzer; clang-19 has it", false);
}

void SMTSort::dump() const { print(errs()); }

void SMTExpr::dump() const { print(errs()); }

void SMTSolver::dump() const { print(errs()); }

} // namespace llvm
