// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recursive descent over the tokens of a LuNA program.
#pragma once

#include "compiler/frontend/luna/ast.h"

namespace tutti::compiler::luna {

/// Reads a program. Errors are E-SYNTAX: what was expected, and what is there. After one the parser
/// goes on at the next statement or item, so that independent errors come out together.
Program parse(const PreprocessedProgram &program, const std::vector<Token> &tokens,
              Messages &messages);

} // namespace tutti::compiler::luna
