// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/constant_checks.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// The values that a list of initializers gives to an array of so many elements.
std::vector<Constant> valuesOf(const InitListExpr *list, std::size_t count,
                               const ASTContext &context) {
  const InitListExpr *semantic = list->isSemanticForm() ? list : list->getSemanticForm();
  std::vector<Constant> values(count, 0);
  for (unsigned i = 0; semantic && i < semantic->getNumInits() && i < count; ++i) {
    const Expr *init = semantic->getInit(i);
    values[i] = isa<ImplicitValueInitExpr>(init) ? Constant(0) : constantOf(init, context);
  }
  return values;
}

} // namespace

void ConstantChecks::nodes(const Directive &directive, Entity &nodes) {
  for (const Item &item : directive.items.items) {
    const Constant size =
        item.kind == Item::Kind::Value ? value(directive, item.first) : Constant();
    nodes.bounds.push_back(Bounds::ofCount(size));
    if (size && *size <= 0 && isExecuted(directive.mark)) {
      error(directive[item.first].place(), "node array '%0' has a size of %1")
          << nodes.name << textOf(size);
      nodes.bounds.back() = {};
    }
  }
}

void ConstantChecks::subset(const Directive &directive, const Entity &nodes, const Entity &of) {
  const Items &list = directive.with->subscripts;
  Constant wanted = 1;
  Constant given = 1;
  for (const Bounds &bounds : nodes.bounds) {
    wanted = product(wanted, bounds.count());
  }
  for (unsigned axis = 0; axis < of.bounds.size(); ++axis) {
    const auto subscript = list.empty()
                               ? Subscript::all()
                               : this->subscript(directive, list.items[axis], list.isRound);
    Bounds bounds = of.bounds[axis];
    if (list.isRound) {
      bounds = {1, bounds.count()};
    }
    given = product(given, subscript ? subscript->reachOfSet(bounds).count : 1);
  }
  if (!of.bounds.empty() && wanted && given && *wanted != *given && isExecuted(directive.mark)) {
    error(directive.with->name.getLocation(), "'%0' has %1 nodes, but this part of '%2' has %3")
        << nodes.name << textOf(wanted) << of.name << textOf(given);
    declaredHere(of.name, of.place);
  }
}

/// The bounds of a template's dimensions, as a list of sizes or bounds says.
std::vector<Bounds> ConstantChecks::extents(const Directive &directive, const Items &list,
                                            llvm::StringRef name) {
  std::vector<Bounds> all;
  for (const Item &item : list.items) {
    Bounds bounds;
    const Constant first = value(directive, item.first);
    const Constant second = value(directive, item.second);
    if (item.kind == Item::Kind::Value) {
      bounds = list.isRound ? Bounds{1, first} : Bounds::ofCount(first);
    } else if (item.kind == Item::Kind::Triplet) {
      bounds = {first, list.isRound ? second : difference(sum(first, second), 1)};
    }
    if (bounds.count() && *bounds.count() <= 0) {
      if (isExecuted(directive.mark)) {
        error(item.place.getLocation(), "template '%0' goes from %1 to %2")
            << name << textOf(bounds.lower) << textOf(bounds.upper);
      }
      bounds = {};
    }
    all.push_back(bounds);
  }
  return all;
}

void ConstantChecks::templates(const Directive &directive, Entity &entity) {
  entity.bounds = extents(directive, directive.items, entity.name);
  const bool mayChange = llvm::any_of(program_.directives, [&](const Directive &other) {
    return other.kind == DirectiveKind::TemplateFix && !other.extents.empty() &&
           other.targets[0].name.getIdentifierInfo()->getName() == entity.name;
  });
  if (mayChange) {
    entity.bounds.clear();
  }
}

void ConstantChecks::block(const Directive &directive, const Item &item, const Entity &entity,
                           Constant parts, Constant extent) {
  const Constant width = value(directive, item.first);
  const Constant covered = product(width, parts);
  if (width && *width <= 0) {
    error(directive[item.first].place(), "'%0(%1)' is not positive") << item.name << textOf(width);
  } else if (item.name == "block" && covered && extent && *covered < *extent) {
    error(directive[item.first].place(),
          "'block(%0)' on %1 nodes does not cover %2 indices of '%3'")
        << textOf(width) << textOf(parts) << textOf(extent) << entity.name;
    declaredHere(entity.name, entity.place);
  }
}

/// Whether an array has, where directives at file scope are evaluated, what it is initialized with.
bool ConstantChecks::isUnchanged(const Expr *map) const {
  if (isa<CompoundLiteralExpr>(map) ||
      context_.getBaseElementType(map->getType()).isConstQualified()) {
    return true;
  }
  const auto *variable = cast<VarDecl>(cast<DeclRefExpr>(map)->getDecl());
  const auto runsBefore = [](const Decl *declaration) {
    return declaration->hasAttr<ConstructorAttr>();
  };
  return !function_ && variable->hasGlobalStorage() && !variable->getType().isVolatileQualified() &&
         llvm::none_of(context_.getTranslationUnitDecl()->decls(), runsBefore);
}

