// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/derive_tasks.h"

#include "abi/abi.h"
#include "abi/tasks.h"
#include "compiler/analysis/accesses.h"
#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/endings.h"
#include "compiler/analysis/missing_functions.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/entry_points.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/split_variables.h"
#include "compiler/ir/task_loops.h"
#include "compiler/transform/carry_code.h"
#include "compiler/transform/chosen_addresses.h"
#include "compiler/transform/piece_function.h"
#include "compiler/transform/private_allocations.h"
#include "compiler/transform/region_functions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstddef>
#include <cstdint>
#include <limits>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Arguments of `tutti_task_create` (abi/tasks.h).
enum CreateArgument : unsigned { kBytes = 1, kEntry = 3 };

constexpr StringLiteral kAsks = "tutti_task_asks";
constexpr StringLiteral kPrivate = "tutti_task_private";

StringRef calleeName(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee ? callee->getName() : StringRef();
}

/// Whether the block is that of a loop: others have copies where its iterations are told.
bool isLoop(const CallBase &create) {
  return any_of(create.users(), [](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    return call && calleeName(*call) == "tutti_task_submit_loop";
  });
}

/// Iterations are counted from 0 by numbers with a sign, and the counter, which may have fewer
/// bits, gets beyond the last one. Without that, a loop that goes on while its counter is not above
/// the last one, compared without sign, might go on for ever.
void limitUpper(IRBuilder<> &build, Value *block, const Function &entry) {
  Value *field =
      build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), block, offsetof(tutti_task_block, upper));
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  Value *upper = build.CreateAnd(build.CreateLoad(build.getInt64Ty(), field), kMost);
  if (const std::uint64_t last = entry.getFnAttributeAsParsedInteger(kLastIteration, kMost);
      last < kMost) {
    upper = build.CreateBinaryIntrinsic(Intrinsic::umin, upper, build.getInt64(last));
  }
  build.CreateStore(upper, field);
}

/// Executes `entry` with a copy of the block, in each iteration of a loop: what tasks do to their
/// own block is nobody else's affair, and so its fields become values.
Function &loopAround(Function &entry, std::uint64_t blockBytes, const CallBase &create) {
  PieceFunction piece(entry, [](const Value *) { return false; });
  Value *block = entry.getArg(1);
  piece.use(block);
  IRBuilder<> constants(entry.getContext());
  piece.begin(constants.getInt64(0), entry.getName() + ".tutti.task");
  Function &around = piece.function();
  IRBuilder<> first(&around.getEntryBlock(), around.getEntryBlock().begin());
  Value *copy = first.CreateAlloca(ArrayType::get(first.getInt8Ty(), blockBytes));
  IRBuilder<> &build = piece.build();
  const Align alignment(8);
  build.CreateMemCpy(copy, alignment, piece.take(block), alignment, blockBytes);
  if (isLoop(create)) {
    limitUpper(build, copy, entry);
  }
  CallInst *call = build.CreateCall(&entry, {build.getInt32(0), copy});
  call->setCallingConv(entry.getCallingConv());
  build.CreateBr(piece.latch());
  return around;
}

/// Answers what the code asks the runtime: nothing else than its body is meant, and what it reduces
/// is in the place of the original.
void answerQuestions(Function &function) {
  SmallVector<CallInst *, 8> calls;
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && is_contained({kAsks, kPrivate}, calleeName(*call))) {
      calls.push_back(call);
    }
  }
  for (CallInst *call : calls) {
    if (calleeName(*call) == kAsks) {
      replaceAndRecursivelySimplify(call, ConstantInt::get(call->getType(), 0));
    } else {
      call->replaceAllUsesWith(call->getArgOperand(0));
    }
    call->eraseFromParent();
  }
  for (BasicBlock &block : function) {
    ConstantFoldTerminator(&block, true);
  }
  removeUnreachableBlocks(function);
}

/// Calls of which the loops' rules know nothing, or more than holds for tasks.
std::string whyNotAlone(Function &function, DebugLoc &place) {
  for (const Instruction &inst : instructions(function)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    if (!call) {
      continue;
    }
    place = call->getDebugLoc();
    const StringRef name = calleeName(*call);
    if (name == "tutti_task_device") {
      return "it makes tasks for devices";
    }
    if (name.starts_with("tutti_task_critical")) {
      return "it contains a critical section";
    }
    if (name.starts_with("tutti_task_")) {
      return "it makes tasks, or waits for some";
    }
    if (followsLocale(*call)) {
      return "it follows the program's locale";
    }
  }
  place = {};
  return {};
}

class Deriver {
public:
  Deriver(Module &module, FunctionAnalysisManager &analyses)
      : module_(module), analyses_(analyses) {}

  /// Describes `entry`. Why not, with nothing left behind, or nothing.
  std::string derive(Function &entry, const CallBase &create);

private:
  std::string analyse(Function &around, DebugLoc &place, const Function &entry,
                      const CallBase &create);
  void describe(const RegionFunctions &functions, std::size_t values, const Function &entry,
                const CallBase &create);
  Constant *string(StringRef text);

  Module &module_;
  FunctionAnalysisManager &analyses_;
};

