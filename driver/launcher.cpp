// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launcher.h"

#include "driver/monitor.h"
#include "driver/process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sys/uio.h>
#include <unistd.h>

namespace tutti::driver {

namespace {

bool hasOption(const std::vector<std::string> &options,
               std::initializer_list<std::string_view> names) {
  return std::any_of(options.begin(), options.end(), [&](std::string_view option) {
    option = option.substr(std::min(option.find_first_not_of('-'), option.size()));
    option = option.substr(0, option.find('='));
    return std::find(names.begin(), names.end(), option) != names.end();
  });
}

void addOpenMpiOptions(std::vector<std::string> &command, const RunOptions &options,
                       const LaunchHost &host) {
  const std::vector<std::string> &given = options.launcherOptions;
  if (host.isRoot) {
    command.push_back("--allow-run-as-root");
  }
  if (!host.isAllocated && !hasOption(given, {"host", "H", "hostfile", "machinefile"})) {
    command.push_back("--oversubscribe");
  }
  if (!hasOption(given, {"bind-to", "cpu-set", "rankfile", "rf", "report-bindings"})) {
    // A rank is a process with threads of its own, not one core's worth of work.
    command.insert(command.end(), {"--bind-to", "none"});
  }
  if (!host.mayReadOtherProcesses) {
    command.insert(command.end(), {"--mca", "btl_vader_single_copy_mechanism", "none"});
  }
  if (options.labelsOutput && !hasOption(given, {"tag-output", "xterm", "output-filename"})) {
    command.push_back("--tag-output");
  }
  for (const std::string &name : host.exportedNames) {
    command.insert(command.end(), {"-x", name});
  }
}

bool mayReadOtherProcesses() {
  // Denied by the system call filters of containers even for the process itself.
  char source = 1;
  char target = 0;
  const iovec from = {&source, 1};
  const iovec to = {&target, 1};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == 1;
}

} // namespace

LauncherKind launcherKind(std::string_view versionText) {
  const auto says = [&](std::string_view word) {
    return versionText.find(word) != std::string_view::npos;
  };
  if (says("HYDRA") || says("Intel(R) MPI") || says("mpich")) {
    return LauncherKind::Hydra;
  }
  if (says("slurm")) {
    return LauncherKind::Slurm;
  }
  const bool isOpenMpi = says("Open MPI") || says("OpenRTE") || says("PRRTE");
  return isOpenMpi ? LauncherKind::OpenMpi : LauncherKind::Unknown;
}

Launcher findLauncher() {
  Launcher launcher;
  if (const char *chosen = std::getenv("TUTTI_MPIRUN"); chosen != nullptr && *chosen != '\0') {
    launcher.path = findProgram(chosen);
    if (launcher.path.empty()) {
      launcher.problem = "TUTTI_MPIRUN=" + std::string(chosen) + " is not a program";
      return launcher;
    }
  }
  for (const char *name : {"mpirun", "mpiexec", "srun"}) {
    if (launcher.path.empty()) {
      launcher.path = findProgram(name);
    }
  }
  if (launcher.path.empty()) {
    launcher.problem = "no mpirun, mpiexec or srun in PATH; install Open MPI (package openmpi-bin) "
                       "or set TUTTI_MPIRUN";
    return launcher;
  }
  launcher.kind = launcherKind(outputOf({launcher.path, "--version"}));
  return launcher;
}

LaunchHost thisHost() {
  LaunchHost host;
  std::error_code error;
  host.self = std::filesystem::read_symlink("/proc/self/exe", error).string();
  host.isRoot = ::geteuid() == 0;
  for (const char *name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}) {
    host.isAllocated |= std::getenv(name) != nullptr;
  }
  host.mayReadOtherProcesses = mayReadOtherProcesses();
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    if (variable.starts_with("TUTTI_") || variable.starts_with("OMP_") ||
        variable.starts_with("KMP_")) {
      host.exportedNames.emplace_back(variable.substr(0, variable.find('=')));
    }
  }
  std::sort(host.exportedNames.begin(), host.exportedNames.end());
  return host;
}

std::vector<std::string> launchCommand(const RunOptions &options, const Launcher &launcher,
                                       const LaunchHost &host) {
  std::vector<std::string> command = {launcher.path, "-n", std::to_string(options.ranks)};
  switch (launcher.kind) {
  case LauncherKind::OpenMpi:
  case LauncherKind::Unknown:
    addOpenMpiOptions(command, options, host);
    break;
  case LauncherKind::Hydra:
    if (options.labelsOutput) {
      command.push_back("-prepend-rank");
    }
    break;
  case LauncherKind::Slurm:
    command.insert(command.end(), {"--kill-on-bad-exit=1", "--input=0", "--quiet"});
    if (options.labelsOutput) {
      command.push_back("--label");
    }
    break;
  }
  command.insert(command.end(), options.launcherOptions.begin(), options.launcherOptions.end());
  const bool announces = launcher.kind == LauncherKind::Unknown;
  command.insert(command.end(),
                 {host.self, announces ? kAnnouncingMonitorOption : kMonitorOption, "--"});
  command.insert(command.end(), options.program.begin(), options.program.end());
  return command;
}

} // namespace tutti::driver
