// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/kernel_tasks.h"

#include "abi/abi.h"
#include "abi/backends.h"
#include "abi/listings.h"
#include "abi/tasks.h"
#include "compiler/ir/entry_points.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

constexpr StringLiteral kNamed = "tutti_task_kernel_named";
constexpr StringLiteral kBegin = "tutti_task_begin";

/// Takes the call away by which a task's function names its kernel. Null if it names none.
Function *takeKernel(Function &function, SmallPtrSetImpl<Function *> &seen) {
  if (function.isDeclaration() || !seen.insert(&function).second) {
    return nullptr;
  }
  CallBase *mark = nullptr;
  CallBase *named = nullptr;
  SmallVector<Function *, 4> outlined;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || isa<IntrinsicInst>(call)) {
      continue;
    }
    if (callee->getName() == kNamed) {
      mark = call;
    } else if (mark && !named) {
      named = call;
    } else if (callee->hasInternalLinkage() && callee->getName().starts_with(".omp_outlined.")) {
      outlined.push_back(callee);
    }
  }
  if (mark && named) {
    Function *kernel = named->getCalledFunction();
    for (CallBase *call : {mark, named}) {
      if (auto *invoke = dyn_cast<InvokeInst>(call)) {
        BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
        invoke->getUnwindDest()->removePredecessor(invoke->getParent());
      }
      call->eraseFromParent();
    }
    return kernel;
  }
  for (Function *each : outlined) {
    if (Function *kernel = takeKernel(*each, seen)) {
      return kernel;
    }
  }
  return nullptr;
}

/// `name` with `prefix` before what the user calls it: `_Z4axpyl` becomes
/// `_Z19__device_stub__axpyl`.
std::string stubName(StringRef name, StringRef prefix) {
  ItaniumPartialDemangler demangler;
  const std::string mangled = name.str();
  if (!demangler.partialDemangle(mangled.c_str())) {
    char *base = demangler.getFunctionBaseName(nullptr, nullptr);
    const std::string plain = base ? base : "";
    std::free(base);
    const std::string coded = std::to_string(plain.size()) + plain;
    if (const std::size_t at = mangled.find(coded); !plain.empty() && at != std::string::npos) {
      return mangled.substr(0, at) + std::to_string(prefix.size() + plain.size()) + prefix.str() +
             plain + mangled.substr(at + coded.size());
    }
  }
  return (prefix + name).str();
}

/// Writes the records of one construct.
class Writer {
public:
  Writer(Module &module, std::uint32_t device) : module_(module), device_(device) {}

  GlobalVariable *kernel(Function *kernel);
  void region(StringRef source, StringRef function);

private:
  /// Something that the program may have or not.
  Constant *weak(StringRef name, bool isHidden) {
    if (GlobalValue *known = module_.getNamedValue(name)) {
      if (known->isDeclaration()) {
        known->setLinkage(GlobalValue::ExternalWeakLinkage);
      }
      return known;
    }
    auto *variable = new GlobalVariable(module_, Type::getInt8Ty(context_), true,
                                        GlobalValue::ExternalWeakLinkage, nullptr, name);
    if (isHidden) {
      variable->setVisibility(GlobalValue::HiddenVisibility);
    }
    return variable;
  }

  Constant *string(StringRef text) {
    Constant *bytes = ConstantDataArray::getString(context_, text);
    auto *variable = new GlobalVariable(module_, bytes->getType(), true,
                                        GlobalValue::PrivateLinkage, bytes, ".tutti.string");
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return variable;
  }

  Constant *null() { return ConstantPointerNull::get(pointer_); }

  Constant *number(std::uint32_t value) {
    return ConstantInt::get(Type::getInt32Ty(context_), value);
  }

  Module &module_;
  LLVMContext &context_ = module_.getContext();
  PointerType *pointer_ = PointerType::getUnqual(context_);
  std::uint32_t device_;
};

/// A `tutti_task_kernel`.
GlobalVariable *Writer::kernel(Function *kernel) {
  Constant *name = null();
  Constant *stubs[2] = {null(), null()};
  Constant *functionOf = null();
  Constant *texts[2] = {null(), null()};
  if (kernel) {
    name = string(kernel->getName());
    StringRef section = TUTTI_SECTION_TEXTS;
    for (const abi::NativeStub &stub : abi::kNativeStubs) {
      if (stub.kind == device_) {
        section = TUTTI_SECTION_LISTINGS;
        stubs[0] = weak(kernel->getName(), false);
        stubs[1] = weak(stubName(kernel->getName(), stub.prefix), false);
        functionOf = weak(stub.functionOf, false);
      }
    }
    texts[0] = weak(("__start_" + section).str(), true);
    texts[1] = weak(("__stop_" + section).str(), true);
  }
  Constant *fields = ConstantStruct::getAnon(
      {number(device_), name, ConstantArray::get(ArrayType::get(pointer_, 2), stubs), functionOf,
       texts[0], texts[1]});
  return new GlobalVariable(module_, fields->getType(), true, GlobalValue::InternalLinkage, fields,
                            "kernel.tutti");
}

void Writer::region(StringRef source, StringRef function) {
  auto *three = ArrayType::get(Type::getInt32Ty(context_), 3);
  Constant *directive = ConstantStruct::getAnon(
      {number(device_), ConstantAggregateZero::get(three), ConstantAggregateZero::get(three)});
  auto *asked = new GlobalVariable(module_, directive->getType(), true, GlobalValue::PrivateLinkage,
                                   directive, ".tutti.directive");
  const std::uint64_t id =
      xxh3_64bits(module_.getSourceFileName() + "|" + source.str() + "|" + function.str());
  Constant *fields =
      ConstantStruct::get(EntryPoints(module_).regionType(),
                          {number(TUTTI_ABI_VERSION), number(TUTTI_REGION_TASK),
                           ConstantInt::get(Type::getInt64Ty(context_), id), string(source),
                           string(function), null(), number(0), number(0), null(), null(), null(),
                           null(), null(), null(), null(), asked, null()});
  auto *region = new GlobalVariable(module_, fields->getType(), true, GlobalValue::InternalLinkage,
                                    fields, "task.region.tutti");
  auto *entry = new GlobalVariable(module_, pointer_, true, GlobalValue::InternalLinkage, region,
                                   "task.entry.tutti");
  entry->setSection(TUTTI_SECTION_REGIONS);
  appendToCompilerUsed(module_, {entry});
}

/// What the description before `device` says of the place.
std::string sourceBefore(CallBase &device) {
  for (Instruction *each = &device; each; each = each->getPrevNode()) {
    auto *call = dyn_cast<CallBase>(each);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    StringRef text;
    if (callee && callee->getName() == kBegin &&
        getConstantStringInfo(call->getArgOperand(0), text)) {
      return text.str();
    }
  }
  return device.getModule()->getSourceFileName();
}

} // namespace

void describeDeviceTask(Module &module, CallBase &device, Function &entry) {
  SmallPtrSet<Function *, 4> seen;
  Function *kernel = takeKernel(entry, seen);
  Writer writer(module, static_cast<std::uint32_t>(
                            cast<ConstantInt>(device.getArgOperand(1))->getZExtValue()));
  device.setArgOperand(0, writer.kernel(kernel));
  writer.region(sourceBefore(device), kernel ? demangle(kernel->getName().str())
                                             : demangle(device.getFunction()->getName().str()));
}

} // namespace tutti::compiler::openmp
