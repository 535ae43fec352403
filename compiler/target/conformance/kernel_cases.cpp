// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/conformance/kernel_cases.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

constexpr StringLiteral kHostLayout =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// The body of a case, from the words that it reads to the words that it writes.
class Body {
public:
  Body(IRBuilder<> &builder, ArrayRef<Value *> words) : build(builder), words(words) {}

  void result(Value *value) { results.push_back(value); }

  /// An integer of any width, as itself and as a signed number.
  void number(Value *value) {
    result(build.CreateZExtOrTrunc(value, build.getInt64Ty()));
    result(build.CreateSExtOrTrunc(value, build.getInt64Ty()));
  }

  /// The bits of a number; all NaNs are one, and so are both zeros where `anyZero`.
  void floating(Value *value, bool anyZero = false) {
    Type *type = value->getType();
    if (anyZero) {
      value = build.CreateFAdd(value, ConstantFP::get(type, 0.0));
    }
    value = build.CreateSelect(build.CreateFCmpUNO(value, value), ConstantFP::getNaN(type), value);
    result(build.CreateZExt(
        build.CreateBitCast(value, build.getIntNTy(type->getPrimitiveSizeInBits())),
        build.getInt64Ty()));
  }

  /// A double as it is.
  void exact(Value *value) { result(build.CreateBitCast(value, build.getInt64Ty())); }

  IRBuilder<> &build;
  ArrayRef<Value *> words;
  SmallVector<Value *> results;
};

Value *translate(IRBuilder<> &build, Function *run, unsigned argument) {
  Value *address = run->getArg(argument);
  Value *isLow = build.CreateICmpULT(address, build.getInt64(uint64_t(1) << 32));
  Value *distance = build.CreateSelect(isLow, run->getArg(1), run->getArg(2));
  Value *arena = build.CreatePtrToInt(run->getArg(0), build.getInt64Ty());
  return build.CreateIntToPtr(build.CreateAdd(build.CreateAdd(arena, distance), address),
                              build.getPtrTy());
}

using Compute = std::function<void(Body &)>;

KernelCase makeCase(std::string name, const Compute &compute, double tolerance = 0) {
  LLVMContext context;
  Module module(name, context);
  module.setDataLayout(kHostLayout);
  IRBuilder<> build(context);
  Type *i64 = build.getInt64Ty();
  Type *ptr = build.getPtrTy();
  auto *run =
      Function::Create(FunctionType::get(build.getVoidTy(),
                                         {ptr, i64, i64, i64, i64, i64, ptr, i64, i64, i64}, false),
                       GlobalValue::ExternalLinkage, "run", module);
  auto *item = FunctionType::get(i64, {build.getInt32Ty()}, false);
  auto *entry = BasicBlock::Create(context, "entry", run);
  auto *loop = BasicBlock::Create(context, "loop", run);
  auto *done = BasicBlock::Create(context, "done", run);
  build.SetInsertPoint(entry);
  Value *first = build.CreateAdd(
      run->getArg(3),
      build.CreateCall(module.getOrInsertFunction("tutti.item.id", item), build.getInt32(0)));
  Value *step =
      build.CreateCall(module.getOrInsertFunction("tutti.item.count", item), build.getInt32(0));
  Value *in = translate(build, run, 7);
  Value *out = translate(build, run, 8);
  build.CreateCondBr(build.CreateICmpSLT(first, run->getArg(4)), loop, done);
  build.SetInsertPoint(loop);
  PHINode *i = build.CreatePHI(i64, 2);
  i->addIncoming(first, entry);
  Value *from = build.CreateGEP(i64, in, build.CreateMul(i, build.getInt64(kInputs)));
  SmallVector<Value *> words;
  for (unsigned k = 0; k < kInputs; ++k) {
    words.push_back(build.CreateLoad(i64, build.CreateConstGEP1_64(i64, from, k)));
  }
  Body body(build, words);
  compute(body);
  Value *to = build.CreateGEP(i64, out, build.CreateMul(i, build.getInt64(kOutputs)));
  assert(body.results.size() <= kOutputs);
  for (unsigned k = 0; k < body.results.size(); ++k) {
    build.CreateStore(body.results[k], build.CreateConstGEP1_64(i64, to, k));
  }
  Value *next = build.CreateAdd(i, step);
  i->addIncoming(next, build.GetInsertBlock());
  build.CreateCondBr(build.CreateICmpSLT(next, run->getArg(4)), loop, done);
  build.SetInsertPoint(done);
  build.CreateRetVoid();
  if (verifyModule(module, &errs())) {
    report_fatal_error("a test case is not valid");
  }
  KernelCase result = {std::move(name), "", tolerance};
  raw_string_ostream stream(result.bitcode);
  WriteBitcodeToFile(module, stream);
  return result;
}

