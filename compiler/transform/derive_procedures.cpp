// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/derive_procedures.h"

#include "compiler/analysis/independent_loop.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/fragment_calls.h"
#include "compiler/transform/absorb_stores.h"
#include "compiler/transform/procedure_pieces.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Of copies, as long as it is not known whether a version can be made of them.
constexpr StringLiteral kCopy = "tutti-copied-procedure";

/// Of a version's declaration in the module that also has the procedure, as long as a copy has the
/// version's name.
std::string declaredName(StringRef version) { return ("declared." + version).str(); }

/// Whether `function` may be a procedure, before it is known what it calls in the end.
bool mayBeProcedure(const Function &function) {
  const StringRef name = function.getName();
  return !function.isDeclaration() && function.hasExternalLinkage() &&
         function.getReturnType()->isVoidTy() && !function.isVarArg() && !name.starts_with("_") &&
         !name.starts_with("tutti_") && any_of(function.args(), [](const Argument &argument) {
           return argument.getType()->isPointerTy();
         });
}

/// Whether `function` gets at the bytes of fragments that are its parameters.
bool isProcedure(const Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    return fragmentCallOf(inst) == FragmentCall::Address && fragmentOf(cast<CallBase>(inst));
  });
}

/// Nothing is done to the loops of `function` that nobody has asked for: none is peeled, unrolled
/// or versioned.
void keepLoops(Function &function) {
  LLVMContext &context = function.getContext();
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    Metadata *kept = MDNode::get(context, MDString::get(context, "llvm.loop.disable_nonforced"));
    MDNode *id =
        makePostTransformationMetadata(context, loop->getLoopID(), {}, {cast<MDNode>(kept)});
    loop->setLoopID(id);
  }
  for (const char *prevented : {"no-builtin-memset", "no-builtin-memcpy", "no-builtin-memmove"}) {
    function.addFnAttr(prevented);
  }
}

/// A version in the making.
class Version {
public:
  Version(Function &copy, FunctionAnalysisManager &analyses)
      : version_(&copy), analyses_(analyses) {}

  /// Why there is none, or nothing.
  std::string make();

  void drop() {
    analyses_.clear(*version_, version_->getName());
    SmallVector<Function *, 4> pieces;
    for (Function &function : *version_->getParent()) {
      if (function.getName().starts_with((version_->getName() + ".").str())) {
        pieces.push_back(&function);
      }
    }
    version_->eraseFromParent();
    for (Function *piece : pieces) {
      piece->eraseFromParent();
    }
  }

  const DebugLoc &place() const { return place_; }

private:
  void storeNumbers();
  void settleInquiries();
  void loopOverBytes(AnyMemIntrinsic &memory);
  std::string takeLoops();
  std::string whyNotNumbers();

  Function *version_;
  FunctionAnalysisManager &analyses_;
  DebugLoc place_;
};

/// Whether `value` follows from bytes of fragments.
bool followsFromBytes(const Value *value) {
  SmallVector<const Value *, 16> work{value};
  SmallPtrSet<const Value *, 16> seen;
  while (!work.empty()) {
    const auto *inst = dyn_cast<Instruction>(work.pop_back_val());
    if (!inst || !seen.insert(inst).second || isHandle(*inst)) {
      continue;
    }
    if (isa<LoadInst>(inst)) {
      return true;
    }
    const auto *call = dyn_cast<CallBase>(inst);
    if (!call || call->doesNotAccessMemory()) {
      work.append(inst->op_begin(), inst->op_end());
    }
  }
  return false;
}

/// A number that follows from what fragments hold is stored by a kernel, into memory that the
/// version asks for as for any output; who has called the version reads it there.
void Version::storeNumbers() {
  SmallPtrSet<const Argument *, 4> others; // Of which more is asked than to become a number.
  SmallVector<CallBase *, 4> numbers;
  for (Instruction &inst : instructions(*version_)) {
    const FragmentCall kind = fragmentCallOf(inst);
    auto *call = dyn_cast<CallBase>(&inst);
    if (kind == FragmentCall::Number && followsFromBytes(call->getArgOperand(1))) {
      numbers.push_back(call);
    } else if (kind != FragmentCall::None && kind != FragmentCall::Number) {
      others.insert(fragmentOf(*call));
    }
  }
  for (CallBase *call : numbers) {
    if (!fragmentOf(*call) || others.contains(fragmentOf(*call))) {
      continue;
    }
    IRBuilder<> build(call);
    Value *handle = call->getArgOperand(0);
    Value *value = call->getArgOperand(1);
    const bool isInt = value->getType()->isIntegerTy();
    Module &module = *version_->getParent();
    Value *place =
        build.CreateCall(module.getOrInsertFunction("tutti_luna_fragment_create", build.getPtrTy(),
                                                    build.getPtrTy(), build.getInt64Ty()),
                         {handle, build.getInt64(isInt ? sizeof(std::int32_t) : sizeof(double))});
    build.CreateStore(value, place);
    build.CreateCall(module.getOrInsertFunction("tutti_luna_fragment_number", build.getVoidTy(),
                                                build.getPtrTy(), build.getInt8Ty()),
                     {handle, build.getInt8(isInt ? 'i' : 'r')});
    call->eraseFromParent();
  }
}

