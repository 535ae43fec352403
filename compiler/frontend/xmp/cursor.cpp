// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/cursor.h"

#include "abi/xmp.h"
#include "compiler/frontend/pragma/clause_lexer.h"

#include <algorithm>

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

bool opens(const Token &token) { return token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace); }

bool closes(const Token &token) { return token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace); }

} // namespace

llvm::StringRef Cursor::wordOf(const Token &token) {
  if (token.isAnnotation() || token.isLiteral()) {
    return {};
  }
  const IdentifierInfo *info = token.getIdentifierInfo();
  return info ? info->getName() : llvm::StringRef();
}

bool Cursor::isWord(llvm::StringRef keyword) const {
  return wordOf(token()).equals_insensitive(keyword);
}

Token Cursor::take() {
  const Token token = tokens_[at_];
  if (!atEnd()) {
    ++at_;
  }
  return token;
}

bool Cursor::accept(tok::TokenKind kind) {
  if (token().isNot(kind) || atEnd()) {
    return false;
  }
  take();
  return true;
}

bool Cursor::acceptWord(llvm::StringRef keyword) {
  if (!isWord(keyword)) {
    return false;
  }
  take();
  return true;
}

bool Cursor::atDoubleColon() const {
  return token().is(tok::coloncolon) || (token().is(tok::colon) && ahead(1).is(tok::colon));
}

bool Cursor::acceptDoubleColon() {
  if (!atDoubleColon()) {
    return false;
  }
  return accept(tok::coloncolon) || (accept(tok::colon) && accept(tok::colon));
}

bool Cursor::expect(tok::TokenKind kind, const char *spelling) {
  if (accept(kind)) {
    return true;
  }
  error(place(), "expected '%0'") << spelling;
  return false;
}

bool Cursor::expectWord(llvm::StringRef keyword) {
  if (acceptWord(keyword)) {
    return true;
  }
  error(place(), "expected '%0'") << keyword;
  return false;
}

bool Cursor::name(Token &name, const char *what) {
  if (token().isNot(tok::identifier)) {
    error(place(), "expected the name of %0") << what;
    return false;
  }
  name = take();
  return true;
}

unsigned Cursor::add(std::vector<Token> tokens, bool isVariable) {
  Expression expression;
  expression.tokens = std::move(tokens);
  expression.isVariable = isVariable;
  expressions_.push_back(std::move(expression));
  return expressions_.size() - 1;
}

std::vector<Token> Cursor::tokensOfExpression() {
  std::vector<Token> taken;
  unsigned depth = 0;
  unsigned questions = 0;
  while (!atEnd()) {
    if (depth == 0) {
      if (token().is(tok::comma) || closes(token()) || token().is(tok::coloncolon) ||
          (token().is(tok::colon) && questions == 0)) {
        break;
      }
      questions += token().is(tok::question);
      questions -= token().is(tok::colon);
    }
    depth += opens(token());
    depth -= closes(token());
    taken.push_back(take());
  }
  return taken;
}

bool Cursor::expression(ExpressionId &id) {
  const SourceLocation where = place();
  std::vector<Token> taken = tokensOfExpression();
  if (taken.empty()) {
    error(where, "expected an expression");
    return false;
  }
  id = add(std::move(taken));
  return true;
}

bool Cursor::operand(ExpressionId &id) {
  if (token().isNot(tok::identifier)) {
    error(place(), "expected the name of a variable");
    return false;
  }
  std::vector<Token> taken = {take()};
  unsigned depth = 0;
  while (!atEnd() && (depth > 0 || token().isOneOf(tok::l_square, tok::period, tok::arrow))) {
    depth += token().is(tok::l_square);
    depth -= token().is(tok::r_square);
    const bool isMember = depth == 0 && token().isOneOf(tok::period, tok::arrow);
    taken.push_back(take());
    if (isMember && token().is(tok::identifier)) {
      taken.push_back(take());
    }
  }
  id = add(std::move(taken), true);
  return true;
}

bool Cursor::atItemEnd(unsigned count) const {
  return ahead(count).isOneOf(tok::comma, tok::r_paren, tok::r_square);
}

