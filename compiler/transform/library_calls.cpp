// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/library_calls.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#include <cfloat>
#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

struct Complex {
  Value *re;
  Value *im;
};

/// The instructions in place of one call. Choices are selections: no control flow changes.
class Expansion {
public:
  Expansion(CallInst &call, Type *type) : call_(call), build_(&call), type_(type) {
    build_.setFastMathFlags(FastMathFlags());
  }

  Complex multiply(Complex x, Complex y);
  Complex divide(Complex x, Complex y);
  Complex exponential(Complex z);

  /// The `index`th number that the call passes: two parts, or a vector of both.
  Complex operand(unsigned index);

  /// What the call returns: a structure of both parts, or a vector.
  Value *pack(Complex z);

  /// `name`, a function of `double`, for the type at hand.
  Value *real(StringRef name, ArrayRef<Value *> arguments);

private:
  Constant *number(double value) { return ConstantFP::get(type_, value); }

  Constant *infinity() { return ConstantFP::getInfinity(type_); }

  Value *magnitude(Value *x) { return build_.CreateUnaryIntrinsic(Intrinsic::fabs, x); }

  Value *withSign(Value *x, Value *sign) {
    return build_.CreateBinaryIntrinsic(Intrinsic::copysign, x, sign);
  }

  Value *isNan(Value *x) { return build_.CreateFCmpUNO(x, x); }

  Value *isInf(Value *x) { return build_.CreateFCmpOEQ(magnitude(x), infinity()); }

  Value *isFinite(Value *x) { return build_.CreateFCmpOLT(magnitude(x), infinity()); }

  Value *anyInf(Complex z) { return build_.CreateOr(isInf(z.re), isInf(z.im)); }

  Value *allFinite(Complex z) { return build_.CreateAnd(isFinite(z.re), isFinite(z.im)); }

  Complex select(Value *condition, Complex yes, Complex no) {
    return {build_.CreateSelect(condition, yes.re, no.re),
            build_.CreateSelect(condition, yes.im, no.im)};
  }

  /// An infinite number's direction, in parts that are 0 or 1 but for the sign.
  Complex boxed(Complex z) {
    const auto part = [&](Value *x) {
      return withSign(build_.CreateSelect(isInf(x), number(1), number(0)), x);
    };
    return {part(z.re), part(z.im)};
  }

  Complex nansToZero(Complex z) {
    const auto part = [&](Value *x) {
      return build_.CreateSelect(isNan(x), withSign(number(0), x), x);
    };
    return {part(z.re), part(z.im)};
  }

  Complex scaled(Complex z, Value *factor) {
    return {build_.CreateFMul(z.re, factor), build_.CreateFMul(z.im, factor)};
  }

  Complex plainProduct(Complex x, Complex y) {
    return {build_.CreateFSub(build_.CreateFMul(x.re, y.re), build_.CreateFMul(x.im, y.im)),
            build_.CreateFAdd(build_.CreateFMul(x.re, y.im), build_.CreateFMul(x.im, y.re))};
  }

  Value *scalingFactor(Complex x, Complex y);
  Complex smithQuotient(Complex a, Complex b);
  Complex wideQuotient(Complex x, Complex y);

  CallInst &call_;
  IRBuilder<> build_;
  Type *type_;
};

Complex Expansion::operand(unsigned index) {
  if (isa<VectorType>(call_.getArgOperand(0)->getType())) {
    Value *both = call_.getArgOperand(index);
    return {build_.CreateExtractElement(both, std::uint64_t{0}),
            build_.CreateExtractElement(both, std::uint64_t{1})};
  }
  return {call_.getArgOperand(2 * index), call_.getArgOperand(2 * index + 1)};
}

Value *Expansion::pack(Complex z) {
  Value *both = PoisonValue::get(call_.getType());
  if (isa<VectorType>(call_.getType())) {
    both = build_.CreateInsertElement(both, z.re, std::uint64_t{0});
    return build_.CreateInsertElement(both, z.im, std::uint64_t{1});
  }
  return build_.CreateInsertValue(build_.CreateInsertValue(both, z.re, 0), z.im, 1);
}

