// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/launch_regions.h"

#include "abi/elements.h"
#include "abi/order.h"
#include "abi/output.h"
#include "compiler/analysis/access_numbers.h"
#include "compiler/analysis/accesses.h"
#include "compiler/analysis/carried_values.h"
#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/endings.h"
#include "compiler/analysis/missing_functions.h"
#include "compiler/analysis/one_launch.h"
#include "compiler/analysis/printing.h"
#include "compiler/analysis/shared_flags.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/directive.h"
#include "compiler/ir/entry_points.h"
#include "compiler/ir/equal_functions.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/fragment_calls.h"
#include "compiler/ir/function_copies.h"
#include "compiler/ir/launch_function.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/output_calls.h"
#include "compiler/ir/split_variables.h"
#include "compiler/transform/alike_chunks.h"
#include "compiler/transform/carry_code.h"
#include "compiler/transform/chosen_addresses.h"
#include "compiler/transform/chunk_function.h"
#include "compiler/transform/deal_slots.h"
#include "compiler/transform/device_code.h"
#include "compiler/transform/inspector.h"
#include "compiler/transform/late_texts.h"
#include "compiler/transform/private_allocations.h"
#include "compiler/transform/reduce_updates.h"
#include "compiler/transform/region_functions.h"
#include "compiler/transform/serial_forks.h"
#include "compiler/transform/thread_rows.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <clocale>

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr const char *kRemarkName = "tutti";
/// Of functions that front ends add to the user's.
constexpr llvm::StringLiteral kOwnFunctions = "tutti_xmp_";

/// One outlined function and what became of it.
struct Region {
  explicit Region(Function *function) : outlined(function) {}

  Function *outlined;
  bool isLoop = false;
  bool isOverThreads = false; ///< Its loop stands for the threads of a construct.
  bool distributable = false;
  std::string reason; ///< With the place, once all is known.
  DebugLoc reasonLocation;
  bool reduces = false;
  bool prints = false;
  bool printsObjects = false;  ///< By the C++ library's streams.
  bool followsLocale = false;  ///< It has to stay home unless that is "C".
  bool asksForThreads = false; ///< Some fork does; TUTTI_REGION_THREADS.
  bool nests = false;          ///< `run` executes constructs inside of it on one thread each.
  Function *run = nullptr;
  std::vector<unsigned> runCaptures; ///< What `run` has of the region's captures.
  RegionFunctions functions{};
  Function *inspect = nullptr; ///< Null if there is none.
  unsigned values = 0;
  bool scatters = false;
  bool isByElement = false; ///< The records of each iteration are reported for themselves.
  bool follows = false;
  bool forgets = false;   ///< TUTTI_REGION_FORGETS
  bool hasPieces = false; ///< TUTTI_REGION_PIECES
  std::vector<FoundPointers> found;
  std::vector<WholeObject> wholeObjects;
  DeviceWork deviceWork;
  std::optional<std::size_t> sharesDevice; ///< The region, by number, that has its kernels.
  DeviceCode device;
  SetVector<Function *> missing; ///< Functions that the link step may import.

  /// Whether `run` executes the whole construct as well as `outlined` does: without checks of
  /// pointers, which only chunks need, and with all threads that there may be.
  bool runsWhole() const { return run && found.empty() && !nests; }
};

/// Whether dropping output may change `function`.
bool mayPrint(Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    const auto *call = dyn_cast<CallInst>(&inst);
    return call && asOutputCall(*call);
  });
}

Function *scratchCopy(Function &function, const Twine &name) {
  ValueToValueMapTy map;
  return copyOf(function, name, map);
}

/// For each capture of `forks`, all of one region, the size of the private variable that each of
/// them passes the address of; 0 where they do not, or where it is not known.
SmallVector<std::uint64_t, 16> capturedVariables(ArrayRef<CallInst *> forks) {
  SmallVector<std::uint64_t, 16> sizes;
  for (unsigned index = kFirstCapture; index < forks.front()->arg_size(); ++index) {
    std::optional<std::uint64_t> all;
    for (CallInst *fork : forks) {
      const auto *variable = dyn_cast<AllocaInst>(fork->getArgOperand(index));
      const auto size =
          variable ? variable->getAllocationSize(fork->getDataLayout()) : std::nullopt;
      const std::uint64_t bytes = size ? size->getFixedValue() : 0;
      all = !all || *all == bytes ? bytes : 0;
    }
    sizes.push_back(*all);
  }
  return sizes;
}

