// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Directives of XcalableMP as they are parsed, in one normal form: lists of round brackets are
/// reversed, so that the last dimension varies fastest whatever the program's notation was.
#pragma once

#include "clang/AST/Expr.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::compiler::xmp {

enum class DirectiveKind {
  Nodes,
  Template,
  Distribute,
  Align,
  Shadow,
  StaticDesc,
  TemplateFix,
  Task,
  Tasks,
  Loop,
  Array,
  Reflect,
  ReduceShadow,
  Gmove,
  Barrier,
  Reduction,
  Bcast,
  WaitAsync,
  Replicate,
  ReplicateSync,
};

/// Whether it applies to the next statement, inside of functions.
bool ownsStatement(DirectiveKind kind);

/// Whether it may stand outside of functions.
bool isDeclarative(DirectiveKind kind);

/// The name that programs write.
llvm::StringRef nameOf(DirectiveKind kind);

/// Tokens of the program that are a C expression, and, once the program is parsed, what they mean.
struct Expression {
  std::vector<clang::Token> tokens;
  bool isVariable = false; ///< Named, not evaluated.
  bool isMap = false;      ///< Of a `gblock` distribution, where all others are integers.
  unsigned begin = 0;      ///< In the plain program.
  unsigned end = 0;
  const clang::Expr *expr = nullptr;

  clang::SourceLocation place() const { return tokens.front().getLocation(); }
};

/// Of an Expression in the directive's list.
using ExpressionId = std::optional<unsigned>;

/// What stands in one bracket: a subscript, a size, a format, a width.
struct Item {
  enum class Kind {
    Value,   ///< `first`
    Colon,   ///< `:` alone
    Star,    ///< `*`
    Triplet, ///< with a colon and something beside it
    Dummy,   ///< `name`, `name + offset` or `name - offset`: an index of a loop or an array
    Format,  ///< `name` or `name(first)` of a distribution; `name(*)`: `isOpen`
  };
  Kind kind = Kind::Value;
  clang::Token place; ///< The first token.
  ExpressionId first; ///< Also of the offset.
  ExpressionId second;
  ExpressionId step;
  std::string name;
  bool isMinus = false;             ///< The offset is subtracted.
  std::vector<clang::Token> tokens; ///< Of a dummy, all: it may turn out to be a value.
  bool isOpen = false;
};

/// Always: in normal order.
struct Items {
  bool isRound = false;
  clang::SourceLocation place;
  llvm::SmallVector<Item, 4> items;

  bool empty() const { return items.empty(); }

  unsigned size() const { return items.size(); }
};

/// A set of nodes.
struct Ref {
  clang::Token name;
  Items subscripts;
};

/// A name that a declaration is about: `name`, or `tag.member`.
struct Target {
  clang::Token name;
  clang::Token member;     ///< Unknown kind if there is none.
  ExpressionId expression; ///< Of the variable, inside of functions.

  bool isMember() const { return member.isNot(clang::tok::unknown); }
};

struct Width {
  ExpressionId lower;
  ExpressionId upper; ///< None: as `lower`.
  bool isPeriodic = false;
  bool isUnbound = false;
  clang::SourceLocation place;
};

struct Widths {
  bool isGiven = false;
  clang::SourceLocation place;
  std::vector<Width> widths;
};

/// A variable, or a section of one, that is communicated.
struct Operand {
  ExpressionId expression;
  std::vector<ExpressionId> locations; ///< Of a reduction.
};

struct ReductionClause {
  std::string operation;
  clang::SourceLocation place;
  std::vector<Operand> operands;
};

/// Whether it looks for the first or the last iteration that has a value.
inline bool isOrdered(const ReductionClause &clause) {
  const llvm::StringRef operation = clause.operation;
  return operation.starts_with("first") || operation.starts_with("last");
}

/// A variable in a clause that says what it is to the threads of a loop, or in which direction it
/// is copied.
struct AccVariable {
  enum class Kind { Private, FirstPrivate, Shared, In, Out };
  Kind kind = Kind::Shared;
  ExpressionId expression;
};

struct Directive {
  DirectiveKind kind = DirectiveKind::Barrier;
  clang::SourceLocation place; ///< Of its name.
  std::vector<Expression> expressions;

  std::vector<Target> targets;
  Items items;                ///< Sizes, extents, formats, dummies of an array, widths of a shadow.
  std::optional<Ref> with;    ///< Of align; `onto` of distribute; `=` of nodes.
  bool isOfExecuting = false; ///< `nodes ... = *`
  Items extents;              ///< Of template_fix.

  std::optional<Ref> on;
  std::optional<Ref> from;
  bool hasIndices = false;
  std::vector<clang::Token> indices; ///< Of a loop, those that are distributed.
  std::vector<ReductionClause> reductions;
  std::vector<Operand> operands; ///< Of bcast, reflect, reduce_shadow.
  Widths widths;
  enum class Margin { None, Expand, Margin, Peel } margin = Margin::None;
  ExpressionId peelId;
  ExpressionId async;
  std::vector<ExpressionId> ids; ///< Of wait_async.
  bool isNoComm = false;
  bool isOrthogonal = false;
  bool isIn = false;
  bool isOut = false;
  bool isBroken = false; ///< There was an error in it; it is here for the statement that it owns.
  bool isAcc = false;    ///< Of a loop: on a device. Of reflect: of device copies.
  std::vector<AccVariable> accVariables; ///< Of a loop and of replicate_sync.
  std::vector<ExpressionId> blockSizes;  ///< `num_threads`.
  clang::SourceLocation blockPlace;

  const clang::CallExpr *mark = nullptr; ///< What stands for it in the parsed program.
  bool isAtFileScope = false;
  unsigned at = 0; ///< Its tokens in the plain program, without the statement that it owns.
  unsigned end = 0;

  const Expression &operator[](ExpressionId id) const { return expressions[*id]; }
};

/// In subscripts, a name that `isIndex` accepts and that is part of an expression: no index has a
/// factor or a sign. Null if there is none.
inline constexpr char kIndexInExpression[] =
    "index '%0' can stand in a subscript as '%0', '%0 + value' or '%0 - value' only";
const clang::Token *indexInExpression(const Directive &directive, const Items &subscripts,
                                      llvm::function_ref<bool(llvm::StringRef)> isIndex);

} // namespace tutti::compiler::xmp
