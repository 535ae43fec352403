// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors and warnings of pragmas, with a text in the form of Clang's diagnostics.
#pragma once

#include "clang/Basic/Diagnostic.h"

namespace tutti::compiler::pragma {

/// Begins an error; what is streamed into it takes the places `%0`, `%1` and so on.
template <std::size_t N>
clang::DiagnosticBuilder error(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                               const char (&text)[N]) {
  return diagnostics.Report(where,
                            diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, text));
}

template <std::size_t N>
clang::DiagnosticBuilder warning(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                                 const char (&text)[N]) {
  return diagnostics.Report(where,
                            diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Warning, text));
}

} // namespace tutti::compiler::pragma
