// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/xmp.h"
#include "compiler/frontend/xmp/lowering.h"
#include "compiler/frontend/xmp/marks.h"

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
    error(operand.place(), "'%0' is not a global array") << wordOf(operand.tokens.front());
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
      widths = "(const tutti_xmp_width[]){" + widths + "}";
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
    packsOnDevices_ |= directive.isAcc;
  }
  const bool isList = directive.operands.size() > 1;
  emitStatement(directive, isList ? "{ " + calls + "; }" : calls);
}

/// A tutti_xmp_section's initializer, with array sections and the rest taken as a whole.
std::optional<SectionText> Lowering::section(Expr *whole) {
  Expr *expr = whole->IgnoreParenImpCasts();
  llvm::SmallVector<ArraySubscriptExpr *, 7> accesses;
  while (auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    accesses.insert(accesses.begin(), access);
    Expr *base = access->getBase()->IgnoreParens();
    const auto *decay = dyn_cast<ImplicitCastExpr>(base);
    expr = base->IgnoreParenImpCasts();
    const bool isGlobal = scopes_.find(expr) != nullptr;
    const bool isOfArray = decay && decay->getCastKind() == CK_ArrayToPointerDecay;
    if (!isOfArray && !isGlobal && !isa<ArraySubscriptExpr>(expr)) {
      break; // A pointer: what it leads to is the array.
    }
  }
  SectionText result;
  result.entity = scopes_.find(expr);
  TraverseStmt(result.entity ? nullptr : expr);
  QualType type = expr->getType();
  unsigned rank = result.entity ? result.entity->rank : 0;
  if (!result.entity) {
    QualType left = type;
    for (; left->isArrayType(); left = context_.getAsArrayType(left)->getElementType()) {
      ++rank;
    }
    if (rank == 0 && !accesses.empty() && left->isPointerType()) {
      for (left = left->getPointeeType(), rank = 1; left->isArrayType();
           left = context_.getAsArrayType(left)->getElementType()) {
        ++rank;
      }
    }
    result.element = left;
  } else {
    result.element = result.entity->element;
  }
  if (accesses.size() > rank) {
    error(expr->getBeginLoc(), "too many subscripts");
    return std::nullopt;
  }
  result.shape = constants_.section(result.entity, expr, accesses, /*mayBeShadow=*/false);
  std::string subscripts;
  for (unsigned i = 0; i < rank; ++i) {
    subscripts += i > 0 ? ", " : "";
    if (i >= accesses.size()) {
      subscripts += "{TUTTI_XMP_ALL, 0, 0, 1}";
      ++result.rank;
      continue;
    }
    Expr *index = accesses[i]->getIdx();
    const auto number = numberOfMark(index, kSection);
    if (!number) {
      TraverseStmt(index);
      subscripts += "{TUTTI_XMP_INDEX, (long)(" + text(index) + "), 0, 1}";
      continue;
    }
    ++result.rank;
    for (Expr *argument :
         llvm::drop_begin(dyn_cast<CallExpr>(index->IgnoreParenImpCasts())->arguments())) {
      TraverseStmt(argument);
    }
    const SectionMark &mark = program_.sections[*number];
    const auto part = [&](const SectionMark::Part &part, const char *none) {
      return part.empty() ? std::string(none) : "(long)(" + edits_.text(part.begin, part.end) + ")";
    };
    const char *kind = mark.first.empty() && mark.second.empty() ? "ALL"
                       : mark.first.empty()                      ? "UPTO"
                       : mark.second.empty()                     ? "FROM"
                                                                 : "COUNT";
    subscripts += std::string("{TUTTI_XMP_") + kind + ", " + part(mark.first, "0") + ", " +
                  part(mark.second, "0") + ", " + part(mark.step, "1") + "}";
  }
  // The whole of a global array has no subscripts: only so can its local parts be reduced.
  const std::string list =
      accesses.empty() ? "0" : "(const tutti_xmp_subscript[]){" + subscripts + "}";
  const std::string code = typeCode(result.element);
  if (result.entity) {
    result.text = "{" + result.entity->handle + ", 0, " + code + ", sizeof(" +
                  result.entity->handle + "_t), " + std::to_string(rank) + ", 0, " + list + "}";
    return result;
  }
  const std::string name = text(expr);
  std::string element = "(" + name + ")";
  std::string extents;
  for (unsigned i = 0; i < rank; ++i) {
    const bool isKnown = i > 0 || type->isConstantArrayType() || type->isVariableArrayType();
    extents += (i > 0 ? ", " : "") +
               (isKnown ? "(long)(sizeof(" + element + ") / sizeof(" + element + "[0]))"
                        : std::string("-1"));
    element += "[0]";
  }
  result.text = "{0, (void *)" + (rank == 0 ? "&(" + name + ")" : "(" + name + ")") + ", " + code +
                ", sizeof(" + element + "), " + std::to_string(rank) + ", " +
                (rank == 0 ? "0" : "(const long[]){" + extents + "}") + ", " + list + "}";
  return result;
}

