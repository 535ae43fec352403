// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads one directive; its parts are in directive_parser.cpp, declaration_parser.cpp and
/// clause_parser.cpp.
#pragma once

#include "compiler/frontend/xmp/cursor.h"

namespace tutti::compiler::xmp {

/// Every function returns false after it has reported an error.
class DirectiveReader {
public:
  DirectiveReader(clang::Preprocessor &preprocessor, const std::vector<clang::Token> &tokens)
      : cursor_(preprocessor, tokens, directive_.expressions) {}

  bool parse();

  Directive &result() { return directive_; }

private:
  bool kind();
  bool accKind();
  bool body();
  bool nodes();
  bool templates();
  bool distribute();
  bool align();
  bool shadow();
  bool staticDesc();
  bool templateFix();
  bool loop();
  bool reflect();
  bool waitAsync();
  bool declared(bool (DirectiveReader::*attribute)(), bool listBehindName, ItemSyntax syntax);
  bool nodesOrigin();
  bool onto();
  bool with();
  bool target(const char *what, bool mayBeMember);
  bool ref(std::optional<Ref> &ref, ItemSyntax syntax = ItemSyntax::Subscript);
  bool clauses();
  bool clause(bool &isKnown);
  bool reduction();
  bool operation(std::string &operation);
  bool locations(Operand &operand);
  bool operandList();
  bool widths(bool mayBeUnbound);
  bool width(bool mayBeUnbound);
  bool peel();
  bool async();
  template <typename One> bool separated(One &&one);
  template <typename One> bool parenthesised(One &&one);
  bool replicateSync();
  bool accVariables(AccVariable::Kind kind);
  bool accClause(bool &isKnown);
  bool unknown(llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> valid);

  Directive directive_;
  Cursor cursor_;
  clang::SourceLocation needsAcc_; ///< A clause that only `loop ... acc` has.
};

/// `one, one...`
template <typename One> bool DirectiveReader::separated(One &&one) {
  do {
    if (!one()) {
      return false;
    }
  } while (cursor_.accept(clang::tok::comma));
  return true;
}

/// `(one, one...)`
template <typename One> bool DirectiveReader::parenthesised(One &&one) {
  return cursor_.expect(clang::tok::l_paren, "(") && separated(one) &&
         cursor_.expect(clang::tok::r_paren, ")");
}

} // namespace tutti::compiler::xmp
