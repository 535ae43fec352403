// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/opencl/opencl.h"

#include "compiler/target/opencl/kernel_printer.h"
#include "compiler/target/prepare.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Endian.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

using namespace opencl;

// The runtime builds texts of several regions as one (runtime/device/opencl/kernel.h): kernels
// apart, each thing that a text declares is named after one of its kernels, or declared by the
// first text that wants it.

constexpr StringLiteral kNumberTypes[] = {"uchar", "ushort", "uint", "ulong", "float", "double"};

// `tutti_muladd`: C leaves to the implementation whether a * b + c is contracted, so it is where
// that is fast.
constexpr struct {
  StringLiteral name;
  StringLiteral text;
} kFunctions[] = {
    {"tutti_muladd", R"(#ifdef FP_FAST_FMA
#define tutti_muladd(a, b, c) fma(a, b, c)
#else
#define tutti_muladd(a, b, c) ((a) * (b) + (c))
#endif
)"},
    {"tutti_muladdf", R"(#ifdef FP_FAST_FMAF
#define tutti_muladdf(a, b, c) fma(a, b, c)
#else
#define tutti_muladdf(a, b, c) ((a) * (b) + (c))
#endif
)"},
    {"tutti_bitreverse", R"(#ifndef TUTTI_BITREVERSE
#define TUTTI_BITREVERSE
ulong tutti_bitreverse(ulong x) {
  x = (x >> 1 & 0x5555555555555555ul) | (x & 0x5555555555555555ul) << 1;
  x = (x >> 2 & 0x3333333333333333ul) | (x & 0x3333333333333333ul) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0ful) | (x & 0x0f0f0f0f0f0f0f0ful) << 4;
  return as_ulong(as_uchar8(x).s76543210);
}
#endif
)"},
};

bool usesVectors(const Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    return inst.getType()->isVectorTy() ||
           any_of(inst.operands(), [](const Use &use) { return use->getType()->isVectorTy(); });
  });
}

void splitVectors(Module &module) {
  if (none_of(module, usesVectors)) {
    return;
  }
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  FunctionPassManager clean;
  clean.addPass(ScalarizerPass(options));
  cantFail(builder.parsePassPipeline(clean, "instcombine<no-verify-fixpoint>,simplifycfg"));
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(clean)));
  passes.run(module, modules);
}

/// `__constant ulong NAME_k0[] = {...};`, or nothing if the bytes are not known yet.
std::string constantArray(const GlobalVariable &variable, StringRef name) {
  const DataLayout &layout = variable.getParent()->getDataLayout();
  const uint64_t size = layout.getTypeAllocSize(variable.getValueType());
  SmallVector<uint8_t> bytes(std::max<uint64_t>(8, alignTo(size, 8)));
  if (!bytesOf(*variable.getInitializer(), layout, bytes)) {
    return "";
  }
  std::string text = ("__constant ulong " + name + "[] = {").str();
  for (size_t i = 0; i < bytes.size(); i += 8) {
    text += (i == 0 ? "0x" : ", 0x") + utohexstr(support::endian::read64le(&bytes[i])) + "ul";
  }
  return text + "};\n";
}

std::string preamble(bool usesFp64, const StringSet<> &used) {
  std::string text = usesFp64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
  text += "#pragma OPENCL FP_CONTRACT OFF\n";
  for (const bool isDouble : {false, true}) {
    if (isDouble && !usesFp64) {
      continue;
    }
    const std::string guard = isDouble ? "TUTTI_ANY_DOUBLE" : "TUTTI_ANY";
    text += "#ifndef " + guard + "\n#define " + guard + "\n";
    for (const StringLiteral type : kNumberTypes) {
      if ((type == "double") == isDouble) {
        text += ("typedef " + type + " any_" + type + " __attribute__((may_alias));\n").str();
      }
    }
    text += "#endif\n";
  }
  for (const auto &function : kFunctions) {
    text += used.contains(function.name) ? function.text : "";
  }
  return text;
}

// PoCL fails on some kernels with barriers in loops and under conditions.
constexpr bool kHasFreeBarriers = false;

KernelText print(Module &module) {
  KernelText result;
  for (Function &function : make_early_inc_range(module)) {
    if (!isTranslated(function, kHasFreeBarriers)) {
      function.eraseFromParent();
    }
  }
  splitVectors(module);
  result.usesFp64 = usesFp64(module);
  const auto named = find_if(module, [](const Function &f) { return !f.isDeclaration(); });
  const std::string prefix = named == module.end() ? "" : named->getName().str() + "_k";
  std::string constants;
  DenseMap<const GlobalVariable *, std::string> names;
  for (const GlobalVariable &variable : module.globals()) {
    const std::string name = prefix + utostr(names.size());
    names[&variable] = "((__constant uchar *)" + name + ")";
    const std::string array = constantArray(variable, name);
    if (array.empty()) {
      result.reason = "has a table of addresses";
      return result;
    }
    constants += array;
  }
  std::string text;
  StringSet<> used;
  for (const Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    Expressions expressions(function, module.getDataLayout());
    for (const auto &[variable, name] : names) {
      expressions.name(*variable, name);
    }
    text += KernelPrinter(function, expressions).print();
    if (!expressions.reason().empty()) {
      result.reason = expressions.reason();
      return result;
    }
    for (const auto &entry : expressions.used()) {
      used.insert(entry.getKey());
    }
  }
  result.text = preamble(result.usesFp64, used) + constants + text;
  return result;
}

} // namespace

const KernelTarget opencl::kTarget{TUTTI_KERNEL_OPENCL_C, /*changesKernels=*/true, kHasFreeBarriers,
                                   [](Module &kernels) { return KernelDraft{print(kernels), {}}; }};

} // namespace tutti::compiler::target