Value *Expansion::real(StringRef name, ArrayRef<Value *> arguments) {
  const SmallVector<Type *, 2> types(arguments.size(), type_);
  const std::string typed = (name + (type_->isFloatTy() ? "f" : "")).str();
  return build_.CreateCall(
      call_.getModule()->getOrInsertFunction(typed, FunctionType::get(type_, types, false)),
      arguments);
}

/// C 2011, G.5.1, example 1.
Complex Expansion::multiply(Complex x, Complex y) {
  const Complex plain = plainProduct(x, y);
  Value *const isLost = build_.CreateAnd(isNan(plain.re), isNan(plain.im));
  Value *const infiniteX = anyInf(x);
  Value *const infiniteY = anyInf(y);
  Value *overflows = nullptr;
  for (Value *left : {x.re, x.im}) {
    for (Value *right : {y.re, y.im}) {
      Value *const isInfinite = isInf(build_.CreateFMul(left, right));
      overflows = overflows ? build_.CreateOr(overflows, isInfinite) : isInfinite;
    }
  }
  Complex a = select(infiniteX, boxed(x), x);
  Complex b = select(infiniteY, boxed(y), y);
  Value *const isInfinite = build_.CreateOr(infiniteX, infiniteY);
  Value *const isMended = build_.CreateOr(isInfinite, overflows);
  a = nansToZero(a);
  b = nansToZero(b);
  const Complex mended = scaled(plainProduct(a, b), infinity());
  return select(build_.CreateAnd(isLost, isMended), mended, plain);
}

/// What keeps Smith's method from most overflows and underflows (Baudin and Smith, "A robust
/// complex division in Scilab"), as libgcc has it.
Value *Expansion::scalingFactor(Complex x, Complex y) {
  constexpr double kBig = DBL_MAX / 2;
  constexpr double kSmall = DBL_EPSILON;
  Value *const swaps = build_.CreateFCmpOLT(magnitude(y.re), magnitude(y.im));
  Value *const large = magnitude(build_.CreateSelect(swaps, y.im, y.re));
  Value *const shrinks = build_.CreateFCmpOGE(large, number(kBig));
  const auto isTiny = [&](Value *part, Value *other) {
    return build_.CreateAnd(build_.CreateFCmpOLT(magnitude(part), number(DBL_MIN)),
                            build_.CreateFCmpOLT(magnitude(other), number(kBig * kSmall)));
  };
  Value *grows = build_.CreateAnd(build_.CreateOr(isTiny(x.re, x.im), isTiny(x.im, x.re)),
                                  build_.CreateFCmpOLT(large, number(kBig * kSmall)));
  grows = build_.CreateOr(grows, build_.CreateFCmpOLT(large, number(kSmall)));
  Value *const growth = build_.CreateSelect(grows, number(1 / kSmall), number(1));
  return build_.CreateSelect(shrinks, number(0.5), growth);
}

/// Smith's method.
Complex Expansion::smithQuotient(Complex a, Complex b) {
  Value *const swaps = build_.CreateFCmpOLT(magnitude(b.re), magnitude(b.im));
  Value *const divisor = build_.CreateSelect(swaps, b.im, b.re);
  Value *const lesser = build_.CreateSelect(swaps, b.re, b.im);
  Value *const ratio = build_.CreateFDiv(lesser, divisor);
  Value *const keepsRatio = build_.CreateFCmpOGT(magnitude(ratio), number(DBL_MIN));
  const auto byRatio = [&](Value *part) {
    return build_.CreateSelect(keepsRatio, build_.CreateFMul(part, ratio),
                               build_.CreateFMul(lesser, build_.CreateFDiv(part, divisor)));
  };
  Value *const denominator = build_.CreateFAdd(build_.CreateFMul(lesser, ratio), divisor);
  Value *const first = byRatio(a.re);
  Value *const second = byRatio(a.im);
  const Complex numerator =
      select(swaps, {build_.CreateFAdd(first, a.im), build_.CreateFSub(second, a.re)},
             {build_.CreateFAdd(second, a.re), build_.CreateFSub(a.im, first)});
  return {build_.CreateFDiv(numerator.re, denominator),
          build_.CreateFDiv(numerator.im, denominator)};
}

