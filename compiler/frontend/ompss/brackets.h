// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Brackets in lists of tokens: round, square and curly ones.
#pragma once

#include "compiler/frontend/ompss/token_writer.h"

#include <cstdint>
#include <optional>

namespace tutti::compiler::ompss {

bool opens(const clang::Token &token);
bool closes(const clang::Token &token);

/// The index of the bracket that closes the one at `open`; the number of tokens if none does.
std::size_t closeOf(TokensRef tokens, std::size_t open);

/// The index after that bracket; the number of tokens if there is none.
std::size_t afterClose(TokensRef tokens, std::size_t open);

/// A number that is written down, with its sign; nothing if `tokens` are something else.
std::optional<std::int64_t> literalOf(clang::Preprocessor &preprocessor, TokensRef tokens);

/// The parts of a list between commas that stand in no brackets. Of an empty list none.
std::vector<TokensRef> splitAtCommas(TokensRef tokens);

} // namespace tutti::compiler::ompss
