// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

bool Lowering::declareName(Entity &entity, const Token &token) {
  entity.name = wordOf(token).str();
  entity.handle = unique(entity.name);
  entity.place = token.getLocation();
  entity.isLasting = function_ == nullptr;
  if (const Entity *other = scopes_.findHere(entity.name)) {
    error(token.getLocation(), "'%0' is declared already") << entity.name;
    note(other->place, "the other declaration of '%0' is here") << entity.name;
    return false;
  }
  scopes_.name(entity);
  return true;
}

/// The variable with a descriptor, and the call that makes it.
void Lowering::emitDeclaration(const Directive &directive, const Entity &entity, const char *type,
                               const std::string &make) {
  const std::string variable = std::string(type) + " *" + entity.handle;
  if (directive.isAtFileScope) {
    edits_.after(directive.at, "static " + variable + ";");
    start_ += entity.handle + " = " + make + "; ";
  } else if (entity.isLasting) {
    edits_.after(directive.at, "static " + variable + "; if (!" + entity.handle + ") " +
                                   entity.handle + " = " + make + ";");
  } else {
    edits_.after(directive.at,
                 variable + " __attribute__((cleanup(tutti_xmp_release))) = " + make + ";");
  }
}

void Lowering::emitStatement(const Directive &directive, const std::string &text) {
  if (directive.isAtFileScope) {
    start_ += text + "; ";
  } else {
    edits_.after(directive.at, text + ";");
  }
}

void Lowering::nodes(const Directive &directive) {
  std::string sizes;
  for (const Item &item : directive.items.items) {
    if (item.kind != Item::Kind::Value && item.kind != Item::Kind::Star) {
      error(item.place.getLocation(), "expected the number of nodes, or '*'");
      return;
    }
    sizes += (sizes.empty() ? "" : ", ") +
             (item.kind == Item::Kind::Star ? "-1" : longOf(directive, item.first));
  }
  std::string set = "0";
  const Entity *of = nullptr;
  if (directive.with) {
    of = find(directive.with->name, true, false);
    const auto subset = of ? ref(directive, directive.with) : std::nullopt;
    if (!subset) {
      return;
    }
    set = *subset;
  }
  const char *origin = directive.with            ? "TUTTI_XMP_SUBSET"
                       : directive.isOfExecuting ? "TUTTI_XMP_EXECUTING"
                                                 : "TUTTI_XMP_ENTIRE";
  for (const Target &target : directive.targets) {
    Entity &entity = scopes_.add();
    entity.kind = Entity::Kind::Nodes;
    entity.rank = directive.items.size();
    if (declareName(entity, target.name)) {
      constants_.nodes(directive, entity);
      if (of) {
        constants_.subset(directive, entity, *of);
      }
      emitDeclaration(directive, entity, "tutti_xmp_nodes",
                      "tutti_xmp_make_nodes(" + source(target.name.getLocation()) + ", " +
                          std::to_string(entity.rank) + ", " + listText("long", sizes) + ", " +
                          origin + ", " + set + ")");
    }
  }
}

void Lowering::templates(const Directive &directive) {
  const Items &list = directive.items;
  std::string extents;
  unsigned open = 0;
  for (const Item &item : list.items) {
    extents += extents.empty() ? "" : ", ";
    const bool isWhole = item.kind == Item::Kind::Triplet && item.first && item.second;
    if (item.kind == Item::Kind::Colon) {
      ++open;
      extents += "{TUTTI_XMP_ALL, 0, 0, 1}";
    } else if (item.kind == Item::Kind::Value) {
      extents += std::string("{TUTTI_XMP_") + (list.isRound ? "LAST, 1, " : "COUNT, 0, ") +
                 longOf(directive, item.first) + ", 1}";
    } else if (isWhole && !item.step) {
      extents += subscript(directive, item, list.isRound, false);
    } else {
      error(item.place.getLocation(), "expected the size of a template, its bounds, or ':'");
      return;
    }
  }
  if (open > 0 && open < list.size()) {
    error(list.place, "the sizes of a template are all ':' or none of them is");
    return;
  }
  for (const Target &target : directive.targets) {
    Entity &entity = scopes_.add();
    entity.kind = Entity::Kind::Template;
    entity.rank = list.size();
    entity.isFixed = open == 0;
    if (declareName(entity, target.name)) {
      constants_.templates(directive, entity);
      emitDeclaration(directive, entity, "tutti_xmp_template",
                      "tutti_xmp_make_template(" + source(target.name.getLocation()) + ", " +
                          std::to_string(entity.rank) + ", " +
                          listText("tutti_xmp_subscript", extents) + ")");
    }
  }
}

