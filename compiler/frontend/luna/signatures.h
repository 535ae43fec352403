// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compares the procedures that a C++ file defines with what a LuNA program says of them. A part of
/// the plugin: the rest of this folder does not know Clang.
#pragma once

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include <memory>
#include <string>

namespace tutti::compiler::luna {

/// `imports` is the file that tutti-luna-cpp writes, see `WrittenProgram`. Errors are E-SIG, at the
/// import. An int that the procedure takes for a wider integer or for a text is a warning: programs
/// run with that, where the value is not negative or not used.
std::unique_ptr<clang::ASTConsumer> compareSignatures(clang::CompilerInstance &compiler,
                                                      const std::string &imports);

} // namespace tutti::compiler::luna