void divide(Body &body, Value *a, Value *b, unsigned bits) {
  IRBuilder<> &build = body.build;
  Type *type = a->getType();
  if (bits < 3) {
    return;
  }
  Value *isBad = build.CreateOr(build.CreateIsNull(b),
                                build.CreateICmpEQ(b, ConstantInt::getAllOnesValue(type)));
  Value *divisor = build.CreateSelect(isBad, ConstantInt::get(type, 3), b);
  body.number(build.CreateUDiv(a, divisor));
  body.number(build.CreateURem(a, divisor));
  body.number(build.CreateSDiv(a, divisor));
  body.number(build.CreateSRem(a, divisor));
}

void arithmetic(Body &body, unsigned bits) {
  IRBuilder<> &build = body.build;
  Type *type = build.getIntNTy(bits);
  Value *a = build.CreateTrunc(body.words[0], type);
  Value *b = build.CreateTrunc(body.words[1], type);
  Value *amount = build.CreateTrunc(build.CreateURem(body.words[2], build.getInt64(bits)), type);
  for (const auto opcode : {Instruction::Add, Instruction::Sub, Instruction::Mul, Instruction::And,
                            Instruction::Or, Instruction::Xor}) {
    body.number(build.CreateBinOp(opcode, a, b));
  }
  for (const auto opcode : {Instruction::Shl, Instruction::LShr, Instruction::AShr}) {
    body.number(build.CreateBinOp(opcode, a, amount));
  }
  divide(body, a, b, bits);
  body.number(build.CreateFreeze(build.CreateNeg(a)));
  Value *bit = build.getInt64(0);
  for (unsigned predicate = CmpInst::FIRST_ICMP_PREDICATE;
       predicate <= CmpInst::LAST_ICMP_PREDICATE; ++predicate) {
    Value *holds = build.CreateICmp(static_cast<CmpInst::Predicate>(predicate), a, b);
    bit = build.CreateOr(build.CreateShl(bit, 1), build.CreateZExt(holds, build.getInt64Ty()));
  }
  body.result(bit);
  body.number(build.CreateSelect(build.CreateICmpSGT(a, b), a, amount));
}

