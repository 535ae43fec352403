// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/directive_reader.h"

using namespace clang;

namespace tutti::compiler::xmp {

bool DirectiveReader::target(const char *what, bool mayBeMember) {
  Target target;
  target.member.startToken();
  if (!cursor_.name(target.name, what)) {
    return false;
  }
  if (mayBeMember && cursor_.accept(tok::period) && !cursor_.name(target.member, "a member")) {
    return false;
  }
  directive_.targets.push_back(target);
  return true;
}

/// `name list attribute`, or `list attribute :: name, ...`.
bool DirectiveReader::declared(bool (DirectiveReader::*attribute)(), bool listBehindName,
                               ItemSyntax syntax) {
  const char *what =
      directive_.kind == DirectiveKind::Nodes ? "a node array"
      : directive_.kind == DirectiveKind::Align || directive_.kind == DirectiveKind::Shadow
          ? "an array"
          : "a template";
  const bool mayBeMember =
      directive_.kind == DirectiveKind::Align || directive_.kind == DirectiveKind::Shadow;
  const bool isCombined = cursor_.atList();
  if (!isCombined && !target(what, mayBeMember)) {
    return false;
  }
  if (listBehindName && !cursor_.items(syntax, directive_.items)) {
    return false;
  }
  if (attribute && !(this->*attribute)()) {
    return false;
  }
  if (!isCombined) {
    return true;
  }
  if (!cursor_.acceptDoubleColon()) {
    cursor_.error(cursor_.place(), "expected '::' and names");
    return false;
  }
  return separated([&] { return target(what, mayBeMember); });
}

bool DirectiveReader::nodesOrigin() {
  if (!cursor_.accept(tok::equal)) {
    return true;
  }
  if (cursor_.accept(tok::star)) {
    directive_.isOfExecuting = true;
    return true;
  }
  return ref(directive_.with);
}

bool DirectiveReader::nodes() {
  return declared(&DirectiveReader::nodesOrigin, true, ItemSyntax::Subscript);
}

bool DirectiveReader::templates() { return declared(nullptr, true, ItemSyntax::Subscript); }

bool DirectiveReader::onto() {
  directive_.with.emplace();
  return cursor_.expectWord("onto") && cursor_.name(directive_.with->name, "a node array");
}

bool DirectiveReader::distribute() {
  return declared(&DirectiveReader::onto, true, ItemSyntax::Format);
}

bool DirectiveReader::with() {
  if (!cursor_.expectWord("with") || !ref(directive_.with, ItemSyntax::Dummy)) {
    return false;
  }
  const Token *wrong =
      indexInExpression(directive_, directive_.with->subscripts, [&](llvm::StringRef name) {
        return llvm::any_of(directive_.items.items,
                            [&](const Item &item) { return item.name == name; });
      });
  if (wrong) {
    cursor_.error(wrong->getLocation(), kIndexInExpression) << Cursor::wordOf(*wrong);
  }
  return !wrong;
}

bool DirectiveReader::align() { return declared(&DirectiveReader::with, true, ItemSyntax::Dummy); }

bool DirectiveReader::shadow() { return declared(nullptr, true, ItemSyntax::Width); }

bool DirectiveReader::staticDesc() {
  cursor_.acceptDoubleColon();
  return separated([this] { return target("a node array, template or array", true); });
}

bool DirectiveReader::templateFix() {
  if (cursor_.atList() && !cursor_.items(ItemSyntax::Format, directive_.items)) {
    return false;
  }
  if (!target("a template", false)) {
    return false;
  }
  if (cursor_.atList() && !cursor_.items(ItemSyntax::Subscript, directive_.extents)) {
    return false;
  }
  if (directive_.items.empty() && directive_.extents.empty()) {
    cursor_.error(directive_.place, "'template_fix' needs formats, sizes, or both");
    return false;
  }
  return true;
}

bool DirectiveReader::ref(std::optional<Ref> &ref, ItemSyntax syntax) {
  ref.emplace();
  return cursor_.name(ref->name, "a node array or template") &&
         (!cursor_.atList() || cursor_.items(syntax, ref->subscripts));
}

} // namespace tutti::compiler::xmp
