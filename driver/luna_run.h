// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the commands of a LuNA program's build, for the two programs that do.
#pragma once

#include "driver/compile_request.h"

#include <string>
#include <vector>

namespace tutti::driver {

/// Builds with files of its own in `folder`. Returns the exit status; messages have been printed.
int buildLuna(const char *name, const std::vector<std::string> &arguments,
              const Installation &installation, const std::string &folder);

} // namespace tutti::driver