/// Whether `fork` surely asks for a single thread.
bool asksForOneThread(CallInst *fork) {
  const CallInst *request = threadRequests(*fork).threads;
  const auto *threads =
      request ? dyn_cast<ConstantInt>(operandOf(*request, Role::Number)) : nullptr;
  return threads && threads->isOne();
}

/// Regions that have made their kernels, by the form of these.
using KernelForms = StringMap<std::size_t>;

/// The kernels of `prepared`, which executes `region`, or the region that has equal ones.
void makeKernels(Region &region, Function &prepared, const Worksharing &loop, ChunkModel &model,
                 FunctionAnalysisManager &analyses, LateTexts &texts, KernelForms &forms) {
  // What a directive says of grids is remembered by kernels.
  const bool mayShare = !directiveOf(*region.outlined);
  const auto isKnown = [&](StringRef form) {
    const auto known = forms.find(form);
    if (mayShare && known != forms.end()) {
      region.sharesDevice = known->second;
    }
    return region.sharesDevice.has_value();
  };
  region.deviceWork = DeviceWork(prepared, loop, model, analyses, region.outlined->getName(), texts,
                                 !region.found.empty(), isKnown);
}

/// The chunk function and access functions of `region`, or its reason to stay home.
void analyseRegion(Region &region, ArrayRef<CallInst *> forks, FunctionAnalysisManager &analyses,
                   LateTexts &texts, KernelForms &forms) {
  Function &outlined = *region.outlined;
  const std::string name = (outlined.getName() + ".tutti").str();
  Function *prepared = scratchCopy(outlined, name + ".prepared");
  const unsigned countBefore = prepared->getInstructionCount();
  region.reason = inlineCallees(*prepared);
  if (prepared->getInstructionCount() != countBefore) {
    // Pointers that callees were given in a structure.
    splitVariables(*prepared, analyses, SROAOptions::PreserveCFG);
  }
  region.nests = serialiseForks(*prepared, analyses);
  makeAllocationsPrivate(*prepared, analyses);
  loadPointersAsPointers(*prepared);
  loadBitsAsBytes(*prepared);
  separateChosenAddresses(*prepared);
  relaxFlags(*prepared);
  // What runs has to serve libomp, too, where the construct is executed as a whole.
  const bool mayEnd = !findEndings(*prepared).empty();
  Function *complete = holdsReduction(*prepared) || mayEnd || mayPrint(*prepared)
                           ? scratchCopy(*prepared, name + ".complete")
                           : prepared;
  dropAtomicReductions(*prepared);
  const Printing printing = dropOutput(*prepared, analyses);
  const auto exits = findExits(*prepared);
  region.prints = printing.isAny || !exits.empty();
  region.printsObjects = printing.usesObjects || any_of(exits, [](const BasicBlock *block) {
                           return any_of(*block, [](const Instruction &inst) {
                             const auto *call = dyn_cast<CallBase>(&inst);
                             const auto output = call ? asOutputCall(*call) : std::nullopt;
                             return output && output->isInsertion;
                           });
                         });
  // Calls first: their names say more than what inlining failed on.
  WorksharingOrReason found = findWorksharing(*prepared);
  region.isLoop = found.loop.init != nullptr;
  region.isOverThreads = region.isLoop && found.loop.isOverThreads();
  region.reduces = !found.loop.reduce.empty();
  region.followsLocale =
      printing.followsLocale || any_of(instructions(*prepared), [](const Instruction &inst) {
        const auto *call = dyn_cast<CallBase>(&inst);
        return call && followsLocale(*call);
      });
  if (!found.reason.empty()) {
    region.reason = found.reason;
    region.reasonLocation = found.location;
  }
  if (region.reason.empty() && all_of(forks, asksForOneThread)) {
    region.reason = "it asks for one thread, which executes its iterations in their order";
  }
  if (region.reason.empty()) {
    analyses.clear(*prepared, prepared->getName());
    region.reason = whyNotOneLaunch(*prepared, analyses, region.reasonLocation);
    analyses.clear(*prepared, prepared->getName());
  }
  DebugLoc ending;
  if (region.reason.empty() && mayEnd) {
    ending = dropEndings(*prepared);
  }
  dropUnusedStreams(*prepared);
  if (region.reason.empty()) {
    region.reason = whyNoChunkFunction(*prepared, found.loop, region.reasonLocation);
  }
  if (region.reason.empty()) {
    numberAccesses(*prepared);
    ChunkModel model(*prepared, found.loop, analyses);
    RegionAccesses accesses;
    accesses.reason = model.reason();
    accesses.location = model.reasonLocation();
    if (accesses.reason.empty()) {
      accesses = analyseAccesses(model, analyses, capturedVariables(forks));
    }
    region.reason = accesses.reason;
    region.reasonLocation = accesses.location;
    const bool chases = !accesses.found.empty();
    if (region.reason.empty() && chases && mayEnd) {
      // Where a part has strayed, what it finds need not fulfil any condition.
      region.reason = "it follows pointers that it finds in memory, and may end the program";
      region.reasonLocation = ending;
    } else if (region.reason.empty() && chases && region.prints) {
      region.reason = "it follows pointers that it finds in memory, and prints";
      region.reasonLocation = printing.first;
    }
    if (region.reason.empty()) {
      region.run = chases
                       ? createChasingFunction(*complete, name + ".chunk", analyses, region.reason)
                       : createChunkFunction(*complete, name + ".chunk", analyses, region.reason);
    }
    if (region.run) {
      dropAccessNumbers(*region.run);
      const CarriedValues carried =
          found.loop.isOverThreads() ? CarriedValues() : carriedValues(model, analyses);
      region.forgets = !carried.areOrdered && !outlined.hasFnAttribute(kFirstWins);
      const InspectorFunction inspector =
          emitInspector(model, accesses, carried.areUsed, analyses, name);
      region.inspect = inspector.function;
      auto &scev = analyses.getResult<ScalarEvolutionAnalysis>(model.function());
      region.functions = emitRegionFunctions(model, accesses, scev, name);
      if (region.inspect) {
        region.functions.shaping |= inspector.values;
      }
      region.values = model.values().size();
      region.hasPieces = accesses.piece != nullptr;
      region.wholeObjects = std::move(accesses.wholeObjects);
      region.scatters = accesses.scatters;
      region.isByElement = accesses.isByElement && !accesses.ofMany;
      region.follows = accesses.follows;
      region.found = std::move(accesses.found);
      region.distributable = true;
      if (mayEnd) {
        region.deviceWork = DeviceWork("it may end the program" + describePlace(ending));
      } else if (printing.isAny) {
        region.deviceWork = DeviceWork("it prints" + describePlace(printing.first));
      } else if (found.loop.isOverThreads()) {
        region.deviceWork = DeviceWork("its iterations are the threads of a construct");
      } else {
        makeKernels(region, *prepared, found.loop, model, analyses, texts, forms);
      }
    }
  }
  if (!region.reason.empty()) {
    region.reason += describePlace(region.reasonLocation);
  }
  if (complete != prepared) {
    complete->eraseFromParent();
  }
  analyses.clear(*prepared, prepared->getName());
  prepared->eraseFromParent();
}

