// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/xmp/directive_parser.h"
#include "compiler/frontend/xmp/program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

llvm::StringRef wordOf(const Token &token) {
  if (token.isAnnotation() || token.isLiteral()) {
    return {};
  }
  const IdentifierInfo *info = token.getIdentifierInfo();
  return info ? info->getName() : llvm::StringRef();
}

/// The colons that make sections, by the token that opens the bracket.
using Colons = llvm::DenseMap<unsigned, llvm::SmallVector<unsigned, 2>>;

/// Whether a bracket is the second one of `[[name]]`.
bool isAttribute(llvm::ArrayRef<Token> tokens, unsigned open) {
  return open > 0 && tokens[open].is(tok::l_square) && tokens[open - 1].is(tok::l_square);
}

/// Looks at brackets that belong together.
Colons findColons(llvm::ArrayRef<Token> tokens) {
  struct Open {
    unsigned at;
    tok::TokenKind closer;
    unsigned questions = 0;
    llvm::SmallVector<unsigned, 2> colons = {};
  };

  Colons found;
  llvm::SmallVector<Open, 16> open;
  for (unsigned i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.is(tok::l_square)) {
      open.push_back({i, tok::r_square});
    } else if (token.is(tok::l_paren)) {
      open.push_back({i, tok::r_paren});
    } else if (token.is(tok::l_brace)) {
      open.push_back({i, tok::r_brace});
    } else if (open.empty()) {
      continue;
    } else if (token.is(tok::question)) {
      ++open.back().questions;
    } else if (token.is(tok::colon) && open.back().questions > 0) {
      --open.back().questions;
    } else if (token.is(tok::colon)) {
      open.back().colons.push_back(i);
    } else if (token.is(tok::coloncolon) && !isAttribute(tokens, open.back().at)) {
      open.back().colons.append({i, i});
    } else if (token.is(open.back().closer)) {
      if (token.is(tok::r_square) && !open.back().colons.empty() &&
          open.back().colons.size() <= 2) {
        found[open.back().at] = open.back().colons;
      }
      open.pop_back();
    }
  }
  return found;
}

class Builder {
public:
  Builder(Preprocessor &preprocessor, const Lexed &lexed)
      : preprocessor_(preprocessor), lexed_(lexed) {}

  Program build();

private:
  void users(const Token &token);
  void injected(tok::TokenKind kind, llvm::StringRef text, SourceLocation place);
  void number(unsigned value, SourceLocation place);
  void call(llvm::StringRef function, unsigned number, SourceLocation place);
  void tokens(llvm::ArrayRef<Token> tokens);
  unsigned section(llvm::ArrayRef<Token> tokens, const Colons &colons, unsigned at);
  SectionMark::Part part(llvm::ArrayRef<Token> tokens, SourceLocation place);
  bool descriptor(llvm::ArrayRef<Token> tokens, unsigned &at);
  void collectAligned();
  bool declarator(llvm::ArrayRef<Token> tokens, unsigned &at);
  void size(llvm::ArrayRef<Token> tokens, unsigned dimensions);
  void pragma(const Pragma &pragma);
  void use(Directive parsed, std::size_t next);
  void directive(Directive directive);
  void expressions(Directive &directive);
  void chooseIndices(Directive &directive, std::size_t next);
  llvm::StringSet<> controlVariables(std::size_t next) const;
  bool mayStandHere(const Directive &directive);
  void track(const Token &token, const Token &before);

  Preprocessor &preprocessor_;
  const Lexed &lexed_;
  Program program_;
  llvm::StringSet<> aligned_;        ///< Names of arrays, whatever their scope.
  llvm::SmallVector<char, 16> nest_; ///< '(' '[', 'f' for a function's brace, '{' for others.
};

void Builder::users(const Token &token) {
  program_.indices[token.getLocation()] = program_.plain.size();
  program_.plain.push_back(token);
  program_.isUsers.push_back(true);
}

