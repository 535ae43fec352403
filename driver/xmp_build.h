// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Command lines with files of XcalableMP: each is written as C by tutti-clang first, and Clang
/// gets what was written in its place.
#pragma once

#include "driver/compile_request.h"

#include <string>
#include <vector>

namespace tutti::driver {

struct XmpBuild {
  std::vector<std::string> folders; ///< To be made before the commands run.
  std::vector<Command> commands;
  std::vector<std::string> arguments; ///< For Clang.
  bool needsClang = true;             ///< Else nothing is left for it.
};

/// Whether the (expanded) arguments have files of XcalableMP: all C files with `-fxmp`, none with
/// `-fno-xmp`, else those in which a line is a `#pragma xmp`. Reads them.
bool hasXmpSources(const std::vector<std::string> &arguments, const CompileRequest &request);

/// `folder` is for what is there while the commands run.
XmpBuild planXmpBuild(const std::vector<std::string> &arguments, const CompileRequest &request,
                      const Installation &installation, const std::string &folder);

/// One command of tutti-clang for several of them, each of which waits for the one before it to
/// succeed: so the program is loaded once.
Command joined(const std::vector<Command> &commands);

} // namespace tutti::driver
