// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/front_end.h"

#include "compiler/frontend/luna/checker.h"
#include "compiler/frontend/luna/lexer.h"
#include "compiler/frontend/luna/parser.h"
#include "compiler/frontend/luna/prover.h"
#include "compiler/frontend/luna/words.h"
#include "compiler/frontend/luna/writer.h"

namespace tutti::compiler::luna {

namespace {

/// The program is the first file of `sources`.
FrontEndResult compileFile(Sources &sources, const FrontEndOptions &options, bool isSyntaxOnly) {
  FrontEndResult result;
  Messages messages(sources, options.messages);
  const auto finish = [&] {
    result.isRight = !messages.hasErrors();
    result.messages = messages.print();
    return result;
  };
  // Each step wants what the one before it found right: else its errors would follow from others.
  const PreprocessedProgram text = preprocess(sources, 0, options.preprocessor, messages);
  if (messages.hasErrors()) {
    return finish();
  }
  const std::vector<Token> tokens = readTokens(text, messages);
  if (messages.hasErrors()) {
    return finish();
  }
  Program program = parse(text, tokens, messages);
  if (messages.hasErrors()) {
    return finish();
  }
  if (options.onlyPublicLanguage) {
    for (const Addition &addition : program.additions) {
      messages.warning(text.text.locate(addition.at), "W-STD",
                       std::string(addition.what) + " is an addition to the language");
    }
  }
  for (const Position chain : program.chains) {
    messages.warning(text.text.locate(chain), "W-CHAIN",
                     "the public compiler takes what is in front of this '?' as its condition; "
                     "parentheses say what is meant");
  }
  check(program, text.text, messages);
  if (!messages.isWrong()) {
    warnOfTheRun(program, text.text, messages);
  }
  if (!isSyntaxOnly && !messages.hasErrors()) {
    WrittenProgram written = write(program, text, sources, options.checksRun);
    result.code = std::move(written.code);
    result.imports = std::move(written.imports);
    result.natives = std::move(written.natives);
    result.inPlace = std::move(written.inPlace);
  }
  return finish();
}

} // namespace

FrontEndResult compile(const FrontEndOptions &options, bool isSyntaxOnly) {
  Sources sources;
  std::uint32_t file = 0;
  if (!sources.read(options.path, file)) {
    FrontEndResult result;
    result.messages = "fatal error: failed to read " + options.path + "\n";
    return result;
  }
  return compileFile(sources, options, isSyntaxOnly);
}

std::string_view extensionOfInPlace() { return kDeviceExtension; }

FrontEndResult compileText(const FrontEndOptions &options, std::string program, bool isSyntaxOnly) {
  Sources sources;
  sources.add(options.path, std::move(program));
  return compileFile(sources, options, isSyntaxOnly);
}

} // namespace tutti::compiler::luna
