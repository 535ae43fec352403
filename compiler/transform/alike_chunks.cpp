// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/alike_chunks.h"

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr unsigned kFirst = 2; ///< Behind pointers to numbers of threads.

/// Whether `inst` neither touches what threads share nor lets others see that it has happened.
bool isPrivate(const Instruction &inst, const Function &chunk) {
  if (isa<AllocaInst>(inst) || isa<LifetimeIntrinsic>(inst)) {
    return true;
  }
  const auto *load = dyn_cast<LoadInst>(&inst);
  if (!load) {
    return !inst.mayReadOrWriteMemory();
  }
  // The number of the thread, and what the chunk says: nobody writes either meanwhile.
  const Value *pointer = load->getPointerOperand();
  return load->isSimple() &&
         (pointer == chunk.getArg(0) || pointer == chunk.getArg(chunk.arg_size() - 1));
}

/// The number of the thread is loaded wherever the first construct was that needed it.
void loadThreadFirst(Function &chunk) {
  BasicBlock &entry = chunk.getEntryBlock();
  for (Instruction &inst : make_early_inc_range(entry)) {
    auto *load = dyn_cast<LoadInst>(&inst);
    if (load && load->isSimple() && load->getPointerOperand() == chunk.getArg(0)) {
      load->moveBefore(entry, entry.getFirstNonPHIOrDbgOrAlloca());
      return;
    }
  }
}

/// Whether `call` is a front end's, or a hook in its place. What others get may be the program's
/// own.
bool isToldPlace(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && (kindOf(callee) != CallKind::None || callee->getName().starts_with("tutti_"));
}

/// `place` as front ends write it where lines are not known, or null if it is none.
GlobalVariable *withoutLine(const GlobalVariable &place) {
  constexpr StringLiteral kUnknown = ";unknown;unknown;0;0;;";

  enum Field : unsigned { Flags = 1, Length = 3, Text, Fields }; // ident_t

  const auto *said = place.isConstant() && place.hasPrivateLinkage() && place.hasInitializer()
                         ? dyn_cast<ConstantStruct>(place.getInitializer())
                         : nullptr;
  StringRef text;
  if (!said || said->getNumOperands() != Fields || !isa<ConstantInt>(said->getOperand(Flags)) ||
      !isa<ConstantInt>(said->getOperand(Length)) ||
      !said->getOperand(Text)->getType()->isPointerTy() ||
      !getConstantStringInfo(said->getOperand(Text), text) || !text.starts_with(";") ||
      !text.ends_with(";;")) {
    return nullptr;
  }
  Module &module = const_cast<Module &>(*place.getParent());
  const auto find = [&](const Twine &name, Constant *value) {
    std::string known = name.str();
    GlobalVariable *variable = module.getGlobalVariable(known, /*AllowInternal=*/true);
    if (!variable) {
      variable = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage,
                                    value, known);
      variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    }
    return variable;
  };
  SmallVector<Constant *, Fields> fields;
  for (const Use &field : said->operands()) {
    fields.push_back(cast<Constant>(field));
  }
  fields[Length] = ConstantInt::get(fields[Length]->getType(), kUnknown.size());
  fields[Text] = find("tutti.place", ConstantDataArray::getString(module.getContext(), kUnknown));
  const auto *flags = cast<ConstantInt>(fields[Flags]);
  return find("tutti.place." + Twine(flags->getZExtValue()),
              ConstantStruct::get(said->getType(), fields));
}

} // namespace

void forgetLines(Function &chunk) {
  for (Instruction &inst : instructions(chunk)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (!call || !isToldPlace(*call)) {
      continue;
    }
    for (Use &operand : call->args()) {
      const auto *variable = dyn_cast<GlobalVariable>(operand);
      if (GlobalVariable *plain = variable ? withoutLine(*variable) : nullptr) {
        operand.set(plain);
      }
    }
  }
}

void dropOuterBarriers(Function &chunk) {
  for (Instruction &inst : make_early_inc_range(chunk.getEntryBlock())) {
    if (kindOf(inst) == CallKind::Barrier) {
      inst.eraseFromParent();
    } else if (!isPrivate(inst, chunk)) {
      break;
    }
  }
  for (BasicBlock &block : chunk) {
    if (!isa<ReturnInst>(block.getTerminator())) {
      continue;
    }
    for (Instruction &inst : make_early_inc_range(reverse(block))) {
      if (kindOf(inst) == CallKind::Barrier) {
        inst.eraseFromParent();
      } else if (!isPrivate(inst, chunk)) {
        break;
      }
    }
  }
}

AlikeChunk keepUsedCaptures(Function &chunk) {
  if (any_of(chunk, [](const BasicBlock &block) { return block.hasAddressTaken(); })) {
    AlikeChunk whole{&chunk, {}}; // Addresses of blocks name their function.
    for (unsigned number = kFirst; number + 1 < chunk.arg_size(); ++number) {
      whole.captures.push_back(number - kFirst);
    }
    return whole;
  }
  loadThreadFirst(chunk);
  const unsigned last = chunk.arg_size() - 1; // The chunk itself.
  SetVector<unsigned> used;
  for (const Instruction &inst : instructions(chunk)) {
    for (const Value *operand : inst.operand_values()) {
      const auto *argument = dyn_cast<Argument>(operand);
      if (argument && argument->getArgNo() >= kFirst && argument->getArgNo() < last) {
        used.insert(argument->getArgNo());
      }
    }
  }
  std::vector<unsigned> order{0, 1};
  order.insert(order.end(), used.begin(), used.end());
  order.push_back(last);
  const AttributeList attributes = chunk.getAttributes();
  SmallVector<Type *, 16> types;
  SmallVector<AttributeSet, 16> ofArguments;
  for (const unsigned number : order) {
    types.push_back(chunk.getArg(number)->getType());
    ofArguments.push_back(attributes.getParamAttrs(number));
  }
  Function *shorter = Function::Create(FunctionType::get(chunk.getReturnType(), types, false),
                                       chunk.getLinkage(), chunk.getAddressSpace());
  chunk.getParent()->getFunctionList().insert(chunk.getIterator(), shorter);
  shorter->takeName(&chunk);
  shorter->copyAttributesFrom(&chunk);
  shorter->setAttributes(AttributeList::get(chunk.getContext(), attributes.getFnAttrs(),
                                            attributes.getRetAttrs(), ofArguments));
  shorter->copyMetadata(&chunk, 0);
  shorter->splice(shorter->begin(), &chunk);
  for (auto [argument, number] : zip_equal(make_pointer_range(shorter->args()), order)) {
    argument->takeName(chunk.getArg(number));
    chunk.getArg(number)->replaceAllUsesWith(argument);
  }
  for (Argument &argument : chunk.args()) {
    argument.replaceAllUsesWith(PoisonValue::get(argument.getType())); // In debug records.
  }
  chunk.eraseFromParent();
  AlikeChunk result{shorter, {}};
  for (const unsigned number : used) {
    result.captures.push_back(number - kFirst);
  }
  return result;
}

} // namespace tutti::compiler