bool Cursor::isDummy() const {
  return token().is(tok::identifier) && (atItemEnd(1) || ahead(1).isOneOf(tok::plus, tok::minus));
}

bool Cursor::dummy(Item &item) {
  item.kind = Item::Kind::Dummy;
  const std::size_t begin = at_;
  item.name = wordOf(take()).str();
  if (!atItemEnd(0)) {
    item.isMinus = take().is(tok::minus);
    const SourceLocation where = place();
    std::vector<Token> offset = tokensOfExpression();
    if (offset.empty()) {
      error(where, "expected an expression");
      return false;
    }
    if (token().is(tok::colon)) { // It was the begin of a triplet.
      at_ = begin;
      item.name.clear();
      return triplet(item);
    }
    item.first = add(std::move(offset));
  }
  item.tokens.assign(tokens_.begin() + begin, tokens_.begin() + at_);
  return true;
}

bool Cursor::triplet(Item &item) {
  if (token().isNot(tok::colon) && !expression(item.first)) {
    return false;
  }
  if (!accept(tok::colon)) {
    item.kind = Item::Kind::Value;
    return true;
  }
  item.kind = item.first ? Item::Kind::Triplet : Item::Kind::Colon;
  for (ExpressionId *part : {&item.second, &item.step}) {
    if (!atItemEnd(0) && token().isNot(tok::colon)) {
      if (!expression(*part)) {
        return false;
      }
      item.kind = Item::Kind::Triplet;
    }
    if (part == &item.second && !accept(tok::colon)) {
      break;
    }
  }
  return true;
}

bool Cursor::format(Item &item) {
  if (accept(tok::star)) {
    item.kind = Item::Kind::Star;
    return true;
  }
  item.kind = Item::Kind::Format;
  item.name = wordOf(token()).lower();
  if (item.name != "block" && item.name != "cyclic" && item.name != "gblock") {
    const llvm::StringRef nearest = pragma::nearestWord(item.name, {"block", "cyclic", "gblock"});
    if (nearest.empty()) {
      error(place(), "expected '*', block, cyclic or gblock");
    } else {
      error(place(), "expected '*', block, cyclic or gblock; did you mean '%0'?")
          << nearest << FixItHint::CreateReplacement(place(), nearest);
    }
    return false;
  }
  take();
  if (!accept(tok::l_paren)) {
    if (item.name == "gblock") {
      error(place(), "expected '(' after gblock, with an array of the blocks' sizes or '*'");
      return false;
    }
    return true;
  }
  if (item.name == "gblock" && token().is(tok::star) && ahead(1).is(tok::r_paren)) {
    take();
    item.isOpen = true;
  } else if (!expression(item.first)) {
    return false;
  } else {
    expressions_.back().isMap = item.name == "gblock";
  }
  return expect(tok::r_paren, ")");
}

bool Cursor::item(ItemSyntax syntax, Item &item) {
  item.place = token();
  if (syntax == ItemSyntax::Format) {
    return format(item);
  }
  if (token().is(tok::star) && atItemEnd(1)) {
    take();
    item.kind = Item::Kind::Star;
    return true;
  }
  if (syntax == ItemSyntax::Dummy && isDummy()) {
    return dummy(item);
  }
  return triplet(item);
}

bool Cursor::items(ItemSyntax syntax, Items &items) {
  items.place = place();
  items.isRound = token().is(tok::l_paren);
  if (items.isRound) {
    do {
      take();
      items.items.emplace_back();
      if (!item(syntax, items.items.back())) {
        return false;
      }
    } while (token().is(tok::comma));
    std::reverse(items.items.begin(), items.items.end());
    if (!expect(tok::r_paren, ")")) {
      return false;
    }
  } else {
    if (token().isNot(tok::l_square)) {
      error(place(), "expected '[' or '('");
      return false;
    }
    while (accept(tok::l_square)) {
      items.items.emplace_back();
      if (!item(syntax, items.items.back()) || !expect(tok::r_square, "]")) {
        return false;
      }
    }
  }
  if (items.size() > TUTTI_XMP_DIMENSIONS) {
    error(items.place, "more than 7 dimensions");
    return false;
  }
  return true;
}

} // namespace tutti::compiler::xmp
