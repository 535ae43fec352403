// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes tokens that the parser reads as if the user had written them. Knows no directive.
#pragma once

#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace tutti::compiler::ompss {

using Tokens = std::vector<clang::Token>;
using TokensRef = llvm::ArrayRef<clang::Token>;

/// Puts tokens together: made ones, all of which stand at one place of the source, and those of the
/// user, which keep theirs.
class TokenWriter {
public:
  /// Errors about made tokens are reported at `where`.
  TokenWriter(clang::Preprocessor &preprocessor, clang::SourceLocation where)
      : preprocessor_(preprocessor), where_(where) {}

  /// The tokens of a text: names, numbers and punctuation, no macros.
  TokenWriter &text(llvm::StringRef text);

  TokenWriter &number(std::int64_t value);

  /// A string literal with this content.
  TokenWriter &literal(llvm::StringRef content);

  /// The user's.
  TokenWriter &tokens(TokensRef tokens);

  /// The user's, in parentheses.
  TokenWriter &group(TokensRef tokens);

  /// A token that stands for a whole construct of the parser.
  TokenWriter &annotation(clang::tok::TokenKind kind);

  /// Errors about tokens that are made from now on are reported at `where`.
  TokenWriter &at(clang::SourceLocation where) {
    where_ = where;
    return *this;
  }

  bool isCxx() const { return preprocessor_.getLangOpts().CPlusPlus; }

  Tokens take() { return std::move(tokens_); }

private:
  clang::Preprocessor &preprocessor_;
  clang::SourceLocation where_;
  Tokens tokens_;
};

/// Hands `tokens` to the parser before all that it has not read yet.
void enter(clang::Preprocessor &preprocessor, TokensRef tokens);

/// Whether a token is the name `word`, as identifier or keyword.
bool isWord(const clang::Token &token, llvm::StringRef word);

/// Whether one of the tokens is the name `word`.
bool contains(TokensRef tokens, llvm::StringRef word);

/// The spelling of an identifier or keyword; empty for other tokens.
llvm::StringRef wordOf(const clang::Token &token);

} // namespace tutti::compiler::ompss