/// Handles never change, and neither do address and size of what a procedure reads: calls that ask
/// for them go in front of the loops that they stand in.
void Version::settleInquiries() {
  SmallPtrSet<const Argument *, 8> changed;
  for (Instruction &inst : instructions(*version_)) {
    if (const auto *call = dyn_cast<CallBase>(&inst); call && call->arg_size() > 0) {
      const FragmentCall kind = fragmentCallOf(inst);
      if (kind == FragmentCall::Number || kind == FragmentCall::Other || createsFragment(*call)) {
        changed.insert(fragmentOf(*call));
      }
    }
  }
  auto &loops = analyses_.getResult<LoopAnalysis>(*version_);
  auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(*version_);
  for (Loop *loop : loops) {
    simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr, false);
  }
  SmallVector<Instruction *, 16> all;
  for (Instruction &inst : instructions(*version_)) {
    all.push_back(&inst);
  }
  for (Instruction *inst : all) {
    const Loop *loop = loops.getLoopFor(inst->getParent());
    const auto *call = dyn_cast<CallInst>(inst);
    const FragmentCall kind = fragmentCallOf(*inst);
    const bool isSteady =
        call && (kind == FragmentCall::Address || kind == FragmentCall::Inquiry) &&
        !createsFragment(*call) && fragmentOf(*call) && !changed.contains(fragmentOf(*call));
    if (loop && (isHandle(*inst) || isSteady) && loop->getOutermostLoop()->getLoopPreheader()) {
      inst->moveBefore(loop->getOutermostLoop()->getLoopPreheader()->getTerminator());
    }
  }
}

