// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Registers Tutti's pragmas with the clang that loads it (`-fplugin`). A library of its own: opt
/// loads the passes and has no front end.
#include "compiler/plugin/pragma_action.h"

namespace {

[[maybe_unused]] const bool areRegistered = (tutti::compiler::registerPragmas(), true);

} // namespace
