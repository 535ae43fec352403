// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/ompss/unseen_uses.h"

#include "compiler/frontend/pragma/constructs.h"
#include "compiler/frontend/pragma/diagnostics.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/OpenMPKinds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace tutti::compiler::ompss {

namespace {

using FoundNames = llvm::SmallVector<DeclRefExpr *, 4>;

/// Clauses of a construct can be replaced together only.
struct DirectiveParts : OMPExecutableDirective {
  static OMPChildren *&of(OMPExecutableDirective &construct) {
    return construct.*&DirectiveParts::Data; // Clang's own, made known here.
  }

  using OMPExecutableDirective::Data;
};

/// Names of variables around a region, where Clang does not look.
class Finder {
public:
  Finder(const CapturedDecl &region, FoundNames &names) : region_(region), names_(names) {}

  void within(Stmt *statement, bool isUnseen) {
    if (!statement) {
      return;
    }
    if (auto *name = dyn_cast<DeclRefExpr>(statement)) {
      add(*name, isUnseen);
    }
    if (auto *captured = dyn_cast<CapturedStmt>(statement)) {
      within(captured->getCapturedStmt(), false);
    }
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(statement)) {
      within(cast->getTypeAsWritten());
    }
    if (const auto *size = dyn_cast<UnaryExprOrTypeTraitExpr>(statement);
        size && size->isArgumentType()) {
      within(size->getArgumentType());
    }
    if (const auto *declared = dyn_cast<DeclStmt>(statement)) {
      for (const Decl *declaration : declared->decls()) {
        if (const auto *variable = dyn_cast<VarDecl>(declaration)) {
          within(variable->getType());
        } else if (const auto *name = dyn_cast<TypedefNameDecl>(declaration)) {
          within(name->getUnderlyingType());
        }
      }
    }
    auto *call = dyn_cast<CallExpr>(statement);
    Expr *const callee = call && hidesNames(*call->getCallee()) ? call->getCallee() : nullptr;
    for (Stmt *child : statement->children()) {
      within(child, isUnseen || (callee && child == callee));
    }
  }

private:
  /// Sizes of arrays.
  void within(QualType type) {
    while (!type.isNull() && type->isVariablyModifiedType()) {
      const Type *const plain = type->getUnqualifiedDesugaredType();
      if (const auto *array = dyn_cast<VariableArrayType>(plain)) {
        within(array->getSizeExpr(), true);
      }
      const auto *elements = dyn_cast<ArrayType>(plain);
      type = elements ? elements->getElementType() : plain->getPointeeType();
    }
  }

  /// Clang looks at names, and at the objects of members.
  static bool hidesNames(Expr &callee) {
    return !isa<DeclRefExpr, MemberExpr>(callee.IgnoreParenImpCasts());
  }

  void add(DeclRefExpr &name, bool isUnseen) {
    const auto *variable = dyn_cast<VarDecl>(name.getDecl());
    if (isUnseen && variable && variable->hasLocalStorage() && !isInside(*variable) &&
        name.refersToEnclosingVariableOrCapture() && name.isNonOdrUse() == NOUR_None) {
      names_.push_back(&name);
    }
  }

  bool isInside(const VarDecl &variable) const {
    return static_cast<const DeclContext &>(region_).Encloses(variable.getDeclContext());
  }

  const CapturedDecl &region_;
  FoundNames &names_;
};

/// What Clang makes for a variable that is firstprivate.
struct Copy {
  Expr *original;
  Expr *own;
  Expr *initial;
};

class Copies {
public:
  Copies(Sema &sema, OMPExecutableDirective &construct)
      : sema_(sema), construct_(construct), context_(sema.getASTContext()) {}

