// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One mistake, one error: what a user has written once in a construct is compiled several times,
/// for its address and its size, say, and Clang reports it each time.
#pragma once

#include "compiler/frontend/ompss/pragma_handler.h"

#include "clang/Basic/Diagnostic.h"

#include <memory>

namespace tutti::compiler::ompss {

/// From now on, of several errors at one place in a construct of `unit` only the first is shown,
/// and of equal warnings.
void showOncePerPlace(clang::DiagnosticsEngine &diagnostics, std::shared_ptr<const Unit> unit);

} // namespace tutti::compiler::ompss
