// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/constants.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// How many steps lead from `first` as far as `last`, and not past it.
Constant countTo(Constant first, Constant last, std::int64_t step) {
  const Constant distance = step > 0 ? difference(last, first) : difference(first, last);
  if (!distance) {
    return std::nullopt;
  }
  return *distance < 0 ? 0 : *distance / (step > 0 ? step : -step) + 1;
}

} // namespace

Constant constantOf(const Expr *expr, const ASTContext &context) {
  Expr::EvalResult value;
  if (!expr || expr->isValueDependent() || !expr->getType()->isIntegerType() ||
      !expr->EvaluateAsInt(value, context)) {
    return std::nullopt;
  }
  const llvm::APSInt &number = value.Val.getInt();
  return number.getBitWidth() > 64 ? Constant() : Constant(number.extOrTrunc(64).getSExtValue());
}

Constant sum(Constant left, Constant right) {
  std::int64_t result = 0;
  const bool isKnown = left && right && !__builtin_add_overflow(*left, *right, &result);
  return isKnown ? Constant(result) : std::nullopt;
}

Constant difference(Constant left, Constant right) {
  std::int64_t result = 0;
  const bool isKnown = left && right && !__builtin_sub_overflow(*left, *right, &result);
  return isKnown ? Constant(result) : std::nullopt;
}

Constant product(Constant left, Constant right) {
  std::int64_t result = 0;
  const bool isKnown = left && right && !__builtin_mul_overflow(*left, *right, &result);
  return isKnown ? Constant(result) : std::nullopt;
}

std::string textOf(Constant number) { return number ? std::to_string(*number) : "?"; }

Subscript::Reach Subscript::reach(const Bounds &bounds) const {
  if (!isRange) {
    return {first, first, 1};
  }
  if (!step || *step == 0 || *step == INT64_MIN) {
    return {hasFirst ? first : std::nullopt, std::nullopt,
            hasSecond && !isInclusive ? second : std::nullopt};
  }
  const Constant begin = hasFirst ? first : *step > 0 ? bounds.lower : bounds.upper;
  const Constant end = hasSecond ? second : *step > 0 ? bounds.upper : bounds.lower;
  const Constant count = hasSecond && !isInclusive ? second : countTo(begin, end, *step);
  return {begin, sum(begin, product(difference(count, 1), step)), count};
}

Subscript::Reach Subscript::reachOfSet(const Bounds &bounds) const {
  const Reach counted = reach(bounds);
  const bool isCounted = isRange && hasFirst && hasSecond && !isInclusive;
  if (isCounted && step && *step > 1 && bounds.excludes(counted.last)) {
    Subscript ranged = *this;
    ranged.isInclusive = true;
    ranged.second = difference(sum(first, second), 1);
    if (!bounds.excludes(ranged.second)) {
      return ranged.reach(bounds);
    }
  }
  return counted;
}

} // namespace tutti::compiler::xmp