void Builder::injected(tok::TokenKind kind, llvm::StringRef text, SourceLocation place) {
  Token token;
  token.startToken();
  token.setKind(kind);
  token.setLocation(place);
  token.setLength(text.size());
  if (kind == tok::numeric_constant) {
    preprocessor_.CreateString(text, token);
    token.setLocation(place);
  } else if (!text.empty()) {
    IdentifierInfo *info = preprocessor_.getIdentifierInfo(text);
    token.setIdentifierInfo(info);
    token.setKind(info->getTokenID());
  }
  program_.plain.push_back(token);
  program_.isUsers.push_back(false);
}

void Builder::number(unsigned value, SourceLocation place) {
  injected(tok::numeric_constant, std::to_string(value), place);
}

/// Without the closing parenthesis.
void Builder::call(llvm::StringRef function, unsigned value, SourceLocation place) {
  injected(tok::identifier, function, place);
  injected(tok::l_paren, "", place);
  number(value, place);
}

SectionMark::Part Builder::part(llvm::ArrayRef<Token> part, SourceLocation place) {
  injected(tok::comma, "", place);
  SectionMark::Part result;
  result.begin = program_.plain.size();
  tokens(part);
  result.end = program_.plain.size();
  if (result.empty()) {
    number(0, place);
  }
  return result;
}

/// Returns where the bracket closes.
unsigned Builder::section(llvm::ArrayRef<Token> all, const Colons &colons, unsigned at) {
  unsigned depth = 0;
  unsigned close = at;
  do {
    depth += all[close].isOneOf(tok::l_square, tok::l_paren, tok::l_brace);
    depth -= all[close].isOneOf(tok::r_square, tok::r_paren, tok::r_brace);
    ++close;
  } while (depth > 0);
  --close;
  const auto &places = colons.find(at)->second;
  const SourceLocation place = all[places[0]].getLocation();
  const unsigned id = program_.sections.size();
  program_.sections.emplace_back();
  users(all[at]);
  call(kSection, id, place);
  SectionMark mark;
  mark.place = place;
  const unsigned second = places.size() > 1 ? places[1] : close;
  mark.first = part(all.slice(at + 1, places[0] - at - 1), place);
  mark.second = part(second > places[0] ? all.slice(places[0] + 1, second - places[0] - 1)
                                        : llvm::ArrayRef<Token>(), // `::`
                     place);
  mark.step = part(
      second < close ? all.slice(second + 1, close - second - 1) : llvm::ArrayRef<Token>(), place);
  injected(tok::r_paren, "", place);
  users(all[close]);
  program_.sections[id] = mark;
  return close;
}

bool Builder::descriptor(llvm::ArrayRef<Token> all, unsigned &at) {
  if (wordOf(all[at]) != "xmp_desc_of" || at + 3 >= all.size() || all[at + 1].isNot(tok::l_paren) ||
      all[at + 2].isNot(tok::identifier)) {
    return false;
  }
  DescriptorMark mark;
  mark.name = all[at + 2];
  mark.member.startToken();
  unsigned close = at + 3;
  if (all[close].is(tok::period) && close + 2 < all.size()) {
    mark.member = all[close + 1];
    close += 2;
  }
  if (all[close].isNot(tok::r_paren)) {
    return false;
  }
  const SourceLocation place = all[at].getLocation();
  mark.begin = program_.plain.size();
  users(all[at]);
  program_.plain.back().setIdentifierInfo(preprocessor_.getIdentifierInfo(kDescriptor));
  injected(tok::l_paren, "", place);
  number(program_.descriptors.size(), place);
  users(all[close]);
  program_.isUsers[mark.begin] = program_.isUsers.back() = false;
  mark.end = program_.plain.size();
  program_.descriptors.push_back(mark);
  at = close;
  return true;
}

void Builder::tokens(llvm::ArrayRef<Token> all) {
  const Colons colons = findColons(all);
  for (unsigned i = 0; i < all.size(); ++i) {
    if (colons.contains(i)) {
      i = section(all, colons, i);
    } else if (!descriptor(all, i)) {
      users(all[i]);
    }
  }
}

