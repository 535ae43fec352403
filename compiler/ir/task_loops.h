// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the front end tells of loops that are divided into tasks.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tutti::compiler {

/// Attribute of the task's function: its iterations are counted from 0 to this number at most. Only
/// where the source tells.
constexpr llvm::StringLiteral kLastIteration = "tutti-last-iteration";

} // namespace tutti::compiler
