// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/thread_rows.h"

#include "compiler/analysis/missing_functions.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr std::uint64_t kAlignment = 16; ///< Of what `tutti_malloc` gives.
constexpr std::uint64_t kRowAlignment = 64;
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 20; ///< More takes long to move.

constexpr const char *kUses = "it uses thread-private variables";

const IntrinsicInst *asThreadPrivate(const Value &value) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&value);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address ? intrinsic
                                                                                    : nullptr;
}

bool holdsThreadPrivate(const Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    return asThreadPrivate(inst) || kindOf(inst) == CallKind::ThreadPrivate;
  });
}

/// The fork's operand that becomes that argument of the function; null for others.
Value *captureOf(const CallInst &fork, const Argument &argument) {
  const unsigned operand = argument.getArgNo() - kThreadArguments + kFirstCapture;
  return argument.getArgNo() >= kThreadArguments && operand < fork.arg_size()
             ? fork.getArgOperand(operand)
             : nullptr;
}

/// Whether `pointer`, in a construct that `forks` start, leads to something that has a name there
/// or in the function that forks: no pointer leads to it that has been found in memory.
bool hasName(const Value &pointer, ArrayRef<CallInst *> forks) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, 0);
  return all_of(objects, [&](const Value *object) {
    const auto *argument = dyn_cast<Argument>(object);
    if (!argument) {
      return isa<AllocaInst, GlobalVariable, ConstantPointerNull, UndefValue>(object) ||
             isNoAliasCall(object);
    }
    return all_of(forks, [&](const CallInst *fork) {
      const Value *capture = captureOf(*fork, *argument);
      const Value *named = capture ? getUnderlyingObject(capture, 0) : nullptr;
      const auto *variable = dyn_cast_or_null<GlobalVariable>(named);
      return !named || isa<AllocaInst>(named) || (variable && !variable->isThreadLocal());
    });
  });
}

/// Whether all that `function` gets at has a name.
bool hasNames(Function &function, ArrayRef<CallInst *> forks) {
  return all_of(instructions(function), [&](const Instruction &inst) {
    if (const Value *pointer = getLoadStorePointerOperand(&inst)) {
      return hasName(*pointer, forks);
    }
    if (!inst.mayReadOrWriteMemory()) {
      return true;
    }
    return all_of(inst.operands(), [&](const Use &operand) {
      return !operand->getType()->isPointerTy() || isa<Function>(operand) ||
             hasName(*operand.get(), forks);
    });
  });
}

/// Whether the addresses `work` are only used to get at what they lead to: nobody keeps them, or
/// compares them unless `mayCompare`.
bool areOnlyUsed(SmallVector<const Value *, 16> work, bool mayCompare) {
  SmallPtrSet<const Value *, 16> seen;
  while (!work.empty()) {
    const Value *pointer = work.pop_back_val();
    if (!seen.insert(pointer).second) {
      continue;
    }
    for (const Use &use : pointer->uses()) {
      const auto *inst = dyn_cast<Instruction>(use.getUser());
      const auto *call = dyn_cast_or_null<CallInst>(inst);
      if (!inst) {
        return false;
      }
      if (isa<GetElementPtrInst, PHINode, SelectInst>(inst)) {
        work.push_back(inst);
      } else if (call && kindOf(*call) == CallKind::Fork && outlinedOf(*call)) {
        if (use.getOperandNo() < kFirstCapture) {
          return false;
        }
        work.push_back(
            outlinedOf(*call)->getArg(use.getOperandNo() - kFirstCapture + kThreadArguments));
      } else if (const auto *store = dyn_cast<StoreInst>(inst)) {
        // Arguments are stored in variables of their own before these are values.
        const auto *own = dyn_cast<AllocaInst>(store->getPointerOperand());
        if (store->getValueOperand() == pointer) {
          if (!own || !isa<Argument>(pointer)) {
            return false;
          }
          for (const User *user : own->users()) {
            if (isa<LoadInst>(user)) {
              work.push_back(user);
            } else if (user != store) {
              return false;
            }
          }
        }
      } else if (isa<PtrToIntInst>(inst)) {
        if (!mayCompare ||
            !all_of(inst->users(), [](const User *user) { return isa<ICmpInst>(user); })) {
          return false;
        }
      } else if (const auto *intrinsic = dyn_cast<IntrinsicInst>(inst);
                 intrinsic ? !isa<MemIntrinsic>(intrinsic) && !intrinsic->isLifetimeStartOrEnd()
                           : !isa<LoadInst>(inst) && !(isa<ICmpInst>(inst) && mayCompare)) {
        return false;
      }
    }
  }
  return true;
}