void bitFunctions(Body &body, unsigned bits) {
  IRBuilder<> &build = body.build;
  Type *type = build.getIntNTy(bits);
  Value *a = build.CreateTrunc(body.words[0], type);
  Value *b = build.CreateTrunc(body.words[1], type);
  Value *c = build.CreateTrunc(body.words[2], type);
  for (const Intrinsic::ID id :
       {Intrinsic::umin, Intrinsic::umax, Intrinsic::smin, Intrinsic::smax}) {
    body.number(build.CreateBinaryIntrinsic(id, a, b));
  }
  for (const Intrinsic::ID id : {Intrinsic::abs, Intrinsic::ctlz, Intrinsic::cttz}) {
    body.number(build.CreateIntrinsic(id, {type}, {a, build.getFalse()}));
  }
  for (const Intrinsic::ID id : {Intrinsic::ctpop, Intrinsic::bitreverse}) {
    body.number(build.CreateUnaryIntrinsic(id, a));
  }
  for (const Intrinsic::ID id : {Intrinsic::fshl, Intrinsic::fshr}) {
    body.number(build.CreateIntrinsic(id, {type}, {a, b, c}));
    body.number(build.CreateIntrinsic(id, {type}, {a, a, c}));
  }
  if (bits % 16 == 0) {
    body.number(build.CreateUnaryIntrinsic(Intrinsic::bswap, a));
  }
  if (bits < 8 || !isPowerOf2_32(bits)) {
    return;
  }
  for (const Intrinsic::ID id :
       {Intrinsic::uadd_sat, Intrinsic::usub_sat, Intrinsic::sadd_sat, Intrinsic::ssub_sat}) {
    body.number(build.CreateBinaryIntrinsic(id, a, b));
  }
  for (const Intrinsic::ID id : {Intrinsic::uadd_with_overflow, Intrinsic::usub_with_overflow,
                                 Intrinsic::umul_with_overflow, Intrinsic::sadd_with_overflow,
                                 Intrinsic::ssub_with_overflow, Intrinsic::smul_with_overflow}) {
    Value *pair = build.CreateBinaryIntrinsic(id, a, b);
    body.number(build.CreateExtractValue(pair, 0));
    body.result(build.CreateZExt(build.CreateExtractValue(pair, 1), build.getInt64Ty()));
  }
}

/// Words as floating-point numbers, without signalling NaNs.
SmallVector<Value *> floats(Body &body, Type *type) {
  SmallVector<Value *> numbers;
  for (Value *word : body.words) {
    Value *bits = type->isFloatTy() ? body.build.CreateTrunc(word, body.build.getInt32Ty()) : word;
    Value *number = body.build.CreateBitCast(bits, type);
    numbers.push_back(body.build.CreateSelect(body.build.CreateFCmpUNO(number, number),
                                              ConstantFP::getNaN(type), number));
  }
  return numbers;
}

void floatingArithmetic(Body &body, Type *type) {
  IRBuilder<> &build = body.build;
  const auto numbers = floats(body, type);
  Value *a = numbers[0];
  Value *b = numbers[1];
  body.floating(build.CreateFAdd(a, b));
  body.floating(build.CreateFSub(a, b));
  body.floating(build.CreateFMul(a, b));
  body.floating(build.CreateFDiv(a, b));
  body.floating(build.CreateFNeg(a));
  // Not to be contracted.
  body.floating(build.CreateFAdd(build.CreateFMul(a, b), numbers[2]));
  body.floating(build.CreateIntrinsic(Intrinsic::fma, {type}, {a, b, numbers[2]}));
  Value *bit = build.getInt64(0);
  for (unsigned predicate = CmpInst::FIRST_FCMP_PREDICATE;
       predicate <= CmpInst::LAST_FCMP_PREDICATE; ++predicate) {
    Value *holds = build.CreateFCmp(static_cast<CmpInst::Predicate>(predicate), a, b);
    bit = build.CreateOr(build.CreateShl(bit, 1), build.CreateZExt(holds, build.getInt64Ty()));
  }
  body.result(bit);
  body.floating(build.CreateSelect(build.CreateFCmpULT(a, b), a, b));
  for (const Intrinsic::ID id :
       {Intrinsic::fabs, Intrinsic::floor, Intrinsic::ceil, Intrinsic::trunc, Intrinsic::rint,
        Intrinsic::nearbyint, Intrinsic::round, Intrinsic::roundeven, Intrinsic::sqrt}) {
    body.floating(build.CreateUnaryIntrinsic(id, a));
  }
  body.floating(build.CreateBinaryIntrinsic(Intrinsic::copysign, a, b));
  for (const Intrinsic::ID id : {Intrinsic::minnum, Intrinsic::maxnum}) {
    body.floating(build.CreateBinaryIntrinsic(id, a, b), /*anyZero=*/true);
  }
  for (const Intrinsic::ID id : {Intrinsic::minimum, Intrinsic::maximum}) {
    body.floating(build.CreateBinaryIntrinsic(id, a, b));
  }
  for (unsigned flag = 4; flag < 1024; flag *= 2) {
    body.result(build.CreateZExt(build.createIsFPClass(a, flag), build.getInt64Ty()));
  }
  body.result(build.CreateZExt(build.createIsFPClass(a, fcNan | fcPosInf), build.getInt64Ty()));
}

