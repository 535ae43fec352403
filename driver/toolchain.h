// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds Clang 19 and Tutti's own files.
#pragma once

#include "driver/compile_request.h"

#include <string>

namespace tutti::driver {

/// An installation, or one line that says what is missing.
struct FoundInstallation {
  Installation installation;
  std::string problem; ///< Empty if all is there.
};

/// The first program of this name in $PATH; empty if there is none.
std::string findInPath(const std::string &name);

/// Looks for Clang 19 at $TUTTI_CLANG, in $PATH and where Debian installs it, and for Tutti's files
/// beside the running program.
///
/// Cost: runs Clang once if $TUTTI_CLANG names it, to ask for its version.
FoundInstallation findInstallation();

} // namespace tutti::driver