/// Whether lines of `function` are for debuggers, which tell equal functions apart.
bool isForDebuggers(const Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  return subprogram && subprogram->getUnit() &&
         subprogram->getUnit()->getEmissionKind() != DICompileUnit::NoDebug;
}

/// Has `region` use functions of others that do what its own did.
void shareFunctions(Region &region, EqualFunctions &known, FunctionAnalysisManager &analyses) {
  const auto share = [&](Function *&function) {
    if (!function) {
      return;
    }
    Function &first = known.firstOf(*function);
    if (&first != function) {
      analyses.clear(*function, function->getName());
      function->replaceAllUsesWith(&first);
      function->eraseFromParent();
      function = &first;
    }
  };
  share(region.functions.gather);
  share(region.functions.trip);
  share(region.functions.accesses);
  share(region.inspect);
  if (none_of(region.outlined->users(), [&](const User *user) { // That its threads call.
        const auto *call = dyn_cast<CallInst>(user);
        return call && call->getCalledFunction() == region.outlined;
      })) {
    dropOuterBarriers(*region.run);
  }
  analyses.clear(*region.run, region.run->getName());
  AlikeChunk alike = keepUsedCaptures(*region.run);
  region.run = alike.function;
  region.runCaptures = std::move(alike.captures);
  if (!isForDebuggers(*region.run)) {
    forgetLines(*region.run);
    share(region.run);
  }
}

