// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/accumulators.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

enum class Operation {
  None, ///< Hands the value on.
  Add,
  Multiply,
  And,
  Or,
  Xor,
  SignedMaximum,
  SignedMinimum,
  UnsignedMaximum,
  UnsignedMinimum,
  Maximum,
  Minimum,
};

Operation binaryOperation(const BinaryOperator &inst) {
  switch (inst.getOpcode()) {
  case Instruction::Add:
  case Instruction::FAdd:
  case Instruction::Sub:
  case Instruction::FSub:
    return Operation::Add;
  case Instruction::Mul:
  case Instruction::FMul:
    return Operation::Multiply;
  case Instruction::And:
    return Operation::And;
  case Instruction::Or:
    return Operation::Or;
  case Instruction::Xor:
    return Operation::Xor;
  default:
    return Operation::None;
  }
}

Operation callOperation(const CallInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::smax:
    return Operation::SignedMaximum;
  case Intrinsic::smin:
    return Operation::SignedMinimum;
  case Intrinsic::umax:
    return Operation::UnsignedMaximum;
  case Intrinsic::umin:
    return Operation::UnsignedMinimum;
  case Intrinsic::maxnum:
  case Intrinsic::maximum:
    return Operation::Maximum;
  case Intrinsic::minnum:
  case Intrinsic::minimum:
    return Operation::Minimum;
  case Intrinsic::not_intrinsic:
    break;
  default:
    return Operation::None;
  }
  const Function *callee = call.getCalledFunction();
  const StringRef name = callee ? callee->getName() : "";
  if (name == "fmax" || name == "fmaxf") {
    return Operation::Maximum;
  }
  return name == "fmin" || name == "fminf" ? Operation::Minimum : Operation::None;
}

/// What a comparison chooses if it is followed by a choice of its left operand.
Operation extremeOperation(CmpInst::Predicate predicate) {
  switch (predicate) {
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE:
    return Operation::SignedMaximum;
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
    return Operation::SignedMinimum;
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
    return Operation::UnsignedMaximum;
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
    return Operation::UnsignedMinimum;
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
  case CmpInst::FCMP_UGT:
  case CmpInst::FCMP_UGE:
    return Operation::Maximum;
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
  case CmpInst::FCMP_ULT:
  case CmpInst::FCMP_ULE:
    return Operation::Minimum;
  default:
    return Operation::None;
  }
}

bool isIdentity(const Value *value, Operation operation) {
  switch (operation) {
  case Operation::Add:
    return match(value, m_CombineOr(m_Zero(), m_AnyZeroFP()));
  case Operation::Multiply:
    return match(value, m_CombineOr(m_One(), m_FPOne()));
  case Operation::Xor:
    return match(value, m_Zero());
  default:
    return isa<ConstantData>(value); // Combined any number of times, it gives the same.
  }
}

/// Collects an accumulator and checks it.
class Tracer {
public:
  Tracer(PHINode &phi, const Loop &loop, const LoopInfo &loops)
      : phi_(phi), loop_(loop), loops_(loops) {}

  std::optional<Accumulator> run() {
    if (!loop_.getLoopPreheader() || !loop_.getLoopLatch() || !collect()) {
      return std::nullopt;
    }
    for (const Instruction *inst : members_) {
      if (!check(*inst) || !followsLoops(*inst)) {
        return std::nullopt;
      }
    }
    const Value *start = phi_.getIncomingValueForBlock(loop_.getLoopPreheader());
    const bool isRight = operation_ != Operation::None && isIdentity(start, operation_);
    return isRight ? std::optional<Accumulator>(members_) : std::nullopt;
  }

private:
  bool has(const Value *value) const {
    const auto *inst = dyn_cast<Instruction>(value);
    return inst && members_.contains(inst);
  }

  /// Everything in the loop that depends on the phi, comparisons for a maximum excepted.
  bool collect() {
    SmallVector<Instruction *, 16> work{&phi_};
    members_.insert(&phi_);
    while (!work.empty()) {
      for (User *user : work.pop_back_val()->users()) {
        auto *inst = cast<Instruction>(user);
        if (!loop_.contains(inst)) {
          continue;
        }
        if (isa<CmpInst>(inst)) {
          compares_.insert(inst);
        } else if (members_.insert(inst).second) {
          work.push_back(inst);
        }
      }
    }
    // A comparison may only choose between what it compares; `check` sees to the selections.
    return all_of(compares_, [this](const Instruction *compare) {
      return all_of(compare->users(), [&](const User *user) {
        const auto *select = dyn_cast<SelectInst>(user);
        return select && has(select) && select->getCondition() == compare;
      });
    });
  }

  bool isOnly(Operation operation) {
    if (operation_ == Operation::None) {
      operation_ = operation;
    }
    return operation != Operation::None && operation_ == operation;
  }

