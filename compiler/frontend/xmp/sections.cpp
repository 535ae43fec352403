// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"
#include "compiler/frontend/xmp/marks.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// What the subscripts are of. A pointer's memory is an array of its own.
Chain Lowering::sectionChain(Expr *whole) const {
  Chain chain;
  Expr *expr = whole->IgnoreParenImpCasts();
  while (auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    chain.accesses.insert(chain.accesses.begin(), access);
    Expr *base = access->getBase()->IgnoreParens();
    const auto *decay = dyn_cast<ImplicitCastExpr>(base);
    expr = base->IgnoreParenImpCasts();
    const bool isGlobal = scopes_.find(expr) != nullptr;
    const bool isOfArray = decay && decay->getCastKind() == CK_ArrayToPointerDecay;
    if (!isOfArray && !isGlobal && !isa<ArraySubscriptExpr>(expr)) {
      break;
    }
  }
  chain.base = expr;
  chain.entity = scopes_.find(expr);
  return chain;
}

/// Sets element and number of dimensions.
unsigned Lowering::sectionElement(const Chain &chain, QualType &element) const {
  if (chain.entity) {
    element = chain.entity->element;
    return chain.entity->rank;
  }
  unsigned rank = 0;
  element = chain.base->getType();
  if (!chain.accesses.empty() && element->isPointerType()) {
    element = element->getPointeeType();
    rank = 1;
  }
  for (; element->isArrayType(); element = context_.getAsArrayType(element)->getElementType()) {
    ++rank;
  }
  return rank;
}

/// `{kind, first, second, step}`; one that is a range adds to `ranges`.
std::string Lowering::sectionSubscript(Expr *index, unsigned &ranges) {
  const auto number = numberOfMark(index, kSection);
  if (!number) {
    TraverseStmt(index);
    return "{TUTTI_XMP_INDEX, (long)(" + text(index) + "), 0, 1}";
  }
  ++ranges;
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
  return std::string("{TUTTI_XMP_") + kind + ", " + part(mark.first, "0") + ", " +
         part(mark.second, "0") + ", " + part(mark.step, "1") + "}";
}

/// Of a variable that is the node's own.
std::string Lowering::localSection(const Chain &chain, unsigned rank, const std::string &code,
                                   const std::string &subscripts) const {
  const std::string name = text(chain.base);
  const QualType type = chain.base->getType();
  std::string element = "(" + name + ")";
  std::string extents;
  for (unsigned i = 0; i < rank; ++i) {
    const bool isKnown = i > 0 || type->isConstantArrayType() || type->isVariableArrayType();
    extents += (i > 0 ? ", " : "") +
               (isKnown ? "(long)(sizeof(" + element + ") / sizeof(" + element + "[0]))"
                        : std::string("-1"));
    element += "[0]";
  }
  return "{0, (void *)" + (rank == 0 ? "&(" + name + ")" : "(" + name + ")") + ", " + code +
         ", sizeof(" + element + "), " + std::to_string(rank) + ", " +
         (rank == 0 ? "0" : listText("long", extents)) + ", " + subscripts + "}";
}

/// A tutti_xmp_section's initializer, with array sections and the rest taken as a whole.
std::optional<SectionText> Lowering::section(Expr *whole) {
  const Chain chain = sectionChain(whole);
  SectionText result;
  result.entity = chain.entity;
  TraverseStmt(chain.entity ? nullptr : chain.base);
  const unsigned rank = sectionElement(chain, result.element);
  if (chain.accesses.size() > rank) {
    error(chain.base->getBeginLoc(), "too many subscripts");
    return std::nullopt;
  }
  result.shape =
      constants_.section(chain.entity, chain.base, chain.accesses, /*mayBeShadow=*/false);
  std::string subscripts;
  for (unsigned i = 0; i < rank; ++i) {
    subscripts += i > 0 ? ", " : "";
    if (i < chain.accesses.size()) {
      subscripts += sectionSubscript(chain.accesses[i]->getIdx(), result.rank);
    } else {
      subscripts += "{TUTTI_XMP_ALL, 0, 0, 1}";
      ++result.rank;
    }
  }
  // The whole of a global array has no subscripts: only so can its local parts be reduced.
  const std::string list =
      chain.accesses.empty() ? "0" : listText("tutti_xmp_subscript", subscripts);
  const std::string code = typeCode(result.element);
  result.text = result.entity ? "{" + result.entity->handle + ", 0, " + code + ", sizeof(" +
                                    result.entity->handle + "_t), " + std::to_string(rank) +
                                    ", 0, " + list + "}"
                              : localSection(chain, rank, code, list);
  return result;
}

std::optional<SectionText> Lowering::variable(const Directive &directive, ExpressionId id) {
  const Expr *expr = directive[id].expr;
  if (!expr) {
    return std::nullopt;
  }
  if (expr->getType()->isFunctionType()) {
    error(directive[id].place(), "a function is no variable");
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
                std::to_string(bytes) + ", 1, " + listText("long", std::to_string(count)) + ", 0}";
  return result;
}

} // namespace tutti::compiler::xmp
