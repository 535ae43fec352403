// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutti-luna-cpp: writes a LuNA program as C++ with tables of its fragments. Run by tuttic-luna:
///
///     tutti-luna-cpp OUTPUT OPTIONS... PROGRAM
///
/// OUTPUT is empty if only the messages are wanted. Beside it OUTPUT.imports names the procedures
/// of other files that the program calls, and OUTPUT.natives.h declares their versions for devices;
/// see `WrittenProgram`.
#include "compiler/frontend/luna/front_end.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace {

using tutti::compiler::luna::FrontEndOptions;

/// One option that is followed by its value, in one word or two.
bool takesValue(std::string_view word, std::string_view option, int argc, char **argv, int &at,
                std::string &value) {
  if (!word.starts_with(option)) {
    return false;
  }
  value = word.substr(option.size());
  if (value.empty() && at + 1 < argc) {
    value = argv[++at];
  }
  return true;
}

FrontEndOptions readOptions(int argc, char **argv) {
  FrontEndOptions options;
  constexpr std::string_view kDisable = "--disable-warning=";
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::string value;
    if (takesValue(word, "-I", argc, argv, i, value)) {
      options.preprocessor.includeFolders.push_back(value);
    } else if (takesValue(word, "-D", argc, argv, i, value)) {
      const std::size_t equals = value.find('=');
      options.preprocessor.definitions.emplace_back(
          value.substr(0, equals), equals == std::string::npos ? "" : value.substr(equals + 1));
    } else if (word == "-Werror") {
      options.messages.warningsAreErrors = true;
    } else if (word == "-w") {
      options.messages.noWarnings = true;
    } else if (word == "--std=luna") {
      options.onlyPublicLanguage = true;
    } else if (word == "-fcheck") {
      options.checksRun = true;
    } else if (word.starts_with(kDisable)) {
      options.messages.disabled.emplace(word.substr(kDisable.size()));
    } else {
      options.path = word;
    }
  }
  return options;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fputs("usage: tutti-luna-cpp OUTPUT OPTIONS... PROGRAM\n", stderr);
    return EXIT_FAILURE;
  }
  const std::string output = argv[1];
  const auto result = tutti::compiler::luna::compile(readOptions(argc, argv), output.empty());
  std::fputs(result.messages.c_str(), stderr);
  if (!result.isRight) {
    return EXIT_FAILURE;
  }
  if (!output.empty()) {
    std::ofstream code(output);
    std::ofstream imports(output + ".imports");
    std::ofstream natives(output + ".natives.h");
    const std::string own =
        output + ".own" + std::string(tutti::compiler::luna::extensionOfInPlace());
    std::remove(own.c_str()); // The driver takes it if it is there.
    std::ofstream inPlace;
    if (!result.inPlace.empty()) {
      inPlace.open(own);
    }
    if (!(code << result.code << std::flush) || !(imports << result.imports << std::flush) ||
        !(natives << result.natives << std::flush) ||
        !(inPlace << result.inPlace << std::flush || result.inPlace.empty())) {
      std::fprintf(stderr, "error: cannot write %s\n", output.c_str());
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
