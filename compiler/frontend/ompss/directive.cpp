// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/directive.h"

#include "compiler/frontend/pragma/clause_lexer.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <utility>

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

constexpr std::uint32_t in(DirectiveKind kind) { return 1U << static_cast<unsigned>(kind); }

struct ClauseRow {
  ClauseKind kind;
  llvm::StringLiteral word;
  ClauseForm form;
  std::uint32_t directives;
};

struct DirectiveRow {
  DirectiveKind kind;
  llvm::StringLiteral word;
};

constexpr DirectiveRow kDirectives[] = {
#define OSS_DIRECTIVE(NAME, WORD) {DirectiveKind::NAME, WORD},
#include "compiler/frontend/ompss/directives.def"
};

using enum DirectiveKind;
constexpr ClauseRow kClauses[] = {
#define OSS_CLAUSE(NAME, WORD, FORM, WHERE) {ClauseKind::NAME, WORD, ClauseForm::FORM, WHERE},
#include "compiler/frontend/ompss/directives.def"
};

const ClauseRow *rowOf(llvm::StringRef word) {
  const auto *found =
      llvm::find_if(kClauses, [&](const ClauseRow &row) { return row.word == word; });
  return found == std::end(kClauses) ? nullptr : found;
}

/// Reads one line. Every member that returns a bool has reported an error if it is false.
class Reader {
public:
  Reader(Preprocessor &preprocessor, Token &token)
      : preprocessor_(preprocessor), diagnostics_(preprocessor.getDiagnostics()), token_(token) {}

  std::optional<Directive> read(SourceLocation where) {
    preprocessor_.LexUnexpandedToken(token_);
    Directive directive{};
    directive.where = where;
    const bool isRead =
        name(directive) && (hasClauses(directive.kind) ? clauses(directive) : takeRest(directive));
    while (!atEnd()) {
      preprocessor_.LexUnexpandedToken(token_);
    }
    directive.end = token_.getLocation();
    return isRead ? std::optional(std::move(directive)) : std::nullopt;
  }

private:
  bool atEnd() const { return token_.isOneOf(tok::eod, tok::eof); }

  llvm::StringRef word() const { return ompss::wordOf(token_); }

  static bool hasClauses(DirectiveKind kind) { return kind <= DirectiveKind::Release; }

  bool name(Directive &directive);
  bool second(llvm::StringRef word);
  bool clauses(Directive &directive);
  bool clause(Directive &directive);
  bool arguments(Clause &clause, bool areOptional);
  bool takeRest(Directive &directive);
  bool unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid);

  Preprocessor &preprocessor_;
  DiagnosticsEngine &diagnostics_;
  Token &token_;
};

bool Reader::unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid) {
  if (word().empty()) {
    error(diagnostics_, token_.getLocation(), "expected a %0 of OmpSs-2") << what;
    return false;
  }
  const llvm::StringRef nearest = pragma::nearestWord(word(), valid);
  if (nearest.empty()) {
    error(diagnostics_, token_.getLocation(), "unknown %0 '%1'") << what << word();
  } else {
    error(diagnostics_, token_.getLocation(), "unknown %0 '%1'; did you mean '%2'?")
        << what << word() << nearest << FixItHint::CreateReplacement(token_.getLocation(), nearest);
  }
  return false;
}

/// Reads past the second word of a directive's name, if it is this one.
bool Reader::second(llvm::StringRef expected) {
  if (word() != expected) {
    return false;
  }
  preprocessor_.LexUnexpandedToken(token_);
  return true;
}

bool Reader::name(Directive &directive) {
  llvm::SmallVector<llvm::StringRef, 16> names;
  for (const DirectiveRow &row : kDirectives) {
    names.push_back(row.word.split(' ').first);
  }
  const std::string first = word().str();
  const auto *found = llvm::find_if(kDirectives, [&](const DirectiveRow &row) {
    return row.word.split(' ').first == llvm::StringRef(first);
  });
  if (found == std::end(kDirectives)) {
    return unknown("directive", names);
  }
  directive.kind = found->kind;
  if (directive.kind == DirectiveKind::Assert || directive.kind == DirectiveKind::Critical ||
      directive.kind == DirectiveKind::Lint) {
    preprocessor_.Lex(token_);
    return true;
  }
  preprocessor_.LexUnexpandedToken(token_);
  if (directive.kind == DirectiveKind::Task && second("for")) {
    directive.kind = DirectiveKind::TaskFor;
  } else if (directive.kind == DirectiveKind::Taskloop && second("for")) {
    directive.kind = DirectiveKind::TaskloopFor;
  } else if (directive.kind == DirectiveKind::Declare && !second("reduction")) {
    error(diagnostics_, token_.getLocation(), "expected 'reduction' after 'declare'");
    return false;
  }
  return true;
}

bool Reader::takeRest(Directive &directive) {
  while (!atEnd()) {
    directive.rest.push_back(token_);
    preprocessor_.Lex(token_);
  }
  return true;
}

