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
