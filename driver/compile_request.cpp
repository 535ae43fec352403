// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/compile_request.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace tutti::driver {

namespace {

constexpr auto kStopsBeforeLink = std::to_array<std::string_view>({"-c",
                                                                   "-S",
                                                                   "-E",
                                                                   "-M",
                                                                   "-MM",
                                                                   "-fsyntax-only",
                                                                   "-emit-ast",
                                                                   "--compile",
                                                                   "--assemble",
                                                                   "--preprocess",
                                                                   "--precompile",
                                                                   "--analyze",
                                                                   "-emit-module",
                                                                   "-emit-pth",
                                                                   "-verify-pch",
                                                                   "-module-file-info",
                                                                   "-extract-api",
                                                                   "--syntax-only",
                                                                   "--dependencies",
                                                                   "--user-dependencies",
                                                                   "-emit-interface-stubs",
                                                                   "-rewrite-objc"});

/// Questions that Clang answers without looking at any input.
constexpr auto kQuestions = std::to_array<std::string_view>(
    {"--version", "-dumpversion", "-dumpmachine", "--help", "--help-hidden", "-help"});

template <std::size_t N>
bool contains(const std::array<std::string_view, N> &list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

constexpr std::string_view kOmpSs = "-fompss-2";

bool isXmpOption(std::string_view option) { return option == "-fxmp" || option == "-fno-xmp"; }

bool isHeader(std::string_view input) {
  constexpr auto kExtensions =
      std::to_array<std::string_view>({".h", ".hh", ".hpp", ".hxx", ".H", ".h++"});
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [&](std::string_view extension) { return input.ends_with(extension); });
}

/// Collects facts argument by argument.
class Reader {
public:
  void read(const std::vector<std::string> &arguments) {
    for (const Word &word : wordsOf(arguments)) {
      if (word.isInput) {
        input(word);
      } else if (word.text == "-l" || word.text == "-Xlinker") {
        linkerInput_ = true;
      } else if (word.count == 1) {
        flag(word.text);
      }
    }
  }

  CompileRequest result() const {
    CompileRequest request = request_;
    const bool onlyHeaders = inputs_ > 0 && headers_ == inputs_ && !linkerInput_;
    if (isQuestion_ || (inputs_ == 0 && !linkerInput_)) {
      request.product = Product::Nothing;
    } else if (stops_ || onlyHeaders) {
      request.product = Product::Intermediate;
    } else if (isRelocatable_) {
      request.product = Product::Relocatable;
    } else if (isShared_) {
      request.product = Product::SharedLibrary;
    } else {
      request.product = Product::Executable;
    }
    return request;
  }

private:
  void input(const Word &word) {
    ++inputs_;
    headers_ += word.language.empty() ? isHeader(word.text) : word.language.ends_with("-header");
  }

  void flag(std::string_view option) {
    if (contains(kStopsBeforeLink, option)) {
      stops_ = true;
    } else if (contains(kQuestions, option) || option.starts_with("-print-") ||
               option.starts_with("--print-") || option.starts_with("--autocomplete")) {
      isQuestion_ = true;
      request_.asksForHelp |= option == "--help" || option == "-help";
    } else if (option.starts_with("-l") || option.starts_with("-Wl,")) {
      linkerInput_ = true;
    } else if (option == "-cc1" || option == "-cc1as" || option == "-cc1gen-reproducer") {
      request_.isInternal = true;
    } else if (isOmpSsOption(option)) {
      request_.ompss = option == "-fno-ompss-2" ? OmpSs::Ignored : OmpSs::On;
    } else if (isXmpOption(option)) {
      request_.xmp = option == "-fxmp" ? Xmp::On : Xmp::Ignored;
    } else if (option.starts_with("-fopenmp") && !option.starts_with("-fopenmp-")) {
      request_.asksForOpenmp = true;
    } else if (option == "-fno-openmp") {
      request_.asksForOpenmp = false;
    } else {
      linkFlag(option);
    }
  }

  void linkFlag(std::string_view option) {
    if (option == "-shared" || option == "--shared") {
      isShared_ = true;
    } else if (option == "-r") {
      isRelocatable_ = true;
    } else if (option == "-static" || option == "--static" || option == "-static-pie") {
      request_.isStatic = true;
    } else if (option == "-pie" || option == "--pie") {
      request_.asksForPie = true;
    } else if (option == "-no-pie" || option == "-nopie" || option == "--no-pie") {
      request_.asksForPie = false;
    } else if (option == "-flto" || option.starts_with("-flto=")) {
      request_.asksForLto = true;
      request_.refusesLto = false;
    } else if (option == "-fno-lto") {
      request_.asksForLto = false;
      request_.refusesLto = true;
    } else if (option.starts_with("-fuse-ld=")) {
      request_.usesGold = option.ends_with("gold");
    }
  }

