// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/nests.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

bool isLoop(const Stmt *statement) { return isa<ForStmt, CXXForRangeStmt>(statement); }

/// The body of a loop, without braces around one statement.
const Stmt *bodyOf(const Stmt *loop) {
  const auto *range = dyn_cast<CXXForRangeStmt>(loop);
  return (range ? range->getBody() : cast<ForStmt>(loop)->getBody())->IgnoreContainers();
}

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  Visitor(DiagnosticsEngine &diagnostics, const std::set<SourceLocation> &collapsed,
          std::set<SourceLocation> &reported)
      : diagnostics_(diagnostics), collapsed_(collapsed), reported_(reported) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitOMPTaskLoopDirective(OMPTaskLoopDirective *directive) {
    const SourceLocation where = directive->getBeginLoc();
    if (collapsed_.count(where) == 0 || !directive->hasAssociatedStmt()) {
      return true;
    }
    const Stmt *statement = directive->getRawStmt()->IgnoreContainers(/*IgnoreCaptured=*/true);
    for (unsigned level = 1; isLoop(statement) && level < directive->getLoopsNumber(); ++level) {
      statement = bodyOf(statement);
    }
    const auto *block = dyn_cast<CompoundStmt>(statement);
    if (!isLoop(statement) && block && reported_.insert(where).second) {
      const auto *beside = llvm::find_if(
          block->body(), [](const Stmt *each) { return !isLoop(each->IgnoreContainers()); });
      error(diagnostics_, (beside == block->body_end() ? statement : *beside)->getBeginLoc(),
            "a statement stands between loops that are collapsed");
    }
    return true;
  }

private:
  DiagnosticsEngine &diagnostics_;
  const std::set<SourceLocation> &collapsed_;
  std::set<SourceLocation> &reported_;
};

} // namespace

void Nests::check(DiagnosticsEngine &diagnostics, const std::vector<Construct> &constructs,
                  DeclGroupRef group) {
  std::set<SourceLocation> collapsed;
  for (const Construct &construct : constructs) {
    if (construct.directive.find(ClauseKind::Collapse)) {
      collapsed.insert(construct.directive.where);
    }
  }
  if (collapsed.empty()) {
    return;
  }
  for (Decl *declaration : group) {
    Visitor(diagnostics, collapsed, reported_).TraverseDecl(declaration);
  }
}

} // namespace tutti::compiler::ompss