/// Variables, and the request for threads behind them.
unsigned captureCount(const Region &region, const CallInst &fork) {
  return fork.arg_size() - kFirstCapture + (region.asksForThreads ? 1 : 0);
}

class Launcher {
public:
  explicit Launcher(Module &module)
      : module_(module), context_(module.getContext()), entryPoints_(module),
        ptr_(PointerType::getUnqual(context_)), i64_(Type::getInt64Ty(context_)) {}

  /// The descriptor of `region`, made from its first fork.
  GlobalVariable *describe(const Region &region, CallInst &fork, const Twine &suffix = "");

  /// That of the same region where it has to stay home because of the program's locale.
  GlobalVariable *describeAtHome(const Region &region, CallInst &fork);

  /// `atHome` is null unless the region follows the locale.
  void launch(CallInst &fork, const Region &region, GlobalVariable *descriptor,
              GlobalVariable *atHome);

  /// Executes what `region` runs in the place of calls of its function, by threads that are there:
  /// an `if` clause makes them, and functions whose loops are steps of constructs.
  void runWhereCalled(const Region &region);

  /// Order: after the last launch.
  void eraseRequests();

private:
  Function *forkThunk(const Region &region, CallInst &fork, Function *target,
                      ArrayRef<unsigned> captures, bool withChunk, const Twine &name);
  void passRequests(IRBuilder<> &build, const Region &region, CallInst &fork, Function &thunk);
  Function *wholeThunk(Function *run, const Twine &name);
  GlobalVariable *wholeChunk();
  Constant *string(StringRef text);
  Constant *bytes(const BitVector &bits);
  Constant *directive(const Function &outlined);
  Function *plainLocale();

  Module &module_;
  LLVMContext &context_;
  EntryPoints entryPoints_;
  Type *ptr_;
  Type *i64_;
  SmallSetVector<CallInst *, 4> requests_; ///< That launches have passed on.
};

Constant *Launcher::string(StringRef text) {
  IRBuilder<> build(context_);
  GlobalVariable *variable = new GlobalVariable(
      module_, ArrayType::get(build.getInt8Ty(), text.size() + 1), true,
      GlobalValue::PrivateLinkage, ConstantDataArray::getString(context_, text), "tutti.text");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

Constant *Launcher::bytes(const BitVector &bits) {
  SmallVector<std::uint8_t, 16> values;
  for (unsigned index = 0; index < bits.size(); ++index) {
    values.push_back(bits.test(index));
  }
  Constant *data = ConstantDataArray::get(context_, values);
  return new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data,
                            "tutti.shaping");
}

/// What the user asked for, or null.
Constant *Launcher::directive(const Function &outlined) {
  const std::optional<Directive> said = directiveOf(outlined);
  if (!said) {
    return ConstantPointerNull::get(cast<PointerType>(ptr_));
  }
  Constant *data = directiveConstant(context_, *said);
  return new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data,
                            "tutti.directive");
}

/// Asks the library for the threads and the binding that `fork` asks for: before each fork, and
/// nowhere else, because such a request holds for whichever fork comes next.
void Launcher::passRequests(IRBuilder<> &build, const Region &region, CallInst &fork,
                            Function &thunk) {
  const CallInst *binding = threadRequests(fork).binding;
  if (!region.asksForThreads && !binding) {
    return;
  }
  const ConstructCalls &frontend = frontendOf(fork);
  Value *place = operandOf(fork, Role::Place);
  Value *self = build.CreateCall(frontend.declare(module_, CallKind::ThreadNumber), place);
  if (region.asksForThreads) {
    Value *slot =
        build.CreateConstInBoundsGEP1_64(i64_, thunk.getArg(0), fork.arg_size() - kFirstCapture);
    Value *threads = build.CreateTrunc(build.CreateLoad(i64_, slot), build.getInt32Ty());
    build.CreateCall(frontend.declare(module_, CallKind::RequestThreads), {place, self, threads});
  }
  if (binding) {
    build.CreateCall(binding->getFunctionType(), binding->getCalledOperand(),
                     {place, self, operandOf(*binding, Role::Number)});
  }
}

