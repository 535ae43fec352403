// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns C with XcalableMP into C with calls of abi/xmp.h: the step in front of the compiler.
#pragma once

#include "clang/Frontend/FrontendAction.h"

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

} // namespace tutti::compiler::xmp