  /// False if that is more than a copy of bytes.
  bool add(DeclRefExpr &name) {
    const auto &variable = cast<VarDecl>(*name.getDecl());
    const QualType type = variable.getType().getUnqualifiedType();
    if (type->isReferenceType() || type->isVariablyModifiedType() ||
        !type.isTriviallyCopyableType(context_)) {
      return false;
    }
    const QualType element = context_.getBaseElementType(type).getUnqualifiedType();
    const SourceLocation at = name.getLocation();
    VarDecl &own = declare(type, variable.getName(), at);
    VarDecl &initial = declare(element, variable.getName(), at);
    Expr *const value = refer(initial, at);
    if (type->isArrayType()) {
      own.setInit(sema_.DefaultLvalueConversion(value).get()); // The array is copied as bytes.
    } else {
      sema_.AddInitializerToDecl(&own, sema_.DefaultLvalueConversion(value).get(),
                                 /*DirectInit=*/false);
    }
    copies_.push_back({&name, refer(own, at), value});
    return true;
  }

  void give() {
    if (copies_.empty()) {
      return;
    }
    llvm::SmallVector<Expr *, 4> originals;
    llvm::SmallVector<Expr *, 4> owns;
    llvm::SmallVector<Expr *, 4> initials;
    for (const Copy &copy : copies_) {
      originals.push_back(copy.original);
      owns.push_back(copy.own);
      initials.push_back(copy.initial);
    }
    llvm::SmallVector<OMPClause *, 8> clauses(construct_.clauses());
    const SourceLocation at;
    clauses.push_back(OMPFirstprivateClause::Create(context_, at, at, at, originals, owns, initials,
                                                    /*PreInit=*/nullptr));
    OMPChildren *const before = DirectiveParts::of(construct_);
    DirectiveParts::of(construct_) = DirectiveParts::of(*likeIt(clauses));
    llvm::copy(before->getChildren(), DirectiveParts::of(construct_)->getChildren().begin());
  }

private:
  OMPExecutableDirective *likeIt(llvm::ArrayRef<OMPClause *> clauses) {
    const SourceLocation begin = construct_.getBeginLoc();
    const SourceLocation end = construct_.getEndLoc();
    Stmt *const body = construct_.getAssociatedStmt();
    if (const auto *loop = dyn_cast<OMPTaskLoopDirective>(&construct_)) {
      OMPLoopBasedDirective::HelperExprs expressions;
      expressions.clear(loop->getLoopsNumber());
      return OMPTaskLoopDirective::Create(context_, begin, end, loop->getLoopsNumber(), clauses,
                                          body, expressions, loop->hasCancel());
    }
    return OMPTaskDirective::Create(context_, begin, end, clauses, body,
                                    cast<OMPTaskDirective>(construct_).hasCancel());
  }

  VarDecl &declare(QualType type, llvm::StringRef name, SourceLocation at) {
    DeclContext *const around =
        construct_.getInnermostCapturedStmt()->getCapturedDecl()->getParent();
    VarDecl &variable = *VarDecl::Create(context_, around, at, at, &context_.Idents.get(name), type,
                                         context_.getTrivialTypeSourceInfo(type, at), SC_None);
    variable.setImplicit();
    return variable;
  }

  Expr *refer(VarDecl &variable, SourceLocation at) {
    variable.setReferenced();
    variable.markUsed(context_);
    return DeclRefExpr::Create(context_, NestedNameSpecifierLoc(), SourceLocation(), &variable,
                               /*RefersToEnclosingVariableOrCapture=*/false, at, variable.getType(),
                               VK_LValue);
  }

  Sema &sema_;
  OMPExecutableDirective &construct_;
  ASTContext &context_;
  std::vector<Copy> copies_;
};

/// Variables of which clauses, written ones or Clang's own, say something.
llvm::SmallPtrSet<const ValueDecl *, 8> knownTo(OMPExecutableDirective &construct) {
  llvm::SmallPtrSet<const ValueDecl *, 8> known;
  for (OMPClause *clause : construct.clauses()) {
    for (const Stmt *child : clause->children()) {
      if (const auto *name = dyn_cast_or_null<DeclRefExpr>(child)) {
        known.insert(name->getDecl());
      }
    }
  }
  return known;
}

