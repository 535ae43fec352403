// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/piece_function.h"

#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/fragment_calls.h"
#include "compiler/transform/encoded_captures.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// What calls of constructs are told of their place: nothing.
Constant *placeIn(Module &module) {
  constexpr const char *kName = "tutti.piece.place";
  if (GlobalVariable *known = module.getGlobalVariable(kName, /*AllowInternal=*/true)) {
    return known;
  }
  IRBuilder<> build(module.getContext());
  Constant *text = ConstantDataArray::getString(module.getContext(), ";unknown;unknown;0;0;;");
  auto *source = new GlobalVariable(module, text->getType(), true, GlobalValue::PrivateLinkage,
                                    text, "tutti.piece.source");
  constexpr unsigned kOfCompiler = 2;
  constexpr unsigned kTextBytes = 22;
  Constant *place =
      ConstantStruct::getAnon({build.getInt32(0), build.getInt32(kOfCompiler), build.getInt32(0),
                               build.getInt32(kTextBytes), source});
  return new GlobalVariable(module, place->getType(), true, GlobalValue::PrivateLinkage, place,
                            kName);
}

} // namespace

void PieceFunction::use(Value *value) {
  if (isa<Constant>(value) || map.count(value) || !used_.insert(value).second) {
    return;
  }
  if (!computes_(value)) {
    captures_.insert(value);
    return;
  }
  for (Use &operand : cast<Instruction>(value)->operands()) {
    use(operand.get());
  }
}

void PieceFunction::begin(Value *last, const Twine &name) {
  LLVMContext &context = from_.getContext();
  Module &module = *from_.getParent();
  last_ = last;
  SmallVector<Type *, 16> types(kThreadArguments, PointerType::getUnqual(context));
  for (const Value *capture : captures_) {
    types.push_back(capture->getType()->isPointerTy() ? capture->getType()
                                                      : Type::getInt64Ty(context));
  }
  types.push_back(Type::getInt64Ty(context));
  function_ = Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                               GlobalValue::InternalLinkage, name, &module);
  function_->addFnAttr(Attribute::NoUnwind);
  function_->addFnAttr(kReadsInPlace);
  for (const char *inherited : {"target-cpu", "target-features", "tune-cpu"}) {
    if (from_.hasFnAttribute(inherited)) {
      function_->addFnAttr(from_.getFnAttribute(inherited));
    }
  }
  BasicBlock *entry = BasicBlock::Create(context, "entry", function_);
  BasicBlock *body = BasicBlock::Create(context, "body", function_);
  latch_ = BasicBlock::Create(context, "latch", function_);
  BasicBlock *end = BasicBlock::Create(context, "end", function_);
  build_ = std::make_unique<IRBuilder<>>(entry);
  IRBuilder<> &build = *build_;
  decodeCaptures();
  Type *i64 = build.getInt64Ty();
  Value *isLast = build.CreateAlloca(build.getInt32Ty(), nullptr, "last");
  Value *lower = build.CreateAlloca(i64, nullptr, "lower");
  Value *upper = build.CreateAlloca(i64, nullptr, "upper");
  Value *stride = build.CreateAlloca(i64, nullptr, "stride");
  build.CreateStore(build.getInt32(0), isLast);
  build.CreateStore(build.getInt64(0), lower);
  Value *passed = function_->getArg(function_->arg_size() - 1);
  build.CreateStore(passed, upper);
  build.CreateStore(build.getInt64(1), stride);
  const ConstructCalls &calls = commonCalls();
  Constant *place = placeIn(module);
  Value *thread = build.CreateLoad(build.getInt32Ty(), function_->getArg(0));
  build.CreateCall(calls.declare(module, CallKind::StaticInit),
                   {place, thread, build.getInt32(calls.withSchedule(0, Schedule::Even)), isLast,
                    lower, upper, stride, build.getInt64(1), build.getInt64(1)});
  Value *given = build.CreateLoad(i64, upper);
  Value *most = build.CreateSelect(build.CreateICmpSGT(given, passed), passed, given);
  build.CreateStore(most, upper);
  Value *first = build.CreateLoad(i64, lower);
  build.CreateCondBr(build.CreateICmpSGT(first, most), end, body);
  build.SetInsertPoint(body);
  PHINode *iteration = build.CreatePHI(i64, 2, "iteration");
  iteration_ = iteration;
  build.SetInsertPoint(latch_);
  Value *next = build.CreateNSWAdd(iteration, build.getInt64(1));
  build.CreateCondBr(build.CreateICmpSLT(iteration, most), body, end);
  iteration->addIncoming(first, entry);
  iteration->addIncoming(next, latch_);
  build.SetInsertPoint(end);
  build.CreateCall(calls.declare(module, CallKind::StaticEnd), {place, thread});
  build.CreateRetVoid();
  build.SetInsertPoint(body);
}

void PieceFunction::decodeCaptures() {
  for (unsigned index = 0; index < captures_.size(); ++index) {
    Argument *passed = function_->getArg(index + kThreadArguments);
    Value *capture = captures_[index];
    passed->setName(capture->getName());
    map[capture] = decodeCapture(*build_, passed, capture->getType());
  }
}

void PieceFunction::spreadAddresses() {
  for (Value *capture : captures_) {
    if (capture->getType()->isPointerTy()) {
      map[capture] = build_->CreateGEP(build_->getInt8Ty(), map[capture], iteration_);
    }
  }
}

Value *PieceFunction::take(Value *value) {
  if (isa<Constant>(value)) {
    return value;
  }
  if (Value *known = map.lookup(value)) {
    return known;
  }
  Instruction *copy = cast<Instruction>(value)->clone();
  for (Use &operand : copy->operands()) {
    operand.set(take(operand.get()));
  }
  build_->Insert(copy, value->getName());
  map[value] = copy;
  return copy;
}

void PieceFunction::fork(Instruction &where, const DebugLoc &place) {
  Module &module = *from_.getParent();
  IRBuilder<> build(&where);
  build.SetCurrentDebugLocation(place);
  SmallVector<Value *, 16> operands{placeIn(module), build.getInt32(captures_.size() + 1),
                                    function_};
  for (Value *capture : captures_) {
    operands.push_back(encodeCapture(build, capture));
  }
  operands.push_back(last_);
  build.CreateCall(commonCalls().declare(module, CallKind::Fork), operands);
}

} // namespace tutti::compiler
