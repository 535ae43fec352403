// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the commands of a LuNA program's build, for the two programs that do.
#pragma once

#include "driver/compile_request.h"

#include <string>
#include <vector>

namespace tutti::driver {

/// Files that lie beside a program, and may bring its versions for devices.
struct FilesBeside {
  std::vector<std::string> sources;
  std::vector<std::string> others; ///< Which nothing here compiles.
};

/// Builds with files of its own in `folder`. Returns the exit status; messages have been printed.
/// What lies beside the program takes part if that has imports of such versions.
int buildLuna(const char *name, const std::vector<std::string> &arguments,
              const Installation &installation, const std::string &folder,
              const FilesBeside &beside = {});

} // namespace tutti::driver
