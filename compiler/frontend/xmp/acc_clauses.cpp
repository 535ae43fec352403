// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

const VarDecl *namedBy(const Expression &expression) {
  const auto *reference =
      expression.expr ? dyn_cast<DeclRefExpr>(expression.expr->IgnoreParens()) : nullptr;
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable ? variable->getCanonicalDecl() : nullptr;
}

} // namespace

/// Each variable has one clause.
bool Lowering::listOnce(const VarDecl *variable, const Expression &operand, AccBody &body) {
  const bool isFirst = body.listed.insert(variable).second;
  if (!isFirst) {
    error(operand.place(), "'%0' is named twice") << variable->getName();
  }
  return isFirst;
}

/// One name in `private`, `firstprivate` or `shared`; false after an error.
bool Lowering::readAccVariable(const Expression &operand, AccVariable::Kind kind, AccBody &body) {
  const Entity *array = operand.expr ? scopes_.find(operand.expr) : nullptr;
  const VarDecl *variable = namedBy(operand);
  const bool isShared = kind == AccVariable::Kind::Shared;
  if (operand.expr && !variable && !(array && isShared)) {
    error(operand.place(), "expected the name of a variable");
    return false;
  }
  if (!isShared && variable && (array || !variable->getType()->isScalarType())) {
    error(operand.place(), "'%0' is not a scalar; arrays have to be replicated")
        << variable->getName();
    note(variable->getLocation(), "'%0' is declared here") << variable->getName();
    return false;
  }
  if (array) {
    body.sharedArrays.insert(array);
    return true;
  }
  if (!variable || replicaOf(nullptr, variable)) {
    if (variable && !isShared) {
      error(operand.place(), "'%0' is replicated, and so shared") << variable->getName();
    }
    return !variable || isShared;
  }
  body.clauses += std::string(kind == AccVariable::Kind::Private        ? " private("
                              : kind == AccVariable::Kind::FirstPrivate ? " firstprivate("
                                                                        : " shared(") +
                  variable->getName().str() + ")";
  return listOnce(variable, operand, body);
}

/// One variable that is reduced; false after an error.
bool Lowering::readAccReduction(const Directive &directive, const ReductionClause &clause,
                                const Operand &each, AccBody &body) {
  const Expression &operand = directive[each.expression];
  const VarDecl *variable = namedBy(operand);
  const llvm::StringRef operation = clause.operation;
  if (operation.starts_with("first") || operation.starts_with("last") || !each.locations.empty() ||
      !variable || !variable->getType()->isArithmeticType()) {
    error(operand.place(), "a loop with 'acc' can reduce scalars only, and has no locations");
    return false;
  }
  if (replicaOf(nullptr, variable)) {
    error(operand.place(), "'%0' is replicated, and cannot be reduced") << variable->getName();
    return false;
  }
  body.clauses += " reduction(" + (operation == "-" ? "+" : clause.operation) + ":" +
                  variable->getName().str() + ")";
  return listOnce(variable, operand, body);
}

/// What the clauses say; false after an error.
bool Lowering::readAccClauses(const Directive &directive, AccBody &body) {
  bool isRight = true;
  for (const AccVariable &each : directive.accVariables) {
    isRight &= readAccVariable(directive[each.expression], each.kind, body);
  }
  for (const ReductionClause &clause : directive.reductions) {
    for (const Operand &each : clause.operands) {
      isRight &= readAccReduction(directive, clause, each, body);
    }
  }
  return isRight;
}

/// The clause for `#pragma tutti`; nothing after an error. Sizes that are not constant are the
/// runtime's to choose.
std::optional<std::string> Lowering::blockText(const Directive &directive) {
  constexpr std::int64_t kMost = 1024;
  if (directive.blockSizes.size() > 3) {
    error(directive.blockPlace, "'num_threads' has at most three sizes");
    return std::nullopt;
  }
  std::int64_t product = 1;
  bool isConstant = true;
  std::string sizes;
  for (const ExpressionId id : directive.blockSizes) {
    const Expression &size = directive[id];
    const Constant value = constantOf(size.expr, context_);
    if (!value) {
      isConstant = false;
      continue;
    }
    const std::int64_t number = *value;
    if (number < 1) {
      error(size.place(), "a size of 'num_threads' must be positive");
      return std::nullopt;
    }
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(number);
    product = number > kMost ? kMost + 1 : std::min(product * number, kMost + 1);
  }
  if (product > kMost) {
    error(directive.blockPlace, "'num_threads' has more than 1024 threads");
    return std::nullopt;
  }
  return directive.blockSizes.empty() || !isConstant ? "" : " block(" + sizes + ")";
}

/// Whether another pragma in front of the loop goes with what is made of it; `hasDevice` if one
/// says where it runs.
bool Lowering::checkPragmas(const Directive &directive, bool &hasDevice) {
  for (const Pragma &pragma : program_.pragmas) {
    if (pragma.at < directive.at || pragma.at > directive.end || pragma.tokens.empty()) {
      continue;
    }
    const llvm::StringRef language = wordOf(pragma.tokens.front());
    if (language == "omp") {
      error(pragma.tokens.front().getLocation(),
            "a loop with 'acc' has threads of its own, and cannot be OpenMP's");
      return false;
    }
    hasDevice |= language == "tutti" && llvm::any_of(pragma.tokens, [](const Token &token) {
                   return wordOf(token) == "device";
                 });
  }
  return true;
}

} // namespace tutti::compiler::xmp
