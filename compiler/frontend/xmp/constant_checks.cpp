// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/constant_checks.h"

#include "compiler/frontend/xmp/marks.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

void ConstantChecks::declaredHere(llvm::StringRef name, SourceLocation place) {
  DiagnosticsEngine &diagnostics = context_.getDiagnostics();
  diagnostics.Report(place,
                     diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "'%0' is declared here"))
      << name;
}

bool ConstantChecks::isExecuted(const Stmt *statement) {
  return !function_ || (statement && reachable_.contains(function_, statement, context_));
}

Constant ConstantChecks::value(const Directive &directive, ExpressionId id) const {
  return id ? constantOf(directive[id].expr, context_) : std::nullopt;
}

/// Nothing for what depends on the node or the iteration.
std::optional<Subscript> ConstantChecks::subscript(const Directive &directive, const Item &item,
                                                   bool isRound) const {
  Subscript subscript;
  switch (item.kind) {
  case Item::Kind::Value:
    subscript.first = value(directive, item.first);
    return subscript;
  case Item::Kind::Colon:
  case Item::Kind::Triplet:
    subscript.isRange = true;
    subscript.isInclusive = isRound;
    subscript.hasFirst = item.first.has_value();
    subscript.hasSecond = item.second.has_value();
    subscript.first = value(directive, item.first);
    subscript.second = value(directive, item.second);
    subscript.step = item.step ? value(directive, item.step) : 1;
    return subscript;
  default:
    return std::nullopt;
  }
}

/// Of C's subscripts, in which sections have marks.
Subscript ConstantChecks::subscript(const Expr *index, Places &places) const {
  Subscript subscript;
  places.first = index->getBeginLoc();
  const auto number = numberOfMark(index, kSection);
  if (!number) {
    subscript.first = constantOf(index, context_);
    return subscript;
  }
  const SectionMark &mark = program_.sections[*number];
  const auto *call = cast<CallExpr>(index->IgnoreParenImpCasts());
  const auto read = [&](const SectionMark::Part &part, unsigned argument, SourceLocation &place) {
    place = part.empty() ? mark.place : call->getArg(argument)->getBeginLoc();
    return part.empty() ? Constant() : constantOf(call->getArg(argument), context_);
  };
  subscript.isRange = true;
  subscript.hasFirst = !mark.first.empty();
  subscript.hasSecond = !mark.second.empty();
  subscript.first = read(mark.first, 1, places.first);
  subscript.second = read(mark.second, 2, places.second);
  const Constant step = read(mark.step, 3, places.step);
  subscript.step = mark.step.empty() ? 1 : step;
  return subscript;
}

void ConstantChecks::reach(const Subscript &subscript, const Subscript::Reach &reach,
                           const Dimension &dimension, const Places &places) {
  const SourceLocation end = subscript.hasSecond ? places.second : places.first;
  if (subscript.step == 0) {
    error(places.step, "a section with a step of 0");
    return;
  }
  if (reach.count && *reach.count <= 0) {
    error(end, "a section of %0 elements") << static_cast<int>(*reach.count);
    return;
  }
  const bool isFirst = dimension.bounds.excludes(reach.first);
  if (!isFirst && !dimension.bounds.excludes(reach.last)) {
    return;
  }
  error(isFirst ? places.first : end,
        "index %0 lies outside of dimension %1 of '%2', which has %3 to %4%select{| with its "
        "shadow}5")
      << textOf(isFirst ? reach.first : reach.last) << dimension.number << dimension.name
      << textOf(dimension.bounds.lower) << textOf(dimension.bounds.upper) << dimension.hasShadow;
  declaredHere(dimension.name, dimension.declared);
}

void ConstantChecks::ref(const Directive &directive, const Ref &ref, const Entity &entity) {
  if (entity.bounds.empty() || !isExecuted(directive.mark)) {
    return;
  }
  const Items &list = ref.subscripts;
  for (unsigned axis = 0; axis < list.size(); ++axis) {
    const Item &item = list.items[axis];
    const auto subscript = this->subscript(directive, item, list.isRound);
    if (!subscript) {
      continue;
    }
    Bounds bounds = entity.bounds[axis];
    if (entity.kind == Entity::Kind::Nodes && list.isRound) {
      bounds = {1, bounds.count()};
    }
    const auto place = [&](ExpressionId id) {
      return id ? directive[id].place() : item.place.getLocation();
    };
    reach(*subscript, subscript->reachOfSet(bounds),
          {entity.name, entity.place, list.isRound ? list.size() - axis : axis + 1, bounds, false},
          {place(item.first), place(item.second), place(item.step)});
  }
}

