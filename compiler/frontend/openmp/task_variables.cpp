// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/task_variables.h"

#include "abi/tasks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

/// By variable, whether it may be written.
using Uses = MapVector<GlobalVariable *, bool>;

class Search {
public:
  explicit Search(Function &entry) { functions_.insert(&entry); }

  Uses run() {
    for (std::size_t next = 0; next < functions_.size(); ++next) {
      for (Instruction &instruction : instructions(*functions_[next])) {
        for (Use &operand : instruction.operands()) {
          addConstant(operand, operand.get());
        }
      }
    }
    return std::move(uses_);
  }

private:
  /// Variables and functions in an operand, through constant expressions.
  void addConstant(Use &operand, Value *value) {
    auto *constant = dyn_cast<Constant>(value);
    if (!constant) {
      return;
    }
    if (auto *function = dyn_cast<Function>(constant)) {
      if (!function->isDeclaration()) {
        functions_.insert(function);
      }
    } else if (auto *variable = dyn_cast<GlobalVariable>(constant)) {
      if (!variable->isConstant() && !variable->getName().starts_with("llvm.")) {
        uses_[variable] |= mayWrite(operand);
      }
    } else if (isa<ConstantExpr, ConstantAggregate>(constant)) {
      for (Value *part : constant->operand_values()) {
        addConstant(operand, part);
      }
    }
  }

  /// Whether what uses an address may write there, or hand it on.
  static bool mayWrite(Use &use) {
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

  static bool anyWrites(Instruction &address, SmallPtrSet<Value *, 8> &seen) {
    if (!seen.insert(&address).second) {
      return false;
    }
    return any_of(address.uses(), [&](Use &use) {
      auto *user = cast<Instruction>(use.getUser());
      return isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user) ? anyWrites(*user, seen)
                                                                         : mayWrite(use);
    });
  }

  SetVector<Function *> functions_;
  Uses uses_;
};

} // namespace

void describeVariables(Module &module, IRBuilder<> &builder, Function &entry) {
  const Uses uses = Search(entry).run();
  if (uses.empty()) {
    return;
  }
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context);
  Type *int64 = Type::getInt64Ty(context);
  auto *record = StructType::get(context, {pointer, int64, int64});
  std::vector<Constant *> records;
  for (const auto &[variable, isWritten] : uses) {
    // Each thread has its own: no address stands for it.
    const bool isOfThread = variable->isThreadLocal();
    const std::uint64_t bytes = module.getDataLayout().getTypeAllocSize(variable->getValueType());
    const std::uint64_t flags = isWritten || isOfThread ? std::uint64_t{TUTTI_TASK_WRITES} : 0;
    records.push_back(ConstantStruct::get(
        record, {isOfThread ? ConstantPointerNull::get(cast<PointerType>(pointer))
                            : static_cast<Constant *>(variable),
                 ConstantInt::get(int64, bytes), ConstantInt::get(int64, flags)}));
  }
  auto *type = ArrayType::get(record, records.size());
  auto *table = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage,
                                   ConstantArray::get(type, records), "tutti.task.variables");
  builder.CreateCall(
      module.getOrInsertFunction("tutti_task_variables",
                                 FunctionType::get(pointer, {pointer, int64}, false)),
      {table, builder.getInt64(records.size())});
}

} // namespace tutti::compiler::openmp
