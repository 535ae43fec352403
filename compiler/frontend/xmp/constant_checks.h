// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds what constants already show to be wrong: indices, widths, sizes and shapes that no run can
/// take. The runtime checks the same where they are not constant.
#pragma once

#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/xmp/entities.h"
#include "compiler/frontend/xmp/program.h"
#include "compiler/frontend/xmp/reachable_code.h"

#include <clang/AST/ASTContext.h>

namespace tutti::compiler::xmp {

/// How many elements a section has in each dimension that is no plain subscript.
struct Shape {
  struct Part {
    Constant count;
    clang::SourceLocation place;
  };

  llvm::SmallVector<Part, 7> parts;
};

/// Nothing is said of code that is never executed.
class ConstantChecks {
public:
  ConstantChecks(clang::ASTContext &context, const Program &program)
      : context_(context), program_(program) {}

  /// Null: what follows stands at file scope.
  void enter(const clang::FunctionDecl *function) { function_ = function; }

  // Declarations, which are known to the entity afterwards.
  void nodes(const Directive &directive, Entity &nodes);
  /// `of` is what they are a part of.
  void subset(const Directive &directive, const Entity &nodes, const Entity &of);
  void templates(const Directive &directive, Entity &entity);
  void formats(const Directive &directive, const Entity &entity);
  void templateFix(const Directive &directive, const Entity &entity);
  void alignment(const Directive &directive, const Entity &array);
  void shadow(const Directive &directive, Entity &array);

  // Uses.
  /// The array's elements and its shadow; with `isAddress` also what lies behind the last one.
  void access(const Entity &array, unsigned dimension, const clang::ArraySubscriptExpr *access,
              bool isAddress);
  void ref(const Directive &directive, const Ref &ref, const Entity &entity);
  void source(const Directive &directive, const Entity &nodes);
  void reflectWidths(const Directive &directive, const Entity &array);
  void margins(const Directive &directive);
  /// Of a local or global array. `accesses` are its subscripts, outermost dimension first.
  Shape section(const Entity *array, const clang::Expr *base,
                llvm::ArrayRef<clang::ArraySubscriptExpr *> accesses, bool mayBeShadow);
  /// So many elements are assigned beside a dimension of `on`, whose section has as many.
  void elements(const Directive &directive, const Entity &set, unsigned axis, Constant count);
  /// The iterations of a loop belong to subscripts that there are.
  void iterations(const Directive &directive, const Entity &set, const Item &item, unsigned axis,
                  Constant first, Constant last);
  void conform(const clang::Stmt *assignment, const Shape &left, const Shape &right);

private:
  /// Where the parts of a subscript stand.
  struct Places {
    clang::SourceLocation first;
    clang::SourceLocation second;
    clang::SourceLocation step;
  };

  /// One dimension of what a subscript is of.
  struct Dimension {
    llvm::StringRef name;
    clang::SourceLocation declared;
    unsigned number = 0; ///< As the program counts, from 1.
    Bounds bounds;
    bool hasShadow = false;
  };

  bool isExecuted(const clang::Stmt *statement);
  Constant value(const Directive &directive, ExpressionId id) const;
  std::vector<Bounds> extents(const Directive &directive, const Items &list, llvm::StringRef name);
  void formats(const Directive &directive, const Entity &entity, llvm::ArrayRef<Bounds> extents);
  void block(const Directive &directive, const Item &item, const Entity &entity, Constant parts,
             Constant extent);
  void map(const Directive &directive, const Item &item, const Entity &entity, Constant parts,
           Constant extent);
  bool isUnchanged(const clang::Expr *map) const;
  Constant blockWidth(const Entity &entity, unsigned axis) const;
  std::optional<Subscript> subscript(const Directive &directive, const Item &item,
                                     bool isRound) const;
  Subscript subscript(const clang::Expr *index, Places &places) const;
  void reach(const Subscript &subscript, const Subscript::Reach &reach, const Dimension &dimension,
             const Places &places);
  bool mayGetShadow(const Entity &array, unsigned at) const;
  Bounds withShadow(const Entity &array, unsigned dimension) const;
  std::vector<Bounds> boundsOf(const Entity *array, const clang::Expr *base) const;

  template <std::size_t N>
  clang::DiagnosticBuilder error(clang::SourceLocation where, const char (&text)[N]) {
    return pragma::error(context_.getDiagnostics(), where, text);
  }

  void declaredHere(llvm::StringRef name, clang::SourceLocation place);

  clang::ASTContext &context_;
  const Program &program_;
  const clang::FunctionDecl *function_ = nullptr;
  ReachableCode reachable_;
};

} // namespace tutti::compiler::xmp
