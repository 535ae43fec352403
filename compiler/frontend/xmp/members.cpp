// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Whether some `->` leads to a member of this name.
bool Lowering::isReachedThroughPointer(const FieldDecl *field) const {
  const auto &tokens = program_.plain;
  for (unsigned i = 1; i < tokens.size(); ++i) {
    if (tokens[i - 1].is(tok::arrow) && wordOf(tokens[i]) == field->getName()) {
      return true;
    }
  }
  return false;
}

/// A global array with the mapping that a member has in all variables. Where a pointer leads to one
/// of them, only the memory is another.
void Lowering::makePrototype(const Directive &directive, const FieldDecl *field, Entity &array) {
  const std::string object = array.handle + "_of";
  const std::string type =
      context_.getRecordType(field->getParent()).getAsString(context_.getPrintingPolicy());
  unsigned end = program_.at(field->getParent()->getEndLoc());
  while (end + 1 < program_.plain.size() && program_.plain[end].isNot(tok::semi)) {
    ++end;
  }
  array.name = object + "." + field->getName().str();
  array.storage = Entity::Storage::Given;
  array.isPrototype = true;
  edits_.after(std::max(end, directive.at), "static " + type + " " + object + ";");
  emitArray(directive, array, end);
  array.name = field->getName().str(); // For messages.
  members_[field].prototype = &array;
}

/// `align S.a`: of every variable of `struct S` from here on.
void Lowering::alignMember(const Directive &directive, const Target &target, const Entity &with) {
  const FieldDecl *field = memberOf(target);
  if (!field) {
    return;
  }
  if (members_.contains(field)) {
    error(target.name.getLocation(), "array '%0' is aligned already") << field->getName();
    note(members_[field].place, "the other 'align' is here");
    return;
  }
  if (!directive.isAtFileScope) {
    error(target.name.getLocation(), "members of structures can be aligned at file scope only");
    return;
  }
  if (!isUnusedYet(field, target.name.getLocation())) {
    return;
  }
  Entity &array = scopes_.add();
  array.kind = Entity::Kind::Array;
  array.name = field->getName().str();
  array.handle = unique(array.name);
  array.place = target.name.getLocation();
  array.with = &with;
  array.isAtFileScope = true;
  array.isLasting = true;
  if (!readArray(directive, field, array)) {
    return;
  }
  constants_.alignment(directive, array);
  members_[field] = {&directive, nullptr, &with, array.place, array.extents, nullptr, nullptr};
  if (array.storage == Entity::Storage::Own) {
    replaceDeclarator(field);
    if (isReachedThroughPointer(field)) {
      makePrototype(directive, field, array);
    }
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
    member->second.first = member->second.first ? member->second.first : variable;
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
