// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/expressions.h"

#include "compiler/ir/entry_points.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

bool isPlainType(const Type *type) {
  return type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

bool isMinMax(const Instruction &inst) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  return intrinsic && isa<MinMaxIntrinsic>(intrinsic);
}

} // namespace

bool ClosedForms::isClosed(const SCEV *expression) const {
  struct Check {
    const ClosedForms &forms;
    bool closed = true;

    bool follow(const SCEV *part) {
      if (isa<SCEVAddRecExpr>(part) || isa<SCEVCouldNotCompute>(part) || isa<SCEVVScale>(part)) {
        closed = false;
      } else if (const auto *unknown = dyn_cast<SCEVUnknown>(part)) {
        closed = closed && forms.isClosedLeaf(unknown->getValue());
      }
      return closed;
    }

    bool isDone() const { return !closed; }
  };

  if (expression->getType()->isIntegerTy() && expression->getType()->getIntegerBitWidth() > 64) {
    return false;
  }
  Check check{*this};
  visitAll(expression, check);
  return check.closed;
}

bool ClosedForms::isClosed(Value *value) const {
  if (scev_.isSCEVable(value->getType())) {
    return isClosed(scev_.getSCEV(value));
  }
  return isClosedLeaf(value);
}

/// `value` is something that scalar evolution does not look through.
bool ClosedForms::isClosedLeaf(Value *value) const {
  if (!isPlainType(value->getType())) {
    return false;
  }
  if (auto *global = dyn_cast<GlobalValue>(value)) {
    return !global->isThreadLocal();
  }
  if (isa<Constant>(value)) {
    return !value->getType()->isPointerTy() || isa<ConstantPointerNull>(value);
  }
  if (auto *argument = dyn_cast<Argument>(value)) {
    return model_.captureIndex(argument) >= 0 || argument == model_.lower() ||
           argument == model_.upper() || argument == model_.isLast() ||
           model_.counterIndex(argument) >= 0;
  }
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst) {
    return false;
  }
  if (auto *load = dyn_cast<LoadInst>(inst)) {
    return is_contained(model_.values(), load) || is_contained(followed_, load);
  }
  const bool known = isa<BinaryOperator>(inst) || isa<CastInst>(inst) || isa<CmpInst>(inst) ||
                     isa<SelectInst>(inst) || isa<FreezeInst>(inst) || isMinMax(*inst);
  return known && all_of(inst->operands(), [this](Use &use) {
           return isa<Function>(use.get()) || isClosed(use.get());
         });
}

Type *ExpressionEmitter::plain(Type *type) const {
  return type->isPointerTy() ? build_.getInt64Ty() : type;
}

Value *ExpressionEmitter::loadSlot(Value *array, unsigned index, Type *type) {
  Value *slot = build_.CreateConstInBoundsGEP1_64(build_.getInt64Ty(), array, index);
  Value *bits = build_.CreateLoad(build_.getInt64Ty(), slot);
  if (type->isFloatTy()) {
    return build_.CreateBitCast(build_.CreateTrunc(bits, build_.getInt32Ty()), type);
  }
  return type->isDoubleTy() ? build_.CreateBitCast(bits, type)
                            : build_.CreateTrunc(bits, plain(type));
}

Value *ExpressionEmitter::nonZero(Value *divisor) {
  Value *isZero = build_.CreateICmpEQ(divisor, ConstantInt::get(divisor->getType(), 0));
  return build_.CreateSelect(isZero, ConstantInt::get(divisor->getType(), 1), divisor);
}

Value *ExpressionEmitter::emit64(const SCEV *expression, bool isSigned) {
  return build_.CreateIntCast(emit(expression), build_.getInt64Ty(), isSigned);
}

Value *ExpressionEmitter::emitMinMax(const SCEVNAryExpr *expression, Intrinsic::ID id) {
  Value *result = emit(expression->getOperand(0));
  for (const SCEV *operand : drop_begin(expression->operands())) {
    result = build_.CreateBinaryIntrinsic(id, result, emit(operand));
  }
  return result;
}

/// What is negated is subtracted.
Value *ExpressionEmitter::emitSum(const SCEVAddExpr *sum) {
  Value *result = nullptr;
  for (const SCEV *operand : sum->operands()) {
    const auto *product = dyn_cast<SCEVMulExpr>(operand);
    const bool isNegated = result && product && product->getOperand(0)->isAllOnesValue();
    Value *next = emit(isNegated ? scev_.getNegativeSCEV(operand) : operand);
    result = !result     ? next
             : isNegated ? build_.CreateSub(result, next)
                         : build_.CreateAdd(result, next);
  }
  return result;
}

Value *ExpressionEmitter::emit(const SCEV *expression) {
  if (isa<SCEVConstant, SCEVUnknown>(expression)) {
    return emitAnew(expression);
  }
  if (Value *known = emitted_.lookup(expression)) {
    return known;
  }
  Value *result = emitAnew(expression);
  emitted_[expression] = result;
  return result;
}

