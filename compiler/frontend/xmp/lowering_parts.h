// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What functions of Lowering hand one another.
#pragma once

#include "compiler/frontend/xmp/constant_checks.h"
#include "compiler/frontend/xmp/entities.h"

#include <map>
#include <set>

namespace tutti::compiler::xmp {

/// A loop of a nest that a `loop` directive divides.
struct NestLoop {
  const clang::ForStmt *loop = nullptr;
  const clang::VarDecl *variable = nullptr;
  const Item *item = nullptr; ///< Of `on`.
  unsigned axis = 0;
  std::string lower;
  std::string last;
  std::string step;
  Constant stepValue;
  Constant firstIndex; ///< Of its iterations, if there are any and they are constant.
  Constant lastIndex;
  bool isUp = true;
  bool isConstantStep = false;
  bool hasConstantBounds = false;
  bool isInvariant = true; ///< Its bounds can be computed in front of the nest.
  bool isOnDevice = false; ///< Nothing of the host's stack is read in it.
};

/// A variable or section of one, as abi/xmp.h describes it.
struct SectionText {
  Entity *entity = nullptr;
  std::string text; ///< A tutti_xmp_section's initializer.
  clang::QualType element;
  unsigned rank = 0; ///< Dimensions that are not plain subscripts.
  Shape shape;
};

/// A nest of loops that is being written.
struct LoopText {
  std::string name; ///< Of the variable with the shares.
  std::vector<NestLoop> nest;
  std::vector<std::string> indices; ///< Where in it; empty: the loop has a variable of its own.
  std::string reaches;              ///< The call that checks what a share touches.
  std::string copies;               ///< Declarations for device copies.
  std::string items;                ///< What is reduced: a list of tutti_xmp_reduced.
  unsigned reduced = 0;             ///< How many.
};

/// Subscripts of a global array.
struct Chain {
  Entity *entity = nullptr;
  clang::Expr *base = nullptr;
  llvm::SmallVector<clang::ArraySubscriptExpr *, 7> accesses; ///< Outermost dimension first.
};

/// Array, dimension of it and loop of a nest: the least and the largest constant that are added to
/// the loop's variable in a subscript.
using Reaches =
    std::map<std::tuple<const Entity *, unsigned, unsigned>, std::pair<std::int64_t, std::int64_t>>;

/// A member of a structure, of which each variable has a global array.
struct AlignedMember {
  const Directive *align = nullptr;
  const Directive *shadow = nullptr;
  const Entity *with = nullptr;
  clang::SourceLocation place;
  llvm::SmallVector<std::string, 4> extents; ///< Its declarator has none any more.
  Entity *prototype = nullptr;               ///< If pointers lead to it.
  const clang::VarDecl *first = nullptr;     ///< The first variable that has it.
};

/// A variable that has a device copy.
struct Replica {
  const Entity *array = nullptr;
  const clang::VarDecl *variable = nullptr; ///< Null for members.
  std::string copy;                         ///< The C variable that leads to the copy.
  clang::SourceLocation place;
};

/// What a loop on devices uses.
struct AccBody {
  llvm::ArrayRef<NestLoop> nest;
  unsigned begin = 0; ///< In the plain program.
  unsigned end = 0;
  bool isRight = true;
  std::string clauses;                     ///< Of OpenMP.
  std::set<const clang::VarDecl *> listed; ///< Those that the clauses name.
  std::set<const Entity *> sharedArrays;   ///< The host's own.
  std::set<const void *> missing;          ///< Reported already.
  std::map<const Entity *, const Replica *> arrays;
  std::map<const clang::VarDecl *, const Replica *> variables;
};

/// An array of `type` with `elements`, as C text: one that is always there if all of them are
/// constants, so that nothing is copied; else one that is made where it stands.
std::string listText(llvm::StringRef type, llvm::StringRef elements);

/// Of a section: C text.
struct Range {
  std::string first;
  std::string step; ///< Empty: 1.
  std::string count;
};

/// A variable with sections among its subscripts.
struct Sectioned {
  const clang::Expr *base = nullptr;
  llvm::SmallVector<clang::ArraySubscriptExpr *, 7> accesses; ///< Outermost dimension first.
  llvm::SmallVector<unsigned, 7> sections;                    ///< Positions in `accesses`.
};

/// Loops over the elements of an array assignment, one for each section of its left side.
struct ElementLoops {
  std::string name;                          ///< What belongs to them begins so.
  llvm::SmallVector<std::string, 7> lengths; ///< C text.
  Shape shape;                               ///< The same, as far as constants show.
  llvm::SmallVector<int, 7> axes;            ///< Of the template that the array is aligned with.
  const Entity *set = nullptr;               ///< That divides them; null: each node has all.
  llvm::SmallVector<int, 7> divided;         ///< The dimension of `set`; -1: none.
  llvm::SmallVector<Format, 7> formats;
  std::string declarations; ///< C text in front of the loops.
  std::string indices;      ///< A list of tutti_xmp_index.
  std::string constants;    ///< C text behind the call that fills them in.
  unsigned shares = 0;      ///< How many.
  std::string head;         ///< Opens the loops.
};

} // namespace tutti::compiler::xmp
