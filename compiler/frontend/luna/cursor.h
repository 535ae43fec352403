// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where a parser is in the tokens, and the errors it meets there.
#pragma once

#include "compiler/frontend/luna/lexer.h"

#include <algorithm>
#include <string>

namespace tutti::compiler::luna {

/// Always: a token is complained about once, so that no error follows from another.
class Cursor {
public:
  Cursor(const PreprocessedProgram &program, const std::vector<Token> &tokens, Messages &messages)
      : program_(program), tokens_(tokens), messages_(messages) {}

  const Token &token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  std::size_t index() const { return at_; }

  bool is(std::string_view word) const { return token().is(word); }

  bool isName() const { return token().kind == Token::Kind::Word && !isReserved(token().text); }

  bool isEnd() const { return token().kind == Token::Kind::End; }

  Position behindLast() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }

  void next() { at_ = std::min(at_ + 1, tokens_.size() - 1); }

  /// Says that the token is one level too deep for whoever reads it; nothing more will be read, nor
  /// said of it.
  void stopTooDeep() {
    messages_.error(program_.text.locate(token().at), "E-SYNTAX", "this is nested too deeply");
    at_ = tokens_.size() - 1;
    failed_ = at_ + 1;
  }

  /// Takes the token if it is this one.
  bool take(std::string_view word) {
    if (!is(word)) {
      return false;
    }
    next();
    return true;
  }

  /// Takes the token, or says that it should be there.
  bool expect(std::string_view word, std::string_view where) {
    return take(word) || fail("'" + std::string(word) + "' " + std::string(where));
  }

  /// Says what should be here; always false.
  bool fail(const std::string &expected) { return failAt(token().at, expected); }

  /// As `fail`, behind the last token: for what ends something.
  bool failBehind(const std::string &expected) {
    return failAt(at_ == 0 ? 0 : tokens_[at_ - 1].end, expected);
  }

private:
  bool failAt(Position at, const std::string &expected) {
    if (failed_ != at_ + 1) {
      messages_.error(program_.text.locate(at), "E-SYNTAX",
                      "expected " + expected + ", found " + found());
    }
    failed_ = at_ + 1;
    return false;
  }

  std::string found() const {
    constexpr std::size_t kLongest = 40;
    switch (token().kind) {
    case Token::Kind::End:
      return "the end of the program";
    case Token::Kind::String:
      return "a string";
    case Token::Kind::Foreign:
      return "a text of another language";
    default:
      return "'" + std::string(token().text.substr(0, kLongest)) + "'";
    }
  }

  const PreprocessedProgram &program_;
  const std::vector<Token> &tokens_;
  Messages &messages_;
  std::size_t at_ = 0;
  std::size_t failed_ = 0; ///< One more than the token that was complained about last.
};

} // namespace tutti::compiler::luna
