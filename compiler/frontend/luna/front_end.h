// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The whole way from a LuNA program's file to messages and C++.
#pragma once

#include "compiler/frontend/luna/messages.h"
#include "compiler/frontend/luna/preprocessor.h"

#include <string>
#include <string_view>

namespace tutti::compiler::luna {

struct FrontEndOptions {
  std::string path;
  PreprocessorOptions preprocessor;
  MessageOptions messages;
  bool onlyPublicLanguage = false; ///< `--std=luna`: additions get warnings.
  bool checksRun = false;          ///< `-fcheck`
};

struct FrontEndResult {
  bool isRight = false;
  std::string messages;
  std::string code;    ///< C++; empty if there are errors.
  std::string imports; ///< See `WrittenProgram`,
  std::string natives; ///< and these, too.
  std::string inPlace;
};

FrontEndResult compile(const FrontEndOptions &options, bool isSyntaxOnly);

/// What the name of a file ends with whose text is `FrontEndResult::inPlace`.
std::string_view extensionOfInPlace();

/// As `compile`, of a text that stands for the file.
FrontEndResult compileText(const FrontEndOptions &options, std::string program, bool isSyntaxOnly);

} // namespace tutti::compiler::luna
