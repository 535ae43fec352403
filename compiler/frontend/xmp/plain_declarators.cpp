// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/program_builder.h"

using namespace clang;

namespace tutti::compiler::xmp {

void ProgramBuilder::collectAligned() {
  for (const Pragma &pragma : lexed_.pragmas) {
    const auto align = llvm::find_if(pragma.tokens, [](const Token &token) {
      return Cursor::wordOf(token).equals_insensitive("align");
    });
    if (!pragma.isXmp || align == pragma.tokens.end()) {
      continue;
    }
    bool isName = true; // Of `align name ...`; behind `::` all are.
    for (const Token &token : llvm::make_range(align + 1, pragma.tokens.end())) {
      if (token.is(tok::identifier) && isName) {
        aligned_.insert(Cursor::wordOf(token));
      }
      isName = token.isOneOf(tok::coloncolon, tok::colon, tok::comma);
    }
  }
}

/// A size that need not be constant. Where it is not, Clang gets one that is, and the program's own
/// tokens stay for what will be written.
void ProgramBuilder::size(llvm::ArrayRef<Token> all, unsigned dimensions) {
  const bool isPlain =
      llvm::none_of(all, [](const Token &token) { return token.is(tok::identifier); });
  if (isPlain) {
    return tokens(all);
  }
  const SourceLocation place = all.front().getLocation();
  injected(tok::identifier, "__builtin_choose_expr", place);
  injected(tok::l_paren, "", place);
  injected(tok::identifier, "__builtin_constant_p", place);
  injected(tok::l_paren, "", place);
  tokens(all);
  injected(tok::r_paren, "", place);
  injected(tok::comma, "", place);
  for (const Token &token : all) {
    program_.plain.push_back(token);
    program_.isUsers.push_back(false);
  }
  injected(tok::comma, "", place);
  // Large, so that no constant index is said to be beyond it.
  constexpr unsigned kBits[] = {28, 14, 9, 7, 5, 4, 4};
  number(1U << kBits[std::min<std::size_t>(dimensions, std::size(kBits)) - 1], place);
  injected(tok::r_paren, "", place);
}

/// The declarator of an aligned array at file scope. `at` becomes its last token.
bool ProgramBuilder::declarator(llvm::ArrayRef<Token> all, unsigned &at) {
  if (!nest_.empty() || all[at].isNot(tok::identifier) ||
      !aligned_.contains(Cursor::wordOf(all[at])) || at + 1 == all.size() ||
      all[at + 1].isNot(tok::l_square)) {
    return false;
  }
  const auto closing = [&](unsigned open) {
    unsigned depth = 0;
    for (unsigned i = open; i < all.size(); ++i) {
      depth += all[i].is(tok::l_square);
      depth -= all[i].is(tok::r_square);
      if (depth == 0) {
        return i;
      }
    }
    return 0U;
  };
  unsigned dimensions = 0;
  for (unsigned open = at + 1; all[open].is(tok::l_square); ++dimensions) {
    const unsigned close = closing(open);
    if (close == 0) {
      return false;
    }
    open = close + 1;
  }
  users(all[at]);
  while (all[at + 1].is(tok::l_square)) {
    const unsigned close = closing(at + 1);
    users(all[at + 1]);
    if (close > at + 2) {
      size(all.slice(at + 2, close - at - 2), dimensions);
    }
    users(all[close]);
    at = close;
  }
  return true;
}

} // namespace tutti::compiler::xmp
