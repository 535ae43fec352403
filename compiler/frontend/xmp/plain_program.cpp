// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/xmp/directive_parser.h"
#include "compiler/frontend/xmp/program_builder.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Names that some `for` of the next statement begins with. More than there are do no harm.
llvm::StringSet<> ProgramBuilder::controlVariables(std::size_t next) const {
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
          names.insert(Cursor::wordOf(lexed_.tokens[j]));
          break;
        }
      }
    }
  }
  return names;
}

/// Decides which of the names in `on` are indices, and which are values.
/// False after an error.
bool ProgramBuilder::chooseIndices(Directive &directive, std::size_t next) {
  const llvm::StringSet<> controls = controlVariables(next);
  const Token *wrong =
      indexInExpression(directive, directive.on->subscripts, [&](llvm::StringRef name) {
        const auto isName = [&](const Token &index) { return Cursor::wordOf(index) == name; };
        return controls.contains(name) &&
               (!directive.hasIndices || llvm::any_of(directive.indices, isName));
      });
  if (wrong) {
    pragma::error(preprocessor_.getDiagnostics(), wrong->getLocation(), kIndexInExpression)
        << Cursor::wordOf(*wrong);
    return false;
  }
  for (Item &item : directive.on->subscripts.items) {
    if (item.kind != Item::Kind::Dummy) {
      continue;
    }
    if (directive.hasIndices) {
      const bool isIndex = llvm::any_of(directive.indices, [&](const Token &index) {
        return Cursor::wordOf(index) == item.name;
      });
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
  return true;
}

bool ProgramBuilder::mayStandHere(const Directive &directive) {
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

void ProgramBuilder::expressions(Directive &directive) {
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

void ProgramBuilder::directive(Directive directive) {
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

/// Notes where variants of functions begin and end. In a header like <omp.h> nothing of the
/// program's can stand in them.
void ProgramBuilder::variant(const Pragma &pragma) {
  const auto isWord = [&](unsigned at, llvm::StringRef word) {
    return at < pragma.tokens.size() && Cursor::wordOf(pragma.tokens[at]) == word;
  };
  const bool isBegin = isWord(1, "begin");
  if (!isWord(0, "omp") || (!isBegin && !isWord(1, "end")) || !isWord(2, "declare") ||
      !isWord(3, "variant")) {
    return;
  }
  if (isBegin && !preprocessor_.getSourceManager().isInSystemHeader(pragma.place)) {
    pragma::error(preprocessor_.getDiagnostics(), pragma.tokens[1].getLocation(),
                  "functions cannot be variants of others in XcalableMP");
  }
  const unsigned at = program_.plain.size();
  if (isBegin) {
    program_.variants.emplace_back(at, at);
  } else if (!program_.variants.empty()) {
    program_.variants.back().second = at;
  }
}

void ProgramBuilder::pragma(const Pragma &pragma) {
  if (!pragma.isXmp) {
    program_.pragmas.push_back(pragma);
    program_.pragmas.back().at = program_.plain.size();
    variant(pragma);
    return;
  }
  for (Directive &parsed : parseDirectives(preprocessor_, pragma.tokens)) {
    if (mayStandHere(parsed)) {
      use(std::move(parsed), pragma.at);
    }
  }
}

/// `next` is the program's token behind it.
void ProgramBuilder::use(Directive parsed, std::size_t next) {
  if (parsed.kind == DirectiveKind::Loop && !chooseIndices(parsed, next)) {
    return;
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

void ProgramBuilder::track(const Token &token, const Token &before) {
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

Program ProgramBuilder::build() {
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

Program makePlain(Preprocessor &preprocessor, Lexed lexed) {
  return ProgramBuilder(preprocessor, lexed).build();
}

} // namespace tutti::compiler::xmp
