// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/unify_memory.h"

#include "abi/abi.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

using Replacement = std::pair<StringLiteral, const char *>;

/// Functions that allocate in C and C++ (Itanium names), and what stands for them.
constexpr Replacement kAllocation[] = {
    {"malloc", "tutti_malloc"},
    {"calloc", "tutti_calloc"},
    {"realloc", "tutti_realloc"},
    {"reallocarray", "tutti_reallocarray"},
    {"aligned_alloc", "tutti_aligned_alloc"},
    {"memalign", "tutti_memalign"},
    {"valloc", "tutti_valloc"},
    {"posix_memalign", "tutti_posix_memalign"},
    {"_Znwm", "tutti_new"},
    {"_Znam", "tutti_new"},
    {"_ZnwmRKSt9nothrow_t", "tutti_new_nothrow"},
    {"_ZnamRKSt9nothrow_t", "tutti_new_nothrow"},
    {"_ZnwmSt11align_val_t", "tutti_new_aligned"},
    {"_ZnamSt11align_val_t", "tutti_new_aligned"},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", "tutti_new_aligned_nothrow"},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", "tutti_new_aligned_nothrow"},
};

/// The same for OpenMP's questions about threads.
constexpr Replacement kThreads[] = {
    {"omp_get_max_threads", "tutti_get_max_threads"},
    {"omp_get_num_threads", "tutti_get_num_threads"},
    {"omp_in_parallel", "tutti_in_parallel"},
    {"omp_get_num_procs", "tutti_get_num_procs"},
    {"omp_set_num_threads", "tutti_set_num_threads"},
};

bool replaceFunctions(Module &module, ArrayRef<Replacement> replacements) {
  bool changed = false;
  for (auto [from, to] : replacements) {
    Function *original = module.getFunction(from);
    if (!original || !original->isDeclaration()) {
      continue;
    }
    FunctionCallee replacement =
        module.getOrInsertFunction(to, original->getFunctionType(), original->getAttributes());
    original->replaceAllUsesWith(replacement.getCallee());
    changed = true;
  }
  return changed;
}

/// Whether `module` has functions of its own in the place of the C or C++ library's. The runtime
/// allocates with them, too, at times when it cannot serve memory.
bool definesAllocation(const Module &module) {
  const auto isDefined = [&](StringRef name) {
    const Function *function = module.getFunction(name);
    return function && !function->isDeclaration() && !function->hasLocalLinkage();
  };
  return any_of(kAllocation, [&](const Replacement &each) { return isDefined(each.first); }) ||
         isDefined("free") || isDefined("_ZdlPv") || isDefined("_ZdaPv");
}

/// Keeps inline functions of C++, and instances of templates, from taking the place of those of
/// libraries: every library that uses one has its own. A driver's compiler would otherwise allocate
/// by the program's `std::string`, and take unified memory while a launch waits for it.
bool hideInlineFunctions(Module &module) {
  bool changed = false;
  for (Function &function : module) {
    if (function.hasLinkOnceODRLinkage() && function.hasDefaultVisibility()) {
      function.setVisibility(GlobalValue::HiddenVisibility);
      changed = true;
    }
  }
  return changed;
}

/// A variable of the user, writable and the same for all threads.
bool belongsToWindow(const GlobalVariable &variable) {
  const StringRef name = variable.getName();
  return !variable.isDeclaration() && !variable.isConstant() && !variable.isThreadLocal() &&
         !variable.hasSection() && !variable.hasCommonLinkage() &&
         !variable.hasAvailableExternallyLinkage() && !variable.hasAppendingLinkage() &&
         variable.getAddressSpace() == 0 && !name.starts_with("llvm.") &&
         !name.starts_with(".gomp_critical_user_") && !name.starts_with(".omp") &&
         !name.starts_with("__llvm") && !name.starts_with("__sanitizer") &&
         !name.starts_with("tutti");
}