/// `{kind, width, map, entries}, ...`; empty after an error.
std::string Lowering::formats(const Directive &directive, const Entity &entity) {
  const Items &list = directive.items;
  if (list.size() != entity.rank) {
    error(list.place, "'%0' has %1 dimensions, but there are %2 formats")
        << entity.name << entity.rank << list.size();
    note(entity.place, "'%0' is declared here") << entity.name;
    return {};
  }
  std::string text;
  for (const Item &item : list.items) {
    text += text.empty() ? "" : ", ";
    if (item.kind == Item::Kind::Star) {
      text += "{TUTTI_XMP_NOT_DISTRIBUTED, 0, 0, 0}";
    } else if (item.name != "gblock") {
      text += "{TUTTI_XMP_" + llvm::StringRef(item.name).upper() + ", " +
              (item.first ? longOf(directive, item.first) : "0") + ", 0, 0}";
    } else if (item.isOpen) {
      text += "{TUTTI_XMP_GBLOCK, 0, 0, 0}";
    } else {
      const Expr *map = directive[item.first].expr;
      const QualType type = map ? map->getType() : QualType();
      const QualType element = type.isNull()           ? type
                               : type->isArrayType()   ? context_.getBaseElementType(type)
                               : type->isPointerType() ? type->getPointeeType()
                                                       : QualType();
      if (element.isNull() || !context_.hasSameUnqualifiedType(element, context_.IntTy)) {
        error(directive[item.first].place(), "the map of gblock must be an array of int");
        return {};
      }
      const std::string name = this->text(directive, item.first);
      const bool isCounted = type->isConstantArrayType();
      text += "{TUTTI_XMP_GBLOCK, 0, " + name + ", " +
              (isCounted ? "(long)(sizeof(" + name + ") / sizeof(int))" : "0") + "}";
    }
  }
  return text;
}

void Lowering::distribute(const Directive &directive) {
  const Entity *onto = find(directive.with->name, true, false);
  for (const Target &target : directive.targets) {
    Entity *entity = find(target.name, false, true);
    if (!entity || !onto) {
      continue;
    }
    if (entity->distribution) {
      error(target.name.getLocation(), "template '%0' is distributed already") << entity->name;
      note(entity->distribution->place, "the other distribution is here");
      continue;
    }
    const std::string list = formats(directive, *entity);
    if (list.empty()) {
      continue;
    }
    unsigned distributed = 0;
    for (const Item &item : directive.items.items) {
      const Format format = item.kind == Item::Kind::Star ? Format::None
                            : item.name == "block"        ? Format::Block
                            : item.name == "gblock"       ? Format::Gblock
                            : item.first                  ? Format::CyclicOf
                                                          : Format::Cyclic;
      entity->formats.push_back(format);
      distributed += format != Format::None;
    }
    entity->distribution = &directive;
    entity->onto = onto;
    if (distributed != onto->rank) {
      error(directive.items.place, "%0 dimensions are distributed, but '%1' has %2")
          << distributed << onto->name << onto->rank;
      note(onto->place, "'%0' is declared here") << onto->name;
      continue;
    }
    constants_.formats(directive, *entity);
    emitStatement(directive, "tutti_xmp_distribute(" + source(directive.place) + ", " +
                                 entity->handle + ", " + std::to_string(entity->rank) + ", " +
                                 listText("tutti_xmp_format", list) + ", " + onto->handle + ")");
  }
}

void Lowering::templateFix(const Directive &directive) {
  Entity *entity = find(directive.targets[0].name, false, true);
  if (!entity) {
    return;
  }
  if (!entity->distribution) {
    error(directive.targets[0].name.getLocation(), "template '%0' is not distributed")
        << entity->name;
    return;
  }
  const bool isOpen =
      llvm::any_of(entity->distribution->items.items, [](const Item &item) { return item.isOpen; });
  if (entity->isFixed && !isOpen) {
    error(directive.targets[0].name.getLocation(), "template '%0' is fixed already")
        << entity->name;
    note(entity->place, "'%0' is declared here") << entity->name;
    return;
  }
  std::string list = "0";
  if (!directive.items.empty()) {
    list = formats(directive, *entity);
    if (list.empty()) {
      return;
    }
    for (auto [item, format] : llvm::zip(directive.items.items, entity->formats)) {
      const bool isSame = item.kind == Item::Kind::Star ? format == Format::None
                          : item.name == "block"        ? format == Format::Block
                          : item.name == "gblock"
                              ? format == Format::Gblock
                              : format == Format::Cyclic || format == Format::CyclicOf;
      if (!isSame) {
        error(item.place.getLocation(), "this is not the format that '%0' is distributed with")
            << entity->name;
        note(entity->distribution->place, "'%0' is distributed here") << entity->name;
        return;
      }
    }
    list = listText("tutti_xmp_format", list);
  }
  std::string extents = "0";
  const Items &sizes = directive.extents;
  if (!sizes.empty() && sizes.size() != entity->rank) {
    error(sizes.place, "'%0' has %1 dimensions, not %2")
        << entity->name << entity->rank << sizes.size();
    note(entity->place, "'%0' is declared here") << entity->name;
    return;
  }
  if (!sizes.empty()) {
    extents.clear();
    for (const Item &item : sizes.items) {
      extents += extents.empty() ? "" : ", ";
      if (item.kind == Item::Kind::Value) {
        extents += std::string("{TUTTI_XMP_") + (sizes.isRound ? "LAST, 1, " : "COUNT, 0, ") +
                   longOf(directive, item.first) + ", 1}";
      } else if (item.kind == Item::Kind::Triplet && item.first && item.second && !item.step) {
        extents += subscript(directive, item, sizes.isRound, false);
      } else {
        error(item.place.getLocation(), "expected the size of a template, or its bounds");
        return;
      }
    }
    extents = listText("tutti_xmp_subscript", extents);
  }
  constants_.templateFix(directive, *entity);
  emitStatement(directive, "tutti_xmp_fix_template(" + source(directive.place) + ", " +
                               entity->handle + ", " + std::to_string(entity->rank) + ", " + list +
                               ", " + extents + ")");
}

} // namespace tutti::compiler::xmp
