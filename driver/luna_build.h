// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What tuttic-luna runs: the step that writes a LuNA program as C++, then tuttic++ on that and the
/// files with its procedures.
#pragma once

#include "driver/command_line.h"
#include "driver/compile_request.h"

#include <string>
#include <vector>

namespace tutti::driver {

struct LunaBuild {
  std::string problem; ///< One line; empty if there is none.
  Command step;        ///< Writes the program as C++, or says only what is wrong with it.
  Command compile;     ///< Empty if the messages are all that is wanted.
  std::string imports; ///< The file in which the step names the program's procedures.
  std::string own; ///< What the name begins with of a file that the step may write besides, with
                   ///< versions for devices that the program has in place.
};

/// Plans the build of `arguments`, with what is written in `folder`.
LunaBuild planLunaBuild(const std::vector<std::string> &arguments, const Installation &installation,
                        const std::string &folder);

/// Whether the program, whose `imports` these are, may bring versions for devices by itself.
bool namesOwnVersions(const std::string &imports);

/// What the compiler or the linker said, with a message at the import for each procedure that the
/// linker did not find, and for each version for devices whose compiler found it to be another one.
std::string withMissingProcedures(const std::string &said, const std::string &imports);

} // namespace tutti::driver