void ConstantChecks::map(const Directive &directive, const Item &item, const Entity &entity,
                         Constant parts, Constant extent) {
  const Expr *map = item.first ? directive[item.first].expr : nullptr;
  map = map ? map->IgnoreParenImpCasts() : nullptr;
  const ConstantArrayType *type = map ? context_.getAsConstantArrayType(map->getType()) : nullptr;
  if (!type) {
    return;
  }
  const SourceLocation place = directive[item.first].place();
  const std::uint64_t entries = type->getSize().getZExtValue();
  if (parts && entries < static_cast<std::uint64_t>(*parts)) {
    error(place, "the gblock map has %0 entries for %1 nodes")
        << std::to_string(entries) << textOf(parts);
    declaredHere(entity.onto->name, entity.onto->place);
    return;
  }
  const auto *literal = dyn_cast<CompoundLiteralExpr>(map);
  const auto *reference = dyn_cast<DeclRefExpr>(map);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const Expr *init = literal    ? literal->getInitializer()
                     : variable ? variable->getAnyInitializer()
                                : nullptr;
  const auto *list = dyn_cast_or_null<InitListExpr>(init);
  if (!list || !isUnchanged(map)) {
    return;
  }
  Constant covered = 0;
  const std::size_t used = parts ? static_cast<std::size_t>(*parts) : entries;
  for (const Constant count : valuesOf(list, used, context_)) {
    if (count && *count < 0) {
      error(place, "an entry of the gblock map is %0") << textOf(count);
      return;
    }
    covered = sum(covered, count);
  }
  if (covered && extent && *covered < *extent) {
    error(place, "the gblock map covers %0 of %1 indices of '%2'")
        << textOf(covered) << textOf(extent) << entity.name;
    declaredHere(entity.name, entity.place);
  }
}

void ConstantChecks::formats(const Directive &directive, const Entity &entity,
                             llvm::ArrayRef<Bounds> extents) {
  unsigned next = 0; // Of the node array's dimensions.
  for (const auto &[axis, item] : llvm::enumerate(directive.items.items)) {
    if (item.kind == Item::Kind::Star) {
      continue;
    }
    const Constant extent = axis < extents.size() ? extents[axis].count() : Constant();
    const unsigned dimension = next++;
    const Constant parts = dimension < entity.onto->bounds.size()
                               ? entity.onto->bounds[dimension].count()
                               : Constant();
    if (item.name == "gblock") {
      map(directive, item, entity, parts, extent);
    } else if (item.first) {
      block(directive, item, entity, parts, extent);
    }
  }
}

void ConstantChecks::formats(const Directive &directive, const Entity &entity) {
  if (isExecuted(directive.mark)) {
    formats(directive, entity, entity.bounds);
  }
}

void ConstantChecks::templateFix(const Directive &directive, const Entity &entity) {
  const auto fixed = directive.extents.empty() ? entity.bounds
                                               : extents(directive, directive.extents, entity.name);
  if (!directive.items.empty() && isExecuted(directive.mark)) {
    formats(directive, entity, fixed);
  }
}

void ConstantChecks::alignment(const Directive &directive, const Entity &array) {
  const Entity &with = *array.with;
  if (with.bounds.empty() || !isExecuted(directive.mark)) {
    return;
  }
  const Items &list = directive.with->subscripts;
  for (unsigned i = 0; i < array.bounds.size(); ++i) {
    const int axis = array.axes[i];
    if (axis < 0) {
      continue;
    }
    const Item &item = list.items[axis];
    Constant offset = 0;
    if (item.kind == Item::Kind::Dummy && item.first) {
      offset = value(directive, item.first);
      offset = item.isMinus ? difference(0, offset) : offset;
    }
    const Bounds &bounds = with.bounds[axis];
    const Bounds aligned = {sum(array.bounds[i].lower, offset), sum(array.bounds[i].upper, offset)};
    if (bounds.excludes(aligned.lower) || bounds.excludes(aligned.upper)) {
      error(item.place.getLocation(),
            "dimension %0 of '%1' is aligned with %2 to %3, but dimension "
            "%4 of '%5' has %6 to %7")
          << i + 1 << array.name << textOf(aligned.lower) << textOf(aligned.upper)
          << (list.isRound ? list.size() - axis : axis + 1) << with.name << textOf(bounds.lower)
          << textOf(bounds.upper);
      declaredHere(with.name, with.place);
    }
  }
}

} // namespace tutti::compiler::xmp
