// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Conditions that have the same value in every run.
#pragma once

#include "compiler/frontend/luna/ast.h"

#include <optional>

namespace tutti::compiler::luna {

/// Whether the condition is true in every run, or false in every run; nothing if neither is proved.
/// Sums are compared term by term, and what else stands in them is taken for any number, the same
/// one where it is written the same way.
std::optional<bool> alwaysIs(const Expression &condition);

} // namespace tutti::compiler::luna