/// Of floats, computed as doubles, where nothing overflows.
Complex Expansion::wideQuotient(Complex x, Complex y) {
  const auto wide = [&](Value *part) { return build_.CreateFPExt(part, build_.getDoubleTy()); };
  const auto sum = [&](Value *a, Value *b, Value *c, Value *d, bool minus) {
    Value *left = build_.CreateFMul(a, b);
    Value *right = build_.CreateFMul(c, d);
    return minus ? build_.CreateFSub(left, right) : build_.CreateFAdd(left, right);
  };
  Value *const a = wide(x.re);
  Value *const b = wide(x.im);
  Value *const c = wide(y.re);
  Value *const d = wide(y.im);
  Value *const denominator = sum(c, c, d, d, false);
  const auto part = [&](Value *numerator) {
    return build_.CreateFPTrunc(build_.CreateFDiv(numerator, denominator), type_);
  };
  return {part(sum(a, c, b, d, false)), part(sum(b, c, a, d, true))};
}

/// C 2011, G.5.1, example 2, but for the method.
Complex Expansion::divide(Complex x, Complex y) {
  if (type_->isDoubleTy()) {
    Value *const factor = scalingFactor(x, y);
    x = scaled(x, factor);
    y = scaled(y, factor);
  }
  const Complex plain = type_->isDoubleTy() ? smithQuotient(x, y) : wideQuotient(x, y);
  Value *const isLost = build_.CreateAnd(isNan(plain.re), isNan(plain.im));
  const auto isZero = [&](Value *part) { return build_.CreateFCmpOEQ(part, number(0)); };
  Value *const byZero =
      build_.CreateAnd(build_.CreateAnd(isZero(y.re), isZero(y.im)),
                       build_.CreateNot(build_.CreateAnd(isNan(x.re), isNan(x.im))));
  Value *const isInfinite = build_.CreateAnd(anyInf(x), allFinite(y));
  Value *const isNothing = build_.CreateAnd(anyInf(y), allFinite(x));
  const auto byConjugate = [&](Complex a, Complex b, Constant *factor) {
    return scaled(plainProduct(a, {b.re, build_.CreateFNeg(b.im)}), factor);
  };
  Complex mended = select(isNothing, byConjugate(x, boxed(y), number(0)), plain);
  mended = select(isInfinite, byConjugate(boxed(x), y, infinity()), mended);
  mended = select(byZero, scaled(x, withSign(infinity(), y.re)), mended);
  return select(isLost, mended, plain);
}

/// C 2011, G.6.3.1.
Complex Expansion::exponential(Complex z) {
  Value *const length = real("exp", z.re);
  Value *const isReal = build_.CreateFCmpOEQ(z.im, number(0));
  // An infinite length is a direction's only if that is a number; a length of 0 has any direction.
  Value *const noAngle = build_.CreateNot(isFinite(z.im));
  Value *const isHuge = build_.CreateFCmpOEQ(z.re, infinity());
  Value *const isGone = build_.CreateFCmpOEQ(z.re, ConstantFP::getInfinity(type_, true));
  const Complex turned = {build_.CreateFMul(length, real("cos", z.im)),
                          build_.CreateFMul(length, real("sin", z.im))};
  Complex result =
      select(build_.CreateAnd(noAngle, isHuge), {length, build_.CreateFSub(z.im, z.im)}, turned);
  result =
      select(build_.CreateAnd(noAngle, isGone), {number(0), withSign(number(0), z.im)}, result);
  return select(isReal, {length, z.im}, result);
}

/// glibc's generator.
Value *expandRandR(CallInst &call) {
  IRBuilder<> build(&call);
  Value *state = build.CreateLoad(build.getInt32Ty(), call.getArgOperand(0));
  Value *result = nullptr;
  for (const unsigned bits : {11u, 10u, 10u}) {
    state =
        build.CreateAdd(build.CreateMul(state, build.getInt32(1103515245)), build.getInt32(12345));
    Value *drawn = build.CreateAnd(build.CreateLShr(state, 16), (1u << bits) - 1);
    result = result ? build.CreateXor(build.CreateShl(result, 10), drawn) : drawn;
  }
  build.CreateStore(state, call.getArgOperand(0));
  return result;
}

