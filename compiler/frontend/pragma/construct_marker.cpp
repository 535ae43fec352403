// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/constructs.h"
#include "compiler/frontend/pragma/tutti_pragma.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/OpenMPKinds.h"

using namespace clang;

namespace tutti::compiler::pragma {

namespace {

/// Marks constructs with a directive. Constructs inside of them have it too, unless they have one
/// of their own.
class Marker {
public:
  Marker(ASTContext &context, DirectiveTable &table) : context_(context), table_(table) {}

  void enter(OMPExecutableDirective &construct) {
    const Directive *own = table_.find(construct.getBeginLoc());
    const OpenMPDirectiveKind kind = construct.getDirectiveKind();
    if (own && isOpenMPWorksharingDirective(kind) && !isOpenMPParallelDirective(kind)) {
      markParallelAround(*own);
    }
    const Directive *directive = own || enclosing_.empty() ? own : enclosing_.back().directive;
    enclosing_.push_back({&construct, directive});
    if (directive) {
      mark(construct, *directive);
    }
  }

  void leave() { enclosing_.pop_back(); }

private:
  struct Level {
    OMPExecutableDirective *construct;
    const Directive *directive;
  };

  /// A loop without a parallel construct of its own runs in the next one around it.
  void markParallelAround(const Directive &directive) {
    for (auto level = enclosing_.rbegin(); level != enclosing_.rend(); ++level) {
      if (isOpenMPParallelDirective(level->construct->getDirectiveKind())) {
        mark(*level->construct, directive);
        return;
      }
    }
  }

  /// Clang hands assumptions on to the function that it makes of a captured statement.
  void mark(OMPExecutableDirective &construct, const Directive &directive) {
    Stmt *statement = construct.hasAssociatedStmt() ? construct.getAssociatedStmt() : nullptr;
    while (auto *captured = dyn_cast_or_null<CapturedStmt>(statement)) {
      CapturedDecl &function = *captured->getCapturedDecl();
      if (!isMarked(function)) {
        function.addAttr(OMPAssumeAttr::CreateImplicit(context_, encodeDirective(directive)));
      }
      statement = captured->getCapturedStmt();
    }
  }

  static bool isMarked(const CapturedDecl &function) {
    return llvm::any_of(function.specific_attrs<OMPAssumeAttr>(), [](const OMPAssumeAttr *attr) {
      return decodeDirective(attr->getAssumption()).has_value();
    });
  }

  ASTContext &context_;
  DirectiveTable &table_;
  SmallVector<Level, 8> enclosing_;
};

} // namespace

bool ConstructMarker::HandleTopLevelDecl(DeclGroupRef group) {
  if (!table_->empty()) {
    Marker marker(*context_, *table_);
    visitConstructs(
        group, Reach::Implicit, [&](OMPExecutableDirective &construct) { marker.enter(construct); },
        [&] { marker.leave(); });
  }
  return true;
}

void ConstructMarker::HandleInlineFunctionDefinition(FunctionDecl *function) {
  HandleTopLevelDecl(DeclGroupRef(function));
}

void ConstructMarker::HandleTranslationUnit(ASTContext &) { table_->finish(); }

} // namespace tutti::compiler::pragma
