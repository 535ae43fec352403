// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tuttirun: starts a program on several ranks through the MPI launcher of the system.
#include "driver/launcher.h"
#include "driver/monitor.h"
#include "driver/process.h"
#include "driver/run_options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

using namespace tutti::driver;

constexpr const char *kHelp =
    "usage: tuttirun [-n RANKS] [options] [mpirun options] PROGRAM [arguments]\n"
    "\n"
    "Starts PROGRAM, compiled with tutticc or tuttic++, on RANKS ranks (default 1).\n"
    "  -n, -np RANKS   number of ranks; one rank without mpirun options runs without MPI\n"
    "  --stats[=FORM]  counters on standard error at the end (text or json)\n"
    "  --verbose       print the command that starts the ranks\n"
    "  --dry-run       print it and do nothing\n"
    "  --version       print the version\n"
    "  --              end of options\n"
    "Other options go to the launcher, e.g. --hostfile FILE, --host A,B, --map-by node.\n"
    "Standard input goes to rank 0. The exit status is the program's; 128 + N if signal N ended "
    "it.\n"
    "Environment:\n"
    "  TUTTI_MPIRUN    the launcher (default: mpirun, mpiexec or srun in PATH)\n"
    "  OMP_NUM_THREADS threads of each rank (default: the ranks of a host share its cores)\n";

std::string quoted(const std::string &argument) {
  const bool isPlain =
      !argument.empty() &&
      argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_@%+=:,./-") == std::string::npos;
  if (isPlain) {
    return argument;
  }
  std::string result = "'";
  for (const char c : argument) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

void print(FILE *stream, const std::vector<std::string> &command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    std::fprintf(stream, "%s%s", i == 0 ? "" : " ", quoted(command[i]).c_str());
  }
  std::fputc('\n', stream);
}

int fail(const std::string &problem) {
  std::fprintf(stderr, "tuttirun: %s\n", problem.c_str());
  return 1;
}

int run(const RunOptions &options) {
  if (!options.stats.empty()) {
    ::setenv("TUTTI_STATS", options.stats.c_str(), 1);
  }
  if (findProgram(options.program[0]).empty()) {
    const std::string &name = options.program[0];
    if (name.find('/') == std::string::npos) {
      fail(name + " is not in PATH");
      return kNotFound;
    }
    const bool exists = ::access(name.c_str(), F_OK) == 0;
    fail(name + (exists ? " is not an executable program" : " does not exist"));
    return exists ? kNotExecutable : kNotFound;
  }
  std::vector<std::string> command = options.program;
  Launcher launcher;
  // Options of the launcher may say where even one rank is to run.
  const bool needsLauncher = options.ranks > 1 || !options.launcherOptions.empty();
  if (needsLauncher) {
    launcher = findLauncher();
    if (!launcher.problem.empty()) {
      return fail(launcher.problem);
    }
    command = launchCommand(options, launcher, thisHost());
  }
  if (options.isVerbose || options.isDryRun) {
    print(options.isDryRun ? stdout : stderr, command);
  }
  if (options.isDryRun) {
    return 0;
  }
  if (!needsLauncher) {
    const std::string problem = become(command);
    const int status = errno == ENOENT ? kNotFound : kNotExecutable;
    fail(problem);
    return status;
  }
  ErrorRelay errors;
  const ChildEnd end = supervise(command, {.errors = &errors});
  if (!end.problem.empty()) {
    return fail(end.problem);
  }
  if (launcher.kind == LauncherKind::Unknown && !errors.hasStarted()) {
    fail("no rank was started: " + launcher.path + " does not seem to be an MPI launcher");
    return end.exitCode != 0 ? end.exitCode : 1;
  }
  // mpirun ends the other ranks by a signal, too, and may give the status of one of those.
  const int signal = end.askedToEndBy != 0 ? end.askedToEndBy : errors.killedBy();
  return signal != 0 ? 128 + signal : end.exitCode;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() > 2 && arguments[1] == "--") {
    const bool announces = arguments[0] == kAnnouncingMonitorOption;
    if (announces || arguments[0] == kMonitorOption) {
      return monitor({arguments.begin() + 2, arguments.end()}, announces);
    }
  }
  const RunOptions options = readRunOptions(arguments);
  if (!options.problem.empty()) {
    return fail(options.problem);
  }
  switch (options.action) {
  case RunAction::Help:
    std::fputs(kHelp, stdout);
    return 0;
  case RunAction::Version:
    std::printf("tuttirun %s\n", TUTTI_VERSION);
    return 0;
  case RunAction::Run:
    return run(options);
  }
  return 1;
}