Value *ExpressionEmitter::emitAnew(const SCEV *expression) {
  switch (expression->getSCEVType()) {
  case scConstant:
    return cast<SCEVConstant>(expression)->getValue();
  case scUnknown:
    return emitLeaf(cast<SCEVUnknown>(expression)->getValue());
  case scPtrToInt:
    return emit(cast<SCEVCastExpr>(expression)->getOperand());
  case scTruncate:
    return build_.CreateTrunc(emit(cast<SCEVCastExpr>(expression)->getOperand()),
                              expression->getType());
  case scZeroExtend:
    return build_.CreateZExt(emit(cast<SCEVCastExpr>(expression)->getOperand()),
                             expression->getType());
  case scSignExtend:
    return build_.CreateSExt(emit(cast<SCEVCastExpr>(expression)->getOperand()),
                             expression->getType());
  case scAddExpr:
    return emitSum(cast<SCEVAddExpr>(expression));
  case scMulExpr: {
    const auto *product = cast<SCEVMulExpr>(expression);
    Value *result = emit(product->getOperand(0));
    for (const SCEV *operand : drop_begin(product->operands())) {
      result = build_.CreateMul(result, emit(operand));
    }
    return result;
  }
  case scUDivExpr: {
    const auto *division = cast<SCEVUDivExpr>(expression);
    Value *dividend = emit(division->getLHS());
    return build_.CreateUDiv(dividend, nonZero(emit(division->getRHS())));
  }
  case scUMaxExpr:
    return emitMinMax(cast<SCEVNAryExpr>(expression), Intrinsic::umax);
  case scSMaxExpr:
    return emitMinMax(cast<SCEVNAryExpr>(expression), Intrinsic::smax);
  case scUMinExpr:
  case scSequentialUMinExpr:
    return emitMinMax(cast<SCEVNAryExpr>(expression), Intrinsic::umin);
  case scSMinExpr:
    return emitMinMax(cast<SCEVNAryExpr>(expression), Intrinsic::smin);
  case scVScale:
  case scAddRecExpr:
  case scCouldNotCompute:
    break;
  }
  llvm_unreachable("not a closed form");
}

Value *ExpressionEmitter::emit(Value *value) {
  return scev_.isSCEVable(value->getType()) ? emit(scev_.getSCEV(value)) : emitLeaf(value);
}

Value *ExpressionEmitter::emitLeaf(Value *value) {
  if (Value *known = cache_.lookup(value)) {
    return known;
  }
  Value *result = nullptr;
  if (auto *constant = dyn_cast<Constant>(value)) {
    return constant->getType()->isPointerTy()
               ? ConstantExpr::getPtrToInt(constant, build_.getInt64Ty())
               : constant;
  }
  if (auto *argument = dyn_cast<Argument>(value)) {
    if (argument == model_.lower() || argument == model_.upper()) {
      result = build_.CreateTrunc(argument == model_.lower() ? leaves_.lower : leaves_.upper,
                                  argument->getType());
    } else if (argument == model_.isLast()) {
      result = leaves_.isLast;
    } else if (const int counter = model_.counterIndex(argument); counter >= 0) {
      result = leaves_.counters[counter];
    } else {
      result = loadSlot(leaves_.captures, model_.captureIndex(argument), argument->getType());
    }
  } else if (const Walks::Follow *follow = followOf(value)) {
    result = emitFollow(*follow);
  } else if (auto *load = dyn_cast<LoadInst>(value)) {
    const auto *position = find(model_.values(), load);
    assert(position != model_.values().end() && "not a closed form");
    const unsigned index = position - model_.values().begin();
    if (leaves_.used) {
      leaves_.used->set(index);
    }
    result = loadSlot(leaves_.values, index, load->getType());
  } else {
    result = emitOperation(*cast<Instruction>(value));
  }
  cache_[value] = result;
  return result;
}

Value *ExpressionEmitter::isNull(const SCEV *address) {
  const auto *root = dyn_cast<SCEVUnknown>(scev_.getPointerBase(address));
  return root && followOf(root->getValue()) ? build_.CreateICmpEQ(emit(root), build_.getInt64(0))
                                            : build_.getFalse();
}

Value *ExpressionEmitter::emitFollow(const Walks::Follow &follow) {
  Type *type = follow.load->getType();
  const DataLayout &layout = model_.function().getDataLayout();
  Value *address =
      build_.CreateSelect(isNull(follow.address), build_.getInt64(0), emit(follow.address));
  Value *found = build_.CreateCall(
      EntryPoints(*build_.GetInsertBlock()->getModule()).follow(),
      {leaves_.sink, address, build_.getInt32(layout.getTypeStoreSize(type).getFixedValue())});
  return build_.CreateTrunc(found, plain(type));
}

Value *ExpressionEmitter::emitOperation(Instruction &inst) {
  SmallVector<Value *, 3> operands;
  for (Use &use : inst.operands()) {
    if (!isa<Function>(use.get())) {
      operands.push_back(emit(use.get()));
    }
  }
  if (auto *binary = dyn_cast<BinaryOperator>(&inst)) {
    return build_.CreateBinOp(binary->getOpcode(), operands[0],
                              inst.isIntDivRem() ? nonZero(operands[1]) : operands[1]);
  }
  if (auto *cast = dyn_cast<CastInst>(&inst)) {
    if (isa<PtrToIntInst>(cast) || isa<IntToPtrInst>(cast)) {
      return build_.CreateZExtOrTrunc(operands[0], plain(cast->getType()));
    }
    return build_.CreateCast(cast->getOpcode(), operands[0], plain(cast->getType()));
  }
  if (auto *compare = dyn_cast<CmpInst>(&inst)) {
    return build_.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
  }
  if (isa<SelectInst>(inst)) {
    return build_.CreateSelect(build_.CreateFreeze(operands[0]), operands[1], operands[2]);
  }
  if (isa<FreezeInst>(inst)) {
    return build_.CreateFreeze(operands[0]);
  }
  const auto *intrinsic = cast<IntrinsicInst>(&inst);
  return build_.CreateBinaryIntrinsic(intrinsic->getIntrinsicID(), operands[0], operands[1]);
}

} // namespace tutti::compiler