/// Whether nothing but the name of `variable`, which only this file can say, leads to it.
bool isNeverPointedTo(const GlobalVariable &variable) {
  SmallVector<const Value *, 16> addresses;
  for (const User *user : variable.users()) {
    if (!asThreadPrivate(*user)) {
      return false;
    }
    addresses.push_back(user);
  }
  return areOnlyUsed(std::move(addresses), /*mayCompare=*/true); // As `copyin` does.
}

/// Whether `function` keeps no address of a thread-private variable: it would be that of a row.
bool keepsNoAddress(Function &function) {
  SmallVector<const Value *, 16> addresses;
  for (const Instruction &inst : instructions(function)) {
    if (asThreadPrivate(inst)) {
      addresses.push_back(&inst);
    }
  }
  return areOnlyUsed(std::move(addresses), /*mayCompare=*/false);
}

/// Whether `callee` makes thread-private objects when a thread first gets at one, or says how they
/// end: they are where they have been made.
bool makesObjects(const Function &callee) {
  const StringRef name = callee.getName();
  return name.starts_with("_ZTW") || name.starts_with("_ZTH") || name == "__tls_init" ||
         name == "__cxa_thread_atexit";
}

} // namespace

bool usesThreadPrivate(const Function &function) {
  return any_of(calledFunctions(function),
                [](const Function *called) { return holdsThreadPrivate(*called); });
}

ThreadRows::ThreadRows(Function &outlined) : outlined_(outlined) {
  for (const Function *called : calledFunctions(outlined)) {
    for (const Instruction &inst : instructions(*called)) {
      const auto *call = dyn_cast<CallBase>(&inst);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      isUnusual_ |= callee && makesObjects(*callee);
      const auto *address = asThreadPrivate(inst);
      if (!address || find(address)) {
        continue;
      }
      auto *variable = dyn_cast<GlobalVariable>(address->getArgOperand(0));
      const DataLayout &layout = outlined.getDataLayout();
      if (!variable || variable->getAlign().valueOrOne().value() > kAlignment) {
        isUnusual_ = true;
        continue;
      }
      const std::uint64_t bytes = layout.getTypeAllocSize(variable->getValueType());
      variables_.push_back({variable, rowBytes_, bytes, false});
      rowBytes_ += alignTo(bytes, kAlignment);
    }
  }
  rowBytes_ = alignTo(rowBytes_, kRowAlignment);
}

/// What `pointer`, of this thread, is the address of, or null.
ThreadRows::Variable *ThreadRows::find(const Value *pointer) {
  const auto *address = asThreadPrivate(*pointer);
  const auto found = find_if(variables_, [&](const Variable &each) {
    return address && address->getArgOperand(0) == each.variable;
  });
  return found == variables_.end() ? nullptr : &*found;
}

