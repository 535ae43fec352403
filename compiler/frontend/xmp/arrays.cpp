// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/TypeLoc.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// The dimensions of an array as its declaration has them, outermost first.
struct Declarator {
  bool isPointer = false;
  llvm::SmallVector<ArrayTypeLoc, 7> brackets;          ///< A pointer's are those behind it.
  llvm::SmallVector<const clang::ArrayType *, 7> named; ///< Behind them, of a type that has a name.

  unsigned rank() const { return (isPointer ? 1 : 0) + brackets.size() + named.size(); }
};

Declarator declaratorOf(const DeclaratorDecl *variable, const ASTContext &context) {
  Declarator declarator;
  const TypeSourceInfo *info = variable->getTypeSourceInfo();
  TypeLoc type = info ? info->getTypeLoc() : TypeLoc();
  while (!type.isNull()) {
    type = type.getUnqualifiedLoc().IgnoreParens();
    const bool isFirst = declarator.rank() == 0;
    if (const auto decayed = type.getAs<DecayedTypeLoc>()) {
      type = decayed.getOriginalLoc();
    } else if (const auto adjusted = type.getAs<AdjustedTypeLoc>()) {
      type = adjusted.getOriginalLoc();
    } else if (const auto pointer = type.getAs<PointerTypeLoc>(); pointer && isFirst) {
      declarator.isPointer = true;
      type = pointer.getPointeeLoc();
    } else if (const auto array = type.getAs<ArrayTypeLoc>()) {
      declarator.brackets.push_back(array);
      type = array.getElementLoc();
    } else {
      break;
    }
  }
  QualType rest = type.isNull() ? QualType() : type.getType();
  if (!rest.isNull() && rest->isPointerType() && declarator.rank() == 0) {
    declarator.isPointer = true;
    rest = rest->getPointeeType();
  }
  while (!rest.isNull() && rest->isArrayType()) {
    declarator.named.push_back(context.getAsArrayType(rest));
    rest = declarator.named.back()->getElementType();
  }
  return declarator;
}

/// Where the plain program chooses a size because the program's is not constant, nothing is known.
Constant sizeOf(ArrayTypeLoc bracket, const ASTContext &context) {
  const Expr *size = bracket.getSizeExpr();
  const Expr *inner = size ? size->IgnoreImpCasts() : nullptr;
  if (const auto *constant = dyn_cast_or_null<ConstantExpr>(inner)) {
    inner = constant->getSubExpr()->IgnoreImpCasts();
  }
  const auto *choice = dyn_cast_or_null<ChooseExpr>(inner);
  return choice && !choice->isConditionTrue() ? std::nullopt : constantOf(size, context);
}

/// The type that the program has written, before C makes a pointer of a parameter.
QualType writtenType(const DeclaratorDecl *variable) {
  const auto *parameter = dyn_cast<ParmVarDecl>(variable);
  return parameter ? parameter->getOriginalType() : variable->getType();
}

} // namespace

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
  const DeclarationName name(target.name.getIdentifierInfo());
  for (NamedDecl *found : context_.getTranslationUnitDecl()->lookup(name)) {
    if (const auto *variable = dyn_cast<VarDecl>(found)) {
      return variable->getFirstDecl();
    }
  }
  error(target.name.getLocation(), "array '%0' is not declared") << wordOf(target.name);
  return nullptr;
}

/// `{axis, offset}, ...`, for axes that are known.
std::string Lowering::alignmentText(const Directive &directive, const Entity &array) const {
  std::string alignments;
  for (const int axis : array.axes) {
    std::string offset = "0";
    const Item *item = axis >= 0 ? &directive.with->subscripts.items[axis] : nullptr;
    if (item && item->kind == Item::Kind::Dummy && item->first) {
      offset = (item->isMinus ? "-" : "") + longOf(directive, item->first);
    }
    alignments += (alignments.empty() ? "{" : ", {") + std::to_string(axis) + ", " + offset + "}";
  }
  return alignments;
}

