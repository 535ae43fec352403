// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads the clauses of one pragma token by token, with errors as Clang diagnostics. Knows no
/// clause.
#pragma once

#include "compiler/frontend/pragma/diagnostics.h"

#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tutti::compiler::pragma {

/// The one of `words` that a misspelt `word` most likely means, or an empty string.
llvm::StringRef nearestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> words);

/// Always: `token()` is the first token not yet read; clause names are not expanded as macros, what
///         stands in their parentheses is.
class ClauseLexer {
public:
  /// `first` is the pragma's name. The rest of the line is consumed by the destructor.
  ClauseLexer(clang::Preprocessor &preprocessor, clang::Token &first);
  ClauseLexer(const ClauseLexer &) = delete;
  ClauseLexer &operator=(const ClauseLexer &) = delete;
  ~ClauseLexer();

  const clang::Token &token() const { return token_; }

  bool atEnd() const { return token_.is(clang::tok::eod); }

  /// The spelling of an identifier or keyword, empty for other tokens. Does not read past it.
  llvm::StringRef word() const;

  /// Reads past the name of a clause and `(`. Reports an error if there is none.
  bool open();

  /// Reads past `)` to the next clause, and past a comma behind it. Reports an error if there is
  /// none.
  bool close();

  /// Reads past a token inside of parentheses if it is of this kind.
  bool accept(clang::tok::TokenKind kind);

  /// Reads past one token inside of parentheses.
  void skip() { preprocessor_.Lex(token_); }

  /// Reads an expression of integer literals, `+ - * / % << >>` and parentheses. Reports an error
  /// if there is none, or if it overflows.
  std::optional<std::int64_t> integer();

  /// Begins an error with a text in the form of Clang's diagnostics.
  template <std::size_t N>
  clang::DiagnosticBuilder error(clang::SourceLocation where, const char (&text)[N]) {
    return pragma::error(preprocessor_.getDiagnostics(), where, text);
  }

private:
  std::optional<std::int64_t> operand();
  std::optional<std::int64_t> binary(int weakest);

  clang::Preprocessor &preprocessor_;
  clang::Token &token_;
};

} // namespace tutti::compiler::pragma
