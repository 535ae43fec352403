// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/reachable_code.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

void collect(const CFGBlock &entry, llvm::DenseSet<const Stmt *> &found) {
  llvm::SmallPtrSet<const CFGBlock *, 32> seen = {&entry};
  llvm::SmallVector<const CFGBlock *, 32> left = {&entry};
  while (!left.empty()) {
    const CFGBlock *block = left.pop_back_val();
    for (const CFGElement &element : *block) {
      if (const auto statement = element.getAs<CFGStmt>()) {
        found.insert(statement->getStmt());
      }
    }
    for (const CFGBlock *next : block->succs()) { // Null where the condition rules it out.
      if (next && seen.insert(next).second) {
        left.push_back(next);
      }
    }
  }
}

} // namespace

bool ReachableCode::contains(const FunctionDecl *function, const Stmt *statement,
                             ASTContext &context) {
  if (function != function_) {
    function_ = function;
    reachable_.clear();
    CFG::BuildOptions options;
    options.setAllAlwaysAdd();
    if (const auto graph = CFG::buildCFG(function, function->getBody(), &context, options)) {
      collect(graph->getEntry(), reachable_);
    }
  }
  const auto *expr = dyn_cast<Expr>(statement);
  return reachable_.contains(expr ? expr->IgnoreParens() : statement);
}

} // namespace tutti::compiler::xmp
