// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutti-kernel: prints the kernels of a module (compiler/ir/kernel.h) as a device gets them.
#include "compiler/target/opencl/opencl.h"
#include "compiler/target/ptx/ptx.h"

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

enum class Format { Ptx, OpenClC };

cl::OptionCategory category("tutti-kernel options");
cl::opt<std::string> input(cl::Positional, cl::desc("<kernels as .ll or .bc>"), cl::init("-"),
                           cl::cat(category));
cl::opt<Format> format("target", cl::desc("What to print:"), cl::init(Format::Ptx),
                       cl::values(clEnumValN(Format::Ptx, "ptx", "PTX"),
                                  clEnumValN(Format::OpenClC, "opencl", "OpenCL C")),
                       cl::cat(category));
cl::opt<unsigned> repeat("repeat", cl::desc("Translate so often, and print the shortest time"),
                         cl::init(0), cl::cat(category));

target::KernelText translate(const Module &module) {
  return format == Format::Ptx ? target::emitPtx(module) : target::emitOpenClC(module);
}

void measure(const Module &module) {
  using Clock = std::chrono::steady_clock;
  auto best = Clock::duration::max();
  for (unsigned i = 0; i < repeat; ++i) {
    const auto start = Clock::now();
    (void)translate(module);
    best = std::min(best, Clock::now() - start);
  }
  errs() << "tutti-kernel: " << std::chrono::duration_cast<std::chrono::microseconds>(best).count()
         << " us\n";
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Prints kernels as a device gets them\n");
  LLVMContext context;
  SMDiagnostic diagnostic;
  const std::unique_ptr<Module> module = parseIRFile(input, diagnostic, context);
  if (!module || verifyModule(*module, &errs())) {
    diagnostic.print("tutti-kernel", errs());
    return 1;
  }
  const target::KernelText text = translate(*module);
  if (!text.reason.empty()) {
    errs() << "tutti-kernel: no kernel, because it " << text.reason << '\n';
    return 2;
  }
  outs() << text.text;
  if (repeat > 0) {
    measure(*module);
  }
  return 0;
}
