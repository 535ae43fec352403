// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/nests.h"

#include "compiler/frontend/pragma/constructs.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

bool isLoop(const Stmt *statement) { return isa<ForStmt, CXXForRangeStmt>(statement); }

/// The body of a loop, without braces around one statement.
const Stmt *bodyOf(const Stmt *loop) {
  const auto *range = dyn_cast<CXXForRangeStmt>(loop);
  return (range ? range->getBody() : cast<ForStmt>(loop)->getBody())->IgnoreContainers();
}

/// The statement that stands between loops of the construct's nest, or null.
const Stmt *betweenLoops(const OMPTaskLoopDirective &construct) {
  const Stmt *statement = construct.getRawStmt()->IgnoreContainers(/*IgnoreCaptured=*/true);
  for (unsigned level = 1; isLoop(statement) && level < construct.getLoopsNumber(); ++level) {
    statement = bodyOf(statement);
  }
  const auto *block = dyn_cast<CompoundStmt>(statement);
  if (isLoop(statement) || !block) {
    return nullptr;
  }
  const auto *beside = llvm::find_if(
      block->body(), [](const Stmt *each) { return !isLoop(each->IgnoreContainers()); });
  return beside == block->body_end() ? statement : *beside;
}

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
  pragma::visitConstructs(group, pragma::Reach::Instances, [&](OMPExecutableDirective &construct) {
    const auto *loop = dyn_cast<OMPTaskLoopDirective>(&construct);
    const SourceLocation where = construct.getBeginLoc();
    if (!loop || collapsed.count(where) == 0 || !loop->hasAssociatedStmt()) {
      return;
    }
    const Stmt *between = betweenLoops(*loop);
    if (between && reported_.insert(where).second) {
      error(diagnostics, between->getBeginLoc(),
            "a statement stands between loops that are collapsed");
    }
  });
}

} // namespace tutti::compiler::ompss
