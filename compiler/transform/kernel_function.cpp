// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/kernel_function.h"

#include "compiler/analysis/chunk_loop.h"
#include "compiler/analysis/dealt_loops.h"
#include "compiler/analysis/expressions.h"
#include "compiler/analysis/kernel_objects.h"
#include "compiler/analysis/parallel_loops.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_calls.h"
#include "compiler/ir/launch_function.h"
#include "compiler/transform/deal_loops.h"
#include "compiler/transform/expose_loops.h"
#include "compiler/transform/group_reduction.h"
#include "compiler/transform/kernel_body.h"
#include "compiler/transform/kernel_module.h"
#include "compiler/transform/pointer_checks.h"
#include "compiler/transform/staged_loads.h"
#include "compiler/transform/strided_loop.h"
#include "compiler/transform/tile.h"
#include "compiler/transform/work_items.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// `region` as part of an identifier in any kernel language.
std::string identifier(StringRef region) {
  std::string name = "tutti_";
  for (const char letter : region) {
    name += isAlnum(letter) ? letter : '_';
  }
  return name;
}

/// What the passage from the program has left behind.
void dropUnused(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (function.isDeclaration() && function.use_empty()) {
      function.eraseFromParent();
    }
  }
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) {
      variable.eraseFromParent();
    }
  }
}

class Builder {
public:
  Builder(Function &prepared, const Worksharing &loop, ChunkModel &model,
          FunctionAnalysisManager &analyses, StringRef name, bool chases, IsKnownForm isKnown)
      : program_(*prepared.getParent()), prepared_(prepared), loop_(loop), model_(model),
        analyses_(analyses), name_(name), chases_(chases), isKnown_(isKnown) {}

  RegionKernels build();

private:
  std::string buildEntries(Module &module, RegionKernels &kernels);
  std::string formOf(Function &flat, ArrayRef<GlobalValue *> symbols) const;
  void addStaged(Function &function, RegionKernels &kernels);
  std::string addFlat(Function &function, BasicBlock *chunkLoop, RegionKernels &kernels);
  void markObjects(Function &function) const;
  Loop *expose(Function &function, BasicBlock *chunkLoop);
  bool addNests(Function &function, BasicBlock *chunkLoop, RegionKernels &kernels);
  void addGroups(Function &function, BasicBlock *chunkLoop, RegionKernels &kernels);
  void finishCombiner(Function &function);
  Function *tiledExtents(Function &extents, ArrayRef<unsigned> tile) const;
  Function *emitExtents(Function &function, ArrayRef<AtLeast> conditions,
                        ArrayRef<const SCEV *> extents, const RegionKernels &kernels);
  Function *createExtents(const Twine &name) const;
  bool needsLast(const Function &function) const;
  std::string divide(Function &function, BasicBlock *header, unsigned dimension, Value *trip);
  Value *tripOfChunk(Function &function) const;
  void resolveIsLast(Function &function) const;
  void clean(Function &function, bool finally);
  Function *wholeChunk() const;

  Module &program_;
  Function &prepared_;
  const Worksharing &loop_;
  ChunkModel &model_;
  FunctionAnalysisManager &analyses_;
  StringRef name_;
  bool chases_; ///< The region follows pointers that it finds in memory.
  IsKnownForm isKnown_;
};

void Builder::clean(Function &function, bool finally) {
  if (finally) {
    for (Instruction &inst : make_early_inc_range(instructions(function))) {
      if (isa<LifetimeIntrinsic>(inst)) {
        inst.eraseFromParent();
      }
    }
  }
  FunctionPassManager passes;
  passes.addPass(InstSimplifyPass());
  passes.addPass(EarlyCSEPass());
  if (finally) {
    passes.addPass(SimplifyCFGPass());
    passes.addPass(DCEPass());
  }
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  analyses_.invalidate(function, PreservedAnalyses::none());
  passes.run(function, analyses_);
  analyses_.invalidate(function, PreservedAnalyses::none());
}

