// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/xmp_build.h"

#include "driver/command_line.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tutti::driver {

namespace {

namespace fs = std::filesystem;

/// What asks for something else than code, or for code in another form; the step has a form of its
/// own.
constexpr auto kProducts = std::to_array<std::string_view>(
    {"-E", "-S", "--preprocess", "--assemble", "-emit-llvm", "-fsyntax-only", "--syntax-only"});

bool hasPragma(const std::string &path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    std::string third;
    words >> first >> second;
    if (first == "#") {
      first += second;
      words >> second;
    }
    words >> third;
    if (first == "#pragma" && second == "xmp") {
      return true;
    }
  }
  return false;
}

bool isXmp(const Word &word, const CompileRequest &request) {
  const bool isC = word.language.empty() || word.language == "none"
                       ? fs::path(word.text).extension() == ".c"
                       : word.language == "c";
  if (!word.isInput || !isC || request.xmp == Xmp::Ignored) {
    return false;
  }
  return request.xmp == Xmp::On || hasPragma(std::string(word.text));
}

bool isDependenciesOnly(const std::vector<std::string> &arguments) {
  return std::ranges::any_of(arguments, [](const std::string &argument) {
    return argument == "-M" || argument == "-MM" || argument == "--dependencies" ||
           argument == "--user-dependencies";
  });
}

/// Everything but the inputs and what asks for a product.
Command commonArguments(const std::vector<std::string> &arguments) {
  Command common;
  for (const Word &word : wordsOf(arguments)) {
    const bool isProduct = std::ranges::find(kProducts, word.text) != kProducts.end();
    const bool isOurs = word.text == "-fxmp" || word.text == "-fno-xmp" || word.text == "--";
    // Libraries, and what is for the linker, stand for nothing here.
    const bool isLinked = word.text.starts_with("-l") || word.text.starts_with("-Wl,") ||
                          word.text == "-Xlinker" || word.text == "-x" ||
                          word.text.starts_with("-x");
    if (word.isInput || isProduct || isOurs || isLinked || isOmpSsOption(word.text)) {
      continue;
    }
    for (std::size_t i = 0; i < word.count && word.at + i < arguments.size(); ++i) {
      common.push_back(arguments[word.at + i]);
    }
  }
  return common;
}

} // namespace

bool hasXmpSources(const std::vector<std::string> &arguments, const CompileRequest &request) {
  const std::vector<Word> words = wordsOf(arguments);
  return !isDependenciesOnly(arguments) &&
         std::ranges::any_of(words, [&](const Word &word) { return isXmp(word, request); });
}

XmpBuild planXmpBuild(const std::vector<std::string> &arguments, const CompileRequest &request,
                      const Installation &installation, const std::string &folder) {
  XmpBuild build;
  const bool isPrinted = std::ranges::any_of(arguments, [](const std::string &argument) {
    return argument == "-E" || argument == "--preprocess";
  });
  Command common = {"--start-no-unused-arguments", "-fopenmp=libomp"};
  std::ranges::move(commonArguments(arguments), std::back_inserter(common));
  std::ranges::move(xmpIncludes(installation), std::back_inserter(common));
  std::string output = "-";
  for (const Word &word : wordsOf(arguments)) {
    output = word.text == "-o" ? std::string(word.value)
             : !word.isInput && word.text.starts_with("-o") && word.text.size() > 2
                 ? std::string(word.text.substr(2))
                 : output;
  }
  int inputs = 0;
  for (const Word &word : wordsOf(arguments)) {
    if (!isXmp(word, request)) {
      inputs += word.isInput ? 1 : 0;
      for (std::size_t i = 0; i < word.count && word.at + i < arguments.size(); ++i) {
        build.arguments.push_back(arguments[word.at + i]);
      }
      continue;
    }
    const fs::path source(word.text);
    // Clang names what it makes by the file's name.
    const std::string own = folder + "/" + std::to_string(build.folders.size());
    const std::string written = own + "/" + source.stem().string() + ".i";
    build.folders.push_back(own);
    Command command = {installation.libraryDir + "/tutti-clang", "--xmp",
                       isPrinted ? output : written, installation.clang};
    command.insert(command.end(), common.begin(), common.end());
    command.insert(command.end(), {"-x", "c", std::string(word.text)});
    build.commands.push_back(std::move(command));
    if (!isPrinted) {
      // By its name Clang knows what it is, unless the user says that files are something else.
      if (word.language.empty() || word.language == "none") {
        build.arguments.push_back(written);
      } else {
        build.arguments.insert(build.arguments.end(),
                               {"-x", "cpp-output", written, "-x", std::string(word.language)});
      }
      ++inputs;
    }
  }
  build.needsClang = inputs > 0;
  // Options of the preprocessor have been used up, and places are not said as standard C says them.
  build.arguments.insert(build.arguments.begin(), {"-Qunused-arguments", "-Wno-gnu-line-marker"});
  return build;
}

Command joined(const std::vector<Command> &commands) {
  Command whole = {commands.front().front()};
  for (std::size_t at = 0; at < commands.size(); ++at) {
    const Command &command = commands[at];
    if (at + 1 < commands.size()) {
      whole.insert(whole.end(), {"--first", std::to_string(command.size() - 1)});
    }
    whole.insert(whole.end(), command.begin() + 1, command.end());
  }
  return whole;
}

} // namespace tutti::driver
