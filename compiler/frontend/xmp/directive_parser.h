// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parses the tokens of one directive. What the names in it mean is the analysis's.
#pragma once

#include "compiler/frontend/xmp/directive.h"

#include "clang/Lex/Preprocessor.h"

#include <vector>

namespace tutti::compiler::xmp {

/// `tokens` are those behind `#pragma xmp`, with macros expanded; the last one is the end of the
/// directive. Several if it has several attributes; those that have errors are left out.
std::vector<Directive> parseDirectives(clang::Preprocessor &preprocessor,
                                       const std::vector<clang::Token> &tokens);

} // namespace tutti::compiler::xmp