/// `name`, a function of `double` that devices have, of `value`.
Value *callReal(IRBuilder<> &build, StringRef name, Value *value) {
  Type *type = value->getType();
  const std::string typed = (name + (type->isFloatTy() ? "f" : "")).str();
  Module *module = build.GetInsertBlock()->getModule();
  return build.CreateCall(
      module->getOrInsertFunction(typed, FunctionType::get(type, {type}, false)), {value});
}

void expandSinCos(CallInst &call) {
  IRBuilder<> build(&call);
  for (const auto &[index, name] : {std::pair(1, "sin"), std::pair(2, "cos")}) {
    build.CreateStore(callReal(build, name, call.getArgOperand(0)), call.getArgOperand(index));
  }
}

/// A whole number, which is stored, and the rest, which has its sign; infinity has no rest.
Value *expandModf(CallInst &call) {
  IRBuilder<> build(&call);
  Value *x = call.getArgOperand(0);
  Value *whole = build.CreateUnaryIntrinsic(Intrinsic::trunc, x);
  build.CreateStore(whole, call.getArgOperand(1));
  Value *isInfinite = build.CreateFCmpOEQ(build.CreateUnaryIntrinsic(Intrinsic::fabs, x),
                                          ConstantFP::getInfinity(x->getType()));
  Value *rest =
      build.CreateSelect(isInfinite, ConstantFP::get(x->getType(), 0), build.CreateFSub(x, whole));
  return build.CreateBinaryIntrinsic(Intrinsic::copysign, rest, x);
}

/// A fraction from a half to one, and the power of two, which is stored; 0 for what has none.
Value *expandFrexp(CallInst &call) {
  IRBuilder<> build(&call);
  Value *x = call.getArgOperand(0);
  Type *type = x->getType();
  const fltSemantics &semantics = type->getFltSemantics();
  const unsigned digits = APFloat::semanticsPrecision(semantics) - 1;
  const int least = APFloat::semanticsMinExponent(semantics);
  IntegerType *bits = build.getIntNTy(type->getPrimitiveSizeInBits());
  const APInt exponentMask =
      APFloat::getInf(semantics).bitcastToAPInt(); // All bits of an exponent, no others.
  const auto exponentOf = [&](Value *number) {
    return build.CreateAnd(build.CreateBitCast(number, bits), exponentMask);
  };
  Value *hasNone =
      build.CreateOr(build.CreateFCmpOEQ(x, ConstantFP::get(type, 0)),
                     build.CreateICmpEQ(exponentOf(x), ConstantInt::get(bits, exponentMask)));
  // Of denormal numbers as large as normal ones.
  Value *isDenormal = build.CreateICmpEQ(exponentOf(x), ConstantInt::get(bits, 0));
  const APFloat scale = scalbn(APFloat::getOne(semantics), static_cast<int>(digits) + 1,
                               APFloat::rmNearestTiesToEven);
  Value *normal =
      build.CreateSelect(isDenormal, build.CreateFMul(x, ConstantFP::get(type, scale)), x);
  Value *raised =
      build.CreateTrunc(build.CreateLShr(exponentOf(normal), digits), build.getInt32Ty());
  // In the number stands one more than how far the exponent is above the least; a fraction has one
  // less than the number.
  Value *exponent = build.CreateAdd(raised, build.getInt32(static_cast<std::uint32_t>(least)));
  exponent = build.CreateSub(
      exponent, build.CreateSelect(isDenormal, build.getInt32(digits + 1), build.getInt32(0)));
  build.CreateStore(build.CreateSelect(hasNone, build.getInt32(0), exponent),
                    call.getArgOperand(1));
  Value *fraction = build.CreateOr(
      build.CreateAnd(build.CreateBitCast(normal, bits), ~exponentMask),
      scalbn(APFloat::getOne(semantics), -1, APFloat::rmNearestTiesToEven).bitcastToAPInt());
  return build.CreateSelect(hasNone, build.CreateFAdd(x, x), build.CreateBitCast(fraction, type));
}

