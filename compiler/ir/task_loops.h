// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the front end tells of loops that are divided into tasks.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tutti::compiler {

/// Attribute of the task's function: its iterations are counted from 0 to this number at most. Only
/// where the source tells.
constexpr llvm::StringLiteral kLastIteration = "tutti-last-iteration";

/// Attribute, for a while, of an outlined function in which one thread divides loops into tasks:
/// the name of a copy in which these are worksharing loops. No team executes that copy, but one
/// thread may conduct it (transform/conduct_constructs).
constexpr llvm::StringLiteral kConductedForm = "tutti-conducted-form";

/// Attribute of such a function if it was not conducted: why.
constexpr llvm::StringLiteral kTaskLoopsStay = "tutti-task-loops-stay";

} // namespace tutti::compiler