/// Takes out what threads do for `copyin`: their rows are filled with what the first one has. It
/// is told where that is, and all but itself copy.
std::string ThreadRows::dropCopyIn(Function &copy, ArrayRef<CallInst *> forks) {
  for (Argument &argument : copy.args()) {
    Value *first = captureOf(*forks.front(), argument);
    Variable *variable = first ? find(first) : nullptr;
    if (!variable) {
      continue;
    }
    const bool isOfAll = all_of(
        forks, [&](const CallInst *fork) { return find(captureOf(*fork, argument)) == variable; });
    for (User *user : make_early_inc_range(argument.users())) {
      auto *number = dyn_cast<PtrToIntInst>(user);
      if (!number) {
        continue;
      }
      for (User *decision : make_early_inc_range(number->users())) {
        auto *compare = dyn_cast<ICmpInst>(decision);
        const Value *other =
            compare ? compare->getOperand(compare->getOperand(0) == number) : nullptr;
        const auto *own = dyn_cast_or_null<PtrToIntInst>(other);
        if (!isOfAll || !compare || !compare->isEquality() || !own ||
            find(own->getPointerOperand()) != variable) {
          return kUses;
        }
        SmallVector<BasicBlock *, 1> blocks;
        for (User *branch : compare->users()) {
          if (isa<BranchInst>(branch)) {
            blocks.push_back(cast<Instruction>(branch)->getParent());
          }
        }
        compare->replaceAllUsesWith(
            ConstantInt::getBool(compare->getType(), compare->getPredicate() == ICmpInst::ICMP_EQ));
        for (BasicBlock *block : blocks) {
          ConstantFoldTerminator(block, /*DeleteDeadConditions=*/true);
        }
        RecursivelyDeleteTriviallyDeadInstructions(compare);
      }
    }
    removeUnreachableBlocks(copy);
    if (!argument.use_empty()) {
      return kUses;
    }
    variable->isCopiedIn = true;
  }
  return {};
}

/// Whether `copy` gets at the variables by their names alone.
bool ThreadRows::isByName(Function &copy, ArrayRef<CallInst *> forks) const {
  return keepsNoAddress(copy) &&
         (hasNames(copy, forks) || all_of(variables_, [](const Variable &each) {
            return each.variable->hasLocalLinkage() && isNeverPointedTo(*each.variable);
          }));
}

std::string ThreadRows::use(Function &copy, Value &rows, Instruction &number,
                            ArrayRef<CallInst *> forks, DebugLoc &place) {
  SmallVector<IntrinsicInst *, 16> addresses;
  for (Instruction &inst : instructions(copy)) {
    if (asThreadPrivate(inst)) {
      addresses.push_back(cast<IntrinsicInst>(&inst));
      place = place ? place : inst.getDebugLoc();
    }
  }
  if (isUnusual_ || rowBytes_ > kMaxBytes) {
    return kUses;
  }
  if (std::string reason = dropCopyIn(copy, forks); !reason.empty()) {
    return reason;
  }
  // Functions that are still called may use the variables, or call others that do.
  for (Instruction &inst : instructions(copy)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    for (const Use &operand : inst.operands()) {
      const auto *function = dyn_cast<Function>(operand.get());
      if (function && usesThreadPrivate(*function)) {
        return kUses;
      }
    }
    if (call && !call->isInlineAsm() && !call->getCalledFunction()) {
      place = placeOf(*call);
      return describeCall(*call);
    }
  }
  for (const Function *missing : missingFunctions(copy)) {
    if (missing != cast<CallInst>(number).getCalledFunction()) { // Stands for a number.
      return "it calls '" + missing->getName().str() +
             "', which is not defined in this file, and uses thread-private variables";
    }
  }
  if (!isByName(copy, forks)) { // Nor may others find a row.
    return "pointers may lead to thread-private variables that it uses";
  }
  addresses.clear(); // Some may have gone with what is copied in.
  for (Instruction &inst : instructions(copy)) {
    if (asThreadPrivate(inst)) {
      addresses.push_back(cast<IntrinsicInst>(&inst));
    }
  }
  for (IntrinsicInst *address : addresses) {
    IRBuilder<> build(address);
    Value *row = build.CreateNSWMul(build.CreateSExt(&number, build.getInt64Ty()),
                                    build.getInt64(rowBytes_));
    Value *begin = build.CreateInBoundsGEP(build.getInt8Ty(), &rows, row);
    address->replaceAllUsesWith(
        build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), begin, find(address)->offset));
    address->eraseFromParent();
  }
  place = {};
  return {};
}