/// `tutti_variable` of `variable`, for pointers into it whose origin only the runtime learns.
void list(GlobalVariable &variable) {
  Module &module = *variable.getParent();
  const std::uint64_t bytes = module.getDataLayout().getTypeAllocSize(variable.getValueType());
  // Nothing outside of a group may refer to a local variable that is dropped with the group.
  if (bytes == 0 || (variable.hasComdat() && variable.hasLocalLinkage())) {
    return;
  }
  Constant *size = ConstantInt::get(Type::getInt64Ty(module.getContext()), bytes);
  Constant *entry = ConstantStruct::getAnon({&variable, size});
  auto *listed = new GlobalVariable(module, entry->getType(), true, GlobalValue::PrivateLinkage,
                                    entry, "tutti.variable");
  listed->setSection(TUTTI_SECTION_VARIABLES);
  appendToCompilerUsed(module, {listed});
}

bool moveVariables(Module &module) {
  SmallVector<GlobalVariable *, 16> moved;
  for (GlobalVariable &variable : module.globals()) {
    if (!belongsToWindow(variable)) {
      continue;
    }
    const bool isZero = variable.getInitializer()->isNullValue();
    variable.setSection(isZero ? TUTTI_SECTION_BSS : TUTTI_SECTION_DATA);
    moved.push_back(&variable);
  }
  for (GlobalVariable *variable : moved) {
    list(*variable);
  }
  return !moved.empty();
}

/// The smallest array of which the runtime may protect a page.
constexpr std::uint64_t kPageBytes = 4096;

/// Whether a loop may get at a whole page of `memory`.
bool mayBeProtected(const AllocaInst &memory) {
  const std::optional<TypeSize> size = memory.getAllocationSize(memory.getDataLayout());
  const bool isLarge = !size || size->isScalable() || size->getFixedValue() >= kPageBytes;
  return isLarge && PointerMayBeCaptured(&memory, /*ReturnCaptures=*/false, /*StoreCaptures=*/true);
}

/// Tells the runtime where arrays on the stack end their lives.
bool markEnds(Function &function) {
  SmallVector<Instruction *, 4> ends;
  bool hasLarge = false;
  for (Instruction &inst : instructions(function)) {
    const auto *memory = dyn_cast<AllocaInst>(&inst);
    hasLarge = hasLarge || (memory && mayBeProtected(*memory));
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    if (isa<ReturnInst>(inst) ||
        (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::stackrestore)) {
      ends.push_back(&inst);
    }
  }
  if (!hasLarge) {
    return false;
  }
  Module &module = *function.getParent();
  IRBuilder<> build(module.getContext());
  const FunctionCallee leave =
      module.getOrInsertFunction("tutti_leave", build.getVoidTy(), build.getPtrTy());
  for (Instruction *end : ends) {
    Value *frame = nullptr;
    if (const auto *restore = dyn_cast<IntrinsicInst>(end)) {
      build.SetInsertPoint(end->getNextNode());
      frame = restore->getArgOperand(0);
    } else {
      Instruction *tail = end->getParent()->getTerminatingMustTailCall();
      build.SetInsertPoint(tail ? tail : end);
      frame =
          build.CreateIntrinsic(Intrinsic::frameaddress, {build.getPtrTy()}, {build.getInt32(0)});
    }
    build.SetCurrentDebugLocation(end->getDebugLoc());
    build.CreateCall(leave, {frame});
  }
  return true;
}

bool markEnds(Module &module) {
  bool changed = false;
  for (Function &function : module) {
    if (!function.isDeclaration() && !function.hasFnAttribute(Attribute::Naked)) {
      changed = markEnds(function) || changed;
    }
  }
  return changed;
}

} // namespace

PreservedAnalyses UnifyMemoryPass::run(Module &module, ModuleAnalysisManager &) {
  bool changed = replaceFunctions(module, kThreads);
  if (!definesAllocation(module)) {
    changed |= replaceFunctions(module, kAllocation);
    changed |= hideInlineFunctions(module);
    changed |= moveVariables(module);
  }
  changed |= markEnds(module);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
