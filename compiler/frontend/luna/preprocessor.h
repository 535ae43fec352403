// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Comments, macros, conditions, included files and foreign text: what is done to a LuNA program
/// before it is parsed.
///
/// Works on characters, not on tokens: a macro may bring half a name, and `x$N` is one name.
#pragma once

#include "compiler/frontend/luna/messages.h"
#include "compiler/frontend/luna/source.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::compiler::luna {

struct PreprocessorOptions {
  std::vector<std::string> includeFolders;
  /// Macros of the command line: name and text.
  std::vector<std::pair<std::string, std::string>> definitions;
};

/// Text of another language. In the program it is the character `kForeign` at `at`.
struct ForeignText {
  std::size_t at;
  Text text; ///< With the outer braces, where they belong to it.
};

inline constexpr char kForeign = '\2';

struct PreprocessedProgram {
  Text text;
  std::vector<ForeignText> foreign; ///< In the order of the text.
};

/// Reads a program. Errors are E-MACRO and E-BLOCK; after one what it returns is incomplete.
///
/// Cost: bounded, whatever macros do: see `kMostExpanded` in the source.
PreprocessedProgram preprocess(Sources &sources, std::uint32_t file,
                               const PreprocessorOptions &options, Messages &messages);

} // namespace tutti::compiler::luna
