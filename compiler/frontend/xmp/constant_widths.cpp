// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/constant_checks.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Of a dimension that is distributed in equal blocks.
Constant ConstantChecks::blockWidth(const Entity &entity, unsigned axis) const {
  if (entity.formats[axis] != Format::Block) {
    return std::nullopt;
  }
  const Item &item = entity.distribution->items.items[axis];
  if (item.first) {
    return value(*entity.distribution, item.first);
  }
  const auto before = llvm::ArrayRef(entity.formats).take_front(axis);
  const auto dimension = before.size() - llvm::count(before, Format::None);
  const Constant extent = axis < entity.bounds.size() ? entity.bounds[axis].count() : Constant();
  const Constant parts =
      dimension < entity.onto->bounds.size() ? entity.onto->bounds[dimension].count() : Constant();
  return extent && parts ? Constant((*extent + *parts - 1) / *parts) : std::nullopt;
}

void ConstantChecks::shadow(const Directive &directive, Entity &array) {
  array.shadowPlace = directive.items.place;
  for (unsigned i = 0; i < array.rank; ++i) {
    const Item &item = directive.items.items[i];
    if (item.kind == Item::Kind::Star) {
      continue;
    }
    const ExpressionId above = item.second ? item.second : item.first;
    array.shadow[i] = {value(directive, item.first), value(directive, above)};
    const Constant most = array.axes[i] >= 0 ? blockWidth(*array.with, array.axes[i]) : Constant();
    for (const auto &[width, id] :
         {std::pair(array.shadow[i].first, item.first), {array.shadow[i].second, above}}) {
      const bool isNegative = width && *width < 0;
      if ((!isNegative && !(width && most && *width > *most)) || !isExecuted(directive.mark)) {
        continue;
      }
      if (isNegative) {
        error(directive[id].place(), "a shadow of %0 elements") << textOf(width);
      } else {
        error(directive[id].place(), "a shadow of %0 elements is wider than a block of %1")
            << textOf(width) << textOf(most);
        declaredHere(array.with->name, array.with->place);
      }
      array.shadow[i] = {std::nullopt, std::nullopt}; // Nothing is wrong because of it again.
      break;
    }
  }
}

void ConstantChecks::reflectWidths(const Directive &directive, const Entity &array) {
  if (!isExecuted(directive.mark)) {
    return;
  }
  for (unsigned i = 0; i < array.rank; ++i) {
    const Width &width = directive.widths.widths[i];
    const ExpressionId above = width.upper ? width.upper : width.lower;
    for (const auto &[id, most] :
         {std::pair(width.lower, array.shadow[i].first), {above, array.shadow[i].second}}) {
      const Constant wanted = value(directive, id);
      if (wanted && *wanted < 0) {
        error(directive[id].place(), "a width of %0 elements") << textOf(wanted);
        break;
      }
      if (wanted && most && *wanted > *most && !array.isFull[i]) {
        error(directive[id].place(),
              "a width of %0 is larger than the shadow of '%1', which has %2")
            << textOf(wanted) << array.name << textOf(most);
        DiagnosticsEngine &diagnostics = context_.getDiagnostics();
        diagnostics.Report(array.shadowPlace,
                           diagnostics.getCustomDiagID(DiagnosticsEngine::Note,
                                                       "the shadow of '%0' is declared here"))
            << array.name;
        break;
      }
    }
  }
}

/// Widths of a loop mean nothing in dimensions that no index names. Those of `peel_and_wait` say
/// how many of the node's own iterations wait.
void ConstantChecks::margins(const Directive &directive) {
  const Items &list = directive.on->subscripts;
  for (unsigned axis = 0; axis < list.size(); ++axis) {
    const Width &width = directive.widths.widths[list.isRound ? list.size() - 1 - axis : axis];
    for (const ExpressionId id : {width.lower, width.upper}) {
      const Constant wanted = value(directive, id);
      const bool isWrong = wanted && *wanted != 0 && list.items[axis].kind != Item::Kind::Dummy;
      if (isWrong && isExecuted(directive.mark)) {
        error(directive[id].place(), "a width of %0 for a dimension that no index names")
            << textOf(wanted);
        return;
      }
      if (wanted && *wanted > 0 && directive.margin == Directive::Margin::Peel &&
          isExecuted(directive.mark)) {
        error(directive[id].place(), "a width of 'peel_and_wait' cannot be positive");
        return;
      }
    }
  }
}

} // namespace tutti::compiler::xmp