/// A broadcast comes from one node.
void ConstantChecks::source(const Directive &directive, const Entity &nodes) {
  if (nodes.kind != Entity::Kind::Nodes || nodes.bounds.empty() || !isExecuted(directive.mark)) {
    return;
  }
  const Items &list = directive.from->subscripts;
  for (unsigned axis = 0; axis < nodes.rank; ++axis) {
    Constant count = nodes.bounds[axis].count();
    SourceLocation place = directive.from->name.getLocation();
    if (!list.empty()) {
      const auto subscript = this->subscript(directive, list.items[axis], list.isRound);
      count = subscript ? subscript->reachOfSet(nodes.bounds[axis]).count : 1;
      place = list.items[axis].place.getLocation();
    }
    if (count && *count > 1) {
      error(place, "a broadcast has one source, and this names %0 nodes of '%1'")
          << static_cast<int>(*count) << nodes.name;
      declaredHere(nodes.name, nodes.place);
      return;
    }
  }
}

/// Whether a `shadow` of the array follows behind a place.
bool ConstantChecks::mayGetShadow(const Entity &array, unsigned at) const {
  return llvm::any_of(program_.directives, [&](const Directive &other) {
    return other.kind == DirectiveKind::Shadow && other.at > at &&
           llvm::any_of(other.targets, [&](const Target &target) {
             const IdentifierInfo *name = target.name.getIdentifierInfo();
             return target.isMember() || (name && name->getName() == array.name);
           });
  });
}

Bounds ConstantChecks::withShadow(const Entity &array, unsigned dimension) const {
  if (dimension >= array.bounds.size()) {
    return {};
  }
  Bounds bounds = array.bounds[dimension];
  if (array.hasShadow && !array.isFull[dimension]) {
    bounds.lower = difference(bounds.lower, array.shadow[dimension].first);
    bounds.upper = sum(bounds.upper, array.shadow[dimension].second);
  }
  return bounds;
}

void ConstantChecks::access(const Entity &array, unsigned dimension,
                            const ArraySubscriptExpr *access, bool isAddress) {
  const Constant index = constantOf(access->getIdx(), context_);
  Dimension of{array.name, array.declared, dimension + 1, withShadow(array, dimension),
               array.hasShadow};
  Bounds allowed = of.bounds;
  allowed.upper = isAddress ? sum(allowed.upper, 1) : allowed.upper;
  if (!allowed.excludes(index) || !isExecuted(access) ||
      mayGetShadow(array, program_.at(access->getBeginLoc()))) {
    return;
  }
  reach(Subscript::of(index), {index, index, 1}, of, {access->getIdx()->getBeginLoc(), {}, {}});
}

/// Nothing known of a pointer's first dimension.
std::vector<Bounds> ConstantChecks::boundsOf(const Entity *array, const Expr *base) const {
  if (array) {
    return array->bounds;
  }
  std::vector<Bounds> bounds;
  QualType type = base->getType();
  if (type->isPointerType()) {
    bounds.emplace_back();
    type = type->getPointeeType();
  }
  for (; type->isArrayType(); type = context_.getAsArrayType(type)->getElementType()) {
    const ConstantArrayType *constant = context_.getAsConstantArrayType(type);
    const VariableArrayType *variable = context_.getAsVariableArrayType(type);
    bounds.push_back(
        constant   ? Bounds::ofCount(static_cast<std::int64_t>(constant->getSize().getZExtValue()))
        : variable ? Bounds::ofCount(constantOf(variable->getSizeExpr(), context_))
                   : Bounds{});
  }
  if (isa<MemberExpr>(base) && bounds.size() == 1 && bounds[0].upper && *bounds[0].upper < 1) {
    bounds.clear(); // Memory behind the structure may belong to it.
  }
  return bounds;
}

