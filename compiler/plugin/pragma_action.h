// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tutti's part of Clang's front end.
#pragma once

namespace tutti::compiler {

/// Lets every compilation of this process read Tutti's pragmas. Called again it does nothing.
void registerPragmas();

} // namespace tutti::compiler
