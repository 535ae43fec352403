// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/luna_run.h"

#include "driver/commands.h"
#include "driver/luna_build.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tutti::driver {

namespace {

namespace fs = std::filesystem;

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs a command with its messages in a file.
int runAside(const Command &command, const std::string &file) {
  const int old = ::dup(STDERR_FILENO);
  const int aside = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (old < 0 || aside < 0) {
    return runToEnd(command);
  }
  ::dup2(aside, STDERR_FILENO);
  ::close(aside);
  const int status = runToEnd(command);
  ::dup2(old, STDERR_FILENO);
  ::close(old);
  return status;
}

} // namespace

int buildLuna(const char *name, const std::vector<std::string> &arguments,
              const Installation &installation, const std::string &folder,
              const FilesBeside &beside) {
  LunaBuild build = planLunaBuild(arguments, installation, folder);
  if (!build.problem.empty()) {
    std::fprintf(stderr, "%s: fatal error: %s\n", name, build.problem.c_str());
    return 1;
  }
  const bool isShown = std::ranges::find(arguments, "-###") != arguments.end();
  const bool isTold = isShown || std::ranges::find(arguments, "-v") != arguments.end();
  if (isTold) {
    std::fprintf(stderr, "%s\n%s\n", quoted(build.step).c_str(), quoted(build.compile).c_str());
  }
  if (isShown) {
    return 0;
  }
  if (const int status = runToEnd(build.step); status != 0 || build.compile.empty()) {
    return status;
  }
  const fs::path own(build.own);
  for (const fs::directory_entry &entry : fs::directory_iterator(own.parent_path())) {
    if (entry.path().string().starts_with(build.own)) {
      build.compile.push_back(entry.path().string());
    }
  }
  if (namesOwnVersions(textOf(build.imports))) {
    build.compile.insert(build.compile.end(), beside.sources.begin(), beside.sources.end());
    const bool isQuiet = std::ranges::find(arguments, "-w") != arguments.end();
    for (const std::string &file : isQuiet ? std::vector<std::string>() : beside.others) {
      std::fprintf(stderr, "%s: warning: %s is left out: nothing that compiles it is found\n", name,
                   file.c_str());
    }
  }
  if (::isatty(STDERR_FILENO) != 0) {
    build.compile.insert(build.compile.begin() + 1, "-fcolor-diagnostics"); // It sees a file.
  }
  const std::string said = folder + "/messages";
  const int status = runAside(build.compile, said);
  const std::string text = textOf(said);
  std::fputs(status == 0 ? text.c_str()
                         : withMissingProcedures(text, textOf(build.imports)).c_str(),
             stderr);
  return status;
}

} // namespace tutti::driver
