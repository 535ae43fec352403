// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/luna_build.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace tutti::driver {

namespace {

namespace fs = std::filesystem;

bool isLuna(const Word &word) {
  return word.isInput && (word.language.empty() || word.language == "none") &&
         fs::path(word.text).extension() == ".fa";
}

/// Options that only the step understands.
bool isOfStep(std::string_view option) {
  return option == "--std=luna" || option == "-fcheck" || option.starts_with("--disable-warning=");
}

/// Options that the step obeys as the compiler does.
bool isOfBoth(std::string_view option) {
  return option.starts_with("-I") || option.starts_with("-D") || option == "-Werror" ||
         option == "-w";
}

bool isSyntaxOnly(std::string_view option) {
  return option == "-fsyntax-only" || option == "--syntax-only";
}

/// Each source gives a file of its own, in the working directory.
bool isPerSource(std::string_view option) {
  return option == "-c" || option == "--compile" || option == "-S" || option == "--assemble";
}

/// What is wrong if `program` and another source give the same file.
std::string sameOutput(const std::vector<Word> &words, const std::string &program) {
  const bool isSeparate = std::ranges::any_of(
      words, [](const Word &word) { return !word.isInput && isPerSource(word.text); });
  for (const Word &word : words) {
    const fs::path path(word.text);
    if (isSeparate && word.isInput && !isLuna(word) && path.stem() == fs::path(program).stem() &&
        path.extension() != ".o" && path.extension() != ".a" && path.extension() != ".so") {
      return program + " and " + path.string() +
             " would be written to the same file: " + path.stem().string() +
             ".*; compile them apart, with -o";
    }
  }
  return {};
}

struct Import {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string types; ///< Letters of abi/luna.h, and of `WrittenProgram`.
};

/// The first letter of a version for devices that the program may bring.
constexpr char kOwnVersion = 'Q';

std::map<std::string, Import> readImports(const std::string &text) {
  std::map<std::string, Import> imports;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    Import import;
    std::getline(fields, name, '\t');
    std::getline(fields, import.file, '\t');
    fields >> import.line >> import.column >> import.types;
    imports.emplace(name, import); // The first of several imports of one procedure.
  }
  return imports;
}

/// An error at an import, with the line and a mark.
std::string errorAt(const Import &import, const std::string &text) {
  std::string message = import.file + ":" + std::to_string(import.line) + ":" +
                        std::to_string(import.column) + ": error: " + text + "\n";
  std::ifstream file(import.file);
  std::string source;
  for (std::size_t i = 0; i < import.line; ++i) {
    std::getline(file, source);
  }
  if (file) {
    std::string mark = source.substr(0, import.column - 1);
    std::ranges::replace_if(mark, [](char letter) { return letter != '\t'; }, ' ');
    message += source + "\n" + mark + "^\n";
  }
  return message;
}

std::string missingProcedure(const std::string &name, const Import &import) {
  return errorAt(import, "no procedure '" + name + "' (imported at line " +
                             std::to_string(import.line) + ") [E-CODE]");
}

/// Those of a version for devices, as C++ has them.
std::string nativeTypes(const std::string &letters) {
  const std::map<char, std::string> names = {{'Q', "luna::gpu::Queue &"},
                                             {'V', "const luna::gpu::In &"},
                                             {'N', "luna::gpu::Out &"},
                                             {'i', "int"},
                                             {'r', "double"},
                                             {'s', "const char *"}};
  std::string types;
  for (const char letter : letters) {
    types += (types.empty() ? "" : ", ") + names.at(letter);
  }
  return "(" + types + ")";
}

/// The function that has other types than a declaration before it, if a line of a compiler says so.
std::string mismatchedFunction(const std::string &line) {
  constexpr auto kForms = std::to_array<std::array<std::string_view, 2>>(
      {{"error: more than one instance of overloaded function \"", "\" has \"C\" linkage"},
       {"error: conflicting types for '", "'"}});
  for (const auto &[before, behind] : kForms) {
    const std::size_t at = line.find(before);
    const std::size_t end = line.find(behind, at == std::string::npos ? at : at + before.size());
    if (end != std::string::npos) {
      return line.substr(at + before.size(), end - at - before.size());
    }
  }
  return {};
}

