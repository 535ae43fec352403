// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns C with XcalableMP into C with calls of abi/xmp.h: the step in front of the compiler.
#pragma once

#include "clang/Frontend/FrontendAction.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace tutti::compiler::xmp {

/// Writes the program to the compiler's output file, if there are no errors. OpenMP and all other
/// pragmas go through as they are.
class WriteAction : public clang::ASTFrontendAction {
public:
  explicit WriteAction(std::string output) : output_(std::move(output)) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override;
  bool BeginInvocation(clang::CompilerInstance &compiler) override;
  void ExecuteAction() override;

private:
  std::string output_; ///< "-": standard output.
};

/// The step as a program: writes one file of C with XcalableMP as C that Clang compiles.
///
/// \param arguments the output, the path of Clang, and what Clang would be given for the file, with
///   one input.
/// \returns the exit status.
int writeAsC(llvm::ArrayRef<const char *> arguments);

} // namespace tutti::compiler::xmp
