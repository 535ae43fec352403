// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tokens of a LuNA program that has been preprocessed.
#pragma once

#include "compiler/frontend/luna/messages.h"
#include "compiler/frontend/luna/preprocessor.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::compiler::luna {

/// A place in the preprocessed text.
using Position = std::uint32_t;

struct Token {
  enum class Kind : std::uint8_t { End, Integer, Real, String, Foreign, Word, Mark };

  Kind kind = Kind::End;
  Position at = 0;
  Position end = 0;
  std::string_view text; ///< Of a string what stands between the quotes.

  /// Whether this is the given mark or word.
  bool is(std::string_view word) const {
    return (kind == Kind::Mark || kind == Kind::Word) && text == word;
  }
};

/// Whether `word` cannot be a name.
bool isReserved(std::string_view word);

/// All tokens, and one that stands for the end. Errors are E-SYNTAX.
///
/// Ownership: the texts are those of `program`.
std::vector<Token> readTokens(const PreprocessedProgram &program, Messages &messages);

} // namespace tutti::compiler::luna
