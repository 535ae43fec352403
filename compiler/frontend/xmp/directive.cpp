// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/directive.h"

#include "compiler/frontend/xmp/directive_names.h"

using namespace clang;

namespace tutti::compiler::xmp {

bool ownsStatement(DirectiveKind kind) {
  switch (kind) {
  case DirectiveKind::Task:
  case DirectiveKind::Tasks:
  case DirectiveKind::Loop:
  case DirectiveKind::Array:
  case DirectiveKind::Gmove:
  case DirectiveKind::Replicate:
    return true;
  default:
    return false;
  }
}

bool isDeclarative(DirectiveKind kind) {
  switch (kind) {
  case DirectiveKind::Nodes:
  case DirectiveKind::Template:
  case DirectiveKind::Distribute:
  case DirectiveKind::Align:
  case DirectiveKind::Shadow:
  case DirectiveKind::StaticDesc:
  case DirectiveKind::Replicate:
    return true;
  default:
    return false;
  }
}

llvm::StringRef nameOf(DirectiveKind kind) {
  for (const DirectiveName &name : kDirectiveNames) {
    if (name.kind == kind) {
      return name.text;
    }
  }
  return {};
}

const Token *indexInExpression(const Directive &directive, const Items &subscripts,
                               llvm::function_ref<bool(llvm::StringRef)> isIndex) {
  for (const Item &item : subscripts.items) {
    for (const ExpressionId id : {item.first, item.second, item.step}) {
      const Token *before = nullptr;
      for (const Token &token : id ? llvm::ArrayRef(directive[id].tokens) : std::nullopt) {
        const bool isMember = before && before->isOneOf(tok::period, tok::arrow);
        if (token.is(tok::identifier) && !isMember &&
            isIndex(token.getIdentifierInfo()->getName())) {
          return &token;
        }
        before = &token;
      }
    }
  }
  return nullptr;
}

} // namespace tutti::compiler::xmp