Value *Builder::tripOfChunk(Function &function) const {
  IRBuilder<> build(&*function.getEntryBlock().getFirstInsertionPt());
  return build.CreateNSWSub(function.getArg(kernel::Upper), function.getArg(kernel::Lower));
}

/// Divides the loop with `header` over the work-items of `dimension`.
std::string Builder::divide(Function &function, BasicBlock *header, unsigned dimension,
                            Value *trip) {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(function);
  StridedLoop strided(*analyses_.getResult<LoopAnalysis>(function).getLoopFor(header), scev);
  std::string reason = strided.analyse(!loop_.reduce.empty());
  if (!reason.empty()) {
    return reason;
  }
  const KernelCalls calls(*function.getParent());
  IRBuilder<> build(&*function.getEntryBlock().getFirstInsertionPt());
  Value *first = build.CreateCall(calls.itemId(), build.getInt32(dimension));
  Value *step = build.CreateCall(calls.itemCount(), build.getInt32(dimension));
  strided.divide(first, step, trip);
  // Nothing is cleaned up here: what is not used yet may be needed by other loops.
  restoreLoops(function, analyses_);
  return {};
}

/// In the flat mapping the last iteration of the chunk is executed by the work-item whose number it
/// is, modulo the size of the grid.
void Builder::resolveIsLast(Function &function) const {
  Function *placeholder = function.getParent()->getFunction(kIsLastPlaceholder);
  if (!placeholder) {
    return;
  }
  const KernelCalls calls(*function.getParent());
  for (User *user : make_early_inc_range(placeholder->users())) {
    auto *call = cast<CallInst>(user);
    if (call->getFunction() != &function) {
      continue;
    }
    IRBuilder<> build(call);
    Value *first = build.CreateCall(calls.itemId(), build.getInt32(0));
    Value *step = build.CreateCall(calls.itemCount(), build.getInt32(0));
    Value *upper = function.getArg(kernel::Upper);
    Value *trip = build.CreateNSWSub(upper, function.getArg(kernel::Lower));
    Value *executor = build.CreateURem(build.CreateSub(trip, build.getInt64(1)), step);
    Value *isLast = build.CreateAnd(build.CreateICmpEQ(upper, function.getArg(kernel::Total)),
                                    build.CreateICmpEQ(executor, first));
    call->replaceAllUsesWith(build.CreateZExt(isLast, call->getType()));
    call->eraseFromParent();
  }
  if (placeholder->use_empty()) {
    placeholder->eraseFromParent();
  }
}

Function *Builder::createExtents(const Twine &name) const {
  LLVMContext &context = program_.getContext();
  Type *ptr = PointerType::getUnqual(context);
  Type *i64 = Type::getInt64Ty(context);
  return createLaunchFunction(program_, Type::getInt32Ty(context), {ptr, ptr, i64, i64, i64, ptr},
                              name);
}

/// `extents` of the flat mapping: as many as the chunk has iterations, always.
Function *Builder::wholeChunk() const {
  constexpr const char *kName = "tutti.extents.chunk";
  if (Function *known = program_.getFunction(kName)) {
    return known;
  }
  Function *function = createExtents(kName);
  IRBuilder<> build(&function->getEntryBlock());
  build.CreateStore(build.CreateSub(function->getArg(3), function->getArg(2)), function->getArg(5));
  build.CreateRet(build.getInt32(1));
  return function;
}

