// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/join_debug_functions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr StringLiteral kDebug = "_debug__"; ///< At the end of the names that clang gives them.

/// The call of `function` in which the other function of its construct does all the work; null if
/// clang has made one function of it.
CallInst *callOfDebugFunction(Function &function) {
  if (function.isDeclaration() || function.size() != 1) {
    return nullptr;
  }
  CallInst *found = nullptr;
  for (Instruction &inst : function.getEntryBlock()) {
    auto *call = isa<PseudoProbeInst>(inst) ? nullptr : dyn_cast<CallInst>(&inst);
    if (call && found) {
      return nullptr;
    }
    if (!call &&
        !isa<AllocaInst, StoreInst, LoadInst, CastInst, PseudoProbeInst, ReturnInst>(inst)) {
      return nullptr;
    }
    found = call ? call : found;
  }
  const Function *callee = found ? found->getCalledFunction() : nullptr;
  const auto isOwn = [&](const User *user) { return user == found || isa<BlockAddress>(user); };
  const bool isFound = callee && callee->getName().contains(kDebug) &&
                       callee->hasFnAttribute(Attribute::AlwaysInline) &&
                       callee->hasLocalLinkage() && !callee->isDeclaration() &&
                       all_of(callee->users(), isOwn) && callee->getReturnType()->isVoidTy() &&
                       isa<ReturnInst>(found->getNextNode());
  return isFound ? found : nullptr;
}

/// What stores a capture to a variable of its function, from which it is read; null if `captured`
/// is not read so, or that variable has another use. Truth values are bytes in memory.
StoreInst *storeRead(Value &captured) {
  auto *truth = dyn_cast<TruncInst>(&captured);
  auto *load = dyn_cast<LoadInst>(truth ? truth->getOperand(0) : &captured);
  auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  StoreInst *store = nullptr;
  for (User *user : variable ? variable->users() : iterator_range<Value::user_iterator>({}, {})) {
    if (auto *found = dyn_cast<StoreInst>(user);
        found && !store && found->getPointerOperand() == variable) {
      store = found;
    } else if (!isa<LoadInst>(user)) {
      return nullptr;
    }
  }
  return store;
}

/// What stores `argument` to a variable of its function; null if it is used otherwise as well.
StoreInst *storeOf(Argument &argument) {
  Value *stored = &argument;
  if (stored->hasOneUse() && isa<ZExtInst>(*stored->user_begin())) {
    stored = *stored->user_begin();
  }
  auto *store = stored->hasOneUse() ? dyn_cast<StoreInst>(*stored->user_begin()) : nullptr;
  return store && store->getValueOperand() == stored && isa<AllocaInst>(store->getPointerOperand())
             ? store
             : nullptr;
}

/// Whether the body may use what `outer` sets, and from where `captured` is read, in place of what
/// `inner` sets.
bool canStandFor(const StoreInst &outer, const Value &captured, const StoreInst &inner) {
  const auto *truth = dyn_cast<TruncInst>(&captured);
  const Type *type = truth ? truth->getOperand(0)->getType() : captured.getType();
  const auto &variable = *cast<AllocaInst>(outer.getPointerOperand());
  const auto &copy = *cast<AllocaInst>(inner.getPointerOperand());
  const std::optional<TypeSize> size = variable.getAllocationSize(outer.getDataLayout());
  const std::optional<TypeSize> needed = copy.getAllocationSize(outer.getDataLayout());
  return type == inner.getValueOperand()->getType() && size && needed && *size >= *needed &&
         variable.getAlign() >= copy.getAlign();
}

/// What debuggers were told of `from` is true of `to`.
void retell(Value &from, Value &to) {
  SmallVector<DbgVariableIntrinsic *, 1> intrinsics;
  SmallVector<DbgVariableRecord *, 4> records;
  findDbgUsers(intrinsics, &from, &records);
  for (DbgVariableRecord *record : records) {
    record->replaceVariableLocationOp(&from, &to);
  }
}

