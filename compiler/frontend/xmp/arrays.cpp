// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/pragma/clause_lexer.h"
#include "compiler/frontend/xmp/declarators.h"
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Null after an error.
const VarDecl *Lowering::variableOf(const Directive &directive, const Target &target) {
  if (target.expression) {
    const auto *reference = dyn_cast_or_null<DeclRefExpr>(directive[target.expression].expr);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable && directive[target.expression].expr) {
      error(target.name.getLocation(), "'%0' is not a variable") << wordOf(target.name);
    }
    return variable;
  }
  const TranslationUnitDecl *file = context_.getTranslationUnitDecl();
  const llvm::StringRef word = wordOf(target.name);
  for (NamedDecl *found : file->lookup(DeclarationName(target.name.getIdentifierInfo()))) {
    if (const auto *variable = dyn_cast<VarDecl>(found)) {
      return variable->getFirstDecl();
    }
  }
  std::vector<llvm::StringRef> visible;
  for (const Decl *declaration : file->decls()) {
    const auto *variable = dyn_cast<VarDecl>(declaration);
    if (variable && (variable->getType()->isArrayType() || variable->getType()->isPointerType())) {
      visible.push_back(variable->getName());
    }
  }
  const llvm::StringRef nearest = pragma::nearestWord(word, visible);
  if (nearest.empty()) {
    error(target.name.getLocation(), "array '%0' is not declared") << word;
  } else {
    error(target.name.getLocation(), "array '%0' is not declared; did you mean '%1'?")
        << word << nearest << FixItHint::CreateReplacement(target.name.getLocation(), nearest);
  }
  return nullptr;
}

/// Reads what is declared: storage, element, and the rank that C knows.
bool Lowering::arrayStorage(const Directive &directive, const DeclaratorDecl *variable,
                            Entity &array) {
  const auto *object = dyn_cast<VarDecl>(variable);
  QualType type = writtenType(variable);
  const SourceLocation place = array.place;
  unsigned rank = 0;
  array.storage = Entity::Storage::Own;
  if (type->isPointerType()) {
    array.storage = isa<ParmVarDecl>(variable) ? Entity::Storage::Given : Entity::Storage::Pointer;
    type = type->getPointeeType();
    rank = 1;
    if (type->isPointerType()) {
      error(place, "'%0' is a pointer to a pointer") << array.name;
      note(variable->getLocation(), "'%0' is declared here") << array.name;
      return false;
    }
  } else if (!type->isArrayType()) {
    error(place, "'%0' is neither an array nor a pointer") << array.name;
    note(variable->getLocation(), "'%0' is declared here") << array.name;
    return false;
  } else if (isa<ParmVarDecl>(variable) ||
             (object && object->hasDefinition() == VarDecl::DeclarationOnly)) {
    array.storage = Entity::Storage::Given;
  }
  for (; type->isArrayType(); type = context_.getAsArrayType(type)->getElementType()) {
    ++rank;
  }
  array.element = type;
  if (rank != directive.items.size()) {
    error(directive.items.place, "too %select{few|many}0 dimensions: array '%1' has %2")
        << (directive.items.size() > rank) << array.name << rank;
    note(variable->getLocation(), "'%0' is declared here") << array.name;
    return false;
  }
  array.rank = rank;
  if (object && object->hasInit() && array.storage != Entity::Storage::Pointer) {
    error(place, "array '%0' has an initializer, which an aligned array cannot have") << array.name;
    note(variable->getLocation(), "'%0' is declared here") << array.name;
    return false;
  }
  return true;
}

/// Whether no `shadow` of the array follows, so that its layout is known from here on.
bool Lowering::isLastOf(const Directive &directive, const Entity &array) const {
  for (const Directive &other : program_.directives) {
    if (other.at <= directive.at || other.kind != DirectiveKind::Shadow ||
        other.isAtFileScope != directive.isAtFileScope) {
      continue;
    }
    if (function_ && other.at > program_.at(function_->getEndLoc())) {
      continue;
    }
    for (const Target &target : other.targets) {
      if (wordOf(target.name) == array.name && !target.isMember()) {
        return false;
      }
    }
  }
  return true;
}

/// Inside of functions: the layout into constants, once nothing changes it any more.
void Lowering::makeReady(const Directive &directive, Entity &array) {
  if (array.isAtFileScope || array.storage == Entity::Storage::Pointer || array.isReassigned ||
      !isLastOf(directive, array)) {
    return;
  }
  edits_.after(directive.at, constantsOf(array, "(" + array.handle + "_t *)" + array.name));
  array.isReady = true;
}

/// Checks an array that `declared` declares, and takes its declaration apart.
bool Lowering::readArray(const Directive &directive, const DeclaratorDecl *declared,
                         Entity &array) {
  if (!arrayStorage(directive, declared, array) || !alignAxes(directive, array)) {
    return false;
  }
  const Declarator declarator = declaratorOf(declared, context_);
  const auto isConstant = [](const clang::ArrayType *type) { return isa<ConstantArrayType>(type); };
  if (declarator.rank() != array.rank || !llvm::all_of(declarator.named, isConstant)) {
    error(array.place, "the dimensions of '%0' come from a type whose size is not constant")
        << array.name;
    note(declared->getLocation(), "'%0' is declared here") << array.name;
    return false;
  }
  readExtents(declared, array);
  array.declared = declared->getLocation();
  array.isPointerNow = array.storage == Entity::Storage::Own ||
                       (array.storage == Entity::Storage::Given && !isa<ParmVarDecl>(declared));
  return true;
}