void conversions(Body &body, Type *type) {
  IRBuilder<> &build = body.build;
  Value *a = floats(body, type)[0];
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    for (const Intrinsic::ID id : {Intrinsic::fptosi_sat, Intrinsic::fptoui_sat}) {
      body.number(build.CreateIntrinsic(id, {build.getIntNTy(bits), type}, {a}));
    }
  }
  for (const unsigned bits : {1U, 8U, 13U, 16U, 32U, 33U, 64U}) {
    Value *number = build.CreateTrunc(body.words[1], build.getIntNTy(bits));
    body.floating(build.CreateSIToFP(number, type));
    body.floating(build.CreateUIToFP(number, type));
  }
  // Small enough for all.
  Value *small = build.CreateFMul(build.CreateSIToFP(build.CreateAShr(body.words[2], 58), type),
                                  ConstantFP::get(type, 1.75));
  for (const unsigned bits : {8U, 13U, 16U, 32U, 33U, 64U}) {
    body.number(build.CreateFPToSI(small, build.getIntNTy(bits)));
    body.number(build.CreateFPToUI(build.CreateUnaryIntrinsic(Intrinsic::fabs, small),
                                   build.getIntNTy(bits)));
  }
  Type *other = type->isFloatTy() ? build.getDoubleTy() : build.getFloatTy();
  body.floating(build.CreateFPCast(a, other));
}

/// Private memory of every size, at every alignment.
void privateMemory(Body &body) {
  IRBuilder<> &build = body.build;
  Function *run = build.GetInsertBlock()->getParent();
  IRBuilder<> entry(&run->getEntryBlock().front());
  Type *bytes = ArrayType::get(build.getInt8Ty(), 64);
  AllocaInst *memory = entry.CreateAlloca(bytes);
  AllocaInst *other = entry.CreateAlloca(bytes);
  memory->setAlignment(Align(16));
  other->setAlignment(Align(8));
  const auto at = [&](Value *base, unsigned offset) {
    return build.CreateConstGEP1_64(build.getInt8Ty(), base, offset);
  };
  build.CreateMemSet(memory, build.CreateTrunc(body.words[0], build.getInt8Ty()), 64, Align(8));
  for (const unsigned bits : {1U, 8U, 13U, 16U, 24U, 32U, 33U, 48U, 64U}) {
    Type *type = build.getIntNTy(bits);
    for (const unsigned offset : {0U, 3U, 18U}) {
      Value *there = at(memory, offset);
      const Align alignment = commonAlignment(Align(16), offset);
      build.CreateAlignedStore(build.CreateTrunc(body.words[1], type), there, alignment);
      body.result(build.CreateZExtOrTrunc(build.CreateAlignedLoad(type, there, alignment),
                                          build.getInt64Ty()));
    }
  }
  build.CreateAlignedStore(build.CreateBitCast(body.words[2], build.getDoubleTy()), at(memory, 33),
                           Align(1));
  build.CreateMemCpy(other, Align(8), memory, Align(8), 64);
  build.CreateMemMove(at(other, 5), Align(1), other, Align(1),
                      build.CreateURem(body.words[0], build.getInt64(40)));
  build.CreateMemMove(other, Align(1), at(other, 9), Align(1),
                      build.CreateURem(body.words[1], build.getInt64(40)));
  build.CreateMemMove(at(other, 8), Align(8), other, Align(8), 16);
  build.CreateMemSet(at(other, 50), build.getInt8(0xa5),
                     build.CreateURem(body.words[2], build.getInt64(14)), Align(1));
  for (unsigned offset = 0; offset < 64; offset += 8) {
    body.result(build.CreateAlignedLoad(build.getInt64Ty(), at(other, offset), Align(8)));
  }
  body.exact(build.CreateAlignedLoad(build.getDoubleTy(), at(other, 17), Align(1)));
}

