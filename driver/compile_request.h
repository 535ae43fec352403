// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads a Clang command line just far enough to know what it asks for, and adds Tutti's part to
/// it.
///
/// Arguments are never reinterpreted: the user's go to Clang as they are, in their order, with ours
/// around them. Where two options exclude each other Clang takes the last, so ours come last.
#pragma once

#include "driver/command_line.h"

#include <string>
#include <string_view>
#include <vector>

namespace tutti::driver {

/// What the command produces.
enum class Product {
  Nothing,      ///< No input: a question such as `--version`, or an error that Clang explains.
  Intermediate, ///< Stops before the linker: objects, assembly, dependencies, syntax only.
  Executable,
  SharedLibrary,
  Relocatable, ///< `-r`: one object made of several.
};

/// What `#pragma oss` means.
enum class OmpSs {
  Found,   ///< OmpSs-2, in files that have it.
  On,      ///< `-fompss-2`: OmpSs-2, and `_OMPSS_2` is defined.
  Ignored, ///< `-fno-ompss-2`.
};

/// What `#pragma xmp` means.
enum class Xmp {
  Found,   ///< XcalableMP, in C files that have it.
  On,      ///< `-fxmp`: all C files are XcalableMP.
  Ignored, ///< `-fno-xmp`.
};

/// Always: what the command line says, response files included.
struct CompileRequest {
  Product product = Product::Nothing;
  bool isStatic = false;    ///< `-static` or `-static-pie`.
  bool asksForPie = false;  ///< `-pie` is the last word on it.
  bool asksForLto = false;  ///< `-flto` in any form is the last word on it.
  bool refusesLto = false;  ///< `-fno-lto` is.
  bool usesGold = false;    ///< `-fuse-ld=gold`.
  bool isInternal = false;  ///< `-cc1` and the like: Clang calling itself.
  bool asksForHelp = false; ///< `--help`.
  OmpSs ompss = OmpSs::Found;
  Xmp xmp = Xmp::Found;
  bool hasXmpSources = false; ///< Some file is compiled as XcalableMP; set by who has looked.
  bool asksForOpenmp = false; ///< `-fopenmp` in any form is the last word on it.
};

/// Where the parts are that a command line refers to.
struct Installation {
  std::string clang;      ///< The Clang 19 executable.
  std::string libraryDir; ///< Holds libtutti*.so, the plugin and crt_*.o.
  std::string openmpDir;  ///< Holds libomp.so; empty if Clang finds it alone.
};

/// What languages of devices add to the command.
struct Additions {
  std::vector<std::string> host; ///< Behind the user's options.
  /// Last of all, behind what ends the program's variables: what comes from there belongs to each
  /// process alone.
  std::vector<std::string> link;
};

/// Reads `arguments` (without the program's name). An unreadable response file counts as an input,
/// which leaves the complaint to Clang.
CompileRequest readRequest(const std::vector<std::string> &arguments);

/// Options of ours, which Clang does not know.
bool isOmpSsOption(std::string_view option);

/// Where <xmp.h> is, and the <mpi.h> that it includes. Behind all other folders.
std::vector<std::string> xmpIncludes(const Installation &installation);

/// Why the request cannot be carried out, as far as it can be known here; empty if it can.
std::string problemOf(const std::vector<std::string> &arguments);

/// The complete command, program first, for a request read from the same `arguments`.
std::vector<std::string> compileCommand(const CompileRequest &request,
                                        const std::vector<std::string> &arguments,
                                        const Installation &installation, bool isCxx,
                                        const Additions &additions = {});

} // namespace tutti::driver
