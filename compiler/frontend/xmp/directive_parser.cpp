// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/directive_parser.h"

#include "compiler/frontend/pragma/clause_lexer.h"
#include "compiler/frontend/xmp/combined_directive.h"
#include "compiler/frontend/xmp/cursor.h"
#include "compiler/frontend/xmp/directive_names.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// Every function returns false after it has reported an error.
class Parser {
public:
  Parser(Preprocessor &preprocessor, const std::vector<Token> &tokens)
      : cursor_(preprocessor, tokens, directive_.expressions) {}

  bool parse();

  Directive &result() { return directive_; }

private:
  bool kind();
  bool accKind();
  bool body();
  bool nodes();
  bool templates();
  bool distribute();
  bool align();
  bool shadow();
  bool staticDesc();
  bool templateFix();
  bool loop();
  bool reflect();
  bool waitAsync();
  bool declared(bool (Parser::*attribute)(), bool listBehindName, ItemSyntax syntax);
  bool nodesOrigin();
  bool onto();
  bool with();
  bool target(const char *what, bool mayBeMember);
  bool ref(std::optional<Ref> &ref, ItemSyntax syntax = ItemSyntax::Subscript);
  bool clauses();
  bool clause(bool &isKnown);
  bool reduction();
  bool operation(std::string &operation);
  bool locations(Operand &operand);
  bool operandList();
  bool widths(bool mayBeUnbound);
  bool width(bool mayBeUnbound);
  bool peel();
  bool async();
  template <typename One> bool separated(One &&one);
  template <typename One> bool parenthesised(One &&one);
  bool replicateSync();
  bool accVariables(AccVariable::Kind kind);
  bool accClause(bool &isKnown);
  bool unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid);

  Directive directive_;
  Cursor cursor_;
  SourceLocation needsAcc_; ///< A clause that only `loop ... acc` has.
};

/// `one, one...`
template <typename One> bool Parser::separated(One &&one) {
  do {
    if (!one()) {
      return false;
    }
  } while (cursor_.accept(tok::comma));
  return true;
}

/// `(one, one...)`
template <typename One> bool Parser::parenthesised(One &&one) {
  return cursor_.expect(tok::l_paren, "(") && separated(one) && cursor_.expect(tok::r_paren, ")");
}

bool Parser::unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid) {
  const llvm::StringRef word = Cursor::wordOf(cursor_.token());
  if (word.empty()) {
    cursor_.error(cursor_.place(), "extra tokens at the end of '#pragma xmp %0'")
        << nameOf(directive_.kind);
    return false;
  }
  const llvm::StringRef nearest = pragma::nearestWord(word, valid);
  if (nearest.empty()) {
    cursor_.error(cursor_.place(), "unknown %0 '%1'") << what << word;
  } else {
    cursor_.error(cursor_.place(), "unknown %0 '%1'; did you mean '%2'?")
        << what << word << nearest << FixItHint::CreateReplacement(cursor_.place(), nearest);
  }
  return false;
}

bool Parser::kind() {
  directive_.place = cursor_.place();
  if (cursor_.acceptWord("acc") || cursor_.acceptWord("device")) {
    return accKind();
  }
  for (const DirectiveName &name : kDirectiveNames) {
    if (cursor_.acceptWord(name.text)) {
      directive_.kind = name.kind;
      return true;
    }
  }
  if (cursor_.isWord("local_alias")) {
    cursor_.error(
        cursor_.place(),
        "'local_alias' is of Fortran; in C the name without subscripts is the local part");
    return false;
  }
  llvm::SmallVector<llvm::StringRef, 32> valid;
  for (const DirectiveName &name : kDirectiveNames) {
    valid.push_back(name.text);
  }
  if (Cursor::wordOf(cursor_.token()).empty()) {
    cursor_.error(cursor_.place(), "expected the name of a directive after '#pragma xmp'");
    return false;
  }
  return unknown("directive", valid);
}

/// Behind `acc`, which the first form of the language has, or `device`.
bool Parser::accKind() {
  llvm::SmallVector<llvm::StringRef, 5> valid;
  for (const DirectiveName &name : kAccDirectiveNames) {
    if (cursor_.acceptWord(name.text)) {
      directive_.kind = name.kind;
      directive_.isAcc = name.kind == DirectiveKind::Loop || name.kind == DirectiveKind::Reflect;
      return true;
    }
    valid.push_back(name.text);
  }
  if (Cursor::wordOf(cursor_.token()).empty()) {
    cursor_.error(cursor_.place(), "expected the name of a directive after 'acc'");
    return false;
  }
  return unknown("directive", valid);
}

