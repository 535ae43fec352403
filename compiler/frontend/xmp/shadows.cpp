// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

void Lowering::setShadow(const Directive &directive, Entity &array, SourceLocation place) {
  if (array.hasShadow) {
    error(place, "array '%0' has a shadow already") << array.name;
    note(array.shadowPlace, "the other 'shadow' is here");
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
                               ", " + std::to_string(array.rank) + ", " +
                               listText("tutti_xmp_width", widths) + ")");
  makeReady(directive, array);
}

/// All variables of the structure have it.
void Lowering::shadowMember(const Directive &directive, AlignedMember &member,
                            SourceLocation place) {
  if (member.shadow) {
    error(place, "this member has a shadow already");
    note(member.shadow->place, "the other 'shadow' is here");
    return;
  }
  if (member.first) {
    error(place, "'shadow' must stand in front of the variables of the structure");
    note(member.first->getLocation(), "'%0' is declared here") << member.first->getName();
    return;
  }
  member.shadow = &directive;
  if (member.prototype) {
    setShadow(directive, *member.prototype, place);
  }
}

void Lowering::shadow(const Directive &directive) {
  for (const Target &target : directive.targets) {
    if (target.isMember()) {
      const FieldDecl *field = memberOf(target);
      if (field && !members_.contains(field)) {
        error(target.name.getLocation(), "array '%0' is not aligned") << field->getName();
        note(field->getLocation(), "'%0' is declared here") << field->getName();
      } else if (field) {
        shadowMember(directive, members_[field], target.name.getLocation());
      }
      continue;
    }
    const VarDecl *variable = variableOf(directive, target);
    Entity *array = scopes_.find(variable);
    if (variable && !array) {
      error(target.name.getLocation(), "array '%0' is not aligned") << wordOf(target.name);
      note(variable->getLocation(), "'%0' is declared here") << wordOf(target.name);
    } else if (array) {
      setShadow(directive, *array, target.name.getLocation());
    }
  }
}

} // namespace tutti::compiler::xmp
