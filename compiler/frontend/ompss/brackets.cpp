// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/brackets.h"

#include <algorithm>

using namespace clang;

namespace tutti::compiler::ompss {

bool opens(const Token &token) { return token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace); }

bool closes(const Token &token) { return token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace); }

std::size_t closeOf(TokensRef tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += opens(tokens[i]) - closes(tokens[i]);
    if (depth == 0) {
      return i;
    }
  }
  return tokens.size();
}

std::size_t afterClose(TokensRef tokens, std::size_t open) {
  return std::min(closeOf(tokens, open) + 1, tokens.size());
}

std::optional<std::int64_t> literalOf(Preprocessor &preprocessor, TokensRef tokens) {
  const bool isNegative = !tokens.empty() && tokens.front().is(tok::minus);
  tokens = tokens.drop_front(isNegative ? 1 : 0);
  if (tokens.size() != 1 || tokens.front().isNot(tok::numeric_constant)) {
    return std::nullopt;
  }
  llvm::SmallString<16> buffer;
  const llvm::StringRef digits = preprocessor.getSpelling(tokens.front(), buffer).rtrim("uUlL");
  std::int64_t value = 0;
  return digits.getAsInteger(0, value) ? std::nullopt : std::optional(isNegative ? -value : value);
}

std::vector<TokensRef> splitAtCommas(TokensRef tokens) {
  std::vector<TokensRef> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += opens(tokens[i]) - closes(tokens[i]);
    if (depth == 0 && tokens[i].is(tok::comma)) {
      parts.push_back(tokens.slice(begin, i - begin));
      begin = i + 1;
    }
  }
  if (!tokens.empty()) {
    parts.push_back(tokens.drop_front(begin));
  }
  return parts;
}

} // namespace tutti::compiler::ompss