/// A double between 1/8 and 4, from a word.
Value *tame(Body &body, unsigned word, Type *type) {
  IRBuilder<> &build = body.build;
  Value *number = build.CreateUIToFP(build.CreateLShr(body.words[word], 40), type);
  return build.CreateFAdd(build.CreateFMul(number, ConstantFP::get(type, 3.875 / (1 << 24))),
                          ConstantFP::get(type, 0.125));
}

void mathLibrary(Body &body, Type *type) {
  IRBuilder<> &build = body.build;
  Module &module = *build.GetInsertBlock()->getModule();
  Value *x = tame(body, 0, type);
  Value *y = tame(body, 1, type);
  Value *unit = build.CreateFMul(x, ConstantFP::get(type, 0.25));
  Value *above = build.CreateFAdd(x, ConstantFP::get(type, 1.0));
  const auto call = [&](StringRef name, ArrayRef<Value *> arguments, Type *result) {
    SmallVector<Type *> types;
    for (Value *argument : arguments) {
      types.push_back(argument->getType());
    }
    Value *value =
        build.CreateCall(module.getOrInsertFunction((name + (type->isFloatTy() ? "f" : "")).str(),
                                                    FunctionType::get(result, types, false)),
                         arguments);
    body.exact(result->isIntegerTy() ? build.CreateSIToFP(value, build.getDoubleTy())
                                     : build.CreateFPCast(value, build.getDoubleTy()));
  };
  for (const StringRef name :
       {"asinh",  "atan",  "cbrt",  "cos",   "cosh", "erf",   "erfc",      "exp",  "exp10",
        "exp2",   "expm1", "log1p", "logb",  "sin",  "sinh",  "sqrt",      "tanh", "tgamma",
        "lgamma", "floor", "ceil",  "trunc", "rint", "round", "nearbyint", "fabs"}) {
    call(name, {x}, type);
  }
  for (const StringRef name : {"log", "log2", "log10", "acosh"}) {
    call(name, {above}, type);
  }
  for (const StringRef name : {"acos", "asin", "atanh", "tan"}) {
    call(name, {unit}, type);
  }
  for (const StringRef name : {"atan2", "pow", "hypot", "fmod", "remainder", "fdim", "fmin", "fmax",
                               "copysign", "nextafter"}) {
    call(name, {x, y}, type);
  }
  Value *three = build.CreateTrunc(build.CreateAnd(body.words[2], 3), build.getInt32Ty());
  call("ldexp", {x, three}, type);
  call("scalbn", {x, build.CreateNeg(three)}, type);
  call("ilogb", {x}, build.getInt32Ty());
  for (const StringRef name : {"lrint", "lround", "llrint", "llround"}) {
    call(name, {x}, build.getInt64Ty());
  }
  const auto intrinsic = [&](Intrinsic::ID id, ArrayRef<Value *> arguments,
                             ArrayRef<Type *> types) {
    body.exact(
        build.CreateFPCast(build.CreateIntrinsic(id, types, arguments), build.getDoubleTy()));
  };
  for (const Intrinsic::ID id : {Intrinsic::exp, Intrinsic::exp2, Intrinsic::log, Intrinsic::log2,
                                 Intrinsic::log10, Intrinsic::sin, Intrinsic::cos}) {
    intrinsic(id, {above}, {type});
  }
  // Quotients of more digits than the type has.
  Value *large = build.CreateFMul(x, ConstantFP::get(type, 1e20));
  body.exact(build.CreateFPCast(build.CreateFRem(large, y), build.getDoubleTy()));
  intrinsic(Intrinsic::pow, {x, y}, {type});
  intrinsic(Intrinsic::powi, {x, three}, {type, build.getInt32Ty()});
  intrinsic(Intrinsic::ldexp, {x, three}, {type, build.getInt32Ty()});
  intrinsic(Intrinsic::fmuladd, {x, y, above}, {type});
}

