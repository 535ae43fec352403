// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

SmallVector<const ConstructCalls *, 2> &frontends() {
  static SmallVector<const ConstructCalls *, 2> registered;
  return registered;
}

/// What the operands of a call of that kind have to be, for others to look at them.
SmallVector<Role, 6> rolesOf(CallKind kind) {
  switch (kind) {
  case CallKind::Fork:
  case CallKind::ForkTeams:
    return {Role::Place, Role::Outlined};
  case CallKind::StaticInit:
    return {Role::Place, Role::Schedule, Role::Last, Role::Lower, Role::Upper, Role::Stride};
  case CallKind::DispatchInit:
    return {Role::Place, Role::Schedule, Role::Lower, Role::Upper};
  case CallKind::DispatchNext:
    return {Role::Place, Role::Last, Role::Lower, Role::Upper};
  case CallKind::Reduce:
    return {Role::Place, Role::List, Role::Combine};
  case CallKind::RequestThreads:
  case CallKind::RequestBinding:
    return {Role::Place, Role::Number};
  case CallKind::RequestTeams:
    return {Role::Place, Role::Number, Role::Limit};
  default:
    return {};
  }
}

/// Whether `callee` has an operand for each role. A function of the same name that has not is the
/// program's own business.
bool isWellFormed(const Function &callee, const ConstructCalls &calls, CallKind kind) {
  return all_of(rolesOf(kind), [&](Role role) {
    return calls.operand(callee.getName(), role) < callee.getFunctionType()->getNumParams();
  });
}

} // namespace

void registerConstructCalls(const ConstructCalls &calls) {
  if (!is_contained(frontends(), &calls)) {
    frontends().push_back(&calls);
  }
}

const ConstructCalls &commonCalls() { return *frontends().front(); }

bool dealsIterations(CallKind kind) {
  switch (kind) {
  case CallKind::StaticInit:
  case CallKind::StaticEnd:
  case CallKind::DispatchInit:
  case CallKind::DispatchNext:
  case CallKind::DispatchPiece:
  case CallKind::DispatchEnd:
    return true;
  default:
    return false;
  }
}

CallKind kindOf(const Function *callee) {
  for (const ConstructCalls *calls : frontends()) {
    const CallKind kind = callee ? calls->kind(callee->getName()) : CallKind::None;
    if (kind != CallKind::None) {
      return isWellFormed(*callee, *calls, kind) ? kind : CallKind::Other;
    }
  }
  return CallKind::None;
}

CallKind kindOf(const Instruction &inst) {
  const auto *call = dyn_cast<CallInst>(&inst);
  return call ? kindOf(call->getCalledFunction()) : CallKind::None;
}

const ConstructCalls &frontendOf(const CallBase &call) {
  const StringRef name = call.getCalledFunction()->getName();
  for (const ConstructCalls *calls : frontends()) {
    if (calls->kind(name) != CallKind::None) {
      return *calls;
    }
  }
  llvm_unreachable("a call that no front end knows");
}

unsigned operandNumber(const CallBase &call, Role role) {
  return frontendOf(call).operand(call.getCalledFunction()->getName(), role);
}

Value *operandOf(const CallBase &call, Role role) {
  return call.getArgOperand(operandNumber(call, role));
}

void setOperand(CallBase &call, Role role, Value *value) {
  call.setArgOperand(operandNumber(call, role), value);
}

SmallVector<Function *, 1> calleesOf(Module &module, CallKind kind) {
  SmallVector<Function *, 1> found;
  for (Function &function : module) {
    if (kindOf(&function) == kind) {
      found.push_back(&function);
    }
  }
  return found;
}

Schedule scheduleOf(const CallInst &init) {
  const auto *number = dyn_cast<ConstantInt>(operandOf(init, Role::Schedule));
  return number ? frontendOf(init).schedule(number->getZExtValue()) : Schedule::Undistributed;
}

Pieces piecesOf(const CallInst &init) {
  const auto *number = dyn_cast<ConstantInt>(operandOf(init, Role::Schedule));
  const Pieces pieces = number ? frontendOf(init).pieces(number->getZExtValue()) : Pieces::Open;
  const auto *length = dyn_cast<ConstantInt>(operandOf(init, Role::Piece));
  return pieces == Pieces::Fixed && length && !length->getValue().sgt(1) ? Pieces::Open : pieces;
}

void setSchedule(CallInst &init, Schedule schedule) {
  const auto *number = cast<ConstantInt>(operandOf(init, Role::Schedule));
  setOperand(init, Role::Schedule,
             ConstantInt::get(number->getType(),
                              frontendOf(init).withSchedule(number->getZExtValue(), schedule)));
}

} // namespace tutti::compiler
