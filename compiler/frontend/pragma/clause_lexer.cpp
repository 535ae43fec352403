// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/clause_lexer.h"

#include <limits>

using namespace clang;

namespace tutti::compiler::pragma {

namespace {

/// How strongly a binary operator binds; 0 for other tokens.
int strengthOf(tok::TokenKind kind) {
  switch (kind) {
  case tok::star:
  case tok::slash:
  case tok::percent:
    return 3;
  case tok::plus:
  case tok::minus:
    return 2;
  case tok::lessless:
  case tok::greatergreater:
    return 1;
  default:
    return 0;
  }
}

/// Nothing if the result is not defined or does not fit.
std::optional<std::int64_t> apply(tok::TokenKind kind, std::int64_t left, std::int64_t right) {
  constexpr std::int64_t kBits = 62;
  std::int64_t result = 0;
  bool overflows = false;
  switch (kind) {
  case tok::star:
    overflows = __builtin_mul_overflow(left, right, &result);
    break;
  case tok::plus:
    overflows = __builtin_add_overflow(left, right, &result);
    break;
  case tok::minus:
    overflows = __builtin_sub_overflow(left, right, &result);
    break;
  case tok::slash:
  case tok::percent:
    overflows = right == 0 || (right == -1 && left == std::numeric_limits<std::int64_t>::min());
    if (!overflows) {
      result = kind == tok::slash ? left / right : left % right;
    }
    break;
  default: // Shifts.
    overflows = right < 0 || right > kBits;
    if (!overflows && kind == tok::lessless) {
      overflows = __builtin_mul_overflow(left, std::int64_t{1} << right, &result);
    } else if (!overflows) {
      result = left >> right;
    }
  }
  return overflows ? std::nullopt : std::optional(result);
}

} // namespace

llvm::StringRef nearestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> words) {
  llvm::StringRef nearest;
  unsigned best = word.size() / 3 + 2; // A third of the letters may be wrong, and one more.
  for (llvm::StringRef candidate : words) {
    const unsigned distance = word.edit_distance_insensitive(candidate);
    if (distance < best && distance < candidate.size() - 1) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

ClauseLexer::ClauseLexer(Preprocessor &preprocessor, Token &first)
    : preprocessor_(preprocessor), token_(first) {
  preprocessor_.LexUnexpandedToken(token_);
}

ClauseLexer::~ClauseLexer() {
  while (!atEnd()) {
    preprocessor_.LexUnexpandedToken(token_);
  }
}

llvm::StringRef ClauseLexer::word() const {
  const IdentifierInfo *info =
      token_.isAnyIdentifier() || token_.getIdentifierInfo() ? token_.getIdentifierInfo() : nullptr;
  return info ? info->getName() : llvm::StringRef();
}

bool ClauseLexer::open() {
  const std::string name = word().str();
  preprocessor_.LexUnexpandedToken(token_);
  if (token_.isNot(tok::l_paren)) {
    error(token_.getLocation(), "expected '(' after '%0'") << name;
    return false;
  }
  skip();
  return true;
}

bool ClauseLexer::close() {
  if (token_.isNot(tok::r_paren)) {
    error(token_.getLocation(), "expected ')'");
    return false;
  }
  preprocessor_.LexUnexpandedToken(token_);
  if (token_.is(tok::comma)) {
    preprocessor_.LexUnexpandedToken(token_);
  }
  return true;
}

bool ClauseLexer::accept(tok::TokenKind kind) {
  if (token_.isNot(kind)) {
    return false;
  }
  skip();
  return true;
}

std::optional<std::int64_t> ClauseLexer::integer() { return binary(1); }

std::optional<std::int64_t> ClauseLexer::operand() {
  const SourceLocation where = token_.getLocation();
  if (accept(tok::minus)) {
    const auto value = operand();
    return value ? apply(tok::minus, 0, *value) : std::nullopt;
  }
  if (accept(tok::plus)) {
    return operand();
  }
  if (accept(tok::l_paren)) {
    const auto value = binary(1);
    if (value && !accept(tok::r_paren)) {
      error(token_.getLocation(), "expected ')'");
      return std::nullopt;
    }
    return value;
  }
  std::uint64_t value = 0;
  if (token_.is(tok::numeric_constant)) {
    if (preprocessor_.parseSimpleIntegerLiteral(token_, value) &&
        value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
      return value;
    }
    error(where, "expected an integer constant");
  } else if (!word().empty()) {
    error(where, "'%0' is not an integer constant; only literals and macros can be used here")
        << word();
  } else {
    error(where, "expected an integer constant");
  }
  return std::nullopt;
}

std::optional<std::int64_t> ClauseLexer::binary(int weakest) {
  auto left = operand();
  while (left) {
    const tok::TokenKind kind = token_.getKind();
    const int strength = strengthOf(kind);
    if (strength < weakest || strength == 0) {
      break;
    }
    const SourceLocation where = token_.getLocation();
    skip();
    const auto right = binary(strength + 1);
    if (!right) {
      return std::nullopt;
    }
    left = apply(kind, *left, *right);
    if (!left) {
      error(where, "this constant is not defined or does not fit into 64 bits");
    }
  }
  return left;
}

} // namespace tutti::compiler::pragma