/// `void mover(thread, thread, rows, team)`: each thread fills its row, and those of threads that
/// there are not, or takes what is in its row.
Function *ThreadRows::mover(CallInst &fork, bool fills) {
  Module &module = *fork.getModule();
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::getUnqual(context);
  Type *i64 = Type::getInt64Ty(context);
  Type *i32 = Type::getInt32Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {ptr, ptr, ptr, i64}, false);
  Function *function =
      Function::Create(type, GlobalValue::InternalLinkage,
                       outlined_.getName() + (fills ? ".rows.fill" : ".rows.take"), module);
  function->addFnAttr(kMovesRows);
  function->setDoesNotThrow();
  Value *rows = function->getArg(kThreadArguments);
  Value *team = function->getArg(kThreadArguments + 1);
  IRBuilder<> build(BasicBlock::Create(context, "", function));
  const auto ask = [&](StringRef name) {
    return build.CreateZExt(build.CreateCall(module.getOrInsertFunction(name, i32)), i64);
  };
  Value *number = ask("omp_get_thread_num");
  Value *count = ask("omp_get_num_threads");
  // The first row is filled already.
  Value *first = fills ? build.CreateSelect(build.CreateIsNull(number), count, number) : number;
  BasicBlock *entry = build.GetInsertBlock();
  BasicBlock *body = BasicBlock::Create(context, "row", function);
  BasicBlock *end = BasicBlock::Create(context, "end", function);
  build.CreateCondBr(build.CreateICmpSLT(first, team), body, end);
  build.SetInsertPoint(body);
  PHINode *index = build.CreatePHI(i64, 2);
  Value *row = build.CreateInBoundsGEP(build.getInt8Ty(), rows,
                                       build.CreateMul(index, build.getInt64(rowBytes_)));
  for (const Variable &each : variables_) {
    Value *there = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), row, each.offset);
    Value *own = fills && each.isCopiedIn
                     ? build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), rows, each.offset)
                     : build.CreateThreadLocalAddress(each.variable);
    const Align ofOwn = each.variable->getAlign().valueOrOne();
    if (fills) {
      build.CreateMemCpy(there, Align(kAlignment), own, ofOwn, each.bytes);
    } else {
      build.CreateMemCpy(own, ofOwn, there, Align(kAlignment), each.bytes);
    }
  }
  if (fills) {
    Value *next = build.CreateAdd(index, count);
    build.CreateCondBr(build.CreateICmpSLT(next, team), body, end);
    index->addIncoming(next, body);
  } else {
    build.CreateBr(end);
  }
  index->addIncoming(first, entry);
  build.SetInsertPoint(end);
  build.CreateRetVoid();
  return function;
}

void ThreadRows::forkMover(IRBuilder<> &build, CallInst &fork, const ThreadRequests &requests,
                           Function &mover, Value &rows, Value &team) {
  requests.repeat(build);
  build.CreateCall(fork.getFunctionType(), fork.getCalledOperand(),
                   {operandOf(fork, Role::Place), build.getInt32(2), &mover, &rows, &team});
}

Value *ThreadRows::fill(IRBuilder<> &build, CallInst &fork, const ThreadRequests &requests,
                        Value &team) {
  Value *rows = build.CreateCall(
      fork.getModule()->getOrInsertFunction("tutti_malloc", build.getPtrTy(), build.getInt64Ty()),
      build.CreateMul(&team, build.getInt64(rowBytes_)));
  for (const Variable &each : variables_) {
    build.CreateMemCpy(build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), rows, each.offset),
                       Align(kAlignment), build.CreateThreadLocalAddress(each.variable),
                       each.variable->getAlign().valueOrOne(), each.bytes);
  }
  filler_ = filler_ ? filler_ : mover(fork, /*fills=*/true);
  forkMover(build, fork, requests, *filler_, *rows, team);
  return rows;
}

void ThreadRows::takeBack(IRBuilder<> &build, CallInst &fork, const ThreadRequests &requests,
                          Value &team, Value &rows) {
  taker_ = taker_ ? taker_ : mover(fork, /*fills=*/false);
  forkMover(build, fork, requests, *taker_, rows, team);
  build.CreateCall(
      fork.getModule()->getOrInsertFunction("free", build.getVoidTy(), build.getPtrTy()), &rows);
}

} // namespace tutti::compiler