/// The symbol that a line of a linker misses; empty if it is about something else.
std::string missingSymbol(const std::string &line) {
  for (const std::string_view text : {"undefined reference to ", "undefined symbol: "}) {
    const std::size_t at = line.find(text);
    if (at != std::string::npos) {
      std::string name = line.substr(at + text.size());
      std::erase_if(name, [](char letter) { return letter == '`' || letter == '\''; });
      return name;
    }
  }
  return {};
}

bool isContext(const std::string &line) {
  return line.find(": in function `") != std::string::npos || line.starts_with(">>> ");
}

} // namespace

LunaBuild planLunaBuild(const std::vector<std::string> &arguments, const Installation &installation,
                        const std::string &folder) {
  LunaBuild build;
  Command step;
  Command rest;
  std::string program;
  bool onlyMessages = false;
  const std::vector<Word> words = wordsOf(arguments);
  for (const Word &word : words) {
    if (isLuna(word)) {
      if (!program.empty()) {
        build.problem = "multiple programs specified: " + program + ", " + std::string(word.text);
        return build;
      }
      program = word.text;
      rest.push_back(folder + "/" + fs::path(word.text).stem().string() + ".cpp");
      continue;
    }
    onlyMessages |= isSyntaxOnly(word.text);
    for (std::size_t i = 0; i < word.count && word.at + i < arguments.size(); ++i) {
      if (!word.isInput && (isOfStep(word.text) || isOfBoth(word.text))) {
        step.push_back(arguments[word.at + i]);
      }
      if (word.isInput || !isOfStep(word.text)) {
        rest.push_back(arguments[word.at + i]);
      }
    }
  }
  if (program.empty()) {
    build.problem = "no program specified";
    return build;
  }
  build.problem = sameOutput(words, program);
  if (!build.problem.empty()) {
    return build;
  }
  const std::string written = folder + "/" + fs::path(program).stem().string() + ".cpp";
  build.imports = written + ".imports";
  build.own = written + ".own.";
  build.step = {installation.libraryDir + "/tutti-luna-cpp", onlyMessages ? "" : written};
  build.step.insert(build.step.end(), step.begin(), step.end());
  build.step.push_back(program);
  if (onlyMessages) {
    return build;
  }
  const fs::path own = fs::path(program).parent_path();
  build.compile = {installation.libraryDir + "/../../bin/tuttic++", "-DTUTTI_LUNA",
                   "-fplugin-arg-tutti-luna-imports=" + build.imports, "-idirafter",
                   installation.libraryDir + "/../../include/tutti/luna",
                   // Says nothing but to compilers for devices.
                   "-include", written + ".natives.h",
                   // Code in the program may include what stands beside it.
                   "-iquote", own.empty() ? "." : own.string()};
  build.compile.insert(build.compile.end(), rest.begin(), rest.end());
  return build;
}

bool namesOwnVersions(const std::string &imports) {
  return std::ranges::any_of(readImports(imports), [](const auto &import) {
    return import.second.types.starts_with(kOwnVersion);
  });
}

std::string withMissingProcedures(const std::string &said, const std::string &imports) {
  const std::map<std::string, Import> known = readImports(imports);
  std::set<std::string> missing;
  std::string rest;
  std::string held;
  std::string ending;
  bool isExplained = true; // By missing procedures alone.
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    const auto mismatched = known.find(mismatchedFunction(line));
    if (mismatched != known.end() && mismatched->second.types.starts_with(kOwnVersion)) {
      rest += errorAt(mismatched->second, "'" + mismatched->first +
                                              "' has other C++ types than the import says, " +
                                              nativeTypes(mismatched->second.types) + " [E-SIG]");
    }
    const std::string symbol = missingSymbol(line);
    if (known.contains(symbol)) {
      missing.insert(symbol);
      held.clear();
    } else if (isContext(line)) {
      held += line + "\n";
    } else if (line.find("linker command failed") != std::string::npos) {
      ending += line + "\n";
    } else {
      isExplained = false;
      rest += held + line + "\n";
      held.clear();
    }
  }
  rest += isExplained && !missing.empty() ? "" : held + ending;
  std::string messages;
  for (const std::string &name : missing) {
    messages += missingProcedure(name, known.at(name));
  }
  return messages + rest;
}

} // namespace tutti::driver
