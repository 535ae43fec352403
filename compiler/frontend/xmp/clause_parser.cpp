// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/directive_reader.h"

using namespace clang;

namespace tutti::compiler::xmp {

bool DirectiveReader::loop() {
  if (cursor_.atList()) {
    directive_.hasIndices = true;
    Items list;
    if (!cursor_.items(ItemSyntax::Dummy, list)) {
      return false;
    }
    for (const Item &item : list.items) {
      if (item.kind != Item::Kind::Dummy || item.first) {
        cursor_.error(item.place.getLocation(), "expected the name of a loop's variable");
        return false;
      }
      for (const Token &other : directive_.indices) {
        if (Cursor::wordOf(other) == item.name) {
          cursor_.error(item.place.getLocation(), "index '%0' is named twice") << item.name;
          return false;
        }
      }
      directive_.indices.push_back(item.place);
    }
  }
  return cursor_.expectWord("on") && ref(directive_.on, ItemSyntax::Dummy);
}

bool DirectiveReader::operandList() {
  const bool isBare = (directive_.kind == DirectiveKind::Reflect ||
                       directive_.kind == DirectiveKind::ReduceShadow) &&
                      cursor_.token().is(tok::identifier);
  if (!isBare && !cursor_.expect(tok::l_paren, "(")) {
    return false;
  }
  do {
    directive_.operands.emplace_back();
    if (!cursor_.operand(directive_.operands.back().expression)) {
      return false;
    }
  } while (cursor_.accept(tok::comma));
  return isBare || cursor_.expect(tok::r_paren, ")");
}

bool DirectiveReader::waitAsync() {
  return parenthesised([this] {
    directive_.ids.emplace_back();
    return cursor_.expression(directive_.ids.back());
  });
}

bool DirectiveReader::operation(std::string &operation) {
  static constexpr std::pair<tok::TokenKind, const char *> kSigns[] = {
      {tok::plus, "+"}, {tok::minus, "-"}, {tok::star, "*"},    {tok::amp, "&"},
      {tok::pipe, "|"}, {tok::caret, "^"}, {tok::ampamp, "&&"}, {tok::pipepipe, "||"}};
  for (const auto &[kind, text] : kSigns) {
    if (cursor_.accept(kind)) {
      operation = text;
      return true;
    }
  }
  const bool isLoop = directive_.kind == DirectiveKind::Loop;
  static constexpr llvm::StringRef kWords[] = {"max",      "min",     "firstmax",
                                               "firstmin", "lastmax", "lastmin"};
  const llvm::ArrayRef<llvm::StringRef> valid = llvm::ArrayRef(kWords).take_front(isLoop ? 6 : 2);
  for (llvm::StringRef word : valid) {
    if (cursor_.acceptWord(word)) {
      operation = word.str();
      return true;
    }
  }
  if (Cursor::wordOf(cursor_.token()).empty()) {
    cursor_.error(cursor_.place(), "expected the operation of a reduction");
    return false;
  }
  const llvm::StringRef word = Cursor::wordOf(cursor_.token());
  if (llvm::any_of(kWords, [&](llvm::StringRef known) { return known.equals_insensitive(word); })) {
    cursor_.error(cursor_.place(), "'%0' is a reduction of '#pragma xmp loop' only") << word;
    return false;
  }
  return unknown("reduction", valid);
}

bool DirectiveReader::locations(Operand &operand) {
  if (!cursor_.accept(tok::slash)) {
    return true;
  }
  do {
    operand.locations.emplace_back();
    if (!cursor_.operand(operand.locations.back())) {
      return false;
    }
  } while (cursor_.accept(tok::comma));
  return cursor_.expect(tok::slash, "/");
}

bool DirectiveReader::reduction() {
  directive_.reductions.emplace_back();
  ReductionClause &clause = directive_.reductions.back();
  clause.place = cursor_.place();
  if (!cursor_.expect(tok::l_paren, "(") || !operation(clause.operation) ||
      !cursor_.expect(tok::colon, ":")) {
    return false;
  }
  do {
    clause.operands.emplace_back();
    if (!cursor_.operand(clause.operands.back().expression) || !locations(clause.operands.back())) {
      return false;
    }
  } while (cursor_.accept(tok::comma));
  return cursor_.expect(tok::r_paren, ")");
}

bool DirectiveReader::width(bool mayBeUnbound) {
  Width width;
  width.place = cursor_.place();
  if (cursor_.accept(tok::slash)) {
    bool &flag = mayBeUnbound ? width.isUnbound : width.isPeriodic;
    flag = true;
    if (!cursor_.expectWord(mayBeUnbound ? "unbound" : "periodic") ||
        !cursor_.expect(tok::slash, "/")) {
      return false;
    }
  }
  if (!cursor_.expression(width.lower) ||
      (cursor_.accept(tok::colon) && !cursor_.expression(width.upper))) {
    return false;
  }
  directive_.widths.widths.push_back(width);
  return true;
}

bool DirectiveReader::widths(bool mayBeUnbound) {
  if (directive_.widths.isGiven) {
    cursor_.error(cursor_.place(), "more than one list of widths");
    return false;
  }
  directive_.widths.isGiven = true;
  directive_.widths.place = cursor_.place();
  return parenthesised([&] { return width(mayBeUnbound); });
}

bool DirectiveReader::peel() {
  directive_.margin = Directive::Margin::Peel;
  directive_.widths.isGiven = true;
  directive_.widths.place = cursor_.place();
  if (!cursor_.expect(tok::l_paren, "(") || !cursor_.expression(directive_.peelId)) {
    return false;
  }
  while (cursor_.accept(tok::comma)) {
    if (!width(true)) {
      return false;
    }
  }
  return cursor_.expect(tok::r_paren, ")");
}

bool DirectiveReader::async() {
  return cursor_.expect(tok::l_paren, "(") && cursor_.expression(directive_.async) &&
         cursor_.expect(tok::r_paren, ")");
}

bool DirectiveReader::accVariables(AccVariable::Kind kind) {
  return parenthesised([&] {
    directive_.accVariables.push_back({kind, {}});
    return cursor_.operand(directive_.accVariables.back().expression);
  });
}

bool DirectiveReader::replicateSync() {
  do {
    const bool isIn = cursor_.acceptWord("in");
    if (!isIn && !cursor_.acceptWord("out")) {
      cursor_.error(cursor_.place(), "expected 'in' or 'out'");
      return false;
    }
    if (!accVariables(isIn ? AccVariable::Kind::In : AccVariable::Kind::Out)) {
      return false;
    }
  } while (!cursor_.atEnd());
  return true;
}

/// What follows `acc` in a `loop`.
bool DirectiveReader::accClause(bool &isKnown) {
  static constexpr std::pair<llvm::StringRef, AccVariable::Kind> kLists[] = {
      {"private", AccVariable::Kind::Private},
      {"firstprivate", AccVariable::Kind::FirstPrivate},
      {"shared", AccVariable::Kind::Shared}};
  isKnown = true;
  for (const auto &[word, kind] : kLists) {
    const SourceLocation where = cursor_.place();
    if (cursor_.acceptWord(word)) {
      needsAcc_ = needsAcc_.isValid() ? needsAcc_ : where;
      return accVariables(kind);
    }
  }
  const SourceLocation where = cursor_.place();
  if (directive_.blockSizes.empty() && cursor_.acceptWord("num_threads")) {
    needsAcc_ = needsAcc_.isValid() ? needsAcc_ : where;
    directive_.blockPlace = where;
    return parenthesised([this] {
      directive_.blockSizes.emplace_back();
      return cursor_.expression(directive_.blockSizes.back());
    });
  }
  isKnown = !directive_.isAcc && cursor_.acceptWord("acc");
  directive_.isAcc |= isKnown;
  return true;
}

bool DirectiveReader::clause(bool &isKnown) {
  using Kind = DirectiveKind;
  const Kind kind = directive_.kind;
  const bool isReflect = kind == Kind::Reflect || kind == Kind::ReduceShadow;
  const bool isTransfer =
      isReflect || kind == Kind::Gmove || kind == Kind::Reduction || kind == Kind::Bcast;
  const bool hasOn = kind == Kind::Barrier || kind == Kind::Reduction || kind == Kind::Bcast ||
                     kind == Kind::WaitAsync;
  isKnown = true;
  if (hasOn && !directive_.on && cursor_.acceptWord("on")) {
    return ref(directive_.on);
  }
  if (kind == Kind::Bcast && !directive_.from && cursor_.acceptWord("from")) {
    return ref(directive_.from);
  }
  if (isTransfer && !directive_.async && cursor_.acceptWord("async")) {
    return async();
  }
  if (isReflect && cursor_.acceptWord("width")) {
    return widths(false);
  }
  if (isReflect && cursor_.acceptWord("orthogonal")) {
    directive_.isOrthogonal = true;
    return true;
  }
  if (kind == Kind::Task && cursor_.acceptWord("nocomm")) {
    directive_.isNoComm = true;
    return true;
  }
  if (kind == Kind::Loop) {
    if (cursor_.acceptWord("reduction")) {
      return reduction();
    }
    const bool isExpand = cursor_.isWord("expand");
    if (isExpand || cursor_.isWord("margin")) {
      cursor_.take();
      directive_.margin = isExpand ? Directive::Margin::Expand : Directive::Margin::Margin;
      return widths(true);
    }
    if (!directive_.widths.isGiven && cursor_.acceptWord("peel_and_wait")) {
      return peel();
    }
    if (!accClause(isKnown)) {
      return false;
    }
    if (isKnown) {
      return true;
    }
  }
  if (kind == Kind::Reflect && !directive_.isAcc && cursor_.acceptWord("acc")) {
    directive_.isAcc = true;
    return true;
  }
  isKnown = cursor_.acceptWord("profile");
  return true;
}

bool DirectiveReader::clauses() {
  llvm::SmallVector<llvm::StringRef, 8> given;
  if (directive_.on) {
    given.push_back("on");
  }
  if (directive_.isAcc) {
    given.push_back("acc");
  }
  while (!cursor_.atEnd()) {
    bool isKnown = false;
    const llvm::StringRef begin = Cursor::wordOf(cursor_.token());
    if (!clause(isKnown)) {
      return false;
    }
    if (!isKnown) {
      static constexpr llvm::StringRef kClauses[] = {
          "on",        "from",         "async",  "width",         "orthogonal", "nocomm",
          "reduction", "expand",       "margin", "peel_and_wait", "profile",    "acc",
          "private",   "firstprivate", "shared", "num_threads"};
      const llvm::StringRef word = Cursor::wordOf(cursor_.token());
      const auto isWord = [&](llvm::StringRef known) { return known.equals_insensitive(word); };
      if (llvm::any_of(given, isWord)) {
        cursor_.error(cursor_.place(), "'%0' stands here twice") << word;
        return false;
      }
      if (llvm::any_of(kClauses, isWord)) {
        cursor_.error(cursor_.place(), "'#pragma xmp %0' has no clause '%1'")
            << nameOf(directive_.kind) << word;
        return false;
      }
      return unknown("clause", kClauses);
    }
    given.push_back(begin);
  }
  if (needsAcc_.isValid() && !directive_.isAcc) {
    cursor_.error(needsAcc_, "this clause needs 'acc'");
    return false;
  }
  return true;
}

} // namespace tutti::compiler::xmp
