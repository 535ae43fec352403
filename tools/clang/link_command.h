// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The link step: where parallel loops of one file call functions of another one, both of which
/// carry their code, the first is compiled once more with copies of these functions, and what comes
/// of it is linked in its place (docs/adr/0037-objects-carry-code.md).
#pragma once

#include "clang/Driver/Compilation.h"

namespace tutti::tools {

/// Makes links of `compilation` that make executables take part in this.
///
/// \param clang path of the Clang that compiles, as cc1 is to hear it.
void importAtLink(clang::driver::Compilation &compilation, const char *clang);

} // namespace tutti::tools
