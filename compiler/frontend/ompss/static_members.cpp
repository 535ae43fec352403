// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/static_members.h"

#include "compiler/frontend/pragma/constructs.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// The member that a declaration is of, whatever template it is an instance of.
const VarDecl *patternOf(const VarDecl &member) {
  const VarDecl *pattern = member.getTemplateInstantiationPattern();
  return (pattern ? pattern : &member)->getCanonicalDecl();
}

/// Changes one body.
class Change {
public:
  Change(Sema &sema, llvm::ArrayRef<const VarDecl *> members,
         llvm::SmallPtrSetImpl<const Stmt *> &names)
      : sema_(sema), members_(members), names_(names) {}

  void within(Stmt *statement);

private:
  void operand(Stmt *&operand);
  bool named(const Stmt *statement) const;
  Expr *privateCopy(Expr &original);

  Sema &sema_;
  llvm::ArrayRef<const VarDecl *> members_;
  llvm::SmallPtrSetImpl<const Stmt *> &names_; ///< Those that stand for the original now.
};

/// Whether an expression is the name of one of the members.
bool Change::named(const Stmt *statement) const {
  const ValueDecl *declared = nullptr;
  if (const auto *name = dyn_cast<DeclRefExpr>(statement)) {
    declared = name->getDecl();
  } else if (const auto *member = dyn_cast<MemberExpr>(statement)) {
    declared = member->getMemberDecl();
  }
  const auto *variable = dyn_cast_or_null<VarDecl>(declared);
  return variable && llvm::is_contained(members_, patternOf(*variable));
}

/// `*(T *)tutti_task_private((void *)&original)`.
Expr *Change::privateCopy(Expr &original) {
  ASTContext &context = sema_.getASTContext();
  const SourceLocation at = original.getExprLoc();
  FunctionDecl *lookup = nullptr;
  for (NamedDecl *found :
       context.getTranslationUnitDecl()->lookup(&context.Idents.get("tutti_task_private"))) {
    lookup = dyn_cast<FunctionDecl>(found);
  }
  const auto cast = [&](QualType type, Expr *of) {
    return sema_.BuildCStyleCastExpr(at, context.getTrivialTypeSourceInfo(type, at), at, of).get();
  };
  Expr *address = sema_.CreateBuiltinUnaryOp(at, UO_AddrOf, &original).get();
  Expr *argument = cast(context.VoidPtrTy, address);
  Expr *callee = sema_.BuildDeclRefExpr(lookup, lookup->getType(), VK_LValue, at);
  Expr *copy = sema_.BuildCallExpr(nullptr, callee, at, argument, at).get();
  Expr *typed = cast(context.getPointerType(original.getType()), copy);
  return sema_.CreateBuiltinUnaryOp(at, UO_Deref, typed).get();
}

void Change::operand(Stmt *&operand) {
  if (!operand) {
    return;
  }
  if (!named(operand)) {
    within(operand);
  } else if (names_.insert(operand).second) {
    operand = privateCopy(*cast<Expr>(operand));
  }
}

void Change::within(Stmt *statement) {
  if (auto *captured = dyn_cast<CapturedStmt>(statement)) {
    within(captured->getCapturedStmt());
  }
  if (const auto *directive = dyn_cast<OMPExecutableDirective>(statement)) {
    for (OMPClause *clause : directive->clauses()) {
      for (Stmt *&child : clause->children()) {
        operand(child);
      }
    }
  }
  for (Stmt *&child : statement->children()) {
    operand(child);
  }
}

} // namespace

void StaticMembers::add(SourceLocation where, const VarDecl &member) {
  members_[where].push_back(patternOf(member));
}

void StaticMembers::makePrivate(Sema &sema, DeclGroupRef group) {
  if (members_.empty()) {
    return;
  }
  const auto change = [&](OMPExecutableDirective &directive) {
    const auto found = members_.find(directive.getBeginLoc());
    Stmt *statement = directive.hasAssociatedStmt() ? directive.getAssociatedStmt() : nullptr;
    auto *body = dyn_cast_or_null<CapturedStmt>(statement);
    // Of templates the instances are changed.
    if (found != members_.end() && body && !body->getCapturedDecl()->isDependentContext()) {
      Change(sema, found->second, names_).within(body);
    }
  };
  pragma::visitConstructs(group, pragma::Reach::Instances, change);
}

} // namespace tutti::compiler::ompss
