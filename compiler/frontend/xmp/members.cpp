// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

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

} // namespace tutti::compiler::xmp