/// Names that some `for` of the next statement begins with. More than there are do no harm.
llvm::StringSet<> Builder::controlVariables(std::size_t next) const {
  llvm::StringSet<> names;
  unsigned depth = 0;
  for (std::size_t i = next; i < lexed_.tokens.size(); ++i) {
    const Token &token = lexed_.tokens[i];
    depth += token.isOneOf(tok::l_brace, tok::l_paren);
    if (token.isOneOf(tok::r_brace, tok::r_paren) && depth-- == 0) {
      break;
    }
    if (depth == 0 && token.isOneOf(tok::semi, tok::r_brace)) {
      break;
    }
    if (token.is(tok::kw_for)) {
      for (std::size_t j = i + 1; j + 1 < lexed_.tokens.size() && lexed_.tokens[j].isNot(tok::semi);
           ++j) {
        if (lexed_.tokens[j].is(tok::identifier) && lexed_.tokens[j + 1].is(tok::equal)) {
          names.insert(wordOf(lexed_.tokens[j]));
          break;
        }
      }
    }
  }
  return names;
}

/// Decides which of the names in `on` are indices, and which are values.
void Builder::chooseIndices(Directive &directive, std::size_t next) {
  const llvm::StringSet<> controls = controlVariables(next);
  for (Item &item : directive.on->subscripts.items) {
    if (item.kind != Item::Kind::Dummy) {
      continue;
    }
    if (directive.hasIndices) {
      const bool isIndex = llvm::any_of(
          directive.indices, [&](const Token &index) { return wordOf(index) == item.name; });
      if (!isIndex) { // Says nothing of this dimension, whatever loop it names.
        item.kind = controls.contains(item.name) ? Item::Kind::Star : Item::Kind::Value;
      }
    } else if (controls.contains(item.name)) {
      directive.indices.push_back(item.place);
    } else {
      item.kind = Item::Kind::Value;
    }
    if (item.kind == Item::Kind::Value) {
      Expression whole;
      whole.tokens = item.tokens;
      item.first = directive.expressions.size();
      directive.expressions.push_back(std::move(whole));
    }
  }
}

bool Builder::mayStandHere(const Directive &directive) {
  auto &diagnostics = preprocessor_.getDiagnostics();
  if (nest_.empty() && !isDeclarative(directive.kind)) {
    pragma::error(diagnostics, directive.place, "'#pragma xmp %0' can stand in functions only")
        << nameOf(directive.kind);
    return false;
  }
  if (!nest_.empty() && nest_.back() != 'f') {
    pragma::error(diagnostics, directive.place,
                  "'#pragma xmp %0' cannot stand inside of a declaration or an expression")
        << nameOf(directive.kind);
    return false;
  }
  return true;
}

void Builder::expressions(Directive &directive) {
  for (Expression &expression : directive.expressions) {
    const SourceLocation place = expression.place();
    injected(tok::comma, "", place);
    if (expression.isVariable) {
      injected(tok::amp, "", place);
      injected(tok::l_paren, "", place);
    }
    expression.begin = program_.plain.size();
    tokens(expression.tokens);
    expression.end = program_.plain.size();
    if (expression.isVariable) {
      injected(tok::r_paren, "", place);
    }
  }
}

void Builder::directive(Directive directive) {
  const SourceLocation place = directive.place;
  const unsigned id = program_.directives.size();
  directive.isAtFileScope = nest_.empty();
  directive.at = program_.plain.size();
  if (directive.isAtFileScope) {
    injected(tok::kw_static, "static", place);
    injected(tok::kw_void, "void", place);
    injected(tok::identifier, (kAtFileScope + std::to_string(id)).str(), place);
    injected(tok::l_paren, "", place);
    injected(tok::kw_void, "void", place);
    injected(tok::r_paren, "", place);
    injected(tok::l_brace, "", place);
  }
  const bool owns = ownsStatement(directive.kind) && !directive.isAtFileScope;
  if (owns) {
    injected(tok::kw_while, "while", place);
    injected(tok::l_paren, "", place);
  }
  call(kMark, id, place);
  expressions(directive);
  // Begin and end need places of their own, by which the AST's statements are found again.
  const SourceLocation end = place.getLocWithOffset(1);
  injected(tok::r_paren, "", end);
  injected(owns ? tok::r_paren : tok::semi, "", end);
  if (directive.isAtFileScope) {
    injected(tok::r_brace, "", place);
  }
  directive.end = program_.plain.size();
  program_.indices[place] = directive.at;
  program_.indices[end] = directive.end - 1;
  program_.directives.push_back(std::move(directive));
}

