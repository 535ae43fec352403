// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Finds the dimension of `on` that divides each loop; false after an error.
bool Lowering::divideElements(const Directive &directive, const Entity *array,
                              ElementLoops &loops) {
  loops.set = checkedRef(directive, *directive.on);
  if (!loops.set) {
    return false;
  }
  const Entity &set = *loops.set;
  const Items &list = directive.on->subscripts;
  const bool isOwn = array && array->with == &set;
  llvm::SmallVector<int, 7> open;
  for (unsigned axis = 0; axis < set.rank; ++axis) {
    if (list.empty() || list.items[axis].kind == Item::Kind::Colon ||
        list.items[axis].kind == Item::Kind::Triplet) {
      open.push_back(axis);
    }
  }
  for (unsigned k = 0; k < loops.lengths.size(); ++k) {
    const int axis = isOwn ? loops.axes[k] : k < open.size() ? open[k] : -1;
    if (axis >= 0 && llvm::is_contained(open, axis)) {
      loops.divided[k] = axis;
      loops.formats[k] = set.kind == Entity::Kind::Nodes ? Format::Cyclic : set.formats[axis];
      if (!list.empty() && k < loops.shape.parts.size()) {
        constants_.elements(directive, set, axis, loops.shape.parts[k].count);
      }
    }
  }
  for (const int axis : open) {
    // All nodes have all of a dimension that is not distributed.
    const bool isWhole = set.kind == Entity::Kind::Template && set.formats[axis] == Format::None;
    if (!isWhole && !llvm::is_contained(loops.divided, axis)) {
      error(directive.on->name.getLocation(),
            "dimension %0 of '%1' has no section of the assignment beside it")
          << axis + 1 << set.name;
      return false;
    }
  }
  return true;
}

/// Opens the loops, over shares where they are divided.
void Lowering::elementHeads(ElementLoops &loops) {
  std::string constants;
  for (unsigned k = 0; k < loops.lengths.size(); ++k) {
    const std::string own = loops.name + "_" + std::to_string(k);
    const bool isDivided = loops.divided[k] >= 0;
    const std::string index = loops.name + "[" + std::to_string(loops.shares) + "]";
    loops.declarations += "const long " + own + "_l = " + loops.lengths[k] + "; ";
    if (isDivided) {
      loops.indices += (loops.shares > 0 ? ", {.axis = " : "{.axis = ") +
                       std::to_string(loops.divided[k]) +
                       ", .offset = 0, .lower = 0, .last = " + own + "_l - 1, .step = 1}";
      ++loops.shares;
    }
    constants +=
        isDivided ? sharesConstants(index, own) : "const long " + own + "_n = " + own + "_l; ";
    if (isDivided && loops.formats[k] == Format::CyclicOf) {
      loops.head += "for (long " + own + "_k = 0; " + own + "_k < " + own + "_n; " + own +
                    "_k++) { const long " + own + " = tutti_xmp_iteration(&" + index + ", " + own +
                    "_k); ";
      continue;
    }
    loops.head += "for (long " + own + " = " + (isDivided ? own + "_b" : "0") + "; " + own + " < " +
                  own + (isDivided ? "_e; " : "_l; ") + own +
                  (loops.formats[k] == Format::Cyclic ? " += " + own + "_s" : "++") + ") { ";
  }
  loops.constants = constants;
}

/// The call that fills the indices in.
std::string Lowering::elementShare(const Directive &directive, const ElementLoops &loops) const {
  std::string subscripts;
  const Items &list = directive.on->subscripts;
  for (const Item &item : list.items) {
    subscripts += subscripts.empty() ? "" : ", ";
    subscripts += subscript(directive, item, list.isRound, loops.set->kind == Entity::Kind::Nodes);
  }
  return "tutti_xmp_index " + loops.name + "[] = {" + loops.indices + "}; " +
         "tutti_xmp_share_elements(" + source(directive.place) + ", &(const tutti_xmp_ref){" +
         loops.set->handle + ", " + std::to_string(list.size()) + ", " +
         (subscripts.empty() ? "0" : listText("tutti_xmp_subscript", subscripts)) + "}, " +
         std::to_string(loops.shares) + ", " + loops.name + "); ";
}

/// Loops for a share of elements, or for all; false after an error.
bool Lowering::elementLoops(const Directive *directive, const Entity *array, ElementLoops &loops) {
  loops.divided.assign(loops.lengths.size(), -1);
  loops.formats.assign(loops.lengths.size(), Format::None);
  if (directive && !divideElements(*directive, array, loops)) {
    return false;
  }
  elementHeads(loops);
  loops.declarations +=
      (directive && loops.shares > 0 ? elementShare(*directive, loops) : "") + loops.constants;
  return true;
}

} // namespace tutti::compiler::xmp
