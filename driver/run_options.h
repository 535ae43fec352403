// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The command line of tuttirun: own options, options for the MPI launcher, program, its arguments.
#pragma once

#include <string>
#include <vector>

namespace tutti::driver {

enum class RunAction { Run, Help, Version };

struct RunOptions {
  RunAction action = RunAction::Run;
  int ranks = 1;
  bool isVerbose = false;
  bool isDryRun = false;
  std::string stats; ///< Value for TUTTI_STATS; empty leaves it as it is.
  int probes = 0;    ///< Runs at most to find how the rope is divided best; 0 does not look for it.
  bool labelsOutput =
      false; ///< Each line that a rank prints says which rank, where the launcher can.
  std::vector<std::string> launcherOptions; ///< Not ours: handed to mpirun in this order.
  std::vector<std::string> program;         ///< Program and its arguments.
  std::string problem;                      ///< One line if the command line makes no sense.
};

/// Reads `arguments` (without the program's name).
///
/// Everything up to the first argument that is neither an option nor an option's value belongs to
/// tuttirun or the launcher; `--` ends the options early.
RunOptions readRunOptions(const std::vector<std::string> &arguments);

} // namespace tutti::driver