bool Reader::clauses(Directive &directive) {
  while (!atEnd()) {
    if (token_.is(tok::comma) && !directive.clauses.empty()) {
      preprocessor_.LexUnexpandedToken(token_);
    }
    // Names of clauses may be macros, and arguments may hold some.
    if (token_.is(tok::identifier) && !rowOf(word()) &&
        token_.getIdentifierInfo()->hasMacroDefinition()) {
      auto again = std::make_unique<Token[]>(1);
      again[0] = token_;
      preprocessor_.EnterTokenStream(std::move(again), 1, /*DisableMacroExpansion=*/false,
                                     /*IsReinject=*/true);
      preprocessor_.Lex(token_);
    }
    if (atEnd()) {
      break;
    }
    if (word().empty()) {
      warning(diagnostics_, token_.getLocation(),
              "extra tokens at the end of '#pragma oss %0' are ignored")
          << wordOf(directive.kind);
      break;
    }
    if (!clause(directive)) {
      return false;
    }
  }
  return true;
}

bool Reader::clause(Directive &directive) {
  const ClauseRow *row = rowOf(word());
  if (!row || (row->directives & in(directive.kind)) == 0) {
    if (row) {
      error(diagnostics_, token_.getLocation(), "'#pragma oss %0' takes no clause '%1'")
          << wordOf(directive.kind) << word();
      return false;
    }
    llvm::SmallVector<llvm::StringRef, 40> valid;
    for (const ClauseRow &each : kClauses) {
      if ((each.directives & in(directive.kind)) != 0) {
        valid.push_back(each.word);
      }
    }
    return unknown("clause", valid);
  }
  Clause clause{row->kind, token_.getLocation(), {}, token_.getLocation()};
  const bool isList = row->form == ClauseForm::Items || row->form == ClauseForm::Depend ||
                      row->form == ClauseForm::Reduction || row->form == ClauseForm::Names;
  if (!isList && directive.find(row->kind)) {
    error(diagnostics_, clause.where, "more than one clause '%0' in one directive") << row->word;
    return false;
  }
  preprocessor_.LexUnexpandedToken(token_);
  if (row->form != ClauseForm::None && !arguments(clause, row->form == ClauseForm::Optional)) {
    return false;
  }
  directive.clauses.push_back(std::move(clause));
  return true;
}

bool Reader::arguments(Clause &clause, bool areOptional) {
  if (token_.isNot(tok::l_paren)) {
    if (!areOptional) {
      error(diagnostics_, token_.getLocation(), "expected '(' after '%0'") << wordOf(clause.kind);
    }
    return areOptional;
  }
  const SourceLocation open = token_.getLocation();
  llvm::SmallVector<tok::TokenKind, 8> closers{tok::r_paren};
  preprocessor_.Lex(token_);
  while (!atEnd()) {
    if (token_.is(tok::l_paren)) {
      closers.push_back(tok::r_paren);
    } else if (token_.is(tok::l_square)) {
      closers.push_back(tok::r_square);
    } else if (token_.is(tok::l_brace)) {
      closers.push_back(tok::r_brace);
    } else if (token_.isOneOf(tok::r_paren, tok::r_square, tok::r_brace)) {
      if (token_.isNot(closers.back())) {
        break;
      }
      closers.pop_back();
    }
    if (closers.empty()) {
      clause.close = token_.getLocation();
      preprocessor_.LexUnexpandedToken(token_);
      if (clause.arguments.empty()) {
        error(diagnostics_, clause.close, "clause '%0' needs an argument") << wordOf(clause.kind);
        return false;
      }
      return true;
    }
    clause.arguments.push_back(token_);
    preprocessor_.Lex(token_);
  }
  error(diagnostics_, token_.getLocation(), "expected '%0'")
      << (closers.back() == tok::r_paren    ? ")"
          : closers.back() == tok::r_square ? "]"
                                            : "}");
  diagnostics_.Report(open, diag::note_matching) << tok::l_paren;
  return false;
}

} // namespace

ClauseForm formOf(ClauseKind kind) { return kClauses[static_cast<std::size_t>(kind)].form; }

llvm::StringRef wordOf(ClauseKind kind) { return kClauses[static_cast<std::size_t>(kind)].word; }

llvm::StringRef wordOf(DirectiveKind kind) {
  return kDirectives[static_cast<std::size_t>(kind)].word;
}

const Clause *Directive::find(ClauseKind wanted) const {
  const auto found =
      llvm::find_if(clauses, [&](const Clause &clause) { return clause.kind == wanted; });
  return found == clauses.end() ? nullptr : &*found;
}

std::optional<Directive> readDirective(Preprocessor &preprocessor, SourceLocation where,
                                       Token &first) {
  return Reader(preprocessor, first).read(where);
}

} // namespace tutti::compiler::ompss
