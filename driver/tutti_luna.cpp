// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutti-luna: compiles a LuNA program with the files beside it, and runs it.
#include "driver/commands.h"
#include "driver/device_language.h"
#include "driver/luna_options.h"
#include "driver/luna_run.h"
#include "driver/toolchain.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace tutti::driver;
namespace fs = std::filesystem;

constexpr const char *kHelp =
    "NAME\n"
    "    tutti-luna - compile and run a LuNA program\n"
    "\n"
    "SYNOPSIS\n"
    "    tutti-luna [OPTION]... FILE [ARGUMENT]...\n"
    "\n"
    "DESCRIPTION\n"
    "    Compiles FILE with all C++ files beside it, and with the files of versions for devices "
    "(.cu)\n"
    "    if it imports such, and runs its sub 'main', whose parameters are the ARGUMENTs. Exit "
    "status\n"
    "    is 0, or 1 after an error.\n"
    "\n"
    "OPTIONS\n"
    "    --help                     show this text\n"
    "    -n RANKS                   run on so many ranks\n"
    "    -q, --quiet                say nothing but errors\n"
    "    --verbose                  show the commands\n"
    "    -t                         show how long the program ran\n"
    "    -g                         with information for debuggers\n"
    "    -b                         balance the load (always so)\n"
    "    -O0, -O                    compile fast, or for speed\n"
    "    -D KEY[=VALUE]             define a macro\n"
    "    -I FOLDER                  look there for what the program includes\n"
    "    -fcheck                    overflow of integers is an error\n"
    "    -w, -Werror                no warnings; warnings are errors\n"
    "    --disable-warning=CODE     no warnings of this code\n"
    "    --cpp-dir=FOLDER[:FOLDER]  take C++ files from there\n"
    "    --cpp-source=FILE[:FILE]   take these C++ files, too\n"
    "    --build-dir=FOLDER         keep intermediate files there\n"
    "    --no-cleanup               do not delete intermediate files\n"
    "    --compile-only             do not run; print the command that does\n"
    "    -c                         do not run; leave the executable at --output-file\n"
    "    --output-file=FILE         (default: FILE without its ending)\n"
    "    --worker-threads-count=N   threads of each rank\n"
    "    --luna-home=FOLDER         ignored\n"
    "\n"
    "ENVIRONMENT\n"
    "    CXX_FLAGS, LDFLAGS         more options to compile and link with\n"
    "    CXX                        the Clang 19 to use; another compiler is not possible\n"
    "    LUNA_NO_CLEANUP            as --no-cleanup\n";

int fatal(const std::string &problem) {
  std::fprintf(stderr, "luna: fatal error: %s\n", problem.c_str());
  return 1;
}

bool addFiles(const std::string &folder, std::string_view extension,
              std::vector<std::string> &files) {
  std::error_code error;
  std::vector<std::string> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == extension) {
      found.push_back(entry.path().string());
    }
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
  return !error;
}

FilesBeside filesBeside(const std::vector<std::string> &folders) {
  FilesBeside beside;
  for (const DeviceLanguage *language : deviceLanguages()) {
    for (const std::string &folder : folders) {
      if (language->compilesHostCode != nullptr) {
        addFiles(folder, language->extension,
                 language->compilesHostCode() ? beside.sources : beside.others);
      }
    }
  }
  return beside;
}

/// All but the program's own place for intermediate files, which is `folder`.
int compile(const LunaOptions &options, const Installation &installation, const std::string &folder,
            const std::string &executable) {
  std::vector<std::string> arguments = options.compileOptions;
  for (const char *name : {"CXX_FLAGS", "LDFLAGS"}) {
    const char *value = std::getenv(name);
    const std::vector<std::string> more = splitResponseFile(value == nullptr ? "" : value);
    arguments.insert(arguments.end(), more.begin(), more.end());
  }
  arguments.insert(arguments.end(), {"-x", "none"});
  if (fs::path(options.program).extension() == ".fa") {
    arguments.push_back(options.program);
  } else { // Whatever its name is, it is the program.
    std::error_code error;
    const fs::path copy = fs::path(folder) / (fs::path(options.program).stem().string() + ".fa");
    fs::copy_file(options.program, copy, fs::copy_options::overwrite_existing, error);
    arguments.push_back(copy.string());
  }
  for (const std::string &cppFolder : options.cppFolders) {
    if (!addFiles(cppFolder, ".cpp", arguments)) {
      return fatal("failed to read " + cppFolder);
    }
  }
  arguments.insert(arguments.end(), options.cppSources.begin(), options.cppSources.end());
  arguments.insert(arguments.end(), {"-o", executable});
  if (options.isVerbose) {
    arguments.emplace_back("-v");
  }
  return buildLuna("luna", arguments, installation, folder, filesBeside(options.cppFolders));
}

int run(const LunaOptions &options, const Command &command) {
  if (options.isVerbose) {
    std::fprintf(stderr, "%s\n", quoted(command).c_str());
  }
  const auto begin = std::chrono::steady_clock::now();
  const int status = runToEnd(command);
  if (options.showsTime) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    std::fprintf(stderr, "luna: program ran for %.3f s\n", time.count());
  }
  return status == 0 ? 0 : 1;
}

Command runCommand(const LunaOptions &options, const Installation &installation,
                   const std::string &executable) {
  Command command;
  if (options.ranks > 0) {
    command = {installation.libraryDir + "/../../bin/tuttirun", "-n",
               std::to_string(options.ranks)};
  }
  command.push_back(executable);
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  return command;
}

int compileAndRun(const LunaOptions &options, const Installation &installation,
                  const std::string &folder) {
  const std::string stem = fs::path(options.program).stem().string();
  const std::string output = options.output.empty() ? "./" + stem : options.output;
  const std::string executable = options.onlyStores ? output : folder + "/" + stem;
  if (compile(options, installation, folder, executable) != 0) {
    return 1;
  }
  const Command command = runCommand(options, installation, executable);
  if (options.onlyCompiles) {
    std::printf("%s\n", quoted(command).substr(1).c_str());
    return 0;
  }
  return options.onlyStores ? 0 : run(options, command);
}

} // namespace

int main(int argc, char **argv) {
  LunaOptions options = readLunaOptions({argv + 1, argv + argc});
  if (options.asksForHelp) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (!options.problem.empty()) {
    return fatal(options.problem);
  }
  if (!std::ifstream(options.program)) {
    return fatal("failed to read " + options.program);
  }
  if (options.threads > 0) {
    ::setenv("OMP_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
  }
  if (const char *compiler = std::getenv("CXX"); compiler != nullptr && *compiler != '\0') {
    ::setenv("TUTTI_CLANG", compiler, 0);
  }
  const FoundInstallation found = findInstallation();
  if (!found.problem.empty()) {
    return fatal(found.problem);
  }
  options.keepsFiles |= std::getenv("LUNA_NO_CLEANUP") != nullptr;
  if (options.buildFolder.empty() && options.keepsFiles) {
    options.buildFolder = ".luna";
  }
  if (!options.buildFolder.empty()) {
    std::error_code error;
    fs::create_directories(options.buildFolder, error);
    const std::string folder = fs::absolute(options.buildFolder, error).string();
    return error ? fatal("there is no folder " + options.buildFolder)
                 : compileAndRun(options, found.installation, folder);
  }
  const TemporaryFolder folder;
  return folder.path().empty() ? fatal("there is no folder for temporary files")
                               : compileAndRun(options, found.installation, folder.path());
}