/// Whether `variable` is what a parallel construct of OpenMP around `region` shares, so that tasks
/// inside, too, share it without a clause. `around`: constructs, the outermost first.
bool inheritsShared(const VarDecl &variable, const CapturedDecl &region,
                    llvm::ArrayRef<OMPExecutableDirective *> around) {
  llvm::SmallPtrSet<const DeclContext *, 8> regions; // Up to the function.
  for (const DeclContext *outer = region.getParent(); isa<CapturedDecl>(outer);
       outer = outer->getParent()) {
    regions.insert(outer);
  }
  for (OMPExecutableDirective *construct : llvm::reverse(around)) {
    if (!construct->hasAssociatedStmt() || !isa<CapturedStmt>(construct->getAssociatedStmt())) {
      continue;
    }
    const DeclContext *body = construct->getInnermostCapturedStmt()->getCapturedDecl();
    if (!regions.contains(body) || body->Encloses(variable.getDeclContext())) {
      return false;
    }
    for (OMPClause *clause : construct->clauses()) {
      if (!isa<OMPSharedClause>(clause) && llvm::any_of(clause->children(), [&](const Stmt *child) {
            const auto *name = dyn_cast_or_null<DeclRefExpr>(child);
            return name && name->getDecl() == &variable;
          })) {
        return false;
      }
    }
    const OpenMPDirectiveKind kind = construct->getDirectiveKind();
    if (isOpenMPParallelDirective(kind) || isOpenMPTeamsDirective(kind)) {
      return true;
    }
  }
  return false;
}

bool sharesByDefault(const OMPExecutableDirective &construct) {
  return llvm::any_of(construct.clauses(), [](const OMPClause *clause) {
    const auto *byDefault = dyn_cast<OMPDefaultClause>(clause);
    return byDefault && byDefault->getDefaultKind() == llvm::omp::OMP_DEFAULT_shared;
  });
}

} // namespace

void UnseenUses::copy(Sema &sema, const std::vector<Construct> &constructs, DeclGroupRef group) {
  if (constructs.empty()) {
    return;
  }
  // Not OpenMP's own tasks, which inherit what constructs around them share.
  std::set<SourceLocation> own;
  for (const Construct &construct : constructs) {
    own.insert(construct.directive.where);
  }
  llvm::SmallVector<OMPExecutableDirective *, 8> around;
  const auto enter = [&](OMPExecutableDirective &construct) {
    around.push_back(&construct);
    if (!isa<OMPTaskDirective, OMPTaskLoopDirective>(construct) ||
        own.count(construct.getBeginLoc()) == 0 || sharesByDefault(construct)) {
      return;
    }
    CapturedStmt *const body = construct.getInnermostCapturedStmt();
    CapturedDecl &region = *body->getCapturedDecl();
    if (region.isDependentContext()) {
      return;
    }
    FoundNames names;
    Finder(region, names).within(body->getCapturedStmt(), false);
    if (names.empty()) {
      return;
    }
    auto known = knownTo(construct);
    const bool decides = construct.hasClausesOfKind<OMPDefaultClause>();
    Copies copies(sema, construct);
    for (DeclRefExpr *name : names) {
      if (inheritsShared(cast<VarDecl>(*name->getDecl()), region,
                         llvm::ArrayRef(around).drop_back())) {
        continue;
      }
      if (!known.insert(name->getDecl()).second || (!decides && copies.add(*name))) {
        continue;
      }
      if (reported_.insert(name->getLocation()).second) {
        pragma::error(sema.getDiagnostics(), name->getLocation(),
                      "Clang does not see this use of '%0' in the task: name it in firstprivate() "
                      "or shared()")
            << name->getDecl()->getName();
      }
    }
    copies.give();
  };
  pragma::visitConstructs(group, pragma::Reach::Instances, enter, [&] { around.pop_back(); });
}

} // namespace tutti::compiler::ompss