/// Puts a loop over elements, as large as the length allows, in the place of a call that copies or
/// fills memory.
void Version::loopOverBytes(AnyMemIntrinsic &memory) {
  const DataLayout &layout = version_->getDataLayout();
  auto *transfer = dyn_cast<AnyMemTransferInst>(&memory);
  const KnownBits length = computeKnownBits(memory.getLength(), layout);
  const std::uint64_t source = transfer ? transfer->getSourceAlign().valueOrOne().value() : 8;
  const std::uint64_t most = std::min(memory.getDestAlign().valueOrOne().value(), source);
  std::uint64_t bytes = 8;
  while (bytes > 1 && (bytes > most || length.countMinTrailingZeros() < Log2_64(bytes))) {
    bytes /= 2;
  }
  BasicBlock *before = memory.getParent();
  BasicBlock *after = SplitBlock(before, &memory);
  BasicBlock *body = BasicBlock::Create(memory.getContext(), "bytes", version_, after);
  IRBuilder<> build(before->getTerminator());
  build.SetCurrentDebugLocation(memory.getDebugLoc());
  Type *element = build.getIntNTy(8 * bytes);
  Value *count = build.CreateLShr(build.CreateZExtOrTrunc(memory.getLength(), build.getInt64Ty()),
                                  Log2_64(bytes));
  build.CreateCondBr(build.CreateICmpEQ(count, build.getInt64(0)), after, body);
  before->getTerminator()->eraseFromParent();
  build.SetInsertPoint(body);
  PHINode *number = build.CreatePHI(build.getInt64Ty(), 2);
  Value *value = nullptr;
  if (transfer) {
    value = build.CreateAlignedLoad(
        element, build.CreateInBoundsGEP(element, transfer->getRawSource(), number), Align(bytes));
  } else {
    value = build.CreateZExt(cast<AnyMemSetInst>(memory).getValue(), element);
    APInt ones = APInt::getSplat(8 * bytes, APInt(8, 1));
    value = build.CreateMul(value, ConstantInt::get(element, ones));
  }
  build.CreateAlignedStore(value, build.CreateInBoundsGEP(element, memory.getRawDest(), number),
                           Align(bytes));
  Value *next = build.CreateAdd(number, build.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  build.CreateCondBr(build.CreateICmpEQ(next, count), after, body);
  number->addIncoming(build.getInt64(0), before);
  number->addIncoming(next, body);
  memory.eraseFromParent();
}

std::string Version::takeLoops() {
  ProcedurePieces pieces(*version_);
  while (true) {
    analyses_.invalidate(*version_, PreservedAnalyses::none());
    auto &loops = analyses_.getResult<LoopAnalysis>(*version_);
    auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(*version_);
    auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(*version_);
    auto &assumptions = analyses_.getResult<AssumptionAnalysis>(*version_);
    if (loops.empty()) {
      return pieces.takeRest();
    }
    Loop &loop = **loops.begin();
    simplifyLoop(&loop, &dominators, &loops, &scev, &assumptions, nullptr, false);
    formLCSSARecursively(loop, dominators, &loops, &scev);
    if (absorbStores(loop, loops, scev, dominators,
                     analyses_.getResult<PostDominatorTreeAnalysis>(*version_))) {
      continue;
    }
    place_ = loop.getStartLoc();
    if (std::string reason = whyDependent(loop, scev, dominators, place_); !reason.empty()) {
      return reason;
    }
    if (std::string reason = pieces.takeLoop(loop, scev); !reason.empty()) {
      return reason;
    }
  }
}

/// Why what is left does more than to ask for memory and compute with numbers.
std::string Version::whyNotNumbers() {
  bool changed = true;
  while (changed) { // What pieces have computed again.
    changed = false;
    SmallVector<Instruction *, 32> unused;
    for (Instruction &inst : instructions(*version_)) {
      if (inst.use_empty() && (wouldInstructionBeTriviallyDead(&inst) || isa<LoadInst>(inst))) {
        unused.push_back(&inst);
      }
    }
    for (Instruction *inst : unused) {
      inst->eraseFromParent();
      changed = true;
    }
  }
  // What is called says more than what depends on it.
  for (Instruction &inst : instructions(*version_)) {
    place_ = inst.getDebugLoc();
    const auto *call = dyn_cast<CallBase>(&inst);
    const FragmentCall kind = fragmentCallOf(inst);
    if (kind == FragmentCall::Other || (kind != FragmentCall::None && !fragmentOf(*call))) {
      return "it does with a data fragment what only the host can do";
    }
    if (call && kind == FragmentCall::None && kindOf(inst) != CallKind::Fork &&
        !mayStandInLoop(*call)) {
      return describeCall(*call);
    }
  }
  for (Instruction &inst : instructions(*version_)) {
    place_ = inst.getDebugLoc();
    if (isa<LoadInst>(inst) && !isHandle(inst)) {
      return "what it does next depends on what fragments hold";
    }
    if (!isa<CallBase>(inst) && inst.mayReadOrWriteMemory() && !isHandle(inst)) {
      return "it touches memory that is no data fragment's";
    }
  }
  return "";
}

std::string Version::make() {
  SmallVector<AnyMemIntrinsic *, 4> memory;
  for (Instruction &inst : instructions(*version_)) {
    if (auto *call = dyn_cast<AnyMemIntrinsic>(&inst)) {
      memory.push_back(call);
    }
  }
  for (AnyMemIntrinsic *call : memory) {
    loopOverBytes(*call);
  }
  storeNumbers();
  analyses_.clear(*version_, version_->getName());
  settleInquiries();
  if (std::string reason = takeLoops(); !reason.empty()) {
    return reason;
  }
  return whyNotNumbers();
}

void remark(Function &procedure, StringRef name, const std::string &reason, DebugLoc place,
            FunctionAnalysisManager &analyses) {
  auto &emitter = analyses.getResult<OptimizationRemarkEmitterAnalysis>(procedure);
  BasicBlock *entry = &procedure.getEntryBlock();
  emitter.emit([&] {
    return OptimizationRemarkMissed("tutti", "NoDeviceVersion", place, entry)
           << "procedure '" << name << "' has no version for devices: " << reason;
  });
}

} // namespace

PreservedAnalyses CopyProceduresPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getFunction("tutti_luna_fragment_data")) {
    return PreservedAnalyses::all();
  }
  SmallVector<Function *, 8> procedures;
  for (Function &function : module) {
    if (mayBeProcedure(function)) {
      procedures.push_back(&function);
    }
  }
  for (Function *procedure : procedures) {
    ValueToValueMapTy map;
    Function *copy = CloneFunction(procedure, map);
    const std::string name = (kDeviceVersion + procedure->getName()).str();
    if (Function *declared = module.getFunction(name)) {
      declared->setName(declaredName(name));
    }
    copy->setName(name);
    copy->setComdat(nullptr);
    copy->addFnAttr(kCopy);
    keepLoops(*copy);
  }
  return procedures.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses DeriveProceduresPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  SmallVector<Function *, 8> copies;
  for (Function &function : module) {
    if (function.hasFnAttribute(kCopy)) {
      copies.push_back(&function);
    }
  }
  for (Function *copy : copies) {
    copy->removeFnAttr(kCopy);
    Version version(*copy, functions);
    const bool isMeant = isProcedure(*copy);
    const std::string reason = isMeant ? version.make() : "";
    if (!reason.empty()) {
      StringRef procedure = copy->getName().drop_front(kDeviceVersion.size());
      procedure.consume_front(kInPlace);
      remark(*copy, procedure, reason, version.place(), functions);
    }
    const std::string name = copy->getName().str();
    Function *declared = module.getFunction(declaredName(name));
    if (!isMeant || !reason.empty()) {
      version.drop();
      if (declared) {
        declared->setName(name);
      }
    } else if (declared) {
      declared->replaceAllUsesWith(copy);
      declared->eraseFromParent();
    }
  }
  return copies.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace tutti::compiler