Shape ConstantChecks::section(const Entity *array, const Expr *base,
                              llvm::ArrayRef<ArraySubscriptExpr *> accesses, bool mayBeShadow) {
  Shape shape;
  const std::vector<Bounds> extents = boundsOf(array, base);
  const auto *reference = dyn_cast<DeclRefExpr>(base);
  const auto *member = dyn_cast<MemberExpr>(base);
  const ValueDecl *variable = reference ? reference->getDecl()
                              : member  ? member->getMemberDecl()
                                        : nullptr;
  for (unsigned i = 0; i < accesses.size(); ++i) {
    const Expr *index = accesses[i]->getIdx();
    Places places;
    const Subscript subscript = this->subscript(index, places);
    const Bounds own = i < extents.size() ? extents[i] : Bounds{};
    Dimension of{{}, {}, i + 1, own, false};
    if (array) {
      of = {array->name, array->declared, i + 1, own, mayBeShadow && array->hasShadow};
      of.bounds = mayBeShadow ? withShadow(*array, i) : own;
      if (mayBeShadow && mayGetShadow(*array, program_.at(accesses[i]->getBeginLoc()))) {
        of.bounds = {};
      }
    } else if (variable) {
      of.name = variable->getName();
      of.declared = variable->getLocation();
    } else {
      of.bounds = {};
    }
    const Subscript::Reach reach = subscript.reach(own);
    if (isExecuted(accesses[i])) {
      this->reach(subscript, reach, of, places);
    }
    if (subscript.isRange) {
      shape.parts.push_back({reach.count, places.first});
    }
  }
  for (unsigned i = accesses.size(); i < extents.size(); ++i) {
    shape.parts.push_back({extents[i].count(), base->getBeginLoc()});
  }
  return shape;
}

void ConstantChecks::elements(const Directive &directive, const Entity &set, unsigned axis,
                              Constant count) {
  const Items &list = directive.on->subscripts;
  const auto subscript = this->subscript(directive, list.items[axis], list.isRound);
  if (!subscript || !subscript->hasFirst || !subscript->hasSecond || !isExecuted(directive.mark)) {
    return;
  }
  const Constant wanted = subscript->reach({}).count;
  if (count && wanted && *count != *wanted) {
    error(list.items[axis].place.getLocation(), "%0 elements are assigned on %1 subscripts of '%2'")
        << textOf(count) << textOf(wanted) << set.name;
    declaredHere(set.name, set.place);
  }
}

void ConstantChecks::iterations(const Directive &directive, const Entity &set, const Item &item,
                                unsigned axis, Constant first, Constant last) {
  if (axis >= set.bounds.size() || !isExecuted(directive.mark)) {
    return;
  }
  const Items &list = directive.on->subscripts;
  Constant offset = item.first ? value(directive, item.first) : 0;
  offset = item.isMinus ? difference(0, offset) : offset;
  Bounds bounds = set.bounds[axis];
  if (set.kind == Entity::Kind::Nodes && list.isRound) {
    bounds = {1, bounds.count()};
  }
  for (const Constant end : {first, last}) {
    const Constant index = sum(end, offset);
    if (bounds.excludes(index)) {
      error(item.place.getLocation(),
            "iteration %0 belongs to subscript %1, which lies outside of dimension %2 of '%3', "
            "which has %4 to %5")
          << textOf(end) << textOf(index) << (list.isRound ? list.size() - axis : axis + 1)
          << set.name << textOf(bounds.lower) << textOf(bounds.upper);
      declaredHere(set.name, set.place);
      return;
    }
  }
}

void ConstantChecks::conform(const Stmt *assignment, const Shape &left, const Shape &right) {
  if (left.parts.size() != right.parts.size() || !isExecuted(assignment)) {
    return; // A scalar goes to all elements; else there has been an error.
  }
  for (const auto &[to, from] : llvm::zip(left.parts, right.parts)) {
    if (to.count && from.count && *to.count != *from.count) {
      error(from.place, "%0 elements are assigned to %1")
          << std::to_string(*from.count) << std::to_string(*to.count);
      DiagnosticsEngine &diagnostics = context_.getDiagnostics();
      diagnostics.Report(
          to.place, diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "these are assigned to"));
    }
  }
}

} // namespace tutti::compiler::xmp