/// `void thunk(captures[, chunk])`: forks `target` with these captures, read back from memory.
Function *Launcher::forkThunk(const Region &region, CallInst &fork, Function *target,
                              ArrayRef<unsigned> captures, bool withChunk, const Twine &name) {
  SmallVector<Type *, 2> params(withChunk ? 2 : 1, ptr_);
  Function *thunk = createLaunchFunction(module_, Type::getVoidTy(context_), params, name);
  IRBuilder<> build(&thunk->getEntryBlock());
  SmallVector<Value *, 16> operands{operandOf(fork, Role::Place),
                                    build.getInt32(captures.size() + (withChunk ? 1 : 0)), target};
  for (const unsigned index : captures) {
    Type *type = fork.getArgOperand(kFirstCapture + index)->getType();
    Value *slot = build.CreateConstInBoundsGEP1_64(i64_, thunk->getArg(0), index);
    operands.push_back(build.CreateLoad(type, slot));
  }
  if (withChunk) {
    operands.push_back(thunk->getArg(1));
  }
  passRequests(build, region, fork, *thunk);
  build.CreateCall(fork.getFunctionType(), fork.getCalledOperand(), operands);
  build.CreateRetVoid();
  return thunk;
}

/// The chunk that is the whole construct.
GlobalVariable *Launcher::wholeChunk() {
  constexpr const char *kWhole = "tutti.whole";
  if (GlobalVariable *known = module_.getGlobalVariable(kWhole, /*AllowInternal=*/true)) {
    return known;
  }
  IRBuilder<> build(context_);
  Constant *zero = build.getInt64(0);
  Constant *null = ConstantPointerNull::get(cast<PointerType>(ptr_));
  Constant *chunk =
      ConstantStruct::getAnon({zero, zero, zero, build.getInt64(TUTTI_WHOLE), null, null});
  return new GlobalVariable(module_, chunk->getType(), true, GlobalValue::PrivateLinkage, chunk,
                            kWhole);
}

/// `void thunk(captures)`: `run` with the chunk that is the whole construct.
Function *Launcher::wholeThunk(Function *run, const Twine &name) {
  Function *thunk = createLaunchFunction(module_, Type::getVoidTy(context_), ptr_, name);
  IRBuilder<> build(&thunk->getEntryBlock());
  build.CreateCall(run, {thunk->getArg(0), wholeChunk()});
  build.CreateRetVoid();
  return thunk;
}

void Launcher::runWhereCalled(const Region &region) {
  if (!region.runsWhole() || region.followsLocale) {
    return;
  }
  for (User *user : make_early_inc_range(region.outlined->users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledFunction() != region.outlined) {
      continue;
    }
    // Behind pointers to numbers of threads.
    SmallVector<Value *, 8> operands{call->getArgOperand(0), call->getArgOperand(1)};
    for (const unsigned index : region.runCaptures) {
      operands.push_back(call->getArgOperand(2 + index));
    }
    operands.push_back(wholeChunk());
    IRBuilder<> build(call);
    build.CreateCall(region.run, operands);
    call->eraseFromParent();
  }
}

/// "file.c:12:3", or the module's name if the compilation keeps no locations.
std::string sourceOf(const CallInst &fork) {
  const DebugLoc &location = fork.getDebugLoc();
  if (!location) {
    return fork.getModule()->getSourceFileName();
  }
  return (cast<DIScope>(location.getScope())->getFilename() + ":" + Twine(location.getLine()) +
          ":" + Twine(location.getCol()))
      .str();
}

