// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Names that the front end gives to what it makes. A number follows.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tutti::compiler::ompss {

/// What a construct asks Clang to look up.
inline constexpr llvm::StringLiteral kMarkerPrefix = "__tutti_oss_";

/// What a creator of a function task is called (task_function.h).
inline constexpr llvm::StringLiteral kCreatorPrefix = "__tutti_task_of_";

/// What functions and classes are called that are made of declared reductions.
inline constexpr llvm::StringLiteral kReductionPrefix = "__tutti_reduction_";

/// What locks of `critical` are called in front of the user's name for them.
inline constexpr llvm::StringLiteral kCriticalPrefix = "tutti_oss_critical_";

/// The variable that every marker turns out to be.
inline constexpr llvm::StringLiteral kMarkerVariable = "tutti_task_marker";

} // namespace tutti::compiler::ompss
