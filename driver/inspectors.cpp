// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/inspectors.h"

#include <algorithm>
#include <filesystem>

namespace tutti::driver {

namespace {

using Words = std::vector<std::string>;

std::string nameOf(const std::string &word) {
  return std::filesystem::path(word).filename().string();
}

/// Where the inspector stands, or would stand.
std::size_t indexOf(const Words &program) {
  if (program.empty() || nameOf(program[0]) != "xterm") {
    return 0;
  }
  const auto option = std::ranges::find(program, "-e");
  return option == program.end() ? 0 : static_cast<std::size_t>(option - program.begin()) + 1;
}

/// What stands between the inspector and the program that it inspects.
Words optionsBehind(const Words &program, std::size_t inspector) {
  const auto begin = program.begin() + static_cast<std::ptrdiff_t>(inspector) + 1;
  return {begin, std::find_if(begin, program.end(),
                              [](const std::string &word) { return !word.starts_with('-'); })};
}

bool has(const Words &options, std::string_view option) {
  return std::ranges::any_of(options,
                             [&](const std::string &word) { return word.starts_with(option); });
}

Words gdbOptions() {
  Words options;
  for (const char *command : {"handle SIGSEGV nostop noprint pass", "set breakpoint pending on",
                              "break tutti_at_crash"}) {
    options.insert(options.end(), {"-iex", command});
  }
  return options;
}

Words valgrindOptions(const Words &given, int ranks, std::string_view suppressions) {
  Words options;
  const bool isMemcheck = !has(given, "--tool=") || has(given, "--tool=memcheck");
  if (isMemcheck && ranks > 1 && !has(given, "--leak-check")) {
    options.emplace_back("--leak-check=no");
  }
  if (!has(given, "--vex-iropt-register-updates")) { // Programs go on behind faults.
    options.emplace_back("--vex-iropt-register-updates=allregs-at-mem-access");
  }
  if (!has(given, "--soname-synonyms")) {
    options.emplace_back("--soname-synonyms=somalloc=nouserintercepts");
  }
  if (isMemcheck && std::filesystem::exists(suppressions)) {
    options.push_back("--suppressions=" + std::string(suppressions));
  }
  return options;
}

} // namespace

Inspected inspected(Words program, int ranks, std::string_view suppressions) {
  Inspected result;
  const std::size_t at = indexOf(program);
  const std::string name = at < program.size() ? nameOf(program[at]) : "";
  Words options;
  if (name == "gdb") {
    options = gdbOptions();
    result.isInspected = true;
  } else if (name == "valgrind") {
    options = valgrindOptions(optionsBehind(program, at), ranks, suppressions);
    result.isInspected = true;
    if (ranks > 1) {
      // Each address that is mapped costs it memory and time: a tebibyte takes minutes.
      result.heap = "8G";
    }
  }
  if (result.isInspected) {
    program.insert(program.begin() + static_cast<std::ptrdiff_t>(at) + 1, options.begin(),
                   options.end());
  }
  result.program = std::move(program);
  return result;
}

} // namespace tutti::driver