/// `extents` of a mapping: closed expressions over the parameters of the kernel `function`.
Function *Builder::emitExtents(Function &function, ArrayRef<AtLeast> conditions,
                               ArrayRef<const SCEV *> extents, const RegionKernels &kernels) {
  Function *result = createExtents(name_ + ".tutti.extents");
  IRBuilder<> build(&result->getEntryBlock());
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(function);
  ExpressionEmitter emitter(build, model_, scev,
                            {.captures = result->getArg(0), .values = result->getArg(1)});
  emitter.define(function.getArg(kernel::Lower), result->getArg(2));
  emitter.define(function.getArg(kernel::Upper), result->getArg(3));
  emitter.define(function.getArg(kernel::Total), result->getArg(4));
  unsigned next = kernel::FirstCapture;
  const auto defineAll = [&](Value *array, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
      Value *slot = build.CreateConstInBoundsGEP1_64(build.getInt64Ty(), array, index);
      emitter.define(function.getArg(next++), build.CreateLoad(build.getInt64Ty(), slot));
    }
  };
  defineAll(result->getArg(0), prepared_.arg_size() - 2);
  defineAll(result->getArg(1), model_.values().size());
  for (GlobalValue *symbol : kernels.symbols) {
    emitter.define(function.getArg(next++), ConstantExpr::getPtrToInt(symbol, build.getInt64Ty()));
  }
  Value *holds = build.getTrue();
  for (const AtLeast &condition : conditions) {
    Value *left = emitter.emit64(condition.left, true);
    Value *isMet = build.CreateICmpSGE(left, emitter.emit64(condition.right, true));
    holds = build.CreateAnd(holds, build.CreateFreeze(isMet));
  }
  for (auto [dimension, extent] : enumerate(extents)) {
    Value *slot =
        build.CreateConstInBoundsGEP1_64(build.getInt64Ty(), result->getArg(5), dimension);
    build.CreateStore(emitter.emit64(extent, true), slot);
  }
  build.CreateRet(build.CreateZExt(holds, build.getInt32Ty()));
  return result;
}

bool Builder::needsLast(const Function &function) const {
  const Function *placeholder = function.getParent()->getFunction(kIsLastPlaceholder);
  return placeholder && any_of(placeholder->users(), [&](const User *user) {
           return cast<Instruction>(user)->getFunction() == &function;
         });
}

/// Marks what objects accesses go to, and loads from objects that the kernel does not write. Only
/// for a mapping that runs if objects are disjoint: then values may stay in registers while others
/// are written, and devices may read ahead what nothing changes while the kernel runs.
void Builder::markObjects(Function &function) const {
  MapVector<const Argument *, SmallVector<Instruction *, 8>> accesses;
  SmallPtrSet<const Argument *, 8> written;
  for (Instruction &inst : instructions(function)) {
    if (isa<AnyMemIntrinsic>(inst)) {
      return;
    }
    const Value *pointer = getLoadStorePointerOperand(&inst);
    const Value *root = pointer ? getUnderlyingObject(pointer, 0) : nullptr;
    if (!pointer || root == function.getArg(kernel::Partials) || isa<AllocaInst, CallInst>(root)) {
      continue; // Partial results, private and local memory.
    }
    const Argument *object = parameterOf(pointer);
    if (object) {
      accesses[object].push_back(&inst);
    }
    if (isa<StoreInst>(inst)) {
      if (!object) {
        return;
      }
      written.insert(object);
    }
  }
  MDBuilder metadata(function.getContext());
  MDNode *domain = metadata.createAnonymousAliasScopeDomain("objects");
  SmallVector<Metadata *, 8> scopes;
  for (std::size_t index = 0; index < accesses.size(); ++index) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain));
  }
  for (auto [index, entry] : enumerate(accesses)) {
    SmallVector<Metadata *, 8> others(scopes);
    others.erase(others.begin() + index);
    for (Instruction *inst : entry.second) {
      inst->setMetadata(LLVMContext::MD_alias_scope,
                        MDNode::get(inst->getContext(), scopes[index]));
      inst->setMetadata(LLVMContext::MD_noalias, MDNode::get(inst->getContext(), others));
      if (isa<LoadInst>(inst) && !written.contains(entry.first)) {
        inst->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(inst->getContext(), {}));
      }
    }
  }
}

