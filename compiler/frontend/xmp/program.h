// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program as the steps of the front end hand it on: the tokens of the plain program, which Clang
/// can parse, and what of them the user has not written.
///
/// The plain program is the user's, with places as they are, where
///   an executable directive     is  __tutti_xmp_mark(number, expressions...);
///   one that owns a statement   is  while (__tutti_xmp_mark(number, expressions...)) statement
///   one at file scope           is  a function with that call in it
///   a section a[b:n:s]          is  a[__tutti_xmp_section(number, b, n, s)]
///   xmp_desc_of(name)           is  __tutti_xmp_desc(number)
/// so that Clang scopes, types and checks all of the user's expressions.
#pragma once

#include "compiler/frontend/xmp/directive.h"

#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace tutti::compiler::xmp {

inline constexpr llvm::StringLiteral kMark = "__tutti_xmp_mark";
inline constexpr llvm::StringLiteral kSection = "__tutti_xmp_section";
inline constexpr llvm::StringLiteral kDescriptor = "__tutti_xmp_desc";
inline constexpr llvm::StringLiteral kAtFileScope = "tutti_xmp_at_file_scope_";

/// A pragma. `tokens` without the end of the line.
struct Pragma {
  std::size_t at; ///< In front of this token of the program.
  clang::SourceLocation place;
  std::vector<clang::Token> tokens;
  bool isXmp;
};

/// The preprocessed program.
struct Lexed {
  std::vector<clang::Token> tokens; ///< The last one is the end of the file.
  std::vector<Pragma> pragmas;
};

/// `[first:second:step]`, all parts of which may be missing. Ranges are of the plain program.
struct SectionMark {
  struct Part {
    unsigned begin = 0;
    unsigned end = 0;

    bool empty() const { return begin == end; }
  };

  clang::SourceLocation place;
  Part first;
  Part second;
  Part step;
};

struct DescriptorMark {
  clang::Token name;
  clang::Token member; ///< Unknown kind if there is none.
  unsigned begin = 0;  ///< In the plain program.
  unsigned end = 0;
};

struct Program {
  std::vector<clang::Token> plain;
  std::vector<char> isUsers; ///< One for each token: the user has written it.
  /// Ranges of tokens that are written and not parsed: functions that OpenMP's pragmas make
  /// variants of others, which are definitions of the same name without them.
  std::vector<std::pair<unsigned, unsigned>> variants;
  std::vector<Directive> directives;
  std::vector<SectionMark> sections;
  std::vector<DescriptorMark> descriptors;
  std::vector<Pragma> pragmas; ///< Of others; `at` is in the plain program.
  llvm::DenseMap<clang::SourceLocation, unsigned> indices;
  mutable bool isLost = false; ///< Some place was asked for that no token has.

  /// The token at this place, as the AST has it. After errors Clang makes up nodes, with places of
  /// no token: then the last one is as good as any.
  unsigned at(clang::SourceLocation place) const {
    const auto found = indices.find(place);
    isLost |= found == indices.end();
    return found == indices.end() ? plain.size() - 1 : found->second;
  }

  bool has(clang::SourceLocation place) const { return indices.contains(place); }
};

/// Reads all of the main file. Its pragmas are taken out of the program.
Lexed lexProgram(clang::Preprocessor &preprocessor);

/// Errors are reported; directives that have any are left out.
Program makePlain(clang::Preprocessor &preprocessor, Lexed lexed);

} // namespace tutti::compiler::xmp
