// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/ptx.h"

#include "compiler/target/prepare.h"
#include "compiler/target/ptx/begin.h"
#include "compiler/target/ptx/common_form.h"
#include "compiler/target/ptx/grid_loops.h"
#include "compiler/target/ptx/lowering.h"
#include "compiler/target/ptx/spare_stores.h"
#include "compiler/target/ptx/strength_reduction.h"
#include "compiler/target/ptx/workarounds.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

// Weak: the LLVM that loads the plugin may have been built without the target.
extern "C" {
LLVM_ATTRIBUTE_WEAK void LLVMInitializeNVPTXTargetInfo();
LLVM_ATTRIBUTE_WEAK void LLVMInitializeNVPTXTarget();
LLVM_ATTRIBUTE_WEAK void LLVMInitializeNVPTXTargetMC();
LLVM_ATTRIBUTE_WEAK void LLVMInitializeNVPTXAsmPrinter();
}

namespace tutti::compiler::target {

namespace {

constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";

// The host's pipeline has simplified the kernels already. Left is what only pays on the GPU, or
// what the addition of window offsets and the choice of an iteration bring with them. The backend
// follows with its own passes over addresses. Counters have the form that the host's pipeline has
// given them: to simplify them once more takes a tenth of all and changes next to nothing.
constexpr StringLiteral kPasses =
    "always-inline,"
    "function<eager-inv>("
    "sroa<modify-cfg>,infer-address-spaces,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,loop-mssa(loop-rotate,licm<allowspeculation>),"
    "loop(loop-deletion,loop-unroll-full),loop-unroll<O3>,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),simplifycfg),"
    "globaldce";

// Passes of the backend, by their names, that kernels gain nothing from: what they find is a
// product or two in front of a loop, what the passes above have found already, or what ptxas finds
// itself.
constexpr StringLiteral kSpared[] = {
    "Straight line strength reduction",
    "Nary reassociation",
    "Early CSE",
    "Machine Copy Propagation Pass",
    "Peephole Optimizations",
    "Optimize machine instruction PHIs",
};

const Target *findTarget() {
  if (!LLVMInitializeNVPTXTargetInfo || !LLVMInitializeNVPTXTarget ||
      !LLVMInitializeNVPTXTargetMC || !LLVMInitializeNVPTXAsmPrinter) {
    return nullptr;
  }
  static const bool initialised = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  std::string error;
  return initialised ? TargetRegistry::lookupTarget(kTriple.str(), error) : nullptr;
}

std::unique_ptr<TargetMachine> makeMachine(const Target &target) {
  TargetOptions options;
  // What may be contracted is llvm.fmuladd in the IR.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  // One level more has the backend look for redundant loads once again, at a cost that grows with
  // the square of their number.
  return std::unique_ptr<TargetMachine>(target.createTargetMachine(
      kTriple, "sm_70", "+ptx63", options, std::nullopt, std::nullopt, CodeGenOptLevel::Default));
}

std::string bitcodeOf(const Module &module) {
  std::string bitcode;
  raw_string_ostream stream(bitcode);
  WriteBitcodeToFile(module, stream);
  return bitcode;
}

/// A reciprocal root without a branch is a long chain of operations: several at once take little
/// longer than one.
void unrollRoots(Module &module) {
  constexpr unsigned kAtOnce = 8;
  for (Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    const DominatorTree dominators(function);
    const LoopInfo loops(dominators);
    for (const Instruction &inst : instructions(function)) {
      const auto *call = dyn_cast<IntrinsicInst>(&inst);
      Loop *loop = call && call->getIntrinsicID() == Intrinsic::nvvm_rsqrt_approx_ftz_d
                       ? loops.getLoopFor(call->getParent())
                       : nullptr;
      if (loop && loop->isInnermost() && !isGridLoop(*loop)) {
        addStringMetadataToLoop(loop, "llvm.loop.unroll.count", kAtOnce);
      }
    }
  }
}

void optimise(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, kPasses));
  passes.run(module, modules);
}

/// Keeps the backend's passes from kernels that are not worth them: with its strength reduction
/// they take longer than all else, and ptxas does the like once more.
void spareBackend(Module &module) {
  for (Function &function : module) {
    if (function.hasOptSize()) {
      function.removeFnAttr(Attribute::OptimizeForSize);
      function.addFnAttr(Attribute::NoInline); // What the next one asks for.
      function.addFnAttr(Attribute::OptimizeNone);
    }
  }
}

/// The backend's passes without some that kernels gain nothing from, by their names. Neither are
/// they run, nor what they would ask for.
class BackendPasses : public legacy::PassManager {
public:
  explicit BackendPasses(ArrayRef<StringRef> spared) : spared_(spared) {}

  void add(Pass *pass) override {
    if (is_contained(spared_, pass->getPassName())) {
      delete pass;
    } else {
      legacy::PassManager::add(pass);
    }
  }

private:
  ArrayRef<StringRef> spared_;
};

std::string print(Module &module, TargetMachine &machine, ArrayRef<StringRef> spared) {
  SmallString<0> text;
  raw_svector_ostream stream(text);
  BackendPasses passes(spared);
  if (machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true)) {
    return "";
  }
  passes.run(module);
  return text.str().str();
}

/// Whether the backend may find accesses side by side that are aligned as one: where none is
/// aligned to more than its own size, looking for them takes long and changes nothing.
bool mayMergeAccesses(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  const auto mayMerge = [&](Instruction &inst) {
    // Private variables can be given any alignment.
    return isa<AllocaInst>(inst) ||
           (getLoadStorePointerOperand(&inst) &&
            getLoadStoreAlignment(&inst).value() >
                layout.getTypeStoreSize(getLoadStoreType(&inst)).getFixedValue());
  };
  return any_of(module,
                [&](Function &function) { return any_of(instructions(function), mayMerge); });
}

