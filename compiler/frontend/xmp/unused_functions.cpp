// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Whether a pragma of another language, which is not parsed here, has the word.
bool Lowering::isInPragma(llvm::StringRef word) {
  if (pragmaWords_.empty()) {
    pragmaWords_.insert("#"); // Looked at, even if there is none.
    for (const Pragma &pragma : program_.pragmas) {
      for (const Token &token : pragma.tokens) {
        pragmaWords_.insert(wordOf(token));
      }
    }
  }
  return pragmaWords_.contains(word);
}

/// Leaves out a function of a system's header that nobody names: <mpi.h> declares hundreds, which
/// the compiler would read once more.
void Lowering::omitUnused(const FunctionDecl *function) {
  // Clang itself declares those that it knows, such as acos, in front of the header.
  const bool isDeclaredAgain = llvm::any_of(function->redecls(), [&](const FunctionDecl *other) {
    return other != function && !other->isImplicit();
  });
  const bool isNamed = function->isReferenced() || function->isUsed() || isDeclaredAgain ||
                       function->getName().starts_with("tutti_") || isInPragma(function->getName());
  const SourceLocation place = function->getBeginLoc();
  if (isNamed || !context_.getSourceManager().isInSystemHeader(place) || !program_.has(place) ||
      function->isInExternCContext()) {
    return;
  }
  const auto &tokens = program_.plain;
  unsigned begin = program_.at(place); // Attributes may stand in front of it.
  while (begin > 0 && !tokens[begin - 1].isOneOf(tok::semi, tok::r_brace, tok::l_brace)) {
    --begin;
  }
  unsigned depth = 0;
  for (unsigned end = begin; end < tokens.size(); ++end) {
    depth += tokens[end].isOneOf(tok::l_paren, tok::l_square);
    depth -= depth > 0 && tokens[end].isOneOf(tok::r_paren, tok::r_square);
    if (depth == 0 && tokens[end].isOneOf(tok::comma, tok::l_brace, tok::r_brace, tok::kw_struct,
                                          tok::kw_union, tok::kw_enum)) {
      return; // Declares something else, too, or may do so.
    }
    if (depth == 0 && tokens[end].is(tok::semi)) {
      edits_.omit(begin, end + 1);
      return;
    }
  }
}

} // namespace tutti::compiler::xmp
