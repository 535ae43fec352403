// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/combined_directive.h"

#include "compiler/frontend/pragma/clause_lexer.h"
#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/xmp/cursor.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

using Tokens = llvm::ArrayRef<Token>;

/// In the order in which they are evaluated. Each row is for one kind of names.
constexpr llvm::StringRef kAttributes[] = {"nodes", "template", "distribute", "align", "shadow"};
constexpr unsigned kTemplate = 1;
constexpr unsigned kKindsOfNames[] = {0, 1, 1, 2, 2};

/// The attribute's number.
std::optional<unsigned> attributeOf(const Token &token) {
  for (unsigned i = 0; i < std::size(kAttributes); ++i) {
    if (Cursor::wordOf(token).equals_insensitive(kAttributes[i])) {
      return i;
    }
  }
  return std::nullopt;
}

/// Calls `visit` with the place of each token outside of brackets, until that returns true.
template <typename Visit> void outside(Tokens tokens, Visit visit) {
  unsigned depth = 0;
  for (unsigned i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (depth == 0 && visit(i)) {
      return;
    }
    depth += token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
    depth -= depth > 0 && token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
  }
}

/// Where the two colons begin that stand outside of brackets; the size if there are none.
unsigned colonsOf(Tokens tokens) {
  unsigned found = tokens.size();
  outside(tokens, [&](unsigned i) {
    const bool areColons =
        i + 1 < tokens.size() && tokens[i].is(tok::colon) && tokens[i + 1].is(tok::colon);
    found = areColons ? i : found;
    return areColons;
  });
  return found;
}

std::vector<Tokens> split(Tokens tokens) {
  std::vector<Tokens> parts;
  unsigned begin = 0;
  outside(tokens, [&](unsigned i) {
    if (tokens[i].is(tok::comma)) {
      parts.push_back(tokens.slice(begin, i - begin));
      begin = i + 1;
    }
    return false;
  });
  parts.push_back(tokens.drop_front(begin));
  return parts;
}

class Combined {
public:
  Combined(Preprocessor &preprocessor, Tokens tokens, unsigned colons)
      : diagnostics_(preprocessor.getDiagnostics()), attributes_(split(tokens.take_front(colons))),
        names_(split(tokens.drop_front(colons + 2).drop_back())), colons_(tokens.slice(colons, 2)),
        end_(tokens.back()) {}

  bool check();
  std::vector<SingleDirective> directives() const;

private:
  bool checkAttributes();
  bool checkSizes();

  static bool hasList(Tokens name) {
    return name.size() > 1 && name[1].isOneOf(tok::l_paren, tok::l_square);
  }

  DiagnosticsEngine &diagnostics_;
  std::vector<Tokens> attributes_;
  std::vector<Tokens> names_;
  Tokens colons_;
  Token end_;
};

bool Combined::checkAttributes() {
  std::optional<unsigned> first;
  llvm::SmallDenseSet<unsigned> seen;
  for (const Tokens &each : attributes_) {
    const Token &token = each.empty() ? colons_.front() : each.front();
    const llvm::StringRef word = each.empty() ? "" : Cursor::wordOf(token);
    const auto attribute = each.empty() ? std::nullopt : attributeOf(token);
    if (!attribute) {
      const llvm::StringRef nearest = pragma::nearestWord(word, kAttributes);
      if (nearest.empty()) {
        pragma::error(diagnostics_, token.getLocation(), "expected an attribute in front of '::'");
      } else {
        pragma::error(diagnostics_, token.getLocation(),
                      "unknown attribute '%0'; did you mean '%1'?")
            << word << nearest << FixItHint::CreateReplacement(token.getLocation(), nearest);
      }
      return false;
    }
    if (!seen.insert(*attribute).second) {
      pragma::error(diagnostics_, token.getLocation(), "'%0' stands here twice") << word;
      return false;
    }
    first = first.value_or(*attribute);
    if (kKindsOfNames[*first] != kKindsOfNames[*attribute]) {
      pragma::error(diagnostics_, token.getLocation(), "'%0' and '%1' are of different names")
          << kAttributes[*first] << kAttributes[*attribute];
      return false;
    }
  }
  return true;
}

/// Node arrays and templates have sizes of their own, or those behind the attribute.
bool Combined::checkSizes() {
  for (const Tokens &attribute : attributes_) {
    const unsigned number = *attributeOf(attribute.front());
    const bool isSized = attribute.size() > 1 && attribute[1].isOneOf(tok::l_paren, tok::l_square);
    if (number <= kTemplate && attribute.size() > 1 &&
        (!isSized || llvm::all_of(names_, hasList))) {
      pragma::error(diagnostics_, attribute[1].getLocation(),
                    "extra tokens behind '%0', whose names have sizes")
          << kAttributes[number];
      return false;
    }
    for (const Tokens &name : names_) {
      if (number <= kTemplate && !isSized && !name.empty() && !hasList(name)) {
        pragma::error(diagnostics_, name.front().getLocation(), "'%0' has no size")
            << Cursor::wordOf(name.front());
        return false;
      }
    }
  }
  return true;
}

bool Combined::check() { return checkAttributes() && checkSizes(); }

std::vector<SingleDirective> Combined::directives() const {
  std::vector<SingleDirective> all;
  std::vector<Tokens> sorted = attributes_;
  llvm::sort(sorted, [](const Tokens &left, const Tokens &right) {
    return *attributeOf(left.front()) < *attributeOf(right.front());
  });
  const bool isDeclared = *attributeOf(sorted.front().front()) <= kTemplate;
  for (const Tokens &attribute : sorted) {
    const bool declares = *attributeOf(attribute.front()) <= kTemplate;
    SingleDirective shared{attribute.vec(), attribute.front().getLocation()};
    bool isFirst = true;
    for (const Tokens &name : names_) {
      if (declares && hasList(name)) { // A directive of its own: `template t[N]`.
        SingleDirective own{{attribute.front()}, name.front().getLocation()};
        own.tokens.insert(own.tokens.end(), name.begin(), name.end());
        own.tokens.push_back(end_);
        all.push_back(std::move(own));
        continue;
      }
      const Tokens separator = isFirst ? colons_ : Tokens();
      if (!isFirst) {
        Token comma = colons_.front();
        comma.setKind(tok::comma);
        shared.tokens.push_back(comma);
      }
      shared.tokens.insert(shared.tokens.end(), separator.begin(), separator.end());
      const bool isWithSize = isDeclared && !declares && !name.empty();
      const Tokens part = isWithSize ? name.take_front(1) : name;
      shared.tokens.insert(shared.tokens.end(), part.begin(), part.end());
      isFirst = false;
    }
    if (!isFirst) {
      shared.tokens.push_back(end_);
      all.push_back(std::move(shared));
    }
  }
  return all;
}

} // namespace

std::optional<std::vector<SingleDirective>> takeApart(Preprocessor &preprocessor,
                                                      const std::vector<Token> &tokens) {
  const unsigned colons = colonsOf(tokens);
  const std::vector<SingleDirective> whole = {{tokens, tokens.front().getLocation()}};
  const auto attribute = attributeOf(tokens.front());
  if (!attribute || colons == tokens.size()) {
    return whole;
  }
  const bool isSingle = split(Tokens(tokens).take_front(colons)).size() == 1;
  if (isSingle && *attribute > kTemplate) {
    return whole;
  }
  Combined combined(preprocessor, tokens, colons);
  return combined.check() ? std::optional(combined.directives()) : std::nullopt;
}

} // namespace tutti::compiler::xmp
