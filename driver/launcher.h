// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which MPI launcher starts the ranks, and the command line for it.
#pragma once

#include "driver/run_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace tutti::driver {

/// Unknown ones are started as Open MPI is, but must show that they start ranks.
enum class LauncherKind { OpenMpi, Hydra, Slurm, Unknown };

struct Launcher {
  LauncherKind kind = LauncherKind::OpenMpi;
  std::string path;
  std::string problem; ///< One line if no launcher was found.
};

/// What the launcher's command depends on besides the options.
struct LaunchHost {
  std::string self; ///< Absolute path of tuttirun.
  bool isRoot = false;
  bool isAllocated = false;               ///< Inside a batch job, which says where ranks go.
  bool mayReadOtherProcesses = true;      ///< process_vm_readv() is permitted.
  std::vector<std::string> exportedNames; ///< Environment variables that remote ranks need.
};

/// $TUTTI_MPIRUN, or mpirun, mpiexec or srun in $PATH. Runs it once to ask what it is.
Launcher findLauncher();

/// What a launcher is by what its `--version` prints.
LauncherKind launcherKind(std::string_view versionText);

LaunchHost thisHost();

/// The complete command, launcher first. Each rank is a monitor (see monitor.h) over the program.
std::vector<std::string> launchCommand(const RunOptions &options, const Launcher &launcher,
                                       const LaunchHost &host);

} // namespace tutti::driver
