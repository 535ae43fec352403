// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Warns of what the run will say, where the text alone proves it.
///
/// Only statements that come to life in every run count: those of `main`, of subs that such
/// statements call, of loops whose constant bounds have an iteration, and of the branches that
/// constant conditions take. What stands elsewhere may never run, and a right program gets no
/// warning.
#pragma once

#include "compiler/frontend/luna/ast.h"
#include "compiler/frontend/luna/messages.h"

namespace tutti::compiler::luna {

/// Order: behind `check`, if that found no error.
void warnOfTheRun(const Program &program, const Text &text, Messages &messages);

} // namespace tutti::compiler::luna
