// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes the plain program of program.h; its parts are in plain_program.cpp, plain_sections.cpp and
/// plain_declarators.cpp.
#pragma once

#include "compiler/frontend/xmp/cursor.h"
#include "compiler/frontend/xmp/program.h"

#include "llvm/ADT/StringSet.h"

namespace tutti::compiler::xmp {

/// The colons that make sections, by the token that opens the bracket.
using Colons = llvm::DenseMap<unsigned, llvm::SmallVector<unsigned, 2>>;

/// Looks at brackets that belong together.
Colons findColons(llvm::ArrayRef<clang::Token> tokens);

class ProgramBuilder {
public:
  ProgramBuilder(clang::Preprocessor &preprocessor, const Lexed &lexed)
      : preprocessor_(preprocessor), lexed_(lexed) {}

  Program build();

private:
  void users(const clang::Token &token);
  void injected(clang::tok::TokenKind kind, llvm::StringRef text, clang::SourceLocation place);
  void number(unsigned value, clang::SourceLocation place);
  void call(llvm::StringRef function, unsigned number, clang::SourceLocation place);
  void tokens(llvm::ArrayRef<clang::Token> tokens);
  unsigned section(llvm::ArrayRef<clang::Token> tokens, const Colons &colons, unsigned at);
  SectionMark::Part part(llvm::ArrayRef<clang::Token> tokens, clang::SourceLocation place);
  bool descriptor(llvm::ArrayRef<clang::Token> tokens, unsigned &at);
  void collectAligned();
  bool declarator(llvm::ArrayRef<clang::Token> tokens, unsigned &at);
  void size(llvm::ArrayRef<clang::Token> tokens, unsigned dimensions);
  void pragma(const Pragma &pragma);
  void variant(const Pragma &pragma);
  void use(Directive parsed, std::size_t next);
  void directive(Directive directive);
  void expressions(Directive &directive);
  bool chooseIndices(Directive &directive, std::size_t next);
  llvm::StringSet<> controlVariables(std::size_t next) const;
  bool mayStandHere(const Directive &directive);
  void track(const clang::Token &token, const clang::Token &before);

  clang::Preprocessor &preprocessor_;
  const Lexed &lexed_;
  Program program_;
  llvm::StringSet<> aligned_;        ///< Names of arrays, whatever their scope.
  llvm::SmallVector<char, 16> nest_; ///< '(' '[', 'f' for a function's brace, '{' for others.
};

} // namespace tutti::compiler::xmp