/// sincos, modf and frexp; false if `call` is none of them.
bool expandWithPointers(CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.isNoBuiltin() || call.arg_size() < 2) {
    return false;
  }
  const Type *type = call.getArgOperand(0)->getType();
  const StringRef name = callee->getName();
  if (!type->isDoubleTy() && !(type->isFloatTy() && name.ends_with("f"))) {
    return false;
  }
  // "modf" is of double, "modff" of float.
  const StringRef plain = type->isFloatTy() ? name.drop_back() : name;
  const auto points = [&](unsigned from) {
    return all_of(drop_begin(call.args(), from),
                  [](const Use &arg) { return arg->getType()->isPointerTy(); });
  };
  if (plain == "sincos" && call.arg_size() == 3 && call.getType()->isVoidTy() && points(1)) {
    expandSinCos(call);
    return true;
  }
  if (call.arg_size() != 2 || call.getType() != type || !points(1)) {
    return false;
  }
  if (plain == "modf" || plain == "frexp") {
    call.replaceAllUsesWith(plain == "modf" ? expandModf(call) : expandFrexp(call));
    return true;
  }
  return false;
}

/// The real type of a function of complex numbers of `type`, one of them or two; null if `type` is
/// not that of float or double on x86-64.
Type *partType(const FunctionType &type, unsigned numbers) {
  if (type.getNumParams() == 0 || type.isVarArg()) {
    return nullptr;
  }
  Type *const first = type.getParamType(0);
  const auto *vector = dyn_cast<FixedVectorType>(first);
  const bool isFloat = vector && vector->getNumElements() == 2 &&
                       vector->getElementType()->isFloatTy() && type.getNumParams() == numbers;
  if (isFloat) {
    return vector->getElementType();
  }
  // __mulsc3 and __divsc3 have their parts one by one.
  const bool isFlat = (first->isDoubleTy() || first->isFloatTy()) &&
                      type.getNumParams() == 2 * numbers &&
                      all_of(type.params(), [&](Type *param) { return param == first; });
  return isFlat ? first : nullptr;
}

/// The number that nan("") or nanf("") returns; null if `call` is another, one with a payload say.
Constant *plainNan(const CallInst &call) {
  const StringRef name = call.getCalledFunction()->getName();
  Type *type = call.getType();
  StringRef payload;
  const bool isNan = (name == "nan" && type->isDoubleTy()) || (name == "nanf" && type->isFloatTy());
  const bool isPlain = isNan && call.arg_size() == 1 &&
                       getConstantStringInfo(call.getArgOperand(0), payload) && payload.empty();
  return isPlain ? ConstantFP::getQNaN(type) : nullptr;
}

/// What takes the place of `call`; null if that stays.
Value *expand(CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.isNoBuiltin()) {
    return nullptr;
  }
  if (Constant *number = plainNan(call)) {
    return number;
  }
  const StringRef name = callee->getName();
  if (name == "rand_r" && Triple(call.getModule()->getTargetTriple()).isGNUEnvironment() &&
      call.arg_size() == 1 && call.getType()->isIntegerTy(32)) {
    return expandRandR(call);
  }
  const bool isProduct = name == "__muldc3" || name == "__mulsc3";
  const bool isQuotient = name == "__divdc3" || name == "__divsc3";
  Type *const type = partType(*callee->getFunctionType(), isProduct || isQuotient ? 2 : 1);
  if (!type) {
    return nullptr;
  }
  Expansion expansion(call, type);
  if (isProduct || isQuotient) {
    const Complex x = expansion.operand(0);
    const Complex y = expansion.operand(1);
    return expansion.pack(isProduct ? expansion.multiply(x, y) : expansion.divide(x, y));
  }
  const StringRef plain = type->isFloatTy() && name.ends_with("f") ? name.drop_back() : name;
  if (plain == "cabs") {
    const Complex z = expansion.operand(0);
    return expansion.real("hypot", {z.re, z.im});
  }
  if (plain == "carg") {
    const Complex z = expansion.operand(0);
    return expansion.real("atan2", {z.im, z.re});
  }
  return plain == "cexp" ? expansion.pack(expansion.exponential(expansion.operand(0))) : nullptr;
}

} // namespace

void expandLibraryCalls(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (!call) {
      continue;
    }
    if (expandWithPointers(*call)) {
      call->eraseFromParent();
    } else if (Value *value = expand(*call)) {
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
  }
}

} // namespace tutti::compiler