GlobalVariable *Launcher::describe(const Region &region, CallInst &fork, const Twine &suffix) {
  const std::string name = (region.outlined->getName() + ".tutti" + suffix).str();
  IRBuilder<> build(context_);
  Constant *null = ConstantPointerNull::get(cast<PointerType>(ptr_));
  const auto orNull = [&](Function *function) -> Constant * { return function ? function : null; };
  Function *run = region.distributable
                      ? forkThunk(region, fork, region.run, region.runCaptures, true, name + ".run")
                      : nullptr;
  const auto all = to_vector(seq(0u, fork.arg_size() - kFirstCapture));
  Function *home = region.runsWhole()
                       ? wholeThunk(run, name + ".home")
                       : forkThunk(region, fork, region.outlined, all, false, name + ".home");
  const unsigned flags =
      (region.distributable ? TUTTI_REGION_DISTRIBUTABLE : 0) |
      (region.scatters ? TUTTI_REGION_SCATTERS : 0) | (region.follows ? TUTTI_REGION_FOLLOWS : 0) |
      (region.found.empty() ? 0 : TUTTI_REGION_CHASES) |
      (region.reduces ? TUTTI_REGION_REDUCES : 0) | (region.isLoop ? TUTTI_REGION_LOOP : 0) |
      (region.asksForThreads ? TUTTI_REGION_THREADS : 0) |
      (region.prints ? TUTTI_REGION_PRINTS : 0) | (region.isByElement ? TUTTI_REGION_ELEMENTS : 0) |
      (region.printsObjects ? TUTTI_REGION_PRINTS_OBJECTS : 0) |
      (region.forgets ? TUTTI_REGION_FORGETS : 0) | (region.hasPieces ? TUTTI_REGION_PIECES : 0);
  const std::string source = sourceOf(fork);
  const std::string function = demangle(fork.getFunction()->getName().str());
  const std::uint64_t id =
      xxh3_64bits(module_.getSourceFileName() + "|" + region.outlined->getName().str() + "|" +
                  source + suffix.str());
  StructType *type = entryPoints_.regionType();
  Constant *fields = ConstantStruct::get(
      type, {build.getInt32(TUTTI_ABI_VERSION), build.getInt32(flags), build.getInt64(id),
             string(source), string(function), region.reason.empty() ? null : string(region.reason),
             build.getInt32(captureCount(region, fork)), build.getInt32(region.values), home,
             orNull(run), orNull(region.functions.gather), orNull(region.functions.trip),
             orNull(region.functions.accesses),
             region.values > 0 ? bytes(region.functions.shaping) : null,
             region.device.descriptor ? region.device.descriptor : null,
             directive(*region.outlined), orNull(region.inspect)});
  auto *descriptor = new GlobalVariable(module_, type, true, GlobalValue::InternalLinkage, fields,
                                        name + ".region");
  auto *entry = new GlobalVariable(module_, ptr_, true, GlobalValue::InternalLinkage, descriptor,
                                   name + ".entry");
  entry->setSection(TUTTI_SECTION_REGIONS);
  appendToCompilerUsed(module_, {entry});
  return descriptor;
}

GlobalVariable *Launcher::describeAtHome(const Region &region, CallInst &fork) {
  Region home(region.outlined);
  home.isLoop = region.isLoop;
  home.reduces = region.reduces;
  home.asksForThreads = region.asksForThreads;
  home.reason = "it calls functions that follow the program's locale, which is not \"C\"";
  return describe(home, fork, ".locale");
}

/// `i1 plain()`: whether the program's locale and the thread's are those that all ranks begin with.
Function *Launcher::plainLocale() {
  constexpr const char *kName = "plain_locale.tutti";
  if (Function *known = module_.getFunction(kName)) {
    return known;
  }
  Function *function = createLaunchFunction(module_, Type::getInt1Ty(context_), {}, kName);
  IRBuilder<> build(&function->getEntryBlock());
  Value *null = ConstantPointerNull::get(cast<PointerType>(ptr_));
  const FunctionCallee choose =
      module_.getOrInsertFunction("setlocale", ptr_, build.getInt32Ty(), ptr_);
  const FunctionCallee ofThread = module_.getOrInsertFunction("uselocale", ptr_, ptr_);
  const FunctionCallee compare =
      module_.getOrInsertFunction("strcmp", build.getInt32Ty(), ptr_, ptr_);
  Value *name = build.CreateCall(choose, {build.getInt32(LC_ALL), null});
  Value *isPlain = build.CreateIsNull(build.CreateCall(compare, {name, string("C")}));
  Value *thread = build.CreatePtrToInt(build.CreateCall(ofThread, {null}), i64_);
  Value *isGlobal = build.CreateICmpEQ(thread, build.getInt64(-1)); // LC_GLOBAL_LOCALE
  build.CreateRet(build.CreateAnd(isPlain, isGlobal));
  return function;
}

