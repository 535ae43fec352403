// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/xmp.h"
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

std::string Lowering::asyncText(const Directive &directive) const {
  return directive.async ? longOf(directive, directive.async)
                         : "-" + std::to_string(-TUTTI_XMP_NOW) + "L";
}

/// The global array that an operand names; null after an error.
Entity *Lowering::arrayOf(const Directive &directive, ExpressionId id) {
  const Expression &operand = directive[id];
  if (!operand.expr) {
    return nullptr;
  }
  Entity *array = scopes_.find(operand.expr);
  if (!array) {
    std::string name;
    for (const Token &token : operand.tokens) {
      name += preprocessor_.getSpelling(token);
    }
    error(operand.place(), "'%0' is not a global array") << name;
  }
  return array;
}

void Lowering::reflect(const Directive &directive) {
  const bool isReflect = directive.kind == DirectiveKind::Reflect;
  const bool isTogether = isReflect && directive.operands.size() > 1 && !directive.async;
  std::string calls;
  for (const Operand &operand : directive.operands) {
    const Entity *array = arrayOf(directive, operand.expression);
    if (!array) {
      continue;
    }
    const SourceLocation place = directive[operand.expression].place();
    if (!array->hasShadow) {
      error(place, "array '%0' has no shadow") << array->name;
      note(array->place, "'%0' is aligned here") << array->name;
      continue;
    }
    if (directive.isAcc && !replicaOf(array, nullptr)) {
      error(place, "'%0' is not replicated here") << array->name;
      continue;
    }
    std::string widths = "0";
    if (directive.widths.isGiven) {
      if (directive.widths.widths.size() != array->rank) {
        error(directive.widths.place, "'%0' has %1 dimensions, but there are %2 widths")
            << array->name << array->rank << static_cast<unsigned>(directive.widths.widths.size());
        continue;
      }
      constants_.reflectWidths(directive, *array);
      widths.clear();
      for (unsigned i = 0; i < array->rank; ++i) {
        const Width &width = directive.widths.widths[i];
        if (width.isPeriodic && array->isFull[i]) {
          error(width.place, "dimension %0 of '%1' has a full shadow, which cannot be periodic")
              << i + 1 << array->name;
        }
        widths += (widths.empty() ? "{" : ", {") + longOf(directive, width.lower) + ", " +
                  longOf(directive, width.upper ? width.upper : width.lower) + ", " +
                  (width.isPeriodic ? "TUTTI_XMP_PERIODIC" : "0") + "}";
      }
      widths = listText("tutti_xmp_width", widths);
    }
    calls += (calls.empty() ? "" : "; ") +
             std::string(isReflect ? "tutti_xmp_reflect(" : "tutti_xmp_reduce_shadow(") +
             source(place) + ", " + array->handle + ", " + widths + ", " +
             (directive.isOrthogonal ? "TUTTI_XMP_ORTHOGONAL" : "0") +
             (directive.isAcc ? " | TUTTI_XMP_ACC" : "") +
             (!isTogether                              ? ""
              : &operand == &directive.operands.back() ? " | TUTTI_XMP_LIST_END"
                                                       : " | TUTTI_XMP_LIST") +
             ", " + asyncText(directive) + ")";
    if (directive.isAcc) {
      const auto bytes = context_.getTypeSizeInChars(array->element).getQuantity();
      // The runtime packs on devices where there are loops for the largest words.
      packedWords_.insert({"8", bytes % 8 == 0 ? "8" : bytes % 4 == 0 ? "4" : "1"});
    }
  }
  const bool isList = directive.operands.size() > 1;
  emitStatement(directive, isList ? "{ " + calls + "; }" : calls);
}

void Lowering::barrier(const Directive &directive) {
  if (const auto on = ref(directive, directive.on)) {
    emitStatement(directive, "tutti_xmp_barrier(" + source(directive.place) + ", " + *on + ")");
  }
}

void Lowering::bcast(const Directive &directive) {
  const auto on = ref(directive, directive.on);
  const auto from = directive.from ? ref(directive, directive.from) : std::string("0");
  if (directive.from && from) {
    constants_.source(directive, *scopes_.find(wordOf(directive.from->name)));
  }
  std::string items;
  for (const Operand &operand : directive.operands) {
    const auto item = variable(directive, operand.expression);
    if (!item) {
      return;
    }
    items += (items.empty() ? "" : ", ") + item->text;
  }
  if (on && from) {
    emitStatement(directive, "tutti_xmp_bcast(" + source(directive.place) + ", " +
                                 std::to_string(directive.operands.size()) +
                                 ", (const tutti_xmp_section[]){" + items + "}, " + *from + ", " +
                                 *on + ", " + asyncText(directive) + ")");
  }
}

void Lowering::waitAsync(const Directive &directive) {
  std::string ids;
  for (ExpressionId id : directive.ids) {
    ids += (ids.empty() ? "" : ", ") + longOf(directive, id);
  }
  if (const auto on = ref(directive, directive.on)) {
    emitStatement(directive, "tutti_xmp_wait_async(" + source(directive.place) + ", " +
                                 std::to_string(directive.ids.size()) + ", " +
                                 listText("long", ids) + ", " + *on + ")");
  }
}

} // namespace tutti::compiler::xmp