bool Parser::parse() {
  if (!kind() || !body()) {
    return false;
  }
  if (!cursor_.atEnd()) {
    cursor_.error(cursor_.place(), "extra tokens at the end of '#pragma xmp %0'")
        << nameOf(directive_.kind);
    return false;
  }
  return true;
}

bool Parser::body() {
  switch (directive_.kind) {
  case DirectiveKind::Nodes:
    return nodes();
  case DirectiveKind::Template:
    return templates();
  case DirectiveKind::Distribute:
    return distribute();
  case DirectiveKind::Align:
    return align();
  case DirectiveKind::Shadow:
    return shadow();
  case DirectiveKind::StaticDesc:
    return staticDesc();
  case DirectiveKind::TemplateFix:
    return templateFix();
  case DirectiveKind::Task:
  case DirectiveKind::Array:
    return cursor_.expectWord("on") && ref(directive_.on) && clauses();
  case DirectiveKind::Loop:
    return loop() && clauses();
  case DirectiveKind::Reflect:
  case DirectiveKind::ReduceShadow:
  case DirectiveKind::Bcast:
    return operandList() && clauses();
  case DirectiveKind::Reduction:
    return reduction() && clauses();
  case DirectiveKind::Gmove:
    directive_.isIn = cursor_.acceptWord("in");
    directive_.isOut = !directive_.isIn && cursor_.acceptWord("out");
    return clauses();
  case DirectiveKind::Barrier:
    return clauses();
  case DirectiveKind::WaitAsync:
    return waitAsync() && clauses();
  case DirectiveKind::Tasks:
    return true;
  case DirectiveKind::Replicate:
    return operandList();
  case DirectiveKind::ReplicateSync:
    return replicateSync();
  }
  return false;
}

bool Parser::target(const char *what, bool mayBeMember) {
  Target target;
  target.member.startToken();
  if (!cursor_.name(target.name, what)) {
    return false;
  }
  if (mayBeMember && cursor_.accept(tok::period) && !cursor_.name(target.member, "a member")) {
    return false;
  }
  directive_.targets.push_back(target);
  return true;
}

/// `name list attribute`, or `list attribute :: name, ...`.
bool Parser::declared(bool (Parser::*attribute)(), bool listBehindName, ItemSyntax syntax) {
  const char *what =
      directive_.kind == DirectiveKind::Nodes ? "a node array"
      : directive_.kind == DirectiveKind::Align || directive_.kind == DirectiveKind::Shadow
          ? "an array"
          : "a template";
  const bool mayBeMember =
      directive_.kind == DirectiveKind::Align || directive_.kind == DirectiveKind::Shadow;
  const bool isCombined = cursor_.atList();
  if (!isCombined && !target(what, mayBeMember)) {
    return false;
  }
  if (listBehindName && !cursor_.items(syntax, directive_.items)) {
    return false;
  }
  if (attribute && !(this->*attribute)()) {
    return false;
  }
  if (!isCombined) {
    return true;
  }
  if (!cursor_.acceptDoubleColon()) {
    cursor_.error(cursor_.place(), "expected '::' and names");
    return false;
  }
  return separated([&] { return target(what, mayBeMember); });
}

bool Parser::nodesOrigin() {
  if (!cursor_.accept(tok::equal)) {
    return true;
  }
  if (cursor_.accept(tok::star)) {
    directive_.isOfExecuting = true;
    return true;
  }
  return ref(directive_.with);
}

bool Parser::nodes() { return declared(&Parser::nodesOrigin, true, ItemSyntax::Subscript); }

bool Parser::templates() { return declared(nullptr, true, ItemSyntax::Subscript); }

bool Parser::onto() {
  directive_.with.emplace();
  return cursor_.expectWord("onto") && cursor_.name(directive_.with->name, "a node array");
}

bool Parser::distribute() { return declared(&Parser::onto, true, ItemSyntax::Format); }

bool Parser::with() {
  return cursor_.expectWord("with") && ref(directive_.with, ItemSyntax::Dummy);
}

bool Parser::align() { return declared(&Parser::with, true, ItemSyntax::Dummy); }

