// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/constructs.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace tutti::compiler::pragma {

namespace {

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  Visitor(Reach reach, llvm::function_ref<void(OMPExecutableDirective &)> enter,
          llvm::function_ref<void()> leave)
      : reach_(reach), enter_(enter), leave_(leave) {}

  bool shouldVisitImplicitCode() const { return reach_ == Reach::Implicit; }

  bool shouldVisitTemplateInstantiations() const { return reach_ == Reach::Instances; }

  bool dataTraverseStmtPre(Stmt *statement) {
    if (auto *construct = dyn_cast_or_null<OMPExecutableDirective>(statement)) {
      enter_(*construct);
    }
    return true;
  }

  bool dataTraverseStmtPost(Stmt *statement) {
    if (isa_and_nonnull<OMPExecutableDirective>(statement)) {
      leave_();
    }
    return true;
  }

private:
  Reach reach_;
  llvm::function_ref<void(OMPExecutableDirective &)> enter_;
  llvm::function_ref<void()> leave_;
};

} // namespace

void visitConstructs(DeclGroupRef group, Reach reach,
                     llvm::function_ref<void(OMPExecutableDirective &)> enter,
                     llvm::function_ref<void()> leave) {
  for (Decl *declaration : group) {
    Visitor(reach, enter, leave).TraverseDecl(declaration);
  }
}

} // namespace tutti::compiler::pragma
