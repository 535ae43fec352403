// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tutticc and tuttic++: Clang 19 with OpenMP, Tutti's passes and Tutti's runtime library.
///
/// Becomes tutti-clang (exec), so that exit status, signals and output are Clang's own. Only where
/// there are files in languages of devices it stays, and runs what makes objects of them first.
#include "abi/backends.h"
#include "driver/commands.h"
#include "driver/compile_request.h"
#include "driver/device_build.h"
#include "driver/device_language.h"
#include "driver/toolchain.h"
#include "driver/xmp_build.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tutti::driver;

constexpr const char *kHelp =
    "tutticc, tuttic++: compile OpenMP, OmpSs-2 and XcalableMP programs for a cluster (start them\n"
    "with tuttirun).\n"
    "\n"
    "All options are Clang's (see --help). Always on: -fopenmp. Executables are not PIE.\n"
    "  -Rpass=tutti           say which loops are distributed\n"
    "  -Rpass-missed=tutti    say which loops stay on rank 0, and why\n"
    "  -fompss-2              OmpSs-2: defines _OMPSS_2, and '#pragma omp' is ignored unless "
    "-fopenmp\n"
    "                         is given. Without it '#pragma oss' counts, too\n"
    "  -fno-ompss-2           '#pragma oss' is ignored\n"
    "  -fxmp                  XcalableMP in all C files. Without it those with '#pragma xmp' have "
    "it\n"
    "  -fno-xmp               '#pragma xmp' is ignored\n"
    "  -fno-lto               parallel loops get no functions of other files when the program is\n"
    "                         linked; objects are smaller\n"
    "  --tutti-help           this text\n";

constexpr const char *kHelpOnEnvironment =
    "Environment:\n"
    "  TUTTI_CLANG            the Clang 19 whose headers, libraries and linker are used (default:\n"
    "                         clang-19 in PATH, then Debian's)\n"
    "  TUTTI_TARGETS          the device code that loops get: ";

bool isCalledAsCxx(std::string_view program) {
  return program.substr(program.find_last_of('/') + 1).ends_with("++");
}

/// All, with `comma` between them.
std::string namesOfTargets(const char *comma) {
  std::string names;
  for (const tutti::abi::KernelFormat &format : tutti::abi::kKernelFormats) {
    names += (names.empty() ? "" : comma) + std::string(format.name);
  }
  return names;
}

void printHelp() {
  std::fputs(kHelp, stdout);
  std::fputs("Files with kernels of the program's own:\n", stdout);
  for (const DeviceLanguage *language : deviceLanguages()) {
    std::fputs(language->help, stdout);
  }
  std::printf("%s%s (default), one, or none\n", kHelpOnEnvironment, namesOfTargets(",").c_str());
}

bool isTarget(const std::string &name) {
  return name == "print" || name == "none" ||
         std::any_of(tutti::abi::kKernelFormats.begin(), tutti::abi::kKernelFormats.end(),
                     [&](const tutti::abi::KernelFormat &format) { return format.name == name; });
}

/// What is wrong with TUTTI_TARGETS, which the passes read; empty if nothing is.
std::string problemOfTargets() {
  const char *setting = std::getenv("TUTTI_TARGETS");
  std::istringstream names(setting == nullptr ? "" : setting);
  for (std::string name; std::getline(names, name, ',');) {
    if (!isTarget(name)) {
      return "TUTTI_TARGETS=" + std::string(setting) + ": expected none or, with commas, some of " +
             namesOfTargets(", ") + ", print";
    }
  }
  return {};
}

/// Says what Tutti changes about the request. Returns false if it cannot be carried out.
bool checkRequest(const char *name, const CompileRequest &request) {
  const bool isExecutable = request.product == Product::Executable;
  if (isExecutable && request.isStatic) {
    std::fprintf(stderr, "%s: error: -static is not possible: the runtime is a shared library\n",
                 name);
    return false;
  }
  if (isExecutable && request.asksForPie) {
    std::fprintf(
        stderr, "%s: warning: -pie is ignored: variables must have the same address on all ranks\n",
        name);
  }
  if (request.asksForLto && request.product != Product::Nothing) {
    std::fprintf(
        stderr,
        "%s: warning: -flto is ignored: parallel loops get functions of other files without "
        "it\n",
        name);
  }
  return true;
}

bool write(const TextFile &file) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file.path).parent_path(), error);
  std::ofstream stream(file.path);
  return static_cast<bool>(stream << file.text << std::flush);
}

/// Puts empty files where those of `arguments` in `folder` would be: with -### nothing is built,
/// but Clang looks whether its inputs are there.
void standIn(const std::vector<std::string> &arguments, const std::string &folder) {
  for (const std::string &argument : arguments) {
    if (argument.starts_with(folder + "/")) {
      write({argument, ""});
    }
  }
}

/// Whether commands are to be shown, and not run.
bool isShown(const std::vector<std::string> &arguments) {
  return std::ranges::find(arguments, "-###") != arguments.end();
}

bool isTold(const std::vector<std::string> &arguments) {
  return isShown(arguments) || std::ranges::find(arguments, "-v") != arguments.end();
}