  bool check(const Instruction &inst) {
    if (const auto *phi = dyn_cast<PHINode>(&inst)) {
      return all_of(phi->blocks(), [&](const BasicBlock *block) {
        return (phi == &phi_ && block == loop_.getLoopPreheader()) ||
               has(phi->getIncomingValueForBlock(block));
      });
    }
    if (const auto *select = dyn_cast<SelectInst>(&inst)) {
      return checkSelect(*select);
    }
    if (const auto *binary = dyn_cast<BinaryOperator>(&inst)) {
      const bool isLeft = has(binary->getOperand(0));
      const bool isRight = has(binary->getOperand(1));
      return isLeft != isRight && (isLeft || binary->isCommutative()) &&
             isOnly(binaryOperation(*binary));
    }
    const auto *call = dyn_cast<CallInst>(&inst);
    return call && checkCall(*call);
  }

  bool checkCall(const CallInst &call) {
    if (call.getIntrinsicID() == Intrinsic::fmuladd || call.getIntrinsicID() == Intrinsic::fma) {
      return !has(call.getArgOperand(0)) && !has(call.getArgOperand(1)) && isOnly(Operation::Add);
    }
    return call.arg_size() == 2 && has(call.getArgOperand(0)) != has(call.getArgOperand(1)) &&
           isOnly(callOperation(call));
  }

  bool checkSelect(const SelectInst &select) {
    const Value *condition = select.getCondition();
    const Value *left = select.getTrueValue();
    const Value *right = select.getFalseValue();
    if (has(condition)) {
      return false;
    }
    const auto *compare = dyn_cast<CmpInst>(condition);
    if (!compare || !compares_.contains(compare)) {
      return has(left) && has(right);
    }
    const bool isSame = compare->getOperand(0) == left && compare->getOperand(1) == right;
    const bool isSwapped = compare->getOperand(0) == right && compare->getOperand(1) == left;
    return has(left) != has(right) && (isSame || isSwapped) &&
           isOnly(
               extremeOperation(isSame ? compare->getPredicate() : compare->getSwappedPredicate()));
  }

  /// The accumulator's phi in the header of `inner`, a loop inside; null unless there is just one.
  const PHINode *headerPhi(const Loop &inner) const {
    const PHINode *found = nullptr;
    for (const PHINode &phi : inner.getHeader()->phis()) {
      if (has(&phi)) {
        if (found) {
          return nullptr;
        }
        found = &phi;
      }
    }
    return found;
  }

  static const Value *withoutCopies(const Value *value) {
    const auto *phi = dyn_cast<PHINode>(value);
    return phi && phi->getNumIncomingValues() == 1 ? withoutCopies(phi->getIncomingValue(0))
                                                   : value;
  }

  /// Whether `value` is what all iterations of `inner` leave behind.
  bool isResult(const Value *value, const Loop &inner) const {
    const PHINode *phi = headerPhi(inner);
    const BasicBlock *latch = inner.getLoopLatch();
    const BasicBlock *exiting = inner.getExitingBlock();
    if (!phi || !latch || !exiting) {
      return false;
    }
    if (exiting == latch) {
      return withoutCopies(value) == withoutCopies(phi->getIncomingValueForBlock(latch));
    }
    return exiting == inner.getHeader() && value == phi;
  }

  /// Whether each loop on the way from the operands of `inst` to it combines all of its iterations:
  /// no iteration starts anew from the value before the loop, none is left out behind it.
  bool followsLoops(const Instruction &inst) const {
    const Loop *here = loops_.getLoopFor(inst.getParent());
    for (const Use &use : inst.operands()) {
      if (!has(use.get()) || &inst == &phi_) {
        continue;
      }
      const auto *from = cast<Instruction>(use.get());
      for (const Loop *left = loops_.getLoopFor(from->getParent()); !left->contains(here);
           left = left->getParentLoop()) {
        if (!isResult(from, *left)) {
          return false;
        }
      }
      if (!loops_.getLoopFor(from->getParent())->contains(here) ||
          loops_.getLoopFor(from->getParent()) == here) {
        continue;
      }
      const bool isStart = &inst == headerPhi(*here) &&
                           here->getParentLoop() == loops_.getLoopFor(from->getParent()) &&
                           cast<PHINode>(inst).getIncomingBlock(use) == here->getLoopPreheader();
      if (!isStart) {
        return false;
      }
    }
    return true;
  }

  PHINode &phi_;
  const Loop &loop_;
  const LoopInfo &loops_;
  Accumulator members_;
  SmallPtrSet<const Instruction *, 4> compares_;
  Operation operation_ = Operation::None;
};

} // namespace

std::optional<Accumulator> findAccumulator(PHINode &phi, const Loop &loop, const LoopInfo &loops) {
  return Tracer(phi, loop, loops).run();
}

} // namespace tutti::compiler
