// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes a directive with several attributes apart: `template, distribute[block] onto p :: t[N]`.
#pragma once

#include "clang/Lex/Preprocessor.h"

#include <optional>
#include <vector>

namespace tutti::compiler::xmp {

/// The tokens of a directive, and where it is said to stand.
struct SingleDirective {
  std::vector<clang::Token> tokens; ///< The last one is the end of the directive.
  clang::SourceLocation place;
};

/// One directive for each attribute, in the order in which declarations need one another; the
/// directive itself if it has no such form. Nothing after an error.
std::optional<std::vector<SingleDirective>> takeApart(clang::Preprocessor &preprocessor,
                                                      const std::vector<clang::Token> &tokens);

} // namespace tutti::compiler::xmp
