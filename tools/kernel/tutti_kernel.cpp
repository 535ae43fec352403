// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutti-kernel: prints the kernels of a module (compiler/ir/kernel.h) as a device gets them.
#include "compiler/target/kernel_target.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace llvm;
using namespace tutti::compiler;

namespace {

cl::OptionCategory category("tutti-kernel options");
cl::opt<std::string> input(cl::Positional, cl::desc("<kernels as .ll or .bc>"), cl::init("-"),
                           cl::cat(category));
cl::opt<std::string> targetName("target", cl::desc("What to print (default: the first of them)"),
                                cl::cat(category));
cl::opt<unsigned> repeat("repeat", cl::desc("Translate so often, and print the shortest time"),
                         cl::init(0), cl::cat(category));

/// Null, with a message, if there is none of that name.
const target::KernelTarget *findTarget() {
  std::string names;
  for (const target::KernelTarget *target : target::kernelTargets()) {
    if (targetName.empty() || target::nameOf(*target) == targetName) {
      return target;
    }
    names += (names.empty() ? "" : ", ") + target::nameOf(*target).str();
  }
  errs() << "tutti-kernel: there is no target '" << targetName << "'; there are " << names << '\n';
  return nullptr;
}

void measure(const target::KernelTarget &target, const Module &module) {
  using Clock = std::chrono::steady_clock;
  auto best = Clock::duration::max();
  for (unsigned i = 0; i < repeat; ++i) {
    const auto start = Clock::now();
    (void)target::emitKernels(target, module);
    best = std::min(best, Clock::now() - start);
  }
  errs() << "tutti-kernel: " << std::chrono::duration_cast<std::chrono::microseconds>(best).count()
         << " us\n";
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Prints kernels as a device gets them\n");
  const target::KernelTarget *target = findTarget();
  if (!target) {
    return 1;
  }
  LLVMContext context;
  SMDiagnostic diagnostic;
  const std::unique_ptr<Module> module = parseIRFile(input, diagnostic, context);
  if (!module || verifyModule(*module, &errs())) {
    diagnostic.print("tutti-kernel", errs());
    return 1;
  }
  const target::KernelText text = target::emitKernels(*target, *module);
  if (!text.reason.empty()) {
    errs() << "tutti-kernel: no kernel, because it " << text.reason << '\n';
    return 2;
  }
  outs() << text.text;
  if (repeat > 0) {
    measure(*target, *module);
  }
  return 0;
}