/// Writes the files and runs the commands, or shows them. Returns the exit status.
int carryOut(const char *name, const std::vector<TextFile> &files,
             const std::vector<Command> &commands, const std::vector<std::string> &arguments) {
  for (const TextFile &file : files) {
    if (!isShown(arguments) && !write(file)) {
      std::fprintf(stderr, "%s: error: cannot write %s\n", name, file.path.c_str());
      return 1;
    }
  }
  for (const Command &command : commands) {
    if (isTold(arguments)) {
      std::fprintf(stderr, "%s\n", quoted(command).c_str());
    }
    if (const int status = isShown(arguments) ? 0 : runToEnd(command); status != 0) {
      return status;
    }
  }
  return 0;
}

/// Files in languages of devices first, then what is left for Clang. Returns the exit status.
int buildWithDevices(const char *name, const std::vector<std::string> &arguments,
                     const CompileRequest &request, const Installation &installation, bool isCxx) {
  const TemporaryFolder folder;
  if (folder.path().empty()) {
    std::fprintf(stderr, "%s: error: there is no folder for temporary files\n", name);
    return 1;
  }
  const DeviceBuild build =
      planDeviceBuild(arguments, request, installation, deviceLanguages(), folder.path());
  if (!build.problem.empty()) {
    std::fprintf(stderr, "%s: error: %s\n", name, build.problem.c_str());
    return 1;
  }
  if (const int status = carryOut(name, build.files, build.commands, arguments); status != 0) {
    return status;
  }
  for (const auto &later : build.later) {
    const SourcePlan rest = isShown(arguments) ? SourcePlan() : later();
    if (const int status = carryOut(name, rest.files, rest.commands, arguments); status != 0) {
      return status;
    }
  }
  if (!build.needsClang) {
    return 0;
  }
  if (isShown(arguments)) {
    standIn(build.arguments, folder.path());
  }
  return runToEnd(
      compileCommand(request, build.arguments, installation, isCxx,
                     additionsFor(arguments, request, installation, deviceLanguages())));
}

/// Files of XcalableMP first, then what is left for Clang. Returns the exit status.
int buildWithXmp(const char *name, const std::vector<std::string> &arguments,
                 CompileRequest request, const Installation &installation, bool isCxx) {
  const TemporaryFolder folder;
  if (folder.path().empty()) {
    std::fprintf(stderr, "%s: error: there is no folder for temporary files\n", name);
    return 1;
  }
  if (hasDeviceSources(arguments, deviceLanguages())) {
    std::fprintf(
        stderr,
        "%s: error: files with kernels and files of XcalableMP must be compiled by commands "
        "of their own\n",
        name);
    return 1;
  }
  request.hasXmpSources = true;
  const XmpBuild build = planXmpBuild(arguments, request, installation, folder.path());
  for (const std::string &own : build.folders) {
    std::error_code error;
    std::filesystem::create_directories(own, error);
  }
  for (const Command &command : build.commands) {
    if (isTold(arguments)) {
      std::fprintf(stderr, "%s\n", quoted(command).c_str());
    }
  }
  std::vector<Command> commands = isShown(arguments) ? std::vector<Command>() : build.commands;
  if (build.needsClang) {
    if (isShown(arguments)) {
      standIn(build.arguments, folder.path());
    }
    commands.push_back(
        compileCommand(request, build.arguments, installation, isCxx,
                       additionsFor(arguments, request, installation, deviceLanguages())));
  }
  return commands.empty() ? 0 : runToEnd(joined(commands));
}

/// The compiler and the linker take tens of megabytes and end: a tenth of their time goes to first
/// touches of small pages. The C library's malloc is told to ask for large ones, in large steps,
/// and to keep what is freed at hand, and not to look whether it can be joined with its neighbours.
void tuneMalloc() {
  constexpr const char *kSettings = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432:"
                                    "glibc.malloc.tcache_count=65535";
  ::setenv("GLIBC_TUNABLES", kSettings, /*replaces=*/0);
}

} // namespace

int main(int argc, char **argv) {
  const bool isCxx = isCalledAsCxx(argv[0]);
  const char *name = isCxx ? "tuttic++" : "tutticc";
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  tuneMalloc();
  if (!arguments.empty() && arguments[0] == "--tutti-help") {
    printHelp();
    return 0;
  }
  for (const std::string &problem : {problemOfTargets(), problemOf(arguments)}) {
    if (!problem.empty()) {
      std::fprintf(stderr, "%s: error: %s\n", name, problem.c_str());
      return 1;
    }
  }
  const FoundInstallation found = findInstallation();
  if (!found.problem.empty()) {
    std::fprintf(stderr, "%s: error: %s\n", name, found.problem.c_str());
    return 1;
  }
  const CompileRequest request = readRequest(arguments);
  if (!checkRequest(name, request)) {
    return 1;
  }
  if (request.asksForHelp) {
    printHelp();
    std::fputs("\n", stdout);
    std::fflush(stdout);
  }
  const std::vector<std::string> whole = expanded(arguments);
  if (!request.isInternal && request.product != Product::Nothing && !isCxx &&
      hasXmpSources(whole, request)) {
    return buildWithXmp(name, whole, request, found.installation, isCxx);
  }
  if (!request.isInternal && request.product != Product::Nothing &&
      hasDeviceSources(whole, deviceLanguages())) {
    return buildWithDevices(name, whole, request, found.installation, isCxx);
  }
  const Additions additions =
      request.isInternal ? Additions()
                         : additionsFor(whole, request, found.installation, deviceLanguages());
  become(compileCommand(request, arguments, found.installation, isCxx, additions));
  return 1;
}