std::string Deriver::derive(Function &entry, const CallBase &create) {
  const auto *bytes = dyn_cast<ConstantInt>(create.getArgOperand(kBytes));
  if (!bytes || entry.isDeclaration() || entry.isInterposable() || entry.arg_size() != 2) {
    return "its code is not at hand";
  }
  Function &around = loopAround(entry, bytes->getZExtValue(), create);
  DebugLoc place;
  std::string reason = analyse(around, place, entry, create);
  analyses_.clear(around, around.getName());
  around.eraseFromParent();
  return reason.empty() ? reason : reason + describePlace(place);
}

std::string Deriver::analyse(Function &around, DebugLoc &place, const Function &entry,
                             const CallBase &create) {
  if (std::string reason = inlineCallees(around); !reason.empty()) {
    return reason;
  }
  answerQuestions(around);
  splitVariables(around, analyses_, SROAOptions::PreserveCFG);
  makeAllocationsPrivate(around, analyses_);
  loadPointersAsPointers(around);
  loadBitsAsBytes(around);
  separateChosenAddresses(around);
  if (std::string reason = whyNotAlone(around, place); !reason.empty()) {
    return reason;
  }
  const WorksharingOrReason found = findWorksharing(around);
  if (!found.reason.empty()) {
    place = found.location;
    return found.reason;
  }
  if (!findEndings(around).empty()) {
    dropEndings(around);
  }
  analyses_.clear(around, around.getName());
  ChunkModel model(around, found.loop, analyses_);
  if (!model.reason().empty()) {
    place = model.reasonLocation();
    return model.reason();
  }
  const SmallVector<std::uint64_t, 2> captured(around.arg_size() - 2, 0);
  const RegionAccesses accesses = analyseAccesses(model, analyses_, captured);
  place = accesses.location;
  if (!accesses.reason.empty()) {
    return accesses.reason;
  }
  if (!accesses.found.empty() || accesses.follows) {
    place = {};
    return "it follows pointers that it finds in memory";
  }
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(model.function());
  describe(emitRegionFunctions(model, accesses, scev, (entry.getName() + ".tutti").str()),
           model.values().size(), entry, create);
  return {};
}

Constant *Deriver::string(StringRef text) {
  Constant *data = ConstantDataArray::getString(module_.getContext(), text);
  auto *variable = new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage,
                                      data, "tutti.text");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

void Deriver::describe(const RegionFunctions &functions, std::size_t values, const Function &entry,
                       const CallBase &create) {
  IRBuilder<> build(module_.getContext());
  auto *pointer = build.getPtrTy();
  Constant *null = ConstantPointerNull::get(pointer);
  const std::uint64_t id =
      xxh3_64bits(module_.getSourceFileName() + "|task|" + entry.getName().str());
  Constant *fields = ConstantStruct::get(
      EntryPoints(module_).regionType(),
      {build.getInt32(TUTTI_ABI_VERSION), build.getInt32(TUTTI_REGION_TASK_CODE),
       build.getInt64(id), string(module_.getSourceFileName()),
       string(demangle(create.getFunction()->getName().str())), null, build.getInt32(2),
       build.getInt32(values), const_cast<Function *>(&entry), null, functions.gather,
       functions.trip, functions.accesses, null, null, null, null});
  auto *descriptor =
      new GlobalVariable(module_, fields->getType(), true, GlobalValue::InternalLinkage, fields,
                         entry.getName() + ".tutti.code");
  auto *listed = new GlobalVariable(module_, pointer, true, GlobalValue::InternalLinkage,
                                    descriptor, entry.getName() + ".tutti.listed");
  listed->setSection(TUTTI_SECTION_REGIONS);
  appendToCompilerUsed(module_, {listed});
}

void remark(CallBase &create, const std::string &reason, FunctionAnalysisManager &analyses) {
  auto &emitter = analyses.getResult<OptimizationRemarkEmitterAnalysis>(*create.getFunction());
  emitter.emit([&] {
    return OptimizationRemarkAnalysis("tutti", "TaskCode", &create)
           << (reason.empty()
                   ? "task may run on other ranks: all that it touches is known"
                   : "task runs on rank 0, unless it names a node or cluster memory alone: " +
                         reason);
  });
}

} // namespace

PreservedAnalyses DeriveTasksPass::run(Module &module, ModuleAnalysisManager &analyses) {
  Function *create = module.getFunction("tutti_task_create");
  if (!create) {
    return PreservedAnalyses::all();
  }
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  MapVector<Function *, CallBase *> creators; // Of inlined ones any.
  for (User *user : create->users()) {
    auto *call = dyn_cast<CallBase>(user);
    auto *entry = call && call->getCalledFunction() == create
                      ? dyn_cast<Function>(call->getArgOperand(kEntry)->stripPointerCasts())
                      : nullptr;
    if (entry) {
      creators.insert({entry, call});
    }
  }
  Deriver deriver(module, functions);
  for (auto &[entry, call] : creators) {
    const std::string reason = deriver.derive(*entry, *call);
    const auto missing = reason.empty() ? SetVector<Function *>() : missingFunctions(*entry);
    if (isCarryingCode() && !missing.empty()) {
      noteNeeds(module, missing.getArrayRef());
    }
    if (!module.getModuleFlag(kImporting) || entry->hasFnAttribute(kImporting)) {
      remark(*call, reason, functions);
    }
  }
  return PreservedAnalyses::none();
}

} // namespace tutti::compiler
