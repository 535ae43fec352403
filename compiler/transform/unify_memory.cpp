// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/unify_memory.h"

#include "abi/abi.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
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

} // namespace

PreservedAnalyses UnifyMemoryPass::run(Module &module, ModuleAnalysisManager &) {
  bool changed = replaceFunctions(module, kThreads);
  if (!definesAllocation(module)) {
    changed |= replaceFunctions(module, kAllocation);
    changed |= moveVariables(module);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