void Launcher::launch(CallInst &fork, const Region &region, GlobalVariable *descriptor,
                      GlobalVariable *atHome) {
  const unsigned variables = fork.arg_size() - kFirstCapture;
  IRBuilder<> entry(&*fork.getFunction()->getEntryBlock().getFirstInsertionPt());
  Value *array = entry.CreateAlloca(ArrayType::get(i64_, std::max(captureCount(region, fork), 1u)));
  IRBuilder<> build(&fork);
  for (unsigned index = 0; index < variables; ++index) {
    Value *capture = fork.getArgOperand(kFirstCapture + index);
    Value *slot = build.CreateConstInBoundsGEP1_64(i64_, array, index);
    if (capture->getType()->isIntegerTy() && capture->getType() != i64_) {
      capture = build.CreateZExt(capture, i64_);
    }
    build.CreateStore(capture, slot);
  }
  const ThreadRequests requests = threadRequests(fork);
  if (region.asksForThreads) {
    Value *threads =
        requests.threads ? operandOf(*requests.threads, Role::Number) : build.getInt32(0);
    build.CreateStore(build.CreateZExt(threads, i64_),
                      build.CreateConstInBoundsGEP1_64(i64_, array, variables));
  }
  Value *chosen = descriptor;
  if (atHome) {
    chosen = build.CreateSelect(build.CreateCall(plainLocale()), descriptor, atHome);
  }
  build.CreateCall(entryPoints_.launch(), {chosen, array});
  fork.eraseFromParent();
  requests_.insert(requests.threads);
  requests_.insert(requests.binding);
}

/// Of several forks one request may be seen, so none goes before all are launches.
void Launcher::eraseRequests() {
  for (CallInst *request : requests_) {
    if (request) {
      request->eraseFromParent(); // The thunks make it.
    }
  }
}

void remarkObjects(const Region &region, CallInst &fork, OptimizationRemarkEmitter &emitter) {
  for (const WholeObject &object : region.wholeObjects) {
    emitter.emit([&] {
      OptimizationRemarkAnalysis analysis(kRemarkName, "WholeObject", &fork);
      analysis << (object.isWritten ? "writes " : "reads ");
      if (object.name.empty()) {
        analysis << "an object";
      } else {
        analysis << "'" << ore::NV("Name", object.name) << "'";
      }
      analysis << " at computed addresses";
      return analysis << object.place << ": every rank and device that takes part gets all of it"
                      << (object.isWritten ? ", and what each of them changes is merged" : "");
    });
  }
}

void remarkFound(const Region &region, CallInst &fork, OptimizationRemarkEmitter &emitter) {
  for (const FoundPointers &found : region.found) {
    emitter.emit([&] {
      OptimizationRemarkAnalysis analysis(kRemarkName, "FoundPointers", &fork);
      analysis << "follows pointers that it finds in ";
      if (found.table.empty()) {
        analysis << "memory";
      } else {
        analysis << "'" << ore::NV("Name", found.table) << "'";
      }
      return analysis << found.place
                      << ": every rank and device that takes part gets all of unified memory";
    });
  }
}

void remarkDevice(const Region &region, CallInst &fork, OptimizationRemarkEmitter &emitter) {
  if (region.device.dimensions > 0) {
    emitter.emit([&] {
      OptimizationRemarkAnalysis analysis(kRemarkName, "Kernel", &fork);
      analysis << "kernel over " << ore::NV("Loops", region.device.dimensions)
               << (region.device.dimensions == 1 ? " loop" : " loops");
      if (region.device.byGroups) {
        analysis << (region.device.dimensions == 1 ? ", by groups" : ", or 1 by groups");
      }
      if (region.device.dimensions == 1 && !region.device.limit.empty()) {
        analysis << ": " << region.device.limit;
      }
      return analysis;
    });
  }
  if (!region.device.reason.empty()) {
    emitter.emit([&] {
      return OptimizationRemarkMissed(kRemarkName, "NoKernel", &fork)
             << "parallel loop has no "
             << (region.device.lacking.empty() ? "device" : region.device.lacking)
             << " kernel: " << region.device.reason;
    });
  }
}

/// Of a part of a procedure's version for devices, which is nothing without all of its kernels.
void remarkVersion(const Region &region, CallInst &fork, OptimizationRemarkEmitter &emitter) {
  const std::string &reason = region.distributable ? region.device.reason : region.reason;
  if (!reason.empty()) {
    emitter.emit([&] {
      return OptimizationRemarkMissed(kRemarkName, "NoDeviceVersion", &fork)
             << "procedure '" << fork.getFunction()->getName().drop_front(kDeviceVersion.size())
             << "' has no version for "
             << (region.device.lacking.empty() ? "devices" : region.device.lacking) << ": "
             << reason;
    });
  }
}