/// `extents` of work-items that execute tiles: if there are enough of them to occupy a device.
/// Small ones save memory's time: where caches hold all that is touched, a kernel lasts as long as
/// a work-item, which is shorter with a single item. Not if it reduces: then a work-item has many.
Function *Builder::tiledExtents(Function &extents, ArrayRef<unsigned> tile) const {
  constexpr std::uint64_t kEnoughTiles = 1 << 15;
  constexpr std::uint64_t kEnoughSmallTiles = 1 << 18;
  ValueToValueMapTy map;
  Function *result = CloneFunction(&extents, map);
  auto *end = cast<ReturnInst>(result->getEntryBlock().getTerminator());
  IRBuilder<> build(end);
  Value *total = build.getInt64(1);
  for (auto [dimension, count] : enumerate(tile)) {
    Value *slot =
        build.CreateConstInBoundsGEP1_64(build.getInt64Ty(), result->getArg(5), dimension);
    Value *extent = build.CreateLoad(build.getInt64Ty(), slot);
    Value *tiles = build.CreateSDiv(extent, build.getInt64(count));
    Value *rest = build.CreateSub(extent, build.CreateMul(tiles, build.getInt64(count)));
    Value *rounded = build.CreateAdd(
        tiles, build.CreateZExt(build.CreateICmpSGT(rest, build.getInt64(0)), tiles->getType()));
    build.CreateStore(rounded, slot);
    // So that the product does not wrap around.
    Value *some = build.CreateBinaryIntrinsic(Intrinsic::smin, rounded, build.getInt64(1 << 20));
    total = build.CreateMul(total, some);
  }
  const bool isShort = loop_.reduce.empty() && sizeOfTile(tile) <= kSmallTile;
  const std::uint64_t least = isShort ? kEnoughSmallTiles : kEnoughTiles;
  Value *isEnough = build.CreateICmpSGE(total, build.getInt64(least));
  end->setOperand(
      0, build.CreateAnd(end->getReturnValue(), build.CreateZExt(isEnough, build.getInt32Ty())));
  return result;
}

