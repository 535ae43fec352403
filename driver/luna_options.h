// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The command line of tutti-luna, which is that of LuNA's own command.
#pragma once

#include <string>
#include <vector>

namespace tutti::driver {

struct LunaOptions {
  std::string problem; ///< One line; empty if there is none.
  bool asksForHelp = false;
  bool isVerbose = false;
  bool showsTime = false;
  bool keepsFiles = false;
  bool onlyCompiles = false; ///< `--compile-only`: prints the command that runs it.
  bool onlyStores = false;   ///< `-c`: leaves the executable at `output`.
  int ranks = 0;             ///< 0: not said.
  int threads = 0;           ///< Of each rank; 0: not said.
  std::string output;
  std::string buildFolder; ///< Empty: a temporary one.
  std::string program;
  std::vector<std::string> arguments;  ///< Of the program.
  std::vector<std::string> cppFolders; ///< Whose `*.cpp` belong to the program.
  std::vector<std::string> cppSources;
  std::vector<std::string> compileOptions; ///< For tuttic-luna.
};

/// Reads arguments, without the program's name. What stands behind the LuNA program is its own.
LunaOptions readLunaOptions(const std::vector<std::string> &arguments);

/// Paths with colons between them; `\` takes the meaning of what follows it.
std::vector<std::string> splitPaths(const std::string &list);

} // namespace tutti::driver
