// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/token_writer.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <string>

using namespace clang;

namespace tutti::compiler::ompss {

TokenWriter &TokenWriter::text(llvm::StringRef text) {
  if (text.empty()) {
    return *this;
  }
  // All of the text in one place: Clang warns of brackets that seem to come from several macros.
  Token whole;
  whole.startToken();
  whole.setKind(tok::string_literal);
  preprocessor_.CreateString(text, whole, where_, where_);
  const std::string copy = text.str(); // The lexer wants a zero at the end.
  const char *begin = copy.c_str();
  Lexer lexer(SourceLocation(), preprocessor_.getLangOpts(), begin, begin, begin + copy.size());
  Token token;
  for (lexer.LexFromRawLexer(token); token.isNot(tok::eof); lexer.LexFromRawLexer(token)) {
    const std::ptrdiff_t offset = lexer.getBufferLocation() - begin - token.getLength();
    token.setLocation(whole.getLocation().getLocWithOffset(static_cast<int>(offset)));
    if (token.is(tok::raw_identifier)) {
      preprocessor_.LookUpIdentifierInfo(token);
      token.setFlag(Token::DisableExpand);
    } else if (token.isLiteral()) {
      token.setLiteralData(whole.getLiteralData() + offset);
    }
    tokens_.push_back(token);
  }
  return *this;
}

TokenWriter &TokenWriter::number(std::int64_t value) { return text(std::to_string(value)); }

TokenWriter &TokenWriter::literal(llvm::StringRef content) {
  std::string spelling = "\"";
  for (const char c : content) {
    if (c == '"' || c == '\\') {
      spelling += '\\';
    }
    spelling += c;
  }
  spelling += '"';
  return text(spelling);
}

TokenWriter &TokenWriter::tokens(TokensRef tokens) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  return *this;
}

TokenWriter &TokenWriter::group(TokensRef tokens) { return text("(").tokens(tokens).text(")"); }

TokenWriter &TokenWriter::annotation(tok::TokenKind kind) {
  Token token;
  token.startToken();
  token.setKind(kind);
  token.setLocation(where_);
  token.setAnnotationEndLoc(where_);
  token.setAnnotationValue(nullptr);
  tokens_.push_back(token);
  return *this;
}

void enter(Preprocessor &preprocessor, TokensRef tokens) {
  if (tokens.empty()) {
    return;
  }
  auto copy = std::make_unique<Token[]>(tokens.size());
  std::copy(tokens.begin(), tokens.end(), copy.get());
  preprocessor.EnterTokenStream(std::move(copy), tokens.size(), /*DisableMacroExpansion=*/true,
                                /*IsReinject=*/false);
}

llvm::StringRef wordOf(const Token &token) {
  if (token.isAnnotation() || token.isLiteral()) {
    return {};
  }
  const IdentifierInfo *info = token.getIdentifierInfo();
  return info ? info->getName() : llvm::StringRef();
}

bool isWord(const Token &token, llvm::StringRef word) { return wordOf(token) == word; }

bool contains(TokensRef tokens, llvm::StringRef word) {
  return llvm::any_of(tokens, [&](const Token &token) { return isWord(token, word); });
}

} // namespace tutti::compiler::ompss
