// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/toolchain.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace tutti::driver {

namespace {

namespace fs = std::filesystem;

constexpr const char *kMissingClang =
    "clang-19 is not in PATH nor in /usr/lib/llvm-19/bin; install the packages clang-19 and "
    "libomp-19-dev, or set TUTTI_CLANG to the path of Clang 19";

bool isExecutable(const fs::path &path) { return ::access(path.c_str(), X_OK) == 0; }

/// What `clang -dumpversion` prints; empty if it does not run.
std::string versionOf(const std::string &clang) {
  std::string quoted = "'";
  for (const char c : clang) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  quoted += "' -dumpversion 2>/dev/null";
  FILE *pipe = ::popen(quoted.c_str(), "r");
  if (pipe == nullptr) {
    return {};
  }
  char buffer[64] = {};
  const bool hasLine = std::fgets(buffer, sizeof buffer, pipe) != nullptr;
  ::pclose(pipe);
  std::string version = hasLine ? buffer : "";
  version.erase(version.find_last_not_of(" \n") + 1);
  return version;
}

/// Sets `clang`, or returns why there is none.
std::string findClang(std::string &clang) {
  if (const char *chosen = std::getenv("TUTTI_CLANG"); chosen != nullptr && *chosen != '\0') {
    const fs::path path = fs::is_directory(chosen) ? fs::path(chosen) / "clang" : fs::path(chosen);
    const std::string found = path.has_parent_path() ? path.string() : findInPath(path.string());
    const std::string version = !found.empty() && isExecutable(found) ? versionOf(found) : "";
    if (version.empty()) {
      return "TUTTI_CLANG=" + std::string(chosen) + " does not run; it must name Clang 19";
    }
    if (!version.starts_with("19.")) {
      return "TUTTI_CLANG=" + std::string(chosen) + " is version " + version +
             "; Tutti needs Clang 19";
    }
    clang = found;
    return {};
  }
  if (std::string found = findInPath("clang-19"); !found.empty()) {
    clang = std::move(found);
    return {};
  }
  const fs::path debian = "/usr/lib/llvm-19/bin/clang";
  if (isExecutable(debian)) {
    clang = debian.string();
    return {};
  }
  return kMissingClang;
}

} // namespace

std::string findInPath(const std::string &name) {
  const char *path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (isExecutable(candidate)) {
      return candidate.string();
    }
  }
  return {};
}

FoundInstallation findInstallation() {
  FoundInstallation found;
  std::error_code error;
  found.problem = findClang(found.installation.clang);
  if (!found.problem.empty()) {
    return found;
  }
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path libraryDir = self.parent_path().parent_path() / "lib" / "tutti";
  found.installation.libraryDir = libraryDir.string();
  for (const char *file : {"libtutti.so", "libtutti_link.so", "tutti-clang", "crt_begin.o",
                           "crt_begin_shared.o", "crt_end.o"}) {
    if (!fs::exists(libraryDir / file, error)) {
      found.problem =
          (libraryDir / file).string() + " is missing: Tutti is not installed completely";
      return found;
    }
  }
  const fs::path clang = fs::canonical(found.installation.clang, error);
  const fs::path openmpDir = clang.parent_path().parent_path() / "lib";
  if (!error && fs::exists(openmpDir / "libomp.so", error)) {
    found.installation.openmpDir = openmpDir.string();
  }
  return found;
}

} // namespace tutti::driver
