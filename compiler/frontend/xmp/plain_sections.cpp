// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/xmp/program_builder.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// Whether a bracket is the second one of `[[name]]`.
bool isAttribute(llvm::ArrayRef<Token> tokens, unsigned open) {
  return open > 0 && tokens[open].is(tok::l_square) && tokens[open - 1].is(tok::l_square);
}

} // namespace

Colons findColons(llvm::ArrayRef<Token> tokens) {
  struct Open {
    unsigned at;
    tok::TokenKind closer;
    unsigned questions = 0;
    llvm::SmallVector<unsigned, 2> colons = {};
  };

  Colons found;
  llvm::SmallVector<Open, 16> open;
  for (unsigned i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.is(tok::l_square)) {
      open.push_back({i, tok::r_square});
    } else if (token.is(tok::l_paren)) {
      open.push_back({i, tok::r_paren});
    } else if (token.is(tok::l_brace)) {
      open.push_back({i, tok::r_brace});
    } else if (open.empty()) {
      continue;
    } else if (token.is(tok::question)) {
      ++open.back().questions;
    } else if (token.is(tok::colon) && open.back().questions > 0) {
      --open.back().questions;
    } else if (token.is(tok::colon)) {
      open.back().colons.push_back(i);
    } else if (token.is(tok::coloncolon) && !isAttribute(tokens, open.back().at)) {
      open.back().colons.append({i, i});
    } else if (token.is(open.back().closer)) {
      if (token.is(tok::r_square) && !open.back().colons.empty() &&
          open.back().colons.size() <= 2) {
        found[open.back().at] = open.back().colons;
      }
      open.pop_back();
    }
  }
  return found;
}

void ProgramBuilder::users(const Token &token) {
  program_.indices[token.getLocation()] = program_.plain.size();
  program_.plain.push_back(token);
  program_.isUsers.push_back(true);
}

void ProgramBuilder::injected(tok::TokenKind kind, llvm::StringRef text, SourceLocation place) {
  Token token;
  token.startToken();
  token.setKind(kind);
  token.setLocation(place);
  token.setLength(text.size());
  if (kind == tok::numeric_constant) {
    preprocessor_.CreateString(text, token);
    token.setLocation(place);
  } else if (!text.empty()) {
    IdentifierInfo *info = preprocessor_.getIdentifierInfo(text);
    token.setIdentifierInfo(info);
    token.setKind(info->getTokenID());
  }
  program_.plain.push_back(token);
  program_.isUsers.push_back(false);
}

void ProgramBuilder::number(unsigned value, SourceLocation place) {
  injected(tok::numeric_constant, std::to_string(value), place);
}

/// Without the closing parenthesis.
void ProgramBuilder::call(llvm::StringRef function, unsigned value, SourceLocation place) {
  injected(tok::identifier, function, place);
  injected(tok::l_paren, "", place);
  number(value, place);
}

SectionMark::Part ProgramBuilder::part(llvm::ArrayRef<Token> part, SourceLocation place) {
  injected(tok::comma, "", place);
  SectionMark::Part result;
  result.begin = program_.plain.size();
  tokens(part);
  result.end = program_.plain.size();
  if (result.empty()) {
    number(0, place);
  }
  return result;
}

/// Returns where the bracket closes.
unsigned ProgramBuilder::section(llvm::ArrayRef<Token> all, const Colons &colons, unsigned at) {
  unsigned depth = 0;
  unsigned close = at;
  do {
    depth += all[close].isOneOf(tok::l_square, tok::l_paren, tok::l_brace);
    depth -= all[close].isOneOf(tok::r_square, tok::r_paren, tok::r_brace);
    ++close;
  } while (depth > 0);
  --close;
  const auto &places = colons.find(at)->second;
  const SourceLocation place = all[places[0]].getLocation();
  const unsigned id = program_.sections.size();
  program_.sections.emplace_back();
  users(all[at]);
  call(kSection, id, place);
  SectionMark mark;
  mark.place = place;
  const unsigned second = places.size() > 1 ? places[1] : close;
  mark.first = part(all.slice(at + 1, places[0] - at - 1), place);
  mark.second = part(second > places[0] ? all.slice(places[0] + 1, second - places[0] - 1)
                                        : llvm::ArrayRef<Token>(), // `::`
                     place);
  mark.step = part(
      second < close ? all.slice(second + 1, close - second - 1) : llvm::ArrayRef<Token>(), place);
  injected(tok::r_paren, "", place);
  users(all[close]);
  program_.sections[id] = mark;
  return close;
}

bool ProgramBuilder::descriptor(llvm::ArrayRef<Token> all, unsigned &at) {
  if (Cursor::wordOf(all[at]) != "xmp_desc_of" || at + 3 >= all.size() ||
      all[at + 1].isNot(tok::l_paren)) {
    return false;
  }
  DescriptorMark mark;
  mark.name = all[at + 2];
  mark.member.startToken();
  unsigned close = at + 3;
  if (all[close].is(tok::period) && close + 2 < all.size()) {
    mark.member = all[close + 1];
    close += 2;
  }
  if (all[at + 2].isNot(tok::identifier) || all[close].isNot(tok::r_paren)) {
    if (nest_.empty()) {
      return false; // A declaration.
    }
    pragma::error(preprocessor_.getDiagnostics(), all[at + 2].getLocation(),
                  "expected the name of a node array, template or global array alone");
    unsigned depth = 0;
    const SourceLocation begin = all[at].getLocation();
    while (++at + 1 < all.size()) {
      depth += all[at].is(tok::l_paren);
      if (all[at].is(tok::r_paren) && --depth == 0) {
        break;
      }
    }
    number(0, begin);
    return true;
  }
  const SourceLocation place = all[at].getLocation();
  mark.begin = program_.plain.size();
  users(all[at]);
  program_.plain.back().setIdentifierInfo(preprocessor_.getIdentifierInfo(kDescriptor));
  injected(tok::l_paren, "", place);
  number(program_.descriptors.size(), place);
  users(all[close]);
  program_.isUsers[mark.begin] = program_.isUsers.back() = false;
  mark.end = program_.plain.size();
  program_.descriptors.push_back(mark);
  at = close;
  return true;
}

void ProgramBuilder::tokens(llvm::ArrayRef<Token> all) {
  const Colons colons = findColons(all);
  for (unsigned i = 0; i < all.size(); ++i) {
    if (colons.contains(i)) {
      i = section(all, colons, i);
    } else if (!descriptor(all, i)) {
      users(all[i]);
    }
  }
}

} // namespace tutti::compiler::xmp
