// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Goes through the tokens of a directive, and takes lists and expressions out of them.
#pragma once

#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/xmp/directive.h"

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/ArrayRef.h"

namespace tutti::compiler::xmp {

/// What may stand in the brackets of a list.
enum class ItemSyntax {
  Subscript, ///< `E`, `:`, triplet, `*`
  Dummy,     ///< As Subscript, and `name + E`
  Format,
  Width, ///< `E`, `E:E`, `*`; a triplet is no section
};

/// Every function that returns bool returns false after it has reported an error.
/// Always: the last token is the end of the directive, and is never passed.
class Cursor {
public:
  Cursor(clang::Preprocessor &preprocessor, const std::vector<clang::Token> &tokens,
         std::vector<Expression> &expressions)
      : preprocessor_(preprocessor), tokens_(tokens), expressions_(expressions) {}

  const clang::Token &token() const { return tokens_[at_]; }

  const clang::Token &ahead(unsigned count) const {
    return tokens_[std::min<std::size_t>(at_ + count, tokens_.size() - 1)];
  }

  bool atEnd() const { return token().is(clang::tok::eod); }

  /// The spelling of an identifier or keyword, else empty.
  static llvm::StringRef wordOf(const clang::Token &token);

  /// Compares as keywords do: any case.
  bool isWord(llvm::StringRef keyword) const;

  clang::Token take();
  bool accept(clang::tok::TokenKind kind);
  bool acceptWord(llvm::StringRef keyword);
  bool acceptDoubleColon();
  bool atDoubleColon() const;
  bool expect(clang::tok::TokenKind kind, const char *spelling);
  bool expectWord(llvm::StringRef keyword);
  bool name(clang::Token &name, const char *what);

  bool atList() const {
    return token().isOneOf(clang::tok::l_paren, clang::tok::l_square) && !atEnd();
  }

  /// One list, in normal order.
  bool items(ItemSyntax syntax, Items &items);

  /// An expression that ends in front of a comma, a closing bracket, or a colon.
  bool expression(ExpressionId &id);

  /// Makes an expression of tokens.
  unsigned add(std::vector<clang::Token> tokens, bool isVariable = false);

  /// `name`, `name.member`, `name[...]...`: a variable or a section of one.
  bool operand(ExpressionId &id);

  template <std::size_t N>
  clang::DiagnosticBuilder error(clang::SourceLocation where, const char (&text)[N]) {
    return pragma::error(preprocessor_.getDiagnostics(), where, text);
  }

  clang::SourceLocation place() const { return token().getLocation(); }

private:
  bool item(ItemSyntax syntax, Item &item);
  bool triplet(Item &item);
  bool format(Item &item);
  bool dummy(Item &item);
  bool isDummy() const;
  bool atItemEnd(unsigned ahead) const;
  std::vector<clang::Token> tokensOfExpression();

  clang::Preprocessor &preprocessor_;
  const std::vector<clang::Token> &tokens_;
  std::vector<Expression> &expressions_;
  std::size_t at_ = 0;
};

} // namespace tutti::compiler::xmp
