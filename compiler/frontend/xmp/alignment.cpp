// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

bool isDummyOf(const Items &sources, const Item &item) {
  return llvm::any_of(sources.items, [&](const Item &source) {
    return source.kind == Item::Kind::Dummy && source.name == item.name;
  });
}

} // namespace

/// `{axis, offset}, ...`, for axes that are known.
std::string Lowering::alignmentText(const Directive &directive, const Entity &array) const {
  std::string alignments;
  for (const int axis : array.axes) {
    std::string offset = "0";
    const Item *item = axis >= 0 ? &directive.with->subscripts.items[axis] : nullptr;
    if (item && item->kind == Item::Kind::Dummy && item->first) {
      offset = (item->isMinus ? "-" : "") + longOf(directive, item->first);
    }
    alignments += (alignments.empty() ? "{" : ", {") + std::to_string(axis) + ", " + offset + "}";
  }
  return alignments;
}

/// The template's dimensions that are `:`; nothing after an error.
std::optional<llvm::SmallVector<int, 7>> Lowering::alignColons(const Directive &directive) {
  llvm::SmallVector<int, 7> colons;
  for (const auto &[axis, item] : llvm::enumerate(directive.with->subscripts.items)) {
    if (item.kind == Item::Kind::Colon) {
      colons.push_back(axis);
    } else if (item.kind == Item::Kind::Dummy) {
      if (!isDummyOf(directive.items, item)) {
        error(item.place.getLocation(), "'%0' is not an index of the array") << item.name;
        return std::nullopt;
      }
    } else if (item.kind != Item::Kind::Star) {
      error(item.place.getLocation(), "expected an index of the array, ':' or '*'");
      return std::nullopt;
    }
  }
  return colons;
}

/// The template's dimension whose subscript names an index of the array; nothing after an error.
std::optional<int> Lowering::axisOfIndex(const Directive &directive, const Item &source) {
  std::optional<int> found;
  for (const auto &[axis, item] : llvm::enumerate(directive.with->subscripts.items)) {
    if (item.kind != Item::Kind::Dummy || item.name != source.name) {
      continue;
    }
    if (found) {
      error(item.place.getLocation(), "index '%0' is used twice") << item.name;
      return std::nullopt;
    }
    found = axis;
  }
  if (!found) {
    error(source.place.getLocation(), "index '%0' is not used in the template's subscripts")
        << source.name;
  }
  return found;
}

/// Which dimension of the template each of the array's follows.
bool Lowering::alignAxes(const Directive &directive, Entity &array) {
  const auto colons = alignColons(directive);
  if (!colons) {
    return false;
  }
  unsigned colon = 0;
  for (const Item &source : directive.items.items) {
    std::optional<int> axis = -1;
    if (source.kind == Item::Kind::Colon) {
      if (colon == colons->size()) {
        error(source.place.getLocation(), "the array has more ':' than the template");
        return false;
      }
      axis = (*colons)[colon++];
    } else if (source.kind == Item::Kind::Dummy && !source.first) {
      axis = axisOfIndex(directive, source);
    } else if (source.kind != Item::Kind::Star) {
      error(source.place.getLocation(), "expected an index, ':' or '*'");
      return false;
    }
    if (!axis) {
      return false;
    }
    if (*axis >= 0 && llvm::is_contained(array.axes, *axis)) {
      error(source.place.getLocation(), "index '%0' is named twice") << source.name;
      return false;
    }
    array.axes.push_back(*axis);
  }
  if (colon < colons->size()) {
    error(directive.with->subscripts.items[(*colons)[colon]].place.getLocation(),
          "the template has more ':' than the array");
    return false;
  }
  if (llvm::all_of(array.axes, [](int axis) { return axis < 0; })) {
    error(directive.place, "no dimension of the array is aligned");
    return false;
  }
  return true;
}

} // namespace tutti::compiler::xmp
