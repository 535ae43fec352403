// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Loops for a share of elements, or for all; `head` opens them.
bool Lowering::elementLoops(const Directive *directive, const Entity *array,
                            llvm::ArrayRef<int> axes, llvm::ArrayRef<std::string> lengths,
                            const std::string &name, std::string &declarations, std::string &head) {
  const unsigned rank = lengths.size();
  llvm::SmallVector<Format, 7> formats(rank, Format::None);
  llvm::SmallVector<int, 7> divided(rank, -1);
  const Entity *set = nullptr;
  if (directive) {
    set = checkedRef(*directive, *directive->on);
    if (!set) {
      return false;
    }
    const Items &list = directive->on->subscripts;
    const bool isOwn = array && array->with == set;
    llvm::SmallVector<unsigned, 7> open;
    for (unsigned axis = 0; axis < set->rank; ++axis) {
      const bool isWhole = list.empty();
      if (isWhole || list.items[axis].kind == Item::Kind::Colon ||
          list.items[axis].kind == Item::Kind::Triplet) {
        open.push_back(axis);
      }
    }
    for (unsigned k = 0; k < rank; ++k) {
      const int axis = isOwn ? axes[k] : k < open.size() ? static_cast<int>(open[k]) : -1;
      divided[k] = axis >= 0 && llvm::is_contained(open, static_cast<unsigned>(axis)) ? axis : -1;
      if (divided[k] >= 0) {
        formats[k] = set->kind == Entity::Kind::Nodes ? Format::Cyclic : set->formats[axis];
      }
    }
    for (unsigned axis : open) {
      // All nodes have all of a dimension that is not distributed.
      const bool isWhole =
          set->kind == Entity::Kind::Template && set->formats[axis] == Format::None;
      if (!isWhole && !llvm::is_contained(divided, static_cast<int>(axis))) {
        error(directive->on->name.getLocation(),
              "dimension %0 of '%1' has no section of the assignment beside it")
            << axis + 1 << set->name;
        return false;
      }
    }
  }
  std::string indices;
  unsigned shares = 0;
  std::string constants;
  for (unsigned k = 0; k < rank; ++k) {
    const std::string own = name + "_" + std::to_string(k);
    declarations += "const long " + own + "_l = " + lengths[k] + "; ";
    const std::string begin = divided[k] >= 0 ? own + "_b" : "0";
    const std::string end = divided[k] >= 0 ? own + "_e" : own + "_l";
    if (divided[k] >= 0) {
      const std::string index = name + "[" + std::to_string(shares++) + "]";
      indices += (indices.empty() ? "{.axis = " : ", {.axis = ") + std::to_string(divided[k]) +
                 ", .offset = 0, .lower = 0, .last = " + own + "_l - 1, .step = 1}";
      constants += sharesConstants(index, own);
      if (formats[k] == Format::CyclicOf) {
        head += "for (long " + own + "_k = 0; " + own + "_k < " + own + "_n; " + own +
                "_k++) { const long " + own + " = tutti_xmp_iteration(&" + index + ", " + own +
                "_k); ";
        continue;
      }
    } else {
      constants += "const long " + own + "_n = " + own + "_l; ";
    }
    head += "for (long " + own + " = " + begin + "; " + own + " < " + end + "; " + own +
            (formats[k] == Format::Cyclic ? " += " + own + "_s" : "++") + ") { ";
  }
  if (directive) {
    std::string subscripts;
    const Items &list = directive->on->subscripts;
    for (unsigned axis = 0; axis < list.size(); ++axis) {
      const Item &item = list.items[axis];
      const auto *k = llvm::find(divided, static_cast<int>(axis));
      subscripts += subscripts.empty() ? "" : ", ";
      if (k != divided.end() && !list.isRound && item.first && item.second) {
        // Element by element beside the assignment's.
        subscripts += "{TUTTI_XMP_COUNT, " + longOf(*directive, item.first) + ", " + name + "_" +
                      std::to_string(k - divided.begin()) + "_l, " +
                      (item.step ? longOf(*directive, item.step) : "1") + "}";
        continue;
      }
      subscripts += subscript(*directive, item, list.isRound, set->kind == Entity::Kind::Nodes);
    }
    declarations +=
        (shares > 0 ? "tutti_xmp_index " + name + "[] = {" + indices + "}; " : "") +
        "tutti_xmp_share_elements(" + source(directive->place) + ", &(const tutti_xmp_ref){" +
        set->handle + ", " + std::to_string(directive->on->subscripts.size()) + ", " +
        (subscripts.empty() ? "0" : "(const tutti_xmp_subscript[]){" + subscripts + "}") + "}, " +
        std::to_string(shares) + ", " + (shares > 0 ? name : "0") + "); ";
  }
  declarations += constants;
  return true;
}

} // namespace tutti::compiler::xmp
