// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/task_teams.h"

#include "compiler/frontend/openmp/one_thread_code.h"
#include "compiler/frontend/openmp/task_loops.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/task_loops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>
#include <string>

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

constexpr const char *kRemarkName = "tutti";
constexpr const char *kCancelled = "it may be cancelled as a whole";

StringRef calleeName(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee ? callee->getName() : StringRef();
}

/// With -g, clang's outlined function calls another one, which has the code.
Function *codeOf(Function &outlined) {
  for (Instruction &instruction : instructions(outlined)) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->hasInternalLinkage() && !callee->isDeclaration() &&
        callee->getName().contains("_debug__")) {
      return callee;
    }
  }
  return &outlined;
}

/// Whether the function, or one of this module that it calls, makes tasks.
class TaskMakers {
public:
  bool makesTasks(const Function &function) {
    if (!seen_.insert(&function).second) {
      return false;
    }
    return any_of(instructions(function),
                  [&](const Instruction &instruction) { return makesTasks(instruction); });
  }

  bool makesTasks(const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getName() == "__kmpc_omp_task_alloc" ||
                      (!callee->isDeclaration() && makesTasks(*callee)));
  }

private:
  SmallPtrSet<const Function *, 16> seen_;
};

/// Whether that may be a function which makes tasks, elsewhere.
bool mayMakeTasks(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && !isa<IntrinsicInst>(call) && kindOf(*call) == CallKind::None &&
         !calleeName(*call).starts_with("omp_") && !call->isInlineAsm();
}

bool isOwn(const Value *pointer) { return isa<AllocaInst>(getUnderlyingObject(pointer)); }

/// What an instruction that each thread of the team executes has against leaving it to one of them;
/// empty: nothing.
std::string obstacle(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    const StringRef name = calleeName(*call);
    switch (kindOf(*call)) {
    case CallKind::Single:
    case CallKind::Barrier:
    case CallKind::ThreadNumber:
      return "";
    case CallKind::StaticInit:
    case CallKind::DispatchInit:
      return "it holds a worksharing loop or sections";
    case CallKind::Task:
      return "each of its threads makes tasks";
    case CallKind::Reduce:
      return "it reduces a variable";
    default:
      break;
    }
    if (name == "__kmpc_end_single" || name == "__kmpc_end_master" || name == "__kmpc_end_masked" ||
        name == "__clang_call_terminate") {
      return "";
    }
    if (name == "__kmpc_copyprivate") {
      return "it hands a private variable to all threads (copyprivate)";
    }
    if (name.starts_with("__kmpc_cancel")) {
      return kCancelled;
    }
    if (const auto *transfer = dyn_cast<MemIntrinsic>(call)) {
      return isOwn(transfer->getDest()) && !transfer->isVolatile()
                 ? ""
                 : "each of its threads writes to shared memory";
    }
    if (isa<IntrinsicInst>(call) &&
        (call->doesNotAccessMemory() || call->onlyAccessesInaccessibleMemory() ||
         cast<IntrinsicInst>(call)->isAssumeLikeIntrinsic())) {
      return "";
    }
    return "each of its threads calls " + (name.empty() ? "a function" : "'" + name.str() + "'");
  }
  if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
    return store->isSimple() && isOwn(store->getPointerOperand())
               ? ""
               : "each of its threads writes to shared memory";
  }
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    return load->isSimple() ? "" : "its threads communicate by volatile or atomic variables";
  }
  return instruction.mayWriteToMemory() ? "its threads communicate by atomic variables" : "";
}

/// One region: whether its tasks can be Tutti's.
struct Verdict {
  bool hasTasks = false; ///< Surely, or possibly.
  bool isSure = false;
  std::string obstacle;
};

Verdict judge(Function &code) {
  const OneThreadCode one(code);
  Verdict verdict;
  TaskMakers makers;
  for (Instruction &instruction : instructions(code)) {
    const bool makesTasks = makers.makesTasks(instruction);
    verdict.isSure |= makesTasks;
    if (one.contains(*instruction.getParent())) {
      verdict.hasTasks |= makesTasks || mayMakeTasks(instruction);
      const auto *call = dyn_cast<CallBase>(&instruction);
      constexpr std::uint64_t kGroup = 4; // Source: kmp_cancel_kind_t of libomp.
      if (call && calleeName(*call).starts_with("__kmpc_cancel") && call->arg_size() > 2) {
        const auto *kind = dyn_cast<ConstantInt>(call->getArgOperand(2));
        if (!kind || kind->getZExtValue() != kGroup) {
          verdict.obstacle = kCancelled;
        }
      }
    } else if (verdict.obstacle.empty()) {
      verdict.obstacle = obstacle(instruction);
    }
  }
  verdict.hasTasks |= verdict.isSure;
  if (verdict.obstacle.empty() && !one.isFirst()) {
    verdict.obstacle = "its masked construct asks for a certain thread";
  }
  if (verdict.obstacle.empty() && one.isEmpty()) {
    verdict.obstacle = "it has no single, master or masked construct";
  }
  return verdict;
}

class Teams {
public:
  Teams(Module &module, FunctionAnalysisManager &analyses) : module_(module), analyses_(analyses) {}