void Builder::pragma(const Pragma &pragma) {
  if (!pragma.isXmp) {
    program_.pragmas.push_back(pragma);
    program_.pragmas.back().at = program_.plain.size();
    return;
  }
  for (Directive &parsed : parseDirectives(preprocessor_, pragma.tokens)) {
    if (mayStandHere(parsed)) {
      use(std::move(parsed), pragma.at);
    }
  }
}

/// `next` is the program's token behind it.
void Builder::use(Directive parsed, std::size_t next) {
  if (parsed.kind == DirectiveKind::Loop) {
    chooseIndices(parsed, next);
  }
  // Arrays may be declared behind what is said of them at file scope; inside of functions Clang
  // looks up the name.
  for (Target &target : parsed.targets) {
    const bool isArray =
        parsed.kind == DirectiveKind::Align || parsed.kind == DirectiveKind::Shadow;
    if (isArray && !nest_.empty() && !target.isMember()) {
      Expression variable;
      variable.tokens = {target.name};
      variable.isVariable = true;
      target.expression = parsed.expressions.size();
      parsed.expressions.push_back(std::move(variable));
    }
  }
  directive(std::move(parsed));
}

void Builder::track(const Token &token, const Token &before) {
  if (token.is(tok::l_brace)) {
    const bool isFunction = !nest_.empty() && nest_.back() == 'f'
                                ? !before.isOneOf(tok::equal, tok::comma, tok::identifier,
                                                  tok::kw_struct, tok::kw_union, tok::kw_enum)
                                : nest_.empty() && before.isOneOf(tok::r_paren, tok::semi);
    nest_.push_back(isFunction || (!nest_.empty() && nest_.back() == '(' && before.is(tok::l_paren))
                        ? 'f'
                        : '{');
  } else if (token.isOneOf(tok::l_paren, tok::l_square)) {
    nest_.push_back('(');
  } else if (token.isOneOf(tok::r_brace, tok::r_paren, tok::r_square) && !nest_.empty()) {
    nest_.pop_back();
  }
}

void Builder::collectAligned() {
  for (const Pragma &pragma : lexed_.pragmas) {
    const auto align = llvm::find_if(pragma.tokens, [](const Token &token) {
      return wordOf(token).equals_insensitive("align");
    });
    if (!pragma.isXmp || align == pragma.tokens.end()) {
      continue;
    }
    bool isName = true; // Of `align name ...`; behind `::` all are.
    for (const Token &token : llvm::make_range(align + 1, pragma.tokens.end())) {
      if (token.is(tok::identifier) && isName) {
        aligned_.insert(wordOf(token));
      }
      isName = token.isOneOf(tok::coloncolon, tok::colon, tok::comma);
    }
  }
}

/// A size that need not be constant. Where it is not, Clang gets one that is, and the program's own
/// tokens stay for what will be written.
void Builder::size(llvm::ArrayRef<Token> all, unsigned dimensions) {
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
bool Builder::declarator(llvm::ArrayRef<Token> all, unsigned &at) {
  if (!nest_.empty() || all[at].isNot(tok::identifier) || !aligned_.contains(wordOf(all[at])) ||
      at + 1 == all.size() || all[at + 1].isNot(tok::l_square)) {
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

Program Builder::build() {
  collectAligned();
  std::size_t next = 0;
  const llvm::ArrayRef<Token> all = lexed_.tokens;
  const Colons colons = findColons(all);
  Token before;
  before.startToken();
  for (unsigned i = 0; i < all.size(); ++i) {
    for (; next < lexed_.pragmas.size() && lexed_.pragmas[next].at <= i; ++next) {
      pragma(lexed_.pragmas[next]);
    }
    if (colons.contains(i)) {
      i = section(all, colons, i);
    } else if (!declarator(all, i) && !descriptor(all, i)) {
      users(all[i]);
      track(all[i], before);
    }
    before = all[i];
  }
  return std::move(program_);
}

} // namespace

Program makePlain(Preprocessor &preprocessor, Lexed lexed) {
  return Builder(preprocessor, lexed).build();
}

} // namespace tutti::compiler::xmp
