// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/lexer.h"

#include "compiler/frontend/luna/characters.h"

#include <algorithm>
#include <array>

namespace tutti::compiler::luna {

namespace {

constexpr auto kReserved =
    std::to_array<std::string_view>({"as", "cf", "df", "else", "for", "if", "import", "in", "int",
                                     "let", "name", "real", "string", "sub", "value", "while"});

/// The longest first.
constexpr auto kMarks = std::to_array<std::string_view>(
    {"C++", "-->", "..", "==", "<=", ">=", "!=", "=>", "&&", "||", "<<", ">>",
     "$",   "&",   "=",  "<",  ">",  ";",  ":",  "?",  ",",  "{",  "}",  "(",
     ")",   "[",   "]",  "+",  "-",  "*",  "/",  "%",  "@",  "!"});

class Lexer {
public:
  Lexer(const PreprocessedProgram &program, Messages &messages)
      : program_(program), text_(program.text.characters()), messages_(messages) {}

  std::vector<Token> run() {
    for (;;) {
      while (at_ < text_.size() && isSpace(text_[at_])) {
        ++at_;
      }
      if (at_ == text_.size()) {
        break;
      }
      readOne();
    }
    add(Token::Kind::End, at_);
    return std::move(tokens_);
  }

private:
  void readOne() {
    const char first = text_[at_];
    if (first == kForeign) {
      add(Token::Kind::Foreign, at_ + 1);
    } else if (isDigit(first)) {
      readNumber();
    } else if (first == '"') {
      readString();
    } else if (const std::string_view mark = markHere(); !mark.empty()) {
      add(Token::Kind::Mark, at_ + mark.size());
    } else if (isNameStart(first)) {
      add(Token::Kind::Word, behindName(at_));
    } else {
      unknown();
    }
  }

  std::string_view markHere() const {
    const auto found = std::ranges::find_if(
        kMarks, [&](std::string_view mark) { return text_.substr(at_).starts_with(mark); });
    return found == kMarks.end() ? std::string_view() : *found;
  }

  std::size_t behindName(std::size_t at) const {
    while (at < text_.size() && isNameCharacter(text_[at])) {
      ++at;
    }
    return at;
  }

  std::size_t behindDigits(std::size_t at) const {
    while (at < text_.size() && isDigit(text_[at])) {
      ++at;
    }
    return at;
  }

  bool isDigitAt(std::size_t at) const { return at < text_.size() && isDigit(text_[at]); }

  void readNumber() {
    std::size_t end = behindDigits(at_);
    Token::Kind kind = Token::Kind::Integer;
    if (text_.substr(end).starts_with('.') && isDigitAt(end + 1)) {
      kind = Token::Kind::Real;
      end = behindDigits(end + 1);
    }
    if (kind == Token::Kind::Real && end < text_.size() &&
        (text_[end] == 'e' || text_[end] == 'E')) {
      const bool hasSign =
          end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-');
      const std::size_t digits = end + (hasSign ? 2 : 1);
      end = isDigitAt(digits) ? behindDigits(digits) : end;
    }
    add(kind, end);
  }

  void readString() {
    const std::size_t begin = at_;
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    add(Token::Kind::String, std::min(end + 1, text_.size()));
    tokens_.back().text = text_.substr(begin + 1, end - begin - 1);
  }

  void unknown() {
    const std::size_t begin = at_;
    do {
      ++at_; // One message for a run of them, such as the bytes of one letter.
    } while (at_ < text_.size() && static_cast<signed char>(text_[at_]) < 0 &&
             static_cast<signed char>(text_[begin]) < 0);
    const bool isShown = static_cast<signed char>(text_[begin]) < 0 || text_[begin] > ' ';
    messages_.error(program_.text.locate(begin), "E-SYNTAX",
                    isShown ? "unexpected '" + std::string(text_.substr(begin, at_ - begin)) + "'"
                            : "unexpected character");
  }

  void add(Token::Kind kind, std::size_t end) {
    tokens_.push_back({kind, static_cast<Position>(at_), static_cast<Position>(end),
                       text_.substr(at_, end - at_)});
    at_ = end;
  }

  const PreprocessedProgram &program_;
  std::string_view text_;
  Messages &messages_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

} // namespace

bool isReserved(std::string_view word) {
  return std::ranges::find(kReserved, word) != kReserved.end();
}

std::vector<Token> readTokens(const PreprocessedProgram &program, Messages &messages) {
  return Lexer(program, messages).run();
}

} // namespace tutti::compiler::luna