/// Brings loops into the form in which others are found inside. Returns the chunk's.
Loop *Builder::expose(Function &function, BasicBlock *chunkLoop) {
  FunctionPassManager passes;
  passes.addPass(ExposeLoopsPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.run(function, analyses_);
  analyses_.invalidate(function, PreservedAnalyses::none());
  return analyses_.getResult<LoopAnalysis>(function).getLoopFor(chunkLoop);
}

/// Adds the mappings that divide loops inside as well, or that execute tiles, if there are any.
/// `function` is taken or erased. Returns whether one surely holds that divides loops inside.
bool Builder::addNests(Function &function, BasicBlock *chunkLoop, RegionKernels &kernels) {
  Loop *loop = expose(function, chunkLoop);
  const ParallelNest nest = findParallelNest(function, *loop, analyses_);
  kernels.limit = nest.reason;
  const unsigned dimensions = nest.dimensions.size();
  bool isKept = false;
  if (dimensions > 1 || loop_.reduce.empty()) {
    SmallVector<const SCEV *, 3> ordered;
    for (const unsigned index : nest.order) {
      ordered.push_back(nest.dimensions[index].extent);
    }
    Function *extents = emitExtents(function, nest.conditions, ordered, kernels);
    if (nest.needsDisjoint) {
      markObjects(function);
    }
    WorkItems items(function, nest, analyses_);
    const bool isDivided = items.prepare();
    Function *staged = isDivided ? items.createStaged(identifier(name_) + "_product") : nullptr;
    if (staged) {
      clean(*staged, true);
      staged->addFnAttr(kernel::kByTiles);
      Function *tiles = tiledExtents(*extents, WorkItems::stagedTile());
      kernels.entries.push_back({staged, dimensions, nest.needsDisjoint, tiles, false});
    }
    if (isDivided && sizeOfTile(items.tile()) > 1) {
      Function *tiled = items.createTiled(identifier(name_) + "_tile");
      clean(*tiled, true);
      if (staged) { // Whose tiles are smaller, so there are enough of them whenever these are.
        tiled->addFnAttr(kernel::kInsteadOfByTiles);
      }
      kernels.entries.push_back(
          {tiled, dimensions, nest.needsDisjoint, tiledExtents(*extents, items.tile()), false});
    }
    isKept = isDivided && dimensions > 1;
    if (isKept) {
      items.divide();
      clean(function, true);
      const bool alwaysHolds = nest.conditions.empty() && !nest.needsDisjoint;
      kernels.entries.push_back({&function, dimensions, nest.needsDisjoint, extents, alwaysHolds});
    } else {
      extents->eraseFromParent();
    }
  }
  if (!isKept) {
    analyses_.clear(function, function.getName());
    function.eraseFromParent();
  }
  return isKept && !nest.isGuess;
}

/// Adds the mapping in which groups execute iterations, if there is such a thing. `function` is
/// taken or erased.
void Builder::addGroups(Function &function, BasicBlock *chunkLoop, RegionKernels &kernels) {
  const DealtLoops dealt = findDealtLoops(function, *expose(function, chunkLoop), analyses_);
  Function *extents = nullptr;
  bool isDealt = false;
  if (dealt.reason.empty()) {
    extents = emitExtents(function, dealt.conditions, {dealt.extent, dealt.count}, kernels);
    if (dealt.needsDisjoint) {
      markObjects(function);
    }
    isDealt = dealLoops(function, *chunkLoop, dealt, analyses_);
  }
  if (isDealt) {
    clean(function, true);
    function.addFnAttr(kernel::kByGroups);
    kernels.entries.push_back({&function, 2, dealt.needsDisjoint, extents, false, true});
    return;
  }
  if (extents) {
    extents->eraseFromParent();
  }
  analyses_.clear(function, function.getName());
  function.eraseFromParent();
}

/// Adds the flat kernel, which stages what the items of a group share, if there is such a thing.
void Builder::addStaged(Function &function, RegionKernels &kernels) {
  constexpr unsigned kMostPartialBytes = 16; // Local memory is for both.
  const bool fits = none_of(loop_.reduce, [](CallInst *reduce) {
    return layOutPartials(*reduce).bytes > kMostPartialBytes;
  });
  const SharedLoads shared = findSharedLoads(function, analyses_);
  Function *plain = &function;
  if (fits && shared.reason.empty()) {
    plain = nullptr;
    if (shared.needsDisjoint) {
      ValueToValueMapTy map;
      plain = CloneFunction(&function, map);
      function.setName(identifier(name_) + "_staged");
      plain->setName(identifier(name_) + "_flat");
    }
    stageLoads(function, analyses_, shared);
    clean(function, true);
    kernels.entries.push_back({&function, 1, shared.needsDisjoint, wholeChunk(), plain == nullptr});
  }
  if (plain) {
    kernels.entries.push_back({plain, 1, false, wholeChunk(), true});
  }
}

std::string Builder::addFlat(Function &function, BasicBlock *chunkLoop, RegionKernels &kernels) {
  std::string reason = divide(function, chunkLoop, 0, tripOfChunk(function));
  if (!reason.empty()) {
    return reason;
  }
  resolveIsLast(function);
  if (chases_) {
    reason = expandPointerChecks(function, analyses_);
    if (!reason.empty()) {
      return reason;
    }
  }
  clean(function, true);
  const bool hasNest = any_of(kernels.entries, [](const KernelEntry &entry) {
    return entry.dimensions > 1 && !entry.byGroups;
  });
  if (hasNest) {
    // For the rare launches for which the nest does not hold: there its work-items, a row each,
    // wait for memory, whatever the optimiser does.
    function.addFnAttr(Attribute::OptimizeForSize);
    kernels.entries.push_back({&function, 1, false, wholeChunk(), true});
  } else if (chases_) {
    kernels.entries.push_back({&function, 1, false, wholeChunk(), true});
  } else {
    addStaged(function, kernels);
  }
  return {};
}

void Builder::finishCombiner(Function &function) {
  function.setName(identifier(name_) + "_combine");
  SROAPass(SROAOptions::ModifyCFG).run(function, analyses_);
  clean(function, true);
  function.addFnAttr(Attribute::OptimizeForSize); // It waits for memory, too, and runs shortly.
}

/// `RegionKernels::form` of a region whose kernels are all made from `flat`.
std::string Builder::formOf(Function &flat, ArrayRef<GlobalValue *> symbols) const {
  std::string form;
  raw_string_ostream stream(form);
  stream << prepared_.arg_size() << ' ' << model_.values().size() << ' ' << chases_;
  for (const GlobalValue *symbol : symbols) {
    stream << ' ' << static_cast<const void *>(symbol);
  }
  Module &module = *flat.getParent();
  const std::string own = flat.getName().str();
  flat.setName("tutti_flat");
  module.setModuleIdentifier("");
  module.setSourceFileName("");
  stream << '\n' << module;
  module.setModuleIdentifier(name_);
  module.setSourceFileName(name_);
  flat.setName(own);
  return form;
}

std::string Builder::buildEntries(Module &module, RegionKernels &kernels) {
  KernelModule target(module);
  KernelBody body(target, prepared_, loop_, model_, analyses_, chases_);
  std::string reason = body.build();
  if (!reason.empty()) {
    return reason;
  }
  Function *flat = body.finish(identifier(name_) + "_flat", kernels.symbols);
  clean(*flat, false);
  if ((kernels.combiner = body.combiner())) {
    finishCombiner(*kernels.combiner);
  }
  if (loop_.reduce.empty()) { // Of sums, what adds them up is not part of the kernel.
    dropUnused(module);
    kernels.form = formOf(*flat, kernels.symbols);
    kernels.isKnown = isKnown_(kernels.form);
    if (kernels.isKnown) {
      return {};
    }
  }
  // Checks leave the loop over the iterations: nothing else may be divided.
  if (!needsLast(*flat) && !chases_) {
    ValueToValueMapTy map;
    Function *nested = CloneFunction(flat, map);
    nested->setName(identifier(name_) + "_nest");
    if (!addNests(*nested, cast<BasicBlock>(&*map.lookup(body.chunkLoop())), kernels) &&
        loop_.reduce.empty()) {
      ValueToValueMapTy second;
      Function *grouped = CloneFunction(flat, second);
      grouped->setName(identifier(name_) + "_group");
      addGroups(*grouped, cast<BasicBlock>(&*second.lookup(body.chunkLoop())), kernels);
    }
  }
  if (!kernels.entries.empty() && kernels.entries.back().alwaysHolds) {
    analyses_.clear(*flat, flat->getName());
    flat->eraseFromParent();
    return {};
  }
  return addFlat(*flat, body.chunkLoop(), kernels);
}

RegionKernels Builder::build() {
  RegionKernels kernels;
  kernels.module = std::make_unique<Module>(name_, program_.getContext());
  kernels.module->setDataLayout(program_.getDataLayout());
  kernels.module->setTargetTriple(program_.getTargetTriple());
  kernels.reason = buildEntries(*kernels.module, kernels);
  dropUnused(*kernels.module);
  // Whatever is amiss here is a mistake of ours, which the program must not pay for.
  if (kernels.reason.empty() && !kernels.isKnown && verifyModule(*kernels.module)) {
    kernels.reason = "its kernel is not well-formed";
  }
  for (CallInst *reduce : loop_.reduce) {
    const PartialLayout partials = layOutPartials(*reduce);
    kernels.partialBytes = partials.bytes;
    kernels.slotSizes = partials.sizes;
    kernels.combine = dyn_cast<Function>(operandOf(*reduce, Role::Combine)->stripPointerCasts());
  }
  for (Function &function : *kernels.module) {
    analyses_.clear(function, function.getName());
  }
  if (!kernels.reason.empty() || kernels.isKnown) {
    kernels.module.reset();
    kernels.entries.clear();
    kernels.combiner = nullptr;
  }
  return kernels;
}

} // namespace

RegionKernels buildKernels(Function &prepared, const Worksharing &loop, ChunkModel &model,
                           FunctionAnalysisManager &analyses, StringRef name, bool chases,
                           IsKnownForm isKnown) {
  return Builder(prepared, loop, model, analyses, name, chases, isKnown).build();
}

} // namespace tutti::compiler
