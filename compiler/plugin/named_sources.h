// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sources that lines of the compiled text name.
#pragma once

#include "clang/AST/ASTConsumer.h"

#include <memory>

namespace clang {
class CompilerInstance;
}

namespace tutti::compiler {

/// Lets remarks point into the files that were given to steps in front of the compiler: Clang finds
/// a line that a remark names only in files that it has loaded itself.
std::unique_ptr<clang::ASTConsumer> loadNamedSources(clang::CompilerInstance &compiler);

} // namespace tutti::compiler