void remark(const Region &region, CallInst &fork, FunctionAnalysisManager &analyses) {
  if (fork.getFunction()->getName().starts_with(kDeviceVersion)) {
    remarkVersion(region, fork,
                  analyses.getResult<OptimizationRemarkEmitterAnalysis>(*fork.getFunction()));
    return;
  }
  if (fork.getFunction()->getName().starts_with(kOwnFunctions) ||
      (fork.getModule()->getModuleFlag(kImporting) &&
       !region.outlined->hasFnAttribute(kImporting)) ||
      region.outlined->hasFnAttribute(kForOneRank) ||
      region.outlined->hasFnAttribute(kCountsSlots)) {
    return;
  }
  auto &emitter = analyses.getResult<OptimizationRemarkEmitterAnalysis>(*fork.getFunction());
  const char *construct = region.outlined->hasFnAttribute(kTakesSlots)
                              ? "parallel loop that takes slots"
                          : region.isOverThreads ? "parallel region with thread numbers"
                          : region.isLoop        ? "parallel loop"
                                                 : "parallel region";
  if (region.distributable) {
    emitter.emit([&] {
      return OptimizationRemark(kRemarkName, "Distributed", &fork)
             << construct << " is distributed over ranks";
    });
  } else {
    emitter.emit([&] {
      OptimizationRemarkMissed missed(kRemarkName, "StaysHome", &fork);
      missed << construct << " stays on rank 0: " << region.reason;
      if (!region.missing.empty()) {
        missed << "; the link looks for '" << demangle(region.missing.front()->getName().str())
               << "' in the program's other files";
      }
      return missed;
    });
  }
  if (region.distributable) {
    remarkObjects(region, fork, emitter);
    remarkFound(region, fork, emitter);
    remarkDevice(region, fork, emitter);
  }
}

} // namespace

PreservedAnalyses LaunchRegionsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  SmallVector<CallInst *, 16> forks = findForks(module, CallKind::Fork);
  erase_if(forks,
           [](const CallInst *fork) { return outlinedOf(*fork)->hasFnAttribute(kMovesRows); });
  if (forks.empty()) {
    return PreservedAnalyses::all();
  }
  MapVector<Function *, SmallVector<CallInst *, 2>> byRegion;
  for (CallInst *fork : forks) {
    byRegion[outlinedOf(*fork)].push_back(fork);
  }
  // All are analysed before any is rewritten: a fork inside an outlined function must still be seen
  // as one. Texts of kernels are written meanwhile, and while clang goes on behind this pass.
  std::vector<Region> regions;
  LateTexts &texts = LateTexts::create(module);
  KernelForms forms;
  for (auto &[outlined, calls] : byRegion) {
    Region &region = regions.emplace_back(outlined);
    region.asksForThreads =
        any_of(calls, [](CallInst *fork) { return threadRequests(*fork).threads != nullptr; });
    analyseRegion(region, calls, functions, texts, forms);
    const StringRef form = region.deviceWork.form();
    if (!form.empty() && !directiveOf(*outlined)) {
      forms.try_emplace(form, regions.size() - 1);
    }
    if (isCarryingCode() && !region.distributable) {
      region.missing = missingFunctions(*outlined);
      noteNeeds(module, region.missing.getArrayRef());
    }
  }
  EqualFunctions known;
  for (Region &region : regions) {
    if (region.distributable) {
      shareFunctions(region, known, functions);
    }
    region.device = region.sharesDevice
                        ? regions[*region.sharesDevice].device
                        : region.deviceWork.finish(module, region.outlined->getName(), texts);
    remark(region, *byRegion[region.outlined].front(), functions);
  }
  Launcher launcher(module);
  for (const Region &region : regions) {
    SmallVector<CallInst *, 2> &calls = byRegion[region.outlined];
    GlobalVariable *descriptor = launcher.describe(region, *calls.front());
    GlobalVariable *atHome = region.distributable && region.followsLocale
                                 ? launcher.describeAtHome(region, *calls.front())
                                 : nullptr;
    for (CallInst *call : calls) {
      launcher.launch(*call, region, descriptor, atHome);
    }
    launcher.runWhereCalled(region);
    // Otherwise the optimiser need not look at it any more.
    if (region.distributable && region.outlined->hasLocalLinkage() &&
        region.outlined->use_empty()) {
      functions.clear(*region.outlined, region.outlined->getName());
      region.outlined->eraseFromParent();
    }
  }
  launcher.eraseRequests();
  return PreservedAnalyses::none();
}

} // namespace tutti::compiler