/// Which dimension of the template each of the array's follows.
bool Lowering::alignAxes(const Directive &directive, Entity &array) {
  const Items &sources = directive.items;
  const Items &subscripts = directive.with->subscripts;
  llvm::SmallVector<int, 7> colons;
  for (unsigned axis = 0; axis < subscripts.size(); ++axis) {
    const Item &item = subscripts.items[axis];
    if (item.kind == Item::Kind::Colon) {
      colons.push_back(axis);
    } else if (item.kind == Item::Kind::Dummy) {
      if (llvm::none_of(sources.items, [&](const Item &source) {
            return source.kind == Item::Kind::Dummy && source.name == item.name;
          })) {
        error(item.place.getLocation(), "'%0' is not an index of the array") << item.name;
        return false;
      }
    } else if (item.kind != Item::Kind::Star) {
      error(item.place.getLocation(), "expected an index of the array, ':' or '*'");
      return false;
    }
  }
  unsigned colon = 0;
  for (const Item &source : sources.items) {
    int axis = -1;
    if (source.kind == Item::Kind::Colon) {
      if (colon == colons.size()) {
        error(source.place.getLocation(), "the array has more ':' than the template");
        return false;
      }
      axis = colons[colon++];
    } else if (source.kind == Item::Kind::Dummy && !source.first) {
      for (unsigned other = 0; other < subscripts.size(); ++other) {
        const Item &item = subscripts.items[other];
        if (item.kind != Item::Kind::Dummy || item.name != source.name) {
          continue;
        }
        if (axis >= 0) {
          error(item.place.getLocation(), "index '%0' is used twice") << item.name;
          return false;
        }
        axis = other;
      }
      if (axis < 0) {
        error(source.place.getLocation(), "index '%0' is not used in the template's subscripts")
            << source.name;
        return false;
      }
    } else if (source.kind != Item::Kind::Star) {
      error(source.place.getLocation(), "expected an index, ':' or '*'");
      return false;
    }
    if (axis >= 0 && llvm::is_contained(array.axes, axis)) {
      error(source.place.getLocation(), "index '%0' is named twice") << source.name;
      return false;
    }
    array.axes.push_back(axis);
  }
  if (colon < colons.size()) {
    error(subscripts.items[colons[colon]].place.getLocation(),
          "the template has more ':' than the array");
    return false;
  }
  if (llvm::all_of(array.axes, [](int axis) { return axis < 0; })) {
    error(directive.place, "no dimension of the array is aligned");
    return false;
  }
  return true;
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

/// The declared sizes, as C text that is right where the descriptor is made.
void Lowering::readExtents(const DeclaratorDecl *variable, Entity &array) {
  const Declarator declarator = declaratorOf(variable, context_);
  if (declarator.isPointer) {
    array.extents.push_back("-1");
    array.bounds.emplace_back();
  }
  for (const ArrayTypeLoc &bracket : declarator.brackets) {
    array.bounds.push_back(Bounds::ofCount(sizeOf(bracket, context_)));
    const std::string size = edits_.text(program_.at(bracket.getLBracketLoc()) + 1,
                                         program_.at(bracket.getRBracketLoc()));
    array.extents.push_back(size.empty() ? "-1" : "(long)(" + size + ")");
  }
  for (const clang::ArrayType *type : declarator.named) {
    const auto size =
        static_cast<std::int64_t>(cast<ConstantArrayType>(type)->getSize().getZExtValue());
    array.bounds.push_back(Bounds::ofCount(size));
    array.extents.push_back("(long)(" + std::to_string(size) + ")");
  }
  array.named = declarator.named.size();
}

/// `double a[N][M]` becomes `double (*a)`.
void Lowering::replaceDeclarator(const DeclaratorDecl *variable) {
  for (const Decl *declaration : variable->redecls()) {
    const auto *declared = cast<DeclaratorDecl>(declaration);
    const unsigned name = program_.at(declared->getLocation());
    for (const ArrayTypeLoc &bracket : declaratorOf(declared, context_).brackets) {
      edits_.erase(program_.at(bracket.getLBracketLoc()),
                   program_.at(bracket.getRBracketLoc()) + 1);
    }
    edits_.replace(name, "(*" + variable->getName().str() + ")");
  }
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
  if (array.isAtFileScope || array.storage == Entity::Storage::Pointer ||
      !isLastOf(directive, array)) {
    return;
  }
  edits_.after(directive.at, constantsOf(array, "(" + array.handle + "_t *)" + array.name));
  array.isReady = true;
}

/// The `;` behind a declaration; of a parameter what ends it.
unsigned Lowering::declarationEnd(const DeclaratorDecl *variable) const {
  unsigned at = program_.at(variable->getLocation());
  for (int depth = 0;
       at + 1 < program_.plain.size() && (depth > 0 || program_.plain[at].isNot(tok::semi)); ++at) {
    depth += program_.plain[at].isOneOf(tok::l_paren, tok::l_brace, tok::l_square);
    depth -= program_.plain[at].isOneOf(tok::r_paren, tok::r_brace, tok::r_square);
    if (depth < 0) {
      break;
    }
  }
  return at;
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
                      std::to_string(array.rank) + ", (const long[]){" + extents +
                      "}, (const tutti_xmp_alignment[]){" + alignmentText(directive, array) +
                      "}, " + array.with->handle + ")");
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
  Entity &array = scopes_.add();
  array.kind = Entity::Kind::Array;
  array.name = wordOf(target.name).str();
  array.handle = unique(array.name);
  array.place = target.name.getLocation();
  array.with = &with;
  array.isAtFileScope = directive.isAtFileScope;
  array.isLasting = directive.isAtFileScope || variable->isStaticLocal();
  if (!readArray(directive, variable, array)) {
    return;
  }
  constants_.alignment(directive, array);
  const unsigned end = declarationEnd(variable);
  if (array.storage == Entity::Storage::Own && !array.isAtFileScope) {
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

/// `align S.a`: of every variable of `struct S` from here on.
void Lowering::alignMember(const Directive &directive, const Target &target, const Entity &with) {
  const FieldDecl *field = memberOf(target);
  if (!field) {
    return;
  }
  if (members_.contains(field)) {
    error(target.name.getLocation(), "array '%0' is aligned already") << field->getName();
    return;
  }
  if (!directive.isAtFileScope) {
    error(target.name.getLocation(), "members of structures can be aligned at file scope only");
    return;
  }
  Entity probe;
  probe.name = field->getName().str();
  probe.place = target.name.getLocation();
  probe.with = &with;
  if (readArray(directive, field, probe)) {
    constants_.alignment(directive, probe);
    if (probe.storage == Entity::Storage::Own) {
      replaceDeclarator(field);
    }
    members_[field] = {&directive, nullptr, &with, target.name.getLocation(), probe.extents};
  }
}

/// Null after an error.
const FieldDecl *Lowering::memberOf(const Target &target) {
  const DeclarationName name(target.name.getIdentifierInfo());
  for (NamedDecl *found : context_.getTranslationUnitDecl()->lookup(name)) {
    const auto *record = dyn_cast<RecordDecl>(found);
    if (const auto *defined = dyn_cast<TypedefNameDecl>(found)) {
      record = defined->getUnderlyingType()->getAsRecordDecl();
    }
    if (record) {
      record = record->getDefinition();
    }
    for (const FieldDecl *field : record ? record->fields()
                                         : RecordDecl::field_range(RecordDecl::field_iterator(),
                                                                   RecordDecl::field_iterator())) {
      if (field->getName() == wordOf(target.member)) {
        return field;
      }
    }
  }
  error(target.name.getLocation(), "there is no structure '%0' with a member '%1'")
      << wordOf(target.name) << wordOf(target.member);
  return nullptr;
}

/// Makes the global arrays that are members of a variable.
void Lowering::membersOf(const VarDecl *variable) {
  const RecordDecl *record = variable->getType()->getAsRecordDecl();
  if (!record || isa<ParmVarDecl>(variable) || members_.empty()) {
    return;
  }
  for (const FieldDecl *field : record->fields()) {
    const auto member = members_.find(field);
    if (member == members_.end()) {
      continue;
    }
    // As if the directives stood behind the variable.
    const unsigned end = declarationEnd(variable);
    Directive align = *member->second.align;
    align.at = end;
    align.isAtFileScope = function_ == nullptr;
    Entity &array = scopes_.add();
    array.kind = Entity::Kind::Array;
    array.name = (variable->getName() + "." + field->getName()).str();
    array.handle = unique((variable->getName() + "_" + field->getName()).str());
    array.place = member->second.place;
    array.with = member->second.with;
    array.isAtFileScope = align.isAtFileScope;
    array.isLasting = align.isAtFileScope || variable->isStaticLocal();
    readArray(align, field, array);
    array.extents = member->second.extents;
    emitArray(align, array, end);
    scopes_.bind(variable, field, array);
    scopes_.nameArray(array);
    if (member->second.shadow) {
      Directive shadow = *member->second.shadow;
      shadow.at = end;
      shadow.isAtFileScope = align.isAtFileScope;
      setShadow(shadow, array, array.place);
    } else {
      makeReady(align, array);
    }
  }
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

void Lowering::setShadow(const Directive &directive, Entity &array, SourceLocation place) {
  if (array.hasShadow) {
    error(place, "array '%0' has a shadow already") << array.name;
    return;
  }
  if (directive.items.size() != array.rank) {
    error(directive.items.place, "too %select{few|many}0 dimensions: array '%1' has %2")
        << (directive.items.size() > array.rank) << array.name << array.rank;
    note(array.place, "'%0' is aligned here") << array.name;
    return;
  }
  array.hasShadow = true;
  const auto isZero = [&](ExpressionId id) {
    Expr::EvalResult value;
    return !id || !directive[id].expr ||
           (directive[id].expr->EvaluateAsInt(value, context_) && value.Val.getInt() == 0);
  };
  std::string widths;
  for (unsigned i = 0; i < array.rank; ++i) {
    const Item &item = directive.items.items[i];
    widths += widths.empty() ? "" : ", ";
    if (item.kind == Item::Kind::Star) {
      array.isFull[i] = true;
      widths += "{0, 0, TUTTI_XMP_FULL}";
      continue;
    }
    const bool isPair = item.kind == Item::Kind::Triplet && item.first && item.second && !item.step;
    if (item.kind != Item::Kind::Value && !isPair) {
      error(item.place.getLocation(), "expected the width of a shadow, both widths, or '*'");
      return;
    }
    if (array.isPacked(i) && !(isZero(item.first) && isZero(item.second))) {
      error(item.place.getLocation(),
            "dimension %0 of '%1' is cyclic and can have no shadow but '*'")
          << i + 1 << array.name;
      return;
    }
    const std::string lower = longOf(directive, item.first);
    widths += "{" + lower + ", " + (isPair ? longOf(directive, item.second) : lower) + ", 0}";
  }
  constants_.shadow(directive, array);
  emitStatement(directive, "tutti_xmp_set_shadow(" + source(directive.place) + ", " + array.handle +
                               ", " + std::to_string(array.rank) + ", (const tutti_xmp_width[]){" +
                               widths + "})");
  makeReady(directive, array);
}

void Lowering::shadow(const Directive &directive) {
  for (const Target &target : directive.targets) {
    if (target.isMember()) {
      const FieldDecl *field = memberOf(target);
      if (field && !members_.contains(field)) {
        error(target.name.getLocation(), "array '%0' is not aligned") << field->getName();
      } else if (field) {
        members_[field].shadow = &directive;
      }
      continue;
    }
    const VarDecl *variable = variableOf(directive, target);
    Entity *array = scopes_.find(variable);
    if (variable && !array) {
      error(target.name.getLocation(), "array '%0' is not aligned") << wordOf(target.name);
    } else if (array) {
      setShadow(directive, *array, target.name.getLocation());
    }
  }
}

} // namespace tutti::compiler::xmp
