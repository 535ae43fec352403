// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One `#pragma oss` line: its directive and its clauses, with the tokens of their arguments. Reads
/// the line and reports what is wrong with it as such; what the arguments mean is not known here.
#pragma once

#include "compiler/frontend/ompss/token_writer.h"
#include "compiler/frontend/pragma/diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::compiler::ompss {

enum class DirectiveKind : std::uint8_t {
#define OSS_DIRECTIVE(NAME, WORD) NAME,
#include "compiler/frontend/ompss/directives.def"
};

/// How the arguments of a clause read.
enum class ClauseForm : std::uint8_t {
  None,       ///< There are none.
  Optional,   ///< There may be an expression.
  Expression, ///< One expression.
  Word,       ///< One word.
  Names,      ///< Variables.
  Items,      ///< Dependence items.
  Depend,     ///< OpenMP's spelling: a kind, a colon, items.
  Reduction,  ///< An operation, a colon, items.
  Label,      ///< A text, and maybe a text of this instance.
  Sizes,      ///< Expressions.
};

enum class ClauseKind : std::uint8_t {
#define OSS_CLAUSE(NAME, WORD, FORM, WHERE) NAME,
#include "compiler/frontend/ompss/directives.def"
};

ClauseForm formOf(ClauseKind kind);

/// As the user writes it.
llvm::StringRef wordOf(ClauseKind kind);
llvm::StringRef wordOf(DirectiveKind kind);

struct Clause {
  ClauseKind kind;
  clang::SourceLocation where;
  Tokens arguments;            ///< Between the parentheses.
  clang::SourceLocation close; ///< Of the closing one.
};

/// Always: the clauses are ones that the directive takes, with parentheses that match.
struct Directive {
  DirectiveKind kind;
  clang::SourceLocation where; ///< Of the `#`.
  clang::SourceLocation end;   ///< Of the end of the line.
  std::vector<Clause> clauses;
  Tokens rest; ///< Of directives without such clauses: all that comes after its name.

  const Clause *find(ClauseKind kind) const;
};

/// Reads a line of which the preprocessor has given `first`, the token `oss`, up to and with its
/// end. Nothing if an error was reported.
std::optional<Directive> readDirective(clang::Preprocessor &preprocessor,
                                       clang::SourceLocation where, clang::Token &first);

using pragma::error;
using pragma::warning;

} // namespace tutti::compiler::ompss