  CompileRequest request_;
  int inputs_ = 0;
  int headers_ = 0;
  bool linkerInput_ = false;
  bool stops_ = false;
  bool isQuestion_ = false;
  bool isShared_ = false;
  bool isRelocatable_ = false;
};

void addLinkerArgument(std::vector<std::string> &command, const std::string &argument) {
  // Not -Wl, which would split a path at its commas.
  command.insert(command.end(), {"-Xlinker", argument});
}

bool usesLinker(Product product) {
  return product == Product::Executable || product == Product::SharedLibrary;
}

/// The user's arguments with `--` and the inputs behind it in a form that options may follow.
void addUserArguments(std::vector<std::string> &command,
                      const std::vector<std::string> &arguments) {
  bool onlyInputs = false;
  for (const std::string &argument : arguments) {
    if (!onlyInputs && argument == "--") {
      onlyInputs = true;
    } else if (!onlyInputs && (isOmpSsOption(argument) || isXmpOption(argument))) {
      continue;
    } else if (onlyInputs && argument.starts_with('-')) {
      command.push_back("./" + argument);
    } else {
      command.push_back(argument);
    }
  }
}

/// The headers of OmpSs-2 come after all others: a program may bring its own.
void addOmpSs(std::vector<std::string> &command, const CompileRequest &request,
              const Installation &installation) {
  command.insert(command.end(),
                 {"-idirafter", installation.libraryDir + "/../../include/tutti/ompss"});
  if (request.ompss == OmpSs::On) {
    command.emplace_back("-D_OMPSS_2=1");
    // Of programs with both sets of pragmas one counts. What is made of XcalableMP has OpenMP's.
    const bool isXmp = request.hasXmpSources || request.xmp == Xmp::On;
    if (!request.asksForOpenmp && !isXmp) {
      command.insert(command.end(), {"-U_OPENMP", "-fplugin-arg-tutti_openmp-ignored"});
    }
  } else if (request.ompss == OmpSs::Ignored) {
    command.emplace_back("-fplugin-arg-tutti-no-ompss");
  }
}

} // namespace

bool isOmpSsOption(std::string_view option) {
  return option == kOmpSs || option == "-fno-ompss-2" ||
         option.starts_with(std::string(kOmpSs) + "=");
}

std::vector<std::string> xmpIncludes(const Installation &installation) {
  std::vector<std::string> options = {"-idirafter",
                                      installation.libraryDir + "/../../include/tutti/xmp"};
  std::istringstream folders(TUTTI_MPI_INCLUDES);
  for (std::string folder; std::getline(folders, folder, ':');) {
    options.insert(options.end(), {"-idirafter", folder});
  }
  return options;
}

std::string problemOf(const std::vector<std::string> &arguments) {
  for (const std::string &argument : arguments) {
    if (argument == "--") {
      break;
    }
    if (!isOmpSsOption(argument) || !argument.starts_with(std::string(kOmpSs) + "=")) {
      continue;
    }
    const std::string runtime = argument.substr(kOmpSs.size() + 1);
    if (runtime != "libnanos6" && runtime != "libnodes") {
      return "'" + runtime + "' in '" + argument +
             "' is unknown; libnanos6 and libnodes are the "
             "names of the reference, and both mean Tutti";
    }
  }
  return {};
}

CompileRequest readRequest(const std::vector<std::string> &arguments) {
  Reader reader;
  reader.read(expanded(arguments));
  return reader.result();
}

std::vector<std::string> compileCommand(const CompileRequest &request,
                                        const std::vector<std::string> &arguments,
                                        const Installation &installation, bool isCxx,
                                        const Additions &additions) {
  std::vector<std::string> command = {installation.libraryDir + "/tutti-clang", installation.clang};
  if (request.isInternal) {
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }
  if (isCxx) {
    command.push_back("--driver-mode=g++");
  }
  // Whether a hot loop straddles a cache line must not depend on what Tutti puts in front of it:
  // that costs up to 8 % either way. Before the user's options, which win.
  command.insert(command.end(), {"--start-no-unused-arguments", "-falign-loops=64"});
  // Asks for no remark, but makes clang keep the lines that Tutti's reports and errors name.
  command.insert(command.end(), {"-Rpass=^$", "--end-no-unused-arguments"});
  const bool isXmp = request.hasXmpSources || request.xmp == Xmp::On;
  const bool links = usesLinker(request.product);
  const bool isShared = request.product == Product::SharedLibrary;
  if (links) {
    addLinkerArgument(command, installation.libraryDir +
                                   (isShared ? "/crt_begin_shared.o" : "/crt_begin.o"));
    // Before the user's libraries, so that free() of any allocator is looked up here first.
    addLinkerArgument(command, installation.libraryDir + "/libtutti_link.so");
  }
  addUserArguments(command, arguments);
  command.insert(command.end(), {"--start-no-unused-arguments", "-fopenmp=libomp", "-fno-lto"});
  addOmpSs(command, request, installation);
  if (isXmp) { // Files beside them may call MPI, too.
    const std::vector<std::string> includes = xmpIncludes(installation);
    command.insert(command.end(), includes.begin(), includes.end());
  }
  if (request.refusesLto) { // Clang's own is off in any case.
    command.emplace_back("-fplugin-arg-tutti-no-code");
  }
  if (request.xmp == Xmp::Ignored) {
    command.emplace_back("-fplugin-arg-tutti-no-xmp");
  }
  command.insert(command.end(), additions.host.begin(), additions.host.end());
  if (links) {
    if (!isShared) {
      command.push_back("-no-pie");
    }
    if (!request.usesGold) {
      // Regions are reached through the bounds of their section alone.
      command.insert(command.end(), {"-Xlinker", "-z", "-Xlinker", "nostart-stop-gc"});
    }
    // Behind all that may name its parts.
    addLinkerArgument(command, installation.libraryDir + "/libtutti_xmp.a");
    addLinkerArgument(command, installation.libraryDir + "/crt_end.o");
    addLinkerArgument(command, "-rpath");
    addLinkerArgument(command, installation.libraryDir);
    if (!installation.openmpDir.empty()) {
      command.push_back("-L" + installation.openmpDir);
      addLinkerArgument(command, "-rpath");
      addLinkerArgument(command, installation.openmpDir);
    }
    if (isXmp) { // Programs may call MPI beside XcalableMP.
      for (const char *argument :
           {"--push-state", "--as-needed", TUTTI_MPI_LIBRARY, "--pop-state"}) {
        addLinkerArgument(command, argument);
      }
    }
    command.insert(command.end(), additions.link.begin(), additions.link.end());
  }
  command.push_back("--end-no-unused-arguments");
  return command;
}

} // namespace tutti::driver
