// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

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
  } else if (source->isEvaluatable(context_)) {
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
