// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// Whether a reduction is defined for elements of a type.
bool reduces(QualType type, llvm::StringRef operation) {
  if (type->isAnyComplexType()) {
    return operation == "+" || operation == "-" || operation == "*";
  }
  const bool isOfBits = operation == "&" || operation == "|" || operation == "^";
  return isOfBits ? type->isIntegerType() : type->isArithmeticType();
}

llvm::StringRef operationName(llvm::StringRef operation) {
  return llvm::StringSwitch<llvm::StringRef>(operation)
      .Cases("+", "-", "TUTTI_XMP_ADD")
      .Case("*", "TUTTI_XMP_MULTIPLY")
      .Case("&", "TUTTI_XMP_BIT_AND")
      .Case("|", "TUTTI_XMP_BIT_OR")
      .Case("^", "TUTTI_XMP_BIT_XOR")
      .Case("&&", "TUTTI_XMP_AND")
      .Case("||", "TUTTI_XMP_OR")
      .Case("max", "TUTTI_XMP_MAX")
      .Case("min", "TUTTI_XMP_MIN")
      .Case("firstmax", "TUTTI_XMP_FIRSTMAX")
      .Case("firstmin", "TUTTI_XMP_FIRSTMIN")
      .Case("lastmax", "TUTTI_XMP_LASTMAX")
      .Default("TUTTI_XMP_LASTMIN");
}

} // namespace

/// A list of tutti_xmp_reduced; nothing after an error.
std::optional<std::string> Lowering::reduced(const Directive &directive,
                                             const std::string &positions, unsigned &count) {
  std::string items;
  for (const ReductionClause &clause : directive.reductions) {
    for (const Operand &operand : clause.operands) {
      const auto value = variable(directive, operand.expression);
      if (!value) {
        return std::nullopt;
      }
      const SourceLocation place = directive[operand.expression].place();
      if (value->entity && value->entity->hasShadow) {
        error(place, "array '%0' has a shadow and cannot be reduced") << value->entity->name;
        return std::nullopt;
      }
      if (!reduces(value->element, clause.operation)) {
        error(place, "a variable of type %0 cannot be reduced with '%1'")
            << value->element << clause.operation;
        return std::nullopt;
      }
      const bool needsLocations = isOrdered(clause);
      const bool mayHaveLocations =
          needsLocations || clause.operation == "max" || clause.operation == "min";
      if (needsLocations && operand.locations.empty()) {
        error(place, "'%0' needs variables for the location: '%0: v/l/'") << clause.operation;
        return std::nullopt;
      }
      if (!mayHaveLocations && !operand.locations.empty()) {
        error(directive[operand.locations[0]].place(), "a reduction with '%0' has no location")
            << clause.operation;
        return std::nullopt;
      }
      std::string locations;
      for (ExpressionId id : operand.locations) {
        const auto location = variable(directive, id);
        if (!location) {
          return std::nullopt;
        }
        locations += (locations.empty() ? "" : ", ") + location->text;
      }
      items += (items.empty() ? "{" : ", {") + value->text + ", " +
               operationName(clause.operation).str() + ", " +
               (positions.empty() ? "-1" : positions + "[" + std::to_string(count) + "]") + ", " +
               std::to_string(operand.locations.size()) + ", " +
               (locations.empty() ? "0" : "(const tutti_xmp_section[]){" + locations + "}") + "}";
      ++count;
    }
  }
  return "(const tutti_xmp_reduced[]){" + items + "}";
}

void Lowering::reduction(const Directive &directive) {
  const auto on = ref(directive, directive.on);
  unsigned count = 0;
  const auto items = reduced(directive, "", count);
  if (on && items) {
    emitStatement(directive, "tutti_xmp_reduction(" + source(directive.place) + ", " + *on + ", " +
                                 std::to_string(count) + ", " + *items + ", " +
                                 asyncText(directive) + ")");
  }
}

} // namespace tutti::compiler::xmp
