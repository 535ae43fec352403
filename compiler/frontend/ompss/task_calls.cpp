// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/task_calls.h"

#include "compiler/frontend/ompss/directive.h"
#include "compiler/frontend/ompss/names.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Template.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

/// Finds calls of function tasks outside of their creators.
class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  Visitor(Sema &sema, const TaskFunctions &functions) : sema_(sema), functions_(functions) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool shouldVisitImplicitCode() const { return true; }

  bool TraverseFunctionDecl(FunctionDecl *function) {
    const llvm::SaveAndRestore isPattern(isPattern_, function->isDependentContext());
    return isCreator(*function) || RecursiveASTVisitor::TraverseFunctionDecl(function);
  }

  bool TraverseCXXMethodDecl(CXXMethodDecl *function) {
    const llvm::SaveAndRestore isPattern(isPattern_, function->isDependentContext());
    return isCreator(*function) || RecursiveASTVisitor::TraverseCXXMethodDecl(function);
  }

  bool TraverseLambdaExpr(LambdaExpr *lambda) {
    const llvm::SaveAndRestore isPattern(isPattern_, isPattern_ || lambda->isGenericLambda());
    return RecursiveASTVisitor::TraverseLambdaExpr(lambda);
  }

  bool VisitCallExpr(CallExpr *call) {
    FunctionDecl *callee = call->getDirectCallee();
    const TaskFunctions::Entry *entry = callee ? functions_.find(*callee) : nullptr;
    if (entry && !call->isTypeDependent() && !isFilledLater(*call) &&
        isReadAfter(*call, entry->pragma, *callee)) {
      if (FunctionDecl *creator = creatorOf(*callee, entry->creator, call->getBeginLoc())) {
        redirect(*call, *creator);
      }
    }
    return true;
  }

private:
  /// Whether the call's default arguments are looked up again when the template around it is
  /// instantiated: creators have none. Then the instance's call is redirected.
  bool isFilledLater(const CallExpr &call) const {
    return isPattern_ && llvm::any_of(call.arguments(), [](const Expr *argument) {
             return isa<CXXDefaultArgExpr>(argument);
           });
  }

  /// Whether the call is read behind the pragma of its callee: bodies in a class are when the class
  /// is complete, so that pragmas of members that come later hold in them, too.
  bool isReadAfter(const CallExpr &call, SourceLocation pragma, const FunctionDecl &callee) const {
    const SourceManager &sources = sema_.getSourceManager();
    if (sources.isBeforeInTranslationUnit(pragma, call.getBeginLoc())) {
      return true;
    }
    const auto *method = dyn_cast<CXXMethodDecl>(&callee);
    if (!method) {
      return false;
    }
    const CXXRecordDecl *record = method->getParent();
    const CXXRecordDecl *pattern = record->getTemplateInstantiationPattern();
    const CXXRecordDecl *outermost = pattern ? pattern : record;
    while (const auto *around = dyn_cast<CXXRecordDecl>(outermost->getLexicalParent())) {
      outermost = around;
    }
    const auto isInside = [&](SourceLocation place) {
      return sources.isPointWithin(sources.getExpansionLoc(place),
                                   sources.getExpansionLoc(outermost->getBeginLoc()),
                                   sources.getExpansionLoc(outermost->getEndLoc()));
    };
    return isInside(pragma) && isInside(call.getBeginLoc());
  }

  static bool isCreator(const FunctionDecl &function) {
    const IdentifierInfo *name = function.getIdentifier();
    return name && name->getName().starts_with(kCreatorPrefix);
  }

  FunctionDecl *creatorOf(FunctionDecl &callee, const std::string &name, SourceLocation at);
  FunctionDecl *instance(FunctionDecl &callee, FunctionTemplateDecl &creator, SourceLocation at);

  static void redirect(CallExpr &call, FunctionDecl &creator) {
    Expr *callee = call.getCallee()->IgnoreParenImpCasts();
    if (auto *name = dyn_cast<DeclRefExpr>(callee)) {
      name->setDecl(&creator);
    } else if (auto *member = dyn_cast<MemberExpr>(callee)) {
      member->setMemberDecl(&creator);
    }
  }

  Sema &sema_;
  const TaskFunctions &functions_;
  bool isPattern_ = false; ///< What is visited belongs to a template.
};

FunctionDecl *Visitor::instance(FunctionDecl &callee, FunctionTemplateDecl &creator,
                                SourceLocation at) {
  const TemplateArgumentList *arguments = callee.getTemplateSpecializationArgs();
  if (!arguments) {
    return nullptr;
  }
  FunctionDecl *instance = sema_.InstantiateFunctionDeclaration(&creator, arguments, at);
  if (instance && !instance->getBody()) {
    sema_.InstantiateFunctionDefinition(at, instance, /*Recursive=*/true);
  }
  return instance;
}

FunctionDecl *Visitor::creatorOf(FunctionDecl &callee, const std::string &name, SourceLocation at) {
  DeclContext *context = callee.getDeclContext()->getRedeclContext();
  IdentifierInfo &identifier = sema_.getASTContext().Idents.get(name);
  for (NamedDecl *found : context->lookup(DeclarationName(&identifier))) {
    FunctionDecl *creator = dyn_cast<FunctionDecl>(found);
    if (auto *templated = dyn_cast<FunctionTemplateDecl>(found)) {
      creator = instance(callee, *templated, at);
    }
    if (creator) {
      if (!creator->getDefinition() && creator->getTemplateInstantiationPattern()) {
        sema_.InstantiateFunctionDefinition(at, creator, /*Recursive=*/true);
      }
      creator->markUsed(sema_.getASTContext());
      return creator;
    }
  }
  return nullptr; // Of a creator with errors.
}

} // namespace

void TaskFunctions::add(SourceLocation name, SourceLocation pragma, std::string creator) {
  functions_[name] = {pragma, std::move(creator)};
}

const TaskFunctions::Entry *TaskFunctions::at(const FunctionDecl &function) const {
  const auto found = functions_.find(function.getLocation());
  return found == functions_.end() ? nullptr : &found->second;
}

const TaskFunctions::Entry *TaskFunctions::find(const FunctionDecl &function) const {
  const FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  for (const FunctionDecl *each : (pattern ? pattern : &function)->redecls()) {
    if (const Entry *entry = at(*each)) {
      return entry;
    }
  }
  return nullptr;
}

/// Calls that came before the pragma are none of tasks.
void warnOfEarlierDeclarations(Sema &sema, const TaskFunctions &functions, DeclGroupRef group) {
  for (const Decl *declaration : group) {
    const auto *function = dyn_cast<FunctionDecl>(declaration);
    const TaskFunctions::Entry *entry = function ? functions.at(*function) : nullptr;
    const FunctionDecl *previous = entry ? function->getPreviousDecl() : nullptr;
    bool isFirst = previous != nullptr;
    for (const FunctionDecl *each = previous; each; each = each->getPreviousDecl()) {
      isFirst = isFirst && !functions.at(*each);
    }
    if (isFirst) {
      warning(sema.getDiagnostics(), entry->pragma,
              "'%0' has been declared before without '#pragma oss task': calls until here make no "
              "tasks")
          << function->getName();
    }
  }
}

void redirectCalls(Sema &sema, const TaskFunctions &functions, DeclGroupRef group) {
  if (!functions.isEmpty()) {
    for (Decl *declaration : group) {
      Visitor(sema, functions).TraverseDecl(declaration);
    }
  }
}

} // namespace tutti::compiler::ompss