bool Parser::shadow() { return declared(nullptr, true, ItemSyntax::Width); }

bool Parser::staticDesc() {
  cursor_.acceptDoubleColon();
  return separated([this] { return target("a node array, template or array", true); });
}

bool Parser::templateFix() {
  if (cursor_.atList() && !cursor_.items(ItemSyntax::Format, directive_.items)) {
    return false;
  }
  if (!target("a template", false)) {
    return false;
  }
  if (cursor_.atList() && !cursor_.items(ItemSyntax::Subscript, directive_.extents)) {
    return false;
  }
  if (directive_.items.empty() && directive_.extents.empty()) {
    cursor_.error(directive_.place, "'template_fix' needs formats, sizes, or both");
    return false;
  }
  return true;
}

bool Parser::ref(std::optional<Ref> &ref, ItemSyntax syntax) {
  ref.emplace();
  return cursor_.name(ref->name, "a node array or template") &&
         (!cursor_.atList() || cursor_.items(syntax, ref->subscripts));
}

bool Parser::loop() {
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

bool Parser::operandList() {
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

bool Parser::waitAsync() {
  return parenthesised([this] {
    directive_.ids.emplace_back();
    return cursor_.expression(directive_.ids.back());
  });
}

bool Parser::operation(std::string &operation) {
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
  return unknown("reduction", valid);
}

bool Parser::locations(Operand &operand) {
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

bool Parser::reduction() {
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

bool Parser::width(bool mayBeUnbound) {
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

bool Parser::widths(bool mayBeUnbound) {
  if (directive_.widths.isGiven) {
    cursor_.error(cursor_.place(), "more than one list of widths");
    return false;
  }
  directive_.widths.isGiven = true;
  directive_.widths.place = cursor_.place();
  return parenthesised([&] { return width(mayBeUnbound); });
}

bool Parser::peel() {
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

bool Parser::async() {
  return cursor_.expect(tok::l_paren, "(") && cursor_.expression(directive_.async) &&
         cursor_.expect(tok::r_paren, ")");
}

bool Parser::accVariables(AccVariable::Kind kind) {
  return parenthesised([&] {
    directive_.accVariables.push_back({kind, {}});
    return cursor_.operand(directive_.accVariables.back().expression);
  });
}

bool Parser::replicateSync() {
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
bool Parser::accClause(bool &isKnown) {
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
  const bool isSecond = (cursor_.isWord("acc") && directive_.isAcc) ||
                        (cursor_.isWord("num_threads") && !directive_.blockSizes.empty());
  if (isSecond) {
    cursor_.error(where, "'%0' stands here twice") << Cursor::wordOf(cursor_.token());
    return false;
  }
  if (cursor_.acceptWord("num_threads")) {
    needsAcc_ = needsAcc_.isValid() ? needsAcc_ : where;
    directive_.blockPlace = where;
    return parenthesised([this] {
      directive_.blockSizes.emplace_back();
      return cursor_.expression(directive_.blockSizes.back());
    });
  }
  isKnown = cursor_.acceptWord("acc");
  directive_.isAcc |= isKnown;
  return true;
}

bool Parser::clause(bool &isKnown) {
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

bool Parser::clauses() {
  while (!cursor_.atEnd()) {
    bool isKnown = false;
    if (!clause(isKnown)) {
      return false;
    }
    if (!isKnown) {
      static constexpr llvm::StringRef kClauses[] = {
          "on",        "from",         "async",  "width",         "orthogonal", "nocomm",
          "reduction", "expand",       "margin", "peel_and_wait", "profile",    "acc",
          "private",   "firstprivate", "shared", "num_threads"};
      return unknown("clause", kClauses);
    }
  }
  if (needsAcc_.isValid() && !directive_.isAcc) {
    cursor_.error(needsAcc_, "this clause needs 'acc'");
    return false;
  }
  return true;
}

} // namespace

std::vector<Directive> parseDirectives(Preprocessor &preprocessor,
                                       const std::vector<Token> &tokens) {
  std::vector<Directive> directives;
  const auto parts = takeApart(preprocessor, tokens);
  for (const SingleDirective &part : parts.value_or(std::vector<SingleDirective>())) {
    Parser parser(preprocessor, part.tokens);
    if (parser.parse()) {
      directives.push_back(std::move(parser.result()));
      directives.back().place = part.place;
    }
  }
  return directives;
}

} // namespace tutti::compiler::xmp
