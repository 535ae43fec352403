// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is to be written in place of tokens of the plain program, and the writing.
#pragma once

#include "compiler/frontend/xmp/program.h"

#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>

namespace tutti::compiler::xmp {

/// Changes are made from the inside to the outside: what comes later goes around what was there.
class Edits {
public:
  Edits(clang::Preprocessor &preprocessor, const Program &program)
      : preprocessor_(preprocessor), program_(program) {}

  void replace(unsigned at, std::string text);
  void before(unsigned at, const std::string &text);
  void after(unsigned at, const std::string &text);
  /// A pragma on lines of its own in front of a token, behind those that are there.
  void pragma(unsigned at, clang::SourceLocation place, const std::string &text);
  /// Tokens [begin, end) and all that was written around them are gone.
  void erase(unsigned begin, unsigned end);

  /// The same of many that nothing is written around; behind those that were named before.
  void omit(unsigned begin, unsigned end) { omitted_.push_back({begin, end}); }

  /// Tokens [begin, end) as they will be, on one line.
  std::string text(unsigned begin, unsigned end) const;

  /// The token as the user has it.
  std::string spelling(unsigned at) const;

  /// The whole program with line markers, then `end`.
  void print(llvm::raw_ostream &out, const std::string &end);

private:
  struct Edit {
    std::string before;
    std::string after;
    std::string text;
    bool isReplaced = false;
  };

  void printToken(llvm::raw_ostream &out, unsigned at);
  void printPragma(llvm::raw_ostream &out, const Pragma &pragma);
  void beginPragma(llvm::raw_ostream &out, clang::SourceLocation place);
  void moveTo(llvm::raw_ostream &out, clang::SourceLocation place, bool atLineStart);
  const Edit *find(unsigned at) const;

  clang::Preprocessor &preprocessor_;
  const Program &program_;
  std::map<unsigned, Edit> edits_;
  std::vector<std::pair<unsigned, unsigned>> omitted_;

  struct NewPragma {
    clang::SourceLocation place;
    std::string text;
  };

  std::multimap<unsigned, NewPragma> pragmas_;

  // Of printing.
  std::string file_;
  unsigned line_ = 0;
  clang::SourceLocation last_; ///< Where `moveTo` has moved to, in `file_`, and its line.
  unsigned lastLine_ = 0;
  unsigned column_ = 0;
};

} // namespace tutti::compiler::xmp
