// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/task_variables.h"

#include "abi/tasks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

bool anyWrites(Instruction &address, SmallPtrSet<Value *, 8> &seen);

/// Whether what uses an address may write there, or hand it on.
bool mayWrite(Use &use) {
  auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user) {
    return true;
  }
  if (isa<LoadInst, CmpInst>(user)) {
    return false;
  }
  if (auto *move = dyn_cast<MemTransferInst>(user)) {
    return move->getRawSource() != use.get();
  }
  if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user)) {
    SmallPtrSet<Value *, 8> seen;
    return anyWrites(*user, seen);
  }
  return true;
}

bool anyWrites(Instruction &address, SmallPtrSet<Value *, 8> &seen) {
  if (!seen.insert(&address).second) {
    return false;
  }
  return any_of(address.uses(), [&](Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    return isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user) ? anyWrites(*user, seen)
                                                                       : mayWrite(use);
  });
}

/// Whether Clang has put the call into the function of a task, to learn where the private copies
/// are: what is called has come as an argument, which is its alone.
bool asksForCopies(const CallBase &call) {
  constexpr unsigned kMapArgument = 3;
  const Function &body = *call.getFunction();
  const auto *load = dyn_cast<LoadInst>(call.getCalledOperand());
  const auto *place = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  if (!place || !body.hasInternalLinkage() || !body.getName().starts_with(".omp_outlined.") ||
      body.arg_size() <= kMapArgument) {
    return false;
  }
  return all_of(place->users(), [&](const User *user) {
    const auto *store = dyn_cast<StoreInst>(user);
    return isa<LoadInst>(user) || (store && store->getValueOperand() == body.getArg(kMapArgument));
  });
}

} // namespace

/// Whether a function that is not defined here makes no tasks, but for those that it is given.
bool TaskVariables::isKnown(const Function &function) const {
  LibFunc known;
  return function.isIntrinsic() || library_.getLibFunc(function, known) ||
         is_contained({"tutti_task_asks", "tutti_task_private", "tutti_task_critical_begin",
                       "tutti_task_critical_end"},
                      function.getName());
}

/// Variables and functions in an operand, through constant expressions.
void TaskVariables::add(Names &names, Use &operand, Value *value) const {
  auto *constant = dyn_cast<Constant>(value);
  if (!constant) {
    return;
  }
  if (auto *function = dyn_cast<Function>(constant)) {
    if (!function->isDeclaration()) {
      names.functions.insert(function);
    } else {
      names.mayMakeTasks |= !isKnown(*function);
    }
    names.makesDeviceTasks |= function->getName() == "tutti_task_device";
    names.allocates |= is_contained(
        {"nanos6_dmalloc", "nanos6_lmalloc", "nanos6_dfree", "nanos6_lfree"}, function->getName());
  } else if (auto *variable = dyn_cast<GlobalVariable>(constant)) {
    if (!variable->isConstant() && !variable->getName().starts_with("llvm.")) {
      names.variables[variable] |= mayWrite(operand);
    }
  } else if (isa<ConstantExpr, ConstantAggregate>(constant)) {
    for (Value *part : constant->operand_values()) {
      add(names, operand, part);
    }
  }
}

const TaskVariables::Names &TaskVariables::namesOf(Function &function) {
  const auto [at, isNew] = names_.try_emplace(&function);
  if (isNew) {
    for (Instruction &instruction : instructions(function)) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      at->second.mayMakeTasks |= call && call->isIndirectCall() && !asksForCopies(*call);
      for (Use &operand : instruction.operands()) {
        add(at->second, operand, operand.get());
      }
    }
  }
  return at->second;
}

TaskVariables::Found TaskVariables::usedBy(Function &entry) {
  SetVector<Function *> functions;
  functions.insert(&entry);
  Found found;
  for (std::size_t next = 0; next < functions.size(); ++next) {
    const Names &names = namesOf(*functions[next]);
    functions.insert(names.functions.begin(), names.functions.end());
    for (const auto &[variable, isWritten] : names.variables) {
      found.variables[variable] |= isWritten;
    }
    found.makesDeviceTasks |= names.makesDeviceTasks;
    found.allocates |= names.allocates;
    found.mayMakeTasks |= names.mayMakeTasks;
  }
  return found;
}

/// As records of tutti_task_variable.
std::vector<Constant *> TaskVariables::recordsOf(const Found &found) {
  LLVMContext &context = module_.getContext();
  auto *pointer = PointerType::getUnqual(context);
  Type *int64 = Type::getInt64Ty(context);
  auto *type = StructType::get(context, {pointer, int64, int64});
  std::vector<Constant *> records;
  const auto add = [&](Constant *address, std::uint64_t bytes, std::uint64_t flags) {
    records.push_back(ConstantStruct::get(
        type, {address, ConstantInt::get(int64, bytes), ConstantInt::get(int64, flags)}));
  };
  for (const auto &[variable, isWritten] : found.variables) {
    // Each thread has its own: no address stands for it.
    const bool isOfThread = variable->isThreadLocal();
    add(isOfThread ? ConstantPointerNull::get(pointer) : static_cast<Constant *>(variable),
        module_.getDataLayout().getTypeAllocSize(variable->getValueType()),
        isWritten || isOfThread ? std::uint64_t{TUTTI_TASK_WRITES} : 0);
  }
  if (found.makesDeviceTasks) {
    add(ConstantPointerNull::get(pointer), 0, TUTTI_TASK_DEVICES);
  }
  if (found.allocates) {
    add(ConstantPointerNull::get(pointer), 0, TUTTI_TASK_ALLOCATES);
  }
  return records;
}

void TaskVariables::describe(IRBuilder<> &builder, Function &entry) {
  const std::vector<Constant *> records = recordsOf(usedBy(entry));
  if (records.empty()) {
    return;
  }
  auto *type = ArrayType::get(records.front()->getType(), records.size());
  auto *table = new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage,
                                   ConstantArray::get(type, records), "tutti.task.variables");
  Type *pointer = PointerType::getUnqual(module_.getContext());
  builder.CreateCall(module_.getOrInsertFunction(
                         "tutti_task_variables",
                         FunctionType::get(pointer, {pointer, builder.getInt64Ty()}, false)),
                     {table, builder.getInt64(records.size())});
}

} // namespace tutti::compiler::openmp