/// What -ffast-math lets devices compute in other ways.
void fastMath(Body &body, Type *type) {
  IRBuilder<> &build = body.build;
  Value *x = tame(body, 0, type);
  Value *y = tame(body, 1, type);
  Value *z = tame(body, 2, type);
  build.setFastMathFlags(FastMathFlags::getFast());
  const auto root = [&](Value *value) {
    return build.CreateUnaryIntrinsic(Intrinsic::sqrt, value);
  };
  const auto result = [&](Value *value) {
    body.exact(build.CreateFPCast(value, build.getDoubleTy()));
  };
  result(build.CreateFDiv(y, root(x)));
  result(build.CreateFDiv(y, build.CreateFMul(root(z), z)));
  result(build.CreateFDiv(y, build.CreateFMul(x, root(z))));
  result(build.CreateFDiv(x, y));
  result(root(y));
}

/// What SROA leaves of `float complex` and of vectors in the source.
void vectors(Body &body) {
  IRBuilder<> &build = body.build;
  auto *pair = FixedVectorType::get(build.getDoubleTy(), 2);
  Value *a = tame(body, 0, build.getDoubleTy());
  Value *b = tame(body, 1, build.getDoubleTy());
  Value *first = build.CreateInsertElement(
      build.CreateInsertElement(PoisonValue::get(pair), a, uint64_t(0)), b, 1);
  Value *second = build.CreateShuffleVector(first, ArrayRef<int>{1, 0});
  Value *sum = build.CreateFMul(build.CreateFAdd(first, second), first);
  Value *root = build.CreateUnaryIntrinsic(Intrinsic::sqrt, sum);
  body.exact(build.CreateExtractElement(root, uint64_t(0)));
  body.exact(build.CreateExtractElement(root, 1));
}

} // namespace

std::vector<KernelCase> makeKernelCases() {
  std::vector<KernelCase> cases;
  for (const unsigned bits : {1U, 8U, 13U, 16U, 17U, 32U, 33U, 48U, 64U}) {
    const std::string width = std::to_string(bits);
    cases.push_back(makeCase("arithmetic-i" + width, [&](Body &body) { arithmetic(body, bits); }));
    cases.push_back(makeCase("bits-i" + width, [&](Body &body) { bitFunctions(body, bits); }));
  }
  const auto type = [](Body &body, bool isFloat) {
    return isFloat ? body.build.getFloatTy() : body.build.getDoubleTy();
  };
  for (const bool isFloat : {false, true}) {
    const std::string name = isFloat ? "float" : "double";
    cases.push_back(makeCase("arithmetic-" + name,
                             [&](Body &body) { floatingArithmetic(body, type(body, isFloat)); }));
    cases.push_back(makeCase("conversions-" + name,
                             [&](Body &body) { conversions(body, type(body, isFloat)); }));
    cases.push_back(makeCase(
        "math-" + name, [&](Body &body) { mathLibrary(body, type(body, isFloat)); },
        isFloat ? 2e-6 : 2e-14));
    cases.push_back(makeCase(
        "fast-" + name, [&](Body &body) { fastMath(body, type(body, isFloat)); },
        isFloat ? 2e-6 : 2e-14));
  }
  cases.push_back(makeCase("private-memory", privateMemory));
  cases.push_back(makeCase("vectors", vectors));
  return cases;
}

} // namespace tutti::compiler::target