std::optional<SectionText> Lowering::variable(const Directive &directive, ExpressionId id) {
  const Expr *expr = directive[id].expr;
  if (!expr) {
    return std::nullopt;
  }
  const auto *reference = dyn_cast<DeclRefExpr>(expr);
  const auto *parameter = reference ? dyn_cast<ParmVarDecl>(reference->getDecl()) : nullptr;
  if (!parameter || scopes_.find(parameter) || !parameter->getOriginalType()->isArrayType()) {
    return section(const_cast<Expr *>(expr));
  }
  // An array that C has made a pointer: as large as it was declared.
  const QualType whole = parameter->getOriginalType();
  const auto *constant = context_.getAsConstantArrayType(whole);
  if (!constant) {
    error(directive[id].place(), "the size of parameter '%0' is not constant")
        << parameter->getName();
    return std::nullopt;
  }
  SectionText result;
  result.element = context_.getBaseElementType(whole);
  const std::string name = parameter->getName().str();
  const std::uint64_t count = context_.getConstantArrayElementCount(constant);
  const std::uint64_t bytes = context_.getTypeSizeInChars(result.element).getQuantity();
  result.rank = 1;
  result.text = "{0, (void *)" + name + ", " + typeCode(result.element) + ", " +
                std::to_string(bytes) + ", 1, (const long[]){" + std::to_string(count) + "}, 0}";
  return result;
}

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
      const bool needsLocations = operationName(clause.operation).contains("_FIRST") ||
                                  operationName(clause.operation).contains("_LAST");
      if (needsLocations == operand.locations.empty() &&
          (needsLocations || !llvm::is_contained({"max", "min"}, clause.operation))) {
        if (needsLocations) {
          error(place, "'%0' needs variables for the location: '%0: v/l/'") << clause.operation;
          return std::nullopt;
        }
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
                                 std::to_string(directive.ids.size()) + ", (const long[]){" + ids +
                                 "}, " + *on + ")");
  }
}

bool Lowering::gmove(Directive &directive, Stmt *body) {
  auto *assignment = dyn_cast<BinaryOperator>(body);
  if (!assignment || assignment->getOpcode() != BO_Assign) {
    error(directive.place, "'#pragma xmp gmove' must be followed by a simple assignment");
    return true;
  }
  Expr *source = assignment->getRHS()->IgnoreParenImpCasts();
  const auto left = section(assignment->getLHS());
  if (!left) {
    return true;
  }
  std::optional<SectionText> right;
  std::string prelude;
  if (source->isLValue()) {
    right = section(source);
  } else if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, UnaryOperator>(source)) {
    TraverseStmt(assignment->getRHS());
    const std::string value = unique("value");
    const std::string type = left->element.getUnqualifiedType().getAsString();
    prelude = type + " " + value + " = " + text(assignment->getRHS()) + "; ";
    right.emplace();
    right->element = left->element;
    right->text =
        "{0, &" + value + ", " + typeCode(left->element) + ", sizeof(" + value + "), 0, 0, 0}";
  } else {
    error(source->getBeginLoc(),
          "'#pragma xmp gmove' must be followed by a simple assignment: a variable, an element, or "
          "a section on each side");
  }
  if (!right) {
    return true;
  }
  if (!context_.hasSameUnqualifiedType(left->element, right->element)) {
    error(assignment->getOperatorLoc(), "the sides of a gmove have different types: %0 and %1")
        << left->element << right->element;
    return true;
  }
  if (right->rank > 0 && left->rank != right->rank) {
    error(assignment->getOperatorLoc(),
          "the sides of a gmove have different shapes: %0 dimensions and %1")
        << left->rank << right->rank;
    return true;
  }
  if ((directive.isIn && !right->entity) || (directive.isOut && !left->entity)) {
    error(directive.place, "the %select{right|left}0 side of this gmove must be a global array")
        << directive.isOut;
    return true;
  }
  constants_.conform(assignment, left->shape, right->shape);
  const char *mode = directive.isIn    ? "TUTTI_XMP_IN"
                     : directive.isOut ? "TUTTI_XMP_OUT"
                                       : "TUTTI_XMP_COLLECTIVE";
  edits_.erase(program_.at(body->getBeginLoc()), statementEnd(body));
  edits_.after(directive.at, "{ " + prelude + "tutti_xmp_gmove(" + this->source(directive.place) +
                                 ", " + mode + ", &(const tutti_xmp_section)" + left->text +
                                 ", &(const tutti_xmp_section)" + right->text + ", " +
                                 asyncText(directive) + "); }");
  return true;
}

} // namespace tutti::compiler::xmp
