// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/directive.h"

#include "compiler/frontend/xmp/directive_names.h"

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

} // namespace tutti::compiler::xmp
