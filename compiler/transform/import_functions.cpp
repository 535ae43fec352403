// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/import_functions.h"

#include "compiler/analysis/missing_functions.h"
#include "compiler/ir/forks.h"
#include "compiler/transform/carry_code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr StringLiteral kSuffix = ".imported";

/// More than loops call: what is behind it stays where it is.
constexpr unsigned kMostFunctions = 200;

/// A function with all that it uses of its file's own.
class Closure {
public:
  explicit Closure(const Function &function) : function_(function) {}

  /// Whether there may be a copy of all of it in another file.
  bool collect() {
    taken_.insert(&function_);
    for (unsigned at = 0; at < taken_.size(); ++at) {
      if (!takeUses(*taken_[at])) {
        return false;
      }
    }
    return true;
  }

  bool contains(const GlobalValue &value) const { return taken_.contains(&value); }

private:
  bool takeUses(const GlobalValue &value) {
    if (const auto *variable = dyn_cast<GlobalVariable>(&value)) {
      return takeConstant(*variable->getInitializer());
    }
    return all_of(instructions(cast<Function>(value)), [&](const Instruction &inst) {
      return all_of(inst.operand_values(), [&](const Value *operand) {
        return !isa<Constant>(operand) || takeConstant(*cast<Constant>(operand));
      });
    });
  }

  /// All that `constant` is made of.
  bool takeConstant(const Constant &constant) {
    if (const auto *value = dyn_cast<GlobalValue>(&constant)) {
      return take(*value);
    }
    return !isa<BlockAddress>(constant) &&
           all_of(constant.operand_values(),
                  [&](const Value *each) { return takeConstant(*cast<Constant>(each)); });
  }

  bool take(const GlobalValue &value) {
    if (value.isThreadLocal() || isa<GlobalAlias, GlobalIFunc>(value)) {
      return false;
    }
    if (value.isDeclarationForLinker()) {
      return true;
    }
    if (!value.hasLocalLinkage() && !value.hasLinkOnceODRLinkage()) {
      return true; // Its file has it in any case.
    }
    const auto *variable = dyn_cast<GlobalVariable>(&value);
    if (variable && !variable->isConstant()) {
      return false; // The program has one of it.
    }
    taken_.insert(&value);
    return true;
  }

  const Function &function_;
  SmallSetVector<const GlobalValue *, 16> taken_;
};

/// Erases those of `values` that stand for others and that nothing uses any more.
template <typename Range> void eraseUnused(Range &&values) {
  for (GlobalValue &value : make_early_inc_range(values)) {
    value.removeDeadConstantUsers();
    if (value.use_empty() && (value.isDeclaration() || isa<GlobalAlias, GlobalIFunc>(value))) {
      value.eraseFromParent();
    }
  }
}

/// Makes declarations of all of `module` but `kept`.
void reduceTo(Module &module, const Closure &kept) {
  for (const char *list : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                           "llvm.global_dtors", "llvm.global.annotations"}) {
    if (GlobalVariable *variable = module.getNamedGlobal(list)) {
      variable->eraseFromParent();
    }
  }
  module.setModuleInlineAsm("");
  for (Function &function : module) {
    if (!function.isDeclaration() && !kept.contains(function)) {
      function.deleteBody();
      function.setComdat(nullptr);
    }
  }
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.isDeclaration() && !kept.contains(variable)) {
      variable.setInitializer(nullptr);
      variable.setLinkage(GlobalValue::ExternalLinkage);
      variable.setComdat(nullptr);
    }
  }
  eraseUnused(module.aliases());
  eraseUnused(module.ifuncs());
  eraseUnused(module.functions());
  eraseUnused(module.globals());
}

bool isForDebuggers(const Module &module) {
  return any_of(module.debug_compile_units(), [](const DICompileUnit *unit) {
    return unit->getEmissionKind() != DICompileUnit::NoDebug;
  });
}

class Importer {
public:
  Importer(Module &module, DefinitionOf definitionOf)
      : module_(module), definitionOf_(definitionOf), roots_(startedFunctions(module)) {}

  bool importAll() {
    while (Function *wanted = next()) {
      tried_.insert(wanted->getName());
      std::unique_ptr<Module> source = definitionOf_(wanted->getName());
      if (Function *copy = source ? copyOf(*wanted, std::move(source)) : nullptr) {
        copies_[wanted] = copy;
        while (callCopies()) { // What has become reachable may call others of them.
        }
      }
    }
    markRoots();
    return !copies_.empty();
  }

private:
  /// A function that is missing and has not been looked for.
  Function *next() {
    if (copies_.size() >= kMostFunctions) {
      return nullptr;
    }
    for (Function *root : roots_) {
      for (Function *missing : missingFunctions(*root)) {
        if (!tried_.contains(missing->getName())) {
          return missing;
        }
      }
    }
    return nullptr;
  }

  /// A copy of `wanted`, which `source` defines, or null.
  Function *copyOf(const Function &wanted, std::unique_ptr<Module> source) {
    Function *function = source->getFunction(wanted.getName());
    Closure closure(*function);
    if (function->getFunctionType() != wanted.getFunctionType() || !closure.collect()) {
      return nullptr;
    }
    reduceTo(*source, closure);
    if (isForDebuggers(*source) && !isForDebuggers(module_)) {
      StripDebugInfo(*source);
    }
    const std::string name = (wanted.getName() + kSuffix).str();
    function->setName(name);
    function->setLinkage(GlobalValue::ExternalLinkage);
    function->setComdat(nullptr);
    if (Linker::linkModules(module_, std::move(source))) {
      return nullptr;
    }
    Function *copy = module_.getFunction(name);
    copy->setVisibility(GlobalValue::DefaultVisibility);
    copy->setLinkage(GlobalValue::InternalLinkage);
    return copy;
  }

  /// In parallel constructs and tasks alone: the rest of the file stays as it was compiled.
  bool callCopies() {
    bool hasChanged = false;
    for (Function *root : roots_) {
      for (Function *reached : reachedFunctions(*root)) {
        for (Instruction &inst : instructions(*reached)) {
          auto *call = dyn_cast<CallBase>(&inst);
          if (Function *copy = call ? copies_.lookup(call->getCalledFunction()) : nullptr) {
            call->setCalledFunction(copy);
            hasChanged = true;
          }
        }
      }
    }
    return hasChanged;
  }

  /// Tells later passes which regions are others than before.
  void markRoots() {
    if (copies_.empty()) {
      return;
    }
    module_.addModuleFlag(Module::Max, kImporting, 1);
    for (Function *root : roots_) {
      if (any_of(reachedFunctions(*root),
                 [](Function *each) { return each->getName().ends_with(kSuffix); })) {
        root->addFnAttr(kImporting);
      }
    }
  }

  Module &module_;
  DefinitionOf definitionOf_;
  SetVector<Function *> roots_;
  StringSet<> tried_;
  SmallDenseMap<Function *, Function *, 8> copies_; ///< Of functions that the module declares.
};

} // namespace

bool importFunctions(Module &module, DefinitionOf definitionOf) {
  return Importer(module, definitionOf).importAll();
}

} // namespace tutti::compiler
