// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/split_variables.h"

using namespace llvm;

namespace tutti::compiler {

void splitVariables(Function &function, FunctionAnalysisManager &analyses, SROAOptions options) {
  analyses.clear(function, function.getName());
  SROAPass(options).run(function, analyses);
  analyses.clear(function, function.getName());
}

} // namespace tutti::compiler