/// The descriptor of an array, and its type. `declaration` is where the array's ends.
void Lowering::emitArray(const Directive &directive, const Entity &array, unsigned declaration) {
  std::string element = array.name;
  for (unsigned i = 0; i < (array.isPointerNow ? 1 + array.named : array.rank); ++i) {
    element += "[0]";
  }
  const std::string type = array.handle + "_t";
  std::string extents;
  for (const std::string &extent : array.extents) {
    extents += (extents.empty() ? "" : ", ") + extent;
  }
  std::string prologue = "typedef __typeof__(" + element + ") " + type + ";";
  if (array.isAtFileScope) {
    prologue += " static " + type + " **const " + array.handle + "_at = (" + type + " **)&" +
                array.name + ";";
  }
  edits_.after(array.isAtFileScope && declaration > directive.at ? declaration : directive.at,
               prologue);
  const char *storage = array.storage == Entity::Storage::Own     ? "TUTTI_XMP_ALLOCATE"
                        : array.storage == Entity::Storage::Given ? "TUTTI_XMP_GIVEN"
                                                                  : "TUTTI_XMP_LATER";
  emitDeclaration(directive, array, "tutti_xmp_array",
                  "tutti_xmp_make_array(" + source(array.place) + ", &" + array.name + ", " +
                      storage + ", " + typeCode(array.element) + ", sizeof(" + type + "), " +
                      std::to_string(array.rank) + ", " + listText("long", extents) + ", " +
                      listText("tutti_xmp_alignment", alignmentText(directive, array)) + ", " +
                      array.with->handle + ")");
}

void Lowering::noteUseAsC(const Expr *base, bool isSubscripted) {
  const auto *member = dyn_cast<MemberExpr>(base);
  const auto *reference = dyn_cast<DeclRefExpr>(base);
  const ValueDecl *used = member      ? member->getMemberDecl()
                          : reference ? reference->getDecl()
                                      : nullptr;
  if (used && (isSubscripted || base->getType()->isArrayType())) {
    usedAsC_.try_emplace(cast<ValueDecl>(used->getCanonicalDecl()), base->getExprLoc());
  }
}

bool Lowering::isUnusedYet(const ValueDecl *declaration, SourceLocation place) {
  const auto used = usedAsC_.find(declaration);
  if (used == usedAsC_.end()) {
    return true;
  }
  error(used->second, "'%0' is used before it is aligned") << declaration->getName();
  note(place, "the 'align' is here");
  return false;
}

void Lowering::alignTarget(const Directive &directive, const Target &target, const Entity &with) {
  const VarDecl *variable = variableOf(directive, target);
  if (!variable) {
    return;
  }
  if (const Entity *other = scopes_.find(variable)) {
    error(target.name.getLocation(), "array '%0' is aligned already") << other->name;
    note(other->place, "the other 'align' is here");
    return;
  }
  if (const Replica *replica = replicaOf(nullptr, variable)) {
    error(target.name.getLocation(), "'align' must stand in front of 'acc replicate'");
    note(replica->place, "'%0' is replicated here") << variable->getName();
    return;
  }
  if (!isUnusedYet(cast<ValueDecl>(variable->getCanonicalDecl()), target.name.getLocation())) {
    return;
  }
  Entity &array = scopes_.add();
  array.kind = Entity::Kind::Array;
  array.name = wordOf(target.name).str();
  array.handle = unique(array.name);
  array.place = target.name.getLocation();
  array.with = &with;
  array.isAtFileScope = directive.isAtFileScope;
  const bool isOfFile = variable->isFileVarDecl();
  array.function = isOfFile && !directive.isAtFileScope ? function_ : nullptr;
  array.isLasting = isOfFile || variable->isStaticLocal();
  if (!readArray(directive, variable, array)) {
    return;
  }
  array.variable = variable;
  array.isReassigned = array.storage == Entity::Storage::Given && function_ &&
                       (Changes(function_->getBody(), nullptr).assigns(variable) ||
                        takesAddress(function_->getBody(), variable));
  constants_.alignment(directive, array);
  const unsigned end = declarationEnd(variable);
  if (array.storage == Entity::Storage::Own && !isOfFile) {
    for (unsigned i = 0; i < array.rank; ++i) { // What the sizes are is decided where they stand.
      const std::string name = array.handle + "_x" + std::to_string(i);
      edits_.after(end, "const long " + name + " = " + array.extents[i] + ";");
      array.extents[i] = name;
    }
  }
  if (array.isPointerNow) {
    replaceDeclarator(variable);
  }
  emitArray(directive, array, end);
  scopes_.bind(variable, array);
  scopes_.nameArray(array);
  makeReady(directive, array);
}

void Lowering::align(const Directive &directive) {
  const Entity *with = find(directive.with->name, false, true);
  if (!with) {
    return;
  }
  if (!with->distribution) {
    error(directive.with->name.getLocation(), "template '%0' is not distributed") << with->name;
    note(with->place, "'%0' is declared here") << with->name;
    return;
  }
  if (directive.with->subscripts.size() != with->rank) {
    error(directive.with->name.getLocation(), "template '%0' has %1 dimensions, not %2")
        << with->name << with->rank << directive.with->subscripts.size();
    note(with->place, "'%0' is declared here") << with->name;
    return;
  }
  for (const Target &target : directive.targets) {
    if (target.isMember()) {
      alignMember(directive, target, *with);
    } else {
      alignTarget(directive, target, *with);
    }
  }
}

} // namespace tutti::compiler::xmp
