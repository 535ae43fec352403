// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/own_conductors.h"

#include "compiler/analysis/conducted_code.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/missing_functions.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Instructions, before any optimisation, that more copies of a function would be: below that a
/// conductor costs as much.
constexpr unsigned kWorthwhile = 256;

SmallVector<Function *, 8> calleesOf(Function &function) {
  SmallVector<Function *, 8> callees;
  for (Instruction &inst : instructions(function)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && !callee->isInterposable()) {
      callees.push_back(callee);
    }
  }
  return callees;
}

/// Adds `function` behind all that it calls.
void addCallees(Function &function, SetVector<Function *> &order,
                SmallPtrSetImpl<Function *> &seen) {
  if (!seen.insert(&function).second) {
    return;
  }
  for (Function *callee : calleesOf(function)) {
    addCallees(*callee, order, seen);
  }
  order.insert(&function);
}

bool holdsInit(const Function &function) {
  return any_of(instructions(function),
                [](const Instruction &inst) { return isInit(kindOf(inst)); });
}

bool callsItself(const Function &function) {
  return any_of(calledFunctions(function), [&](const Function *called) {
    return any_of(instructions(*called), [&](const Instruction &inst) {
      const auto *call = dyn_cast<CallBase>(&inst);
      return call && call->getCalledFunction() == &function;
    });
  });
}

bool mayHaveConductor(const Function &function) {
  return !function.isVarArg() && !function.doesNotReturn() && !function.onlyReadsMemory() &&
         !callsItself(function);
}

/// Whether a conductor does no more with what `argument` leads to than to read and write it.
bool isForCodeBeside(Argument &argument) {
  SmallSetVector<const Value *, 8> pointers;
  pointers.insert(&argument);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (const User *user : pointers[at]->users()) {
      const auto *store = dyn_cast<StoreInst>(user);
      if (isa<GetElementPtrInst, PHINode, SelectInst>(user)) {
        pointers.insert(user);
      } else if (!isa<LoadInst>(user) && !(store && store->getValueOperand() != pointers[at])) {
        return false;
      }
    }
  }
  return true;
}

/// Puts a call of `conductor` in the place of `call`.
void replace(CallBase &call, Function &conductor) {
  LLVMContext &context = call.getContext();
  SmallVector<Value *, 16> operands(kThreadArguments,
                                    ConstantPointerNull::get(PointerType::getUnqual(context)));
  append_range(operands, call.args());
  const AttributeList said = call.getAttributes();
  SmallVector<AttributeSet, 16> params(kThreadArguments);
  for (unsigned index = 0; index < call.arg_size(); ++index) {
    params.push_back(said.getParamAttrs(index));
  }
  CallBase *own = nullptr;
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    own = InvokeInst::Create(&conductor, invoke->getNormalDest(), invoke->getUnwindDest(), operands,
                             "", call.getIterator());
  } else {
    own = CallInst::Create(&conductor, operands, "", call.getIterator());
  }
  own->setCallingConv(call.getCallingConv());
  own->setAttributes(AttributeList::get(context, said.getFnAttrs(), said.getRetAttrs(), params));
  own->setDebugLoc(call.getDebugLoc());
  call.replaceAllUsesWith(own);
  call.eraseFromParent();
}

} // namespace

SmallVector<Function *, 8> OwnConductors::candidates(ArrayRef<Function *> constructs) {
  SetVector<Function *> order;
  SmallPtrSet<Function *, 32> seen;
  for (Function *construct : constructs) {
    addCallees(*construct, order, seen);
  }
  DenseMap<const Function *, unsigned> calls;
  SmallPtrSet<const Function *, 32> leadToLoops;
  for (Function *function : order) {
    bool leads = holdsInit(*function);
    for (const Function *callee : calleesOf(*function)) {
      ++calls[callee];
      leads |= leadToLoops.contains(callee);
    }
    if (leads) {
      leadToLoops.insert(function);
    }
  }
  SmallVector<Function *, 8> found;
  copy_if(order, std::back_inserter(found), [&](Function *function) {
    const unsigned copies = calls.lookup(function);
    return leadToLoops.contains(function) && copies > 1 &&
           (copies - 1) * function->getInstructionCount() >= kWorthwhile &&
           !is_contained(constructs, function) && mayHaveConductor(*function);
  });
  return found;
}

bool OwnConductors::isCalledFrom(const Function &function) const {
  return any_of(calledFunctions(function), [&](const Function *called) {
    return called != &function && conductors_.contains(const_cast<Function *>(called));
  });
}

void OwnConductors::add(Function &function, Function &conductor) {
  Own &own = conductors_[&function];
  own.conductor = &conductor;
  for (const Argument &argument : function.args()) {
    if (argument.getType()->isPointerTy() &&
        isForCodeBeside(*conductor.getArg(argument.getArgNo() + kThreadArguments))) {
      own.besideLoops.push_back(argument.getArgNo());
    }
  }
}

OwnConductors::Kept::Kept(const OwnConductors &all) : all_(all) {
  for (const auto &[function, own] : all_.conductors_) {
    function->addFnAttr(kOwnConductor);
    for (const unsigned index : own.besideLoops) {
      function->addParamAttr(index, Attribute::get(function->getContext(), kBesideLoops));
    }
  }
}

OwnConductors::Kept::~Kept() {
  for (const auto &[function, own] : all_.conductors_) {
    function->removeFnAttr(kOwnConductor);
    for (const unsigned index : own.besideLoops) {
      function->removeParamAttr(index, kBesideLoops);
    }
  }
}

std::string OwnConductors::whyNotCalled(Function &conductor) {
  // Loops are made for what is known where they stand.
  return any_of(instructions(conductor),
                [](const Instruction &inst) {
                  return isCallOfConductor(inst) &&
                         any_of(cast<CallBase>(inst).args(),
                                [](const Use &argument) { return isa<Constant>(argument); });
                })
             ? "a function that it calls gets a constant"
             : "";
}

void OwnConductors::callFrom(Function &conductor) const {
  for (Instruction &inst : make_early_inc_range(instructions(conductor))) {
    if (isCallOfConductor(inst)) {
      auto &call = cast<CallBase>(inst);
      replace(call, *conductors_.lookup(call.getCalledFunction()).conductor);
    }
  }
}

void OwnConductors::dropUnused() {
  // Callers first.
  for (const auto &[function, own] : reverse(conductors_)) {
    if (!own.conductor->use_empty()) {
      continue;
    }
    SmallSetVector<Function *, 8> steps;
    for (Instruction &inst : instructions(*own.conductor)) {
      if (kindOf(inst) == CallKind::Fork) {
        steps.insert(outlinedOf(cast<CallInst>(inst)));
      }
    }
    own.conductor->eraseFromParent();
    for (Function *step : steps) {
      if (step && step->use_empty()) {
        step->eraseFromParent();
      }
    }
  }
  conductors_.clear();
}

} // namespace tutti::compiler
