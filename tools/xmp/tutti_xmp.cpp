// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutti-xmp: writes one file of C with XcalableMP as C that Clang compiles. Run by tutticc:
///
///     tutti-xmp OUTPUT CLANG ARGUMENTS...
///
/// ARGUMENTS are those that Clang would get for the file, with one input.
#include "compiler/frontend/xmp/front_end.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

int main(int argc, char **argv) {
  if (argc < 4) {
    llvm::errs() << "usage: tutti-xmp OUTPUT CLANG ARGUMENTS...\n";
    return EXIT_FAILURE;
  }
  llvm::SmallVector<const char *, 64> arguments(argv + 2, argv + argc);
  arguments.push_back("-fsyntax-only"); // One job, whatever the program asks for.
  clang::CompilerInstance compiler;
  compiler.createDiagnostics();
  clang::CreateInvocationOptions options;
  options.Diags = &compiler.getDiagnostics();
  std::shared_ptr<clang::CompilerInvocation> invocation =
      clang::createInvocation(arguments, std::move(options));
  if (!invocation || compiler.getDiagnostics().hasErrorOccurred()) {
    return EXIT_FAILURE;
  }
  compiler.setInvocation(std::move(invocation));
  compiler.createDiagnostics();
  tutti::compiler::xmp::WriteAction action(argv[1]);
  return compiler.ExecuteAction(action) ? EXIT_SUCCESS : EXIT_FAILURE;
}