/// Keeps what LLVM says about kernels from the user, and whether one of it was an error.
struct Diagnostics : DiagnosticHandler {
  std::string &error;

  explicit Diagnostics(std::string &error) : error(error) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error && error.empty()) {
      raw_string_ostream stream(error);
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
};

constexpr bool kHasFreeBarriers = true;

/// Names of the kernels of one part of a text.
using Part = std::vector<std::string>;

/// Kernels that take long are translated in two parts of about the same length, which two threads
/// can write at once.
std::vector<Part> partsOf(const Module &kernels) {
  // Instructions before loops are unrolled: some thirty milliseconds.
  constexpr unsigned kLong = 1200;
  std::vector<std::pair<unsigned, std::string>> sizes;
  unsigned all = 0;
  for (const Function &function : kernels) {
    if (!function.isDeclaration() && isTranslated(function, kHasFreeBarriers)) {
      sizes.emplace_back(function.getInstructionCount(), function.getName().str());
      all += sizes.back().first;
    }
  }
  std::vector<Part> parts(all < kLong || sizes.size() < 2 ? 1 : 2);
  sort(sizes, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<unsigned> lengths(parts.size());
  for (auto &[size, name] : sizes) {
    const auto shortest = min_element(lengths);
    *shortest += size;
    parts[static_cast<std::size_t>(shortest - lengths.begin())].push_back(std::move(name));
  }
  return parts;
}

/// The kernels of the part, and nothing of what others do.
std::unique_ptr<Module> readPart(StringRef bitcode, const Part &part, LLVMContext &context) {
  std::unique_ptr<Module> kernels =
      cantFail(getLazyBitcodeModule(MemoryBufferRef(bitcode, "kernels"), context));
  for (Function &function : make_early_inc_range(*kernels)) {
    if (!function.isDeclaration() && !is_contained(part, function.getName())) {
      function.eraseFromParent();
    }
  }
  cantFail(kernels->materializeAll());
  return kernels;
}

/// Makes the text of this module one that can follow that of another part.
///
/// What is only used in the module: arrays of groups, tables, and functions of libdevice.
void distinguish(Module &module, const Part &part) {
  for (GlobalObject &object : module.global_objects()) {
    if (!object.isDeclaration() && !is_contained(part, object.getName())) {
      object.setName(object.getName() + "_2");
    }
  }
}

/// Behind the lines that stand once in a text.
std::string withoutHead(std::string text) {
  constexpr StringLiteral last = ".address_size 64\n";
  const std::size_t found = text.find(last);
  return found == std::string::npos ? text : text.substr(found + last.size());
}

/// Works in a context of its own: what LLVM says about kernels is not for the user, who would hear
/// it about the same loops twice.
std::string translate(const Target &target, StringRef bitcode, const Part &part, bool isFirst,
                      std::string &reason) {
  const std::unique_ptr<TargetMachine> machine = makeMachine(target);
  LLVMContext context;
  std::string error;
  context.setDiagnosticHandler(std::make_unique<Diagnostics>(error));
  const std::unique_ptr<Module> module = readPart(bitcode, part, context);
  module->setTargetTriple(kTriple);
  module->setDataLayout(machine->createDataLayout());
  reason = lowerForPtx(*module);
  if (!reason.empty()) {
    return "";
  }
  unrollRoots(*module);
  optimise(*module, *machine);
  spareStores(*module);
  spareBackend(*module);
  hideGridSteps(*module);
  markBegins(*module);
  workAround(*module);
  SmallVector<StringRef, 12> spared(std::begin(kSpared), std::end(kSpared));
  if (!needsStrengthReduction(*module)) {
    spared.push_back("Loop Strength Reduction");
  }
  if (!mayMergeAccesses(*module)) {
    spared.push_back("GPU Load and Store Vectorizer");
  }
  if (!isFirst) {
    distinguish(*module, part);
  }
  std::string text = print(*module, *machine, spared);
  if (!error.empty() || text.empty()) {
    reason = "cannot be translated to PTX: " + error;
    return "";
  }
  return isFirst ? text : withoutHead(std::move(text));
}

KernelDraft draft(Module &kernels) {
  KernelDraft draft;
  const Target *target = findTarget();
  draft.known.usesFp64 = usesFp64(kernels);
  draft.known.reason = target ? missingLibrary(kernels)
                              : "needs LLVM's NVPTX target, which this LLVM was built without";
  if (draft.known.reason.empty()) {
    const CommonForm form(kernels);
    const auto bitcode = std::make_shared<const std::string>(bitcodeOf(kernels));
    draft.form = bitcode;
    draft.own = [entries = form.entries()](const std::string &text) {
      return withOwnEntries(text, entries);
    };
    for (Part &part : partsOf(kernels)) {
      const bool isFirst = draft.parts.empty();
      draft.parts.push_back(
          [target, known = draft.known, bitcode, part = std::move(part), isFirst] {
            KernelText translated = known;
            translated.text = translate(*target, *bitcode, part, isFirst, translated.reason);
            return translated;
          });
    }
  }
  return draft;
}

} // namespace

// A text takes long, so others write it while this thread goes on.
const KernelTarget ptx::kTarget{TUTTI_KERNEL_PTX, /*changesKernels=*/false, kHasFreeBarriers,
                                draft};

} // namespace tutti::compiler::target
