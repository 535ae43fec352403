// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds what names mean in a whole program, and what is wrong with it before it runs.
#pragma once

#include "compiler/frontend/luna/ast.h"

namespace tutti::compiler::luna {

/// Fills in what the tree says is found by the checker, and says what is wrong. Subs that a later
/// definition replaces are not looked at: nothing calls them.
void check(Program &program, const Text &text, Messages &messages);

/// What is called under a name: the last definition; null if there is none.
Sub *findSub(const Program &program, std::string_view name);

} // namespace tutti::compiler::luna