  bool run(TaskTeams which);

private:
  void remark(CallInst &fork, const Verdict &verdict);
  void rewrite(CallInst &fork, Function &outlined, Function &code);
  Function &bodyOf(Function &outlined, StructType *captures);
  void replaceBarriers(Function &code);

  Module &module_;
  FunctionAnalysisManager &analyses_;
  std::map<Function *, Function *> bodies_;
  Type *nothing_ = Type::getVoidTy(module_.getContext());
  Type *pointer_ = PointerType::getUnqual(module_.getContext());
  Type *int32_ = Type::getInt32Ty(module_.getContext());
};

/// What a remark adds about loops that were tried as worksharing loops.
std::string whyLoopsStay(const Function &outlined) {
  const Attribute why = outlined.getFnAttribute(kTaskLoopsStay);
  return why.isValid() ? "; its loops are not distributed: " + why.getValueAsString().str() : "";
}

void Teams::remark(CallInst &fork, const Verdict &verdict) {
  const std::string loops = whyLoopsStay(*outlinedOf(fork));
  auto &emitter = analyses_.getResult<OptimizationRemarkEmitterAnalysis>(*fork.getFunction());
  if (verdict.obstacle.empty()) {
    emitter.emit([&] {
      return OptimizationRemark(kRemarkName, "Tasks", &fork)
             << "tasks of this parallel region are run by Tutti" << loops;
    });
  } else {
    emitter.emit([&] {
      return OptimizationRemarkMissed(kRemarkName, "TasksStay", &fork)
             << "tasks of this parallel region stay with libomp: " << verdict.obstacle << loops;
    });
  }
}

/// Takes the captures out of the structure that `rewrite` fills in.
Function &Teams::bodyOf(Function &outlined, StructType *captures) {
  Function *&body = bodies_[&outlined];
  if (body) {
    return *body;
  }
  body = Function::Create(FunctionType::get(nothing_, {pointer_, pointer_, pointer_}, false),
                          GlobalValue::InternalLinkage, outlined.getName() + ".tasks", module_);
  for (const StringRef name : {"target-cpu", "target-features", "frame-pointer"}) {
    if (outlined.hasFnAttribute(name)) {
      body->addFnAttr(outlined.getFnAttribute(name));
    }
  }
  IRBuilder<> builder(BasicBlock::Create(module_.getContext(), "entry", body));
  SmallVector<Value *, 8> arguments = {body->getArg(0), body->getArg(1)};
  for (unsigned index = 0; index < captures->getNumElements(); ++index) {
    arguments.push_back(
        builder.CreateLoad(captures->getElementType(index),
                           builder.CreateStructGEP(captures, body->getArg(2), index)));
  }
  CallInst *call = builder.CreateCall(&outlined, arguments);
  call->setCallingConv(outlined.getCallingConv());
  builder.CreateRetVoid();
  return *body;
}

void Teams::rewrite(CallInst &fork, Function &outlined, Function &code) {
  SmallVector<Type *, 8> types;
  for (unsigned index = kFirstCapture; index < fork.arg_size(); ++index) {
    types.push_back(fork.getArgOperand(index)->getType());
  }
  StructType *captures = StructType::get(module_.getContext(), types);
  Function &body = bodyOf(outlined, captures);
  IRBuilder<> builder(&fork);
  Value *space = ConstantPointerNull::get(cast<PointerType>(pointer_));
  if (!types.empty()) {
    BasicBlock &entry = fork.getFunction()->getEntryBlock();
    space = IRBuilder<>(&entry, entry.begin()).CreateAlloca(captures, nullptr, "captures");
    for (unsigned index = 0; index < types.size(); ++index) {
      builder.CreateStore(fork.getArgOperand(kFirstCapture + index),
                          builder.CreateStructGEP(captures, space, index));
    }
  }
  builder.CreateCall(
      module_.getOrInsertFunction("tutti_fork_tasks", nothing_, pointer_, pointer_, pointer_),
      {fork.getArgOperand(0), &body, space});
  fork.eraseFromParent();
  replaceBarriers(code);
}

void Teams::replaceBarriers(Function &code) {
  const FunctionCallee barrier =
      module_.getOrInsertFunction("tutti_team_barrier", nothing_, pointer_, int32_);
  for (Instruction &instruction : instructions(code)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (call && kindOf(*call) == CallKind::Barrier) {
      call->setCalledFunction(barrier);
    }
  }
}

bool Teams::run(TaskTeams which) {
  bool changed = false;
  for (CallInst *fork : findForks(module_, CallKind::Fork)) {
    Function &outlined = *outlinedOf(*fork);
    if (which == TaskTeams::WithoutLoops && dividesLoops(outlined)) {
      continue;
    }
    Function &code = *codeOf(outlined);
    const Verdict verdict = judge(code);
    if (!verdict.hasTasks || (!verdict.obstacle.empty() && !verdict.isSure)) {
      continue;
    }
    remark(*fork, verdict);
    if (verdict.obstacle.empty()) {
      rewrite(*fork, outlined, code);
      changed = true;
    }
  }
  return changed;
}

} // namespace

PreservedAnalyses TaskTeamsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  return Teams(module, functions).run(which_) ? PreservedAnalyses::none()
                                              : PreservedAnalyses::all();
}

} // namespace tutti::compiler::openmp