/// Makes `captured` what the body works with as `argument`. Without -g that is the variable in
/// which the outlined function has stored its own argument, and not a copy of it.
void pass(Value &captured, Argument &argument, SmallPtrSetImpl<StoreInst *> &taken) {
  StoreInst *outer = storeRead(captured);
  StoreInst *inner = storeOf(argument);
  if (!outer || !inner || !canStandFor(*outer, captured, *inner) || !taken.insert(outer).second) {
    argument.replaceAllUsesWith(&captured);
    return;
  }
  auto *variable = cast<AllocaInst>(outer->getPointerOperand());
  auto *copy = cast<AllocaInst>(inner->getPointerOperand());
  Value *stored = inner->getValueOperand();
  for (Value *value : {static_cast<Value *>(&argument), stored}) {
    retell(*value, *outer->getValueOperand());
  }
  outer->setMetadata(LLVMContext::MD_DIAssignID, inner->getMetadata(LLVMContext::MD_DIAssignID));
  variable->setMetadata(LLVMContext::MD_DIAssignID, copy->getMetadata(LLVMContext::MD_DIAssignID));
  inner->eraseFromParent();
  if (auto *extension = dyn_cast<Instruction>(stored)) {
    extension->eraseFromParent();
  }
  copy->replaceAllUsesWith(variable);
  copy->eraseFromParent();
}

/// Moves the blocks of `body` to the end of `function`. Jumps to computed places follow them.
void moveBlocks(Function &body, Function &function) {
  SmallVector<std::pair<BlockAddress *, BasicBlock *>, 2> places;
  for (BasicBlock &block : body) {
    if (BlockAddress *place = BlockAddress::lookup(&block)) {
      places.emplace_back(place, &block);
    }
  }
  function.splice(function.end(), &body);
  for (auto [place, block] : places) {
    place->replaceAllUsesWith(BlockAddress::get(block));
    place->destroyConstant();
  }
}

/// Names as without -g: they are in reports, and in kernels.
void dropSuffix(Function &function) {
  std::string name;
  for (StringRef rest = function.getName(); !rest.empty();) {
    const auto [part, next] = rest.split(kDebug);
    name += part;
    rest = next;
  }
  function.setName(name);
}

/// Moves what is behind `call` into the function around it.
void join(CallInst &call) {
  Function &function = *call.getFunction();
  Function &body = *call.getCalledFunction();
  BasicBlock &entry = body.getEntryBlock();
  BasicBlock &before = function.getEntryBlock();
  SmallVector<WeakTrackingVH, 32> converted;
  // Not that function's variables but those of the body are the program's.
  for (Instruction &inst : before) {
    inst.dropDbgRecords();
    inst.setDebugLoc(DebugLoc());
    if (isa<LoadInst, CastInst>(inst)) {
      converted.emplace_back(&inst);
    }
  }
  // In the order of clang's functions: variables, arguments, what the body does.
  const auto isVariable = [](const Instruction &inst) {
    const auto *variable = dyn_cast<AllocaInst>(&inst);
    return variable && variable->isStaticAlloca();
  };
  const auto first = entry.begin();
  const auto rest = find_if_not(entry, isVariable);
  for (Instruction &inst : make_early_inc_range(make_range(before.begin(), call.getIterator()))) {
    if (isa<PseudoProbeInst>(inst)) {
      inst.eraseFromParent(); // The body counts itself.
    } else {
      inst.moveBefore(entry, isVariable(inst) ? first : rest);
    }
  }
  SmallPtrSet<StoreInst *, 16> taken;
  for (auto [argument, captured] : zip_equal(body.args(), call.args())) {
    pass(*captured, argument, taken);
  }
  before.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(converted);
  moveBlocks(body, function);
  AttributeFuncs::mergeAttributesForInlining(function, body);
  function.setSubprogram(body.getSubprogram());
  body.setSubprogram(nullptr);
  if (body.hasPersonalityFn()) {
    function.setPersonalityFn(body.getPersonalityFn());
  }
  // Without -g functions come in the order in which clang begins them, not ends them.
  function.removeFromParent();
  body.getParent()->getFunctionList().insert(body.getIterator(), &function);
  body.eraseFromParent();
  dropSuffix(function);
}

} // namespace

PreservedAnalyses JoinDebugFunctionsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  SmallVector<CallInst *, 16> calls;
  for (Function &function : module) {
    if (CallInst *call = callOfDebugFunction(function)) {
      calls.push_back(call);
    }
  }
  for (CallInst *call : calls) {
    Function &body = *call->getCalledFunction();
    functions.clear(body, body.getName());
    join(*call);
  }
  return calls.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace tutti::compiler
