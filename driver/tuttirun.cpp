// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tuttirun: starts a program on several ranks through the MPI launcher of the system.
#include "driver/binding.h"
#include "driver/inspectors.h"
#include "driver/launcher.h"
#include "driver/monitor.h"
#include "driver/process.h"
#include "driver/run_options.h"
#include "driver/tune.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <unistd.h>

namespace {

using namespace tutti::driver;

constexpr const char *kHelp =
    "usage: tuttirun [-n RANKS] [options] [mpirun options] PROGRAM [arguments]\n"
    "\n"
    "Starts PROGRAM, compiled with tutticc or tuttic++, on RANKS ranks (default 1).\n"
    "  -n, -np RANKS   number of ranks; one rank without mpirun options runs without MPI\n"
    "  --stats[=FORM]  counters on standard error at the end (text or json)\n"
    "  --tune[=RUNS]   first run a LuNA program up to RUNS times (60) to divide its rope best\n"
    "  --verbose       print the command that starts the ranks\n"
    "  --dry-run       print it and do nothing\n"
    "  --version       print the version\n"
    "  --              end of options\n"
    "Other options go to the launcher, e.g. --hostfile FILE, --host A,B, --map-by node.\n"
    "PROGRAM may be gdb or valgrind, each rank under one: tuttirun -n 2 valgrind ./prog\n"
    "Standard input goes to rank 0. The exit status is the program's; 128 + N if signal N ended "
    "it.\n"
    "Environment:\n"
    "  TUTTI_PROFILE   a file that keeps what --tune has found, for later runs\n"
    "  TUTTI_MPIRUN    the launcher (default: mpirun, mpiexec or srun in PATH)\n"
    "  TUTTI_BIND      cores: each rank of a host has cores of its own (default: none)\n"
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

/// The status with which to end because the program cannot be run; 0 if it can.
int checkProgram(const std::string &name) {
  if (!findProgram(name).empty()) {
    return 0;
  }
  if (name.find('/') == std::string::npos) {
    fail(name + " is not in PATH");
    return kNotFound;
  }
  const bool exists = ::access(name.c_str(), F_OK) == 0;
  fail(name + (exists ? " is not an executable program" : " does not exist"));
  return exists ? kNotExecutable : kNotFound;
}

constexpr int kTookTooLong = -1;

/// Runs the ranks until they have ended; the status that says how. `limit`: seconds that they may
/// take; 0 for any time.
int runRanks(const std::vector<std::string> &command, const Launcher &launcher, double limit = 0) {
  ErrorRelay errors;
  const std::chrono::duration<double> most(limit);
  const ChildEnd end =
      supervise(command, {.most = std::chrono::duration_cast<std::chrono::milliseconds>(most),
                          .errors = &errors});
  if (!end.problem.empty()) {
    return fail(end.problem);
  }
  if (!launcher.path.empty() && launcher.kind == LauncherKind::Unknown && !errors.hasStarted()) {
    fail("no rank was started: " + launcher.path + " does not seem to be an MPI launcher");
    return end.exitCode != 0 ? end.exitCode : 1;
  }
  if (end.tookTooLong && end.askedToEndBy == 0) {
    return kTookTooLong;
  }
  // mpirun ends the other ranks by a signal, too, and may give the status of one of those.
  const int signal = end.askedToEndBy != 0 ? end.askedToEndBy
                     : end.signal != 0     ? end.signal
                                           : errors.killedBy();
  return signal != 0 ? 128 + signal : end.exitCode;
}

/// While it lives, what children read is empty and what they print is lost.
class Quiet {
public:
  Quiet() : input_(::dup(STDIN_FILENO)), output_(::dup(STDOUT_FILENO)) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::close(null);
  }

  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;

  ~Quiet() {
    ::dup2(input_, STDIN_FILENO);
    ::dup2(output_, STDOUT_FILENO);
    ::close(input_);
    ::close(output_);
  }

private:
  int input_;
  int output_;
};

std::string textOf(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? text : "";
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> commandFor(const RunOptions &options, const Launcher &launcher) {
  // What the launcher hands on of the environment is part of it.
  return launcher.path.empty() ? options.program : launchCommand(options, launcher, thisHost());
}

/// Where a run of a program that has steps says what one takes, and ends then, while this lives.
class StepTime {
public:
  StepTime() {
    if (const int file = ::mkstemp(path_.data()); file >= 0) {
      ::close(file);
      ::setenv(kVariable, path_.c_str(), 1);
    }
  }

  StepTime(const StepTime &) = delete;
  StepTime &operator=(const StepTime &) = delete;

  ~StepTime() {
    end();
    ::unlink(path_.c_str());
  }

  /// Later runs go to their ends.
  void end() { ::unsetenv(kVariable); }

  /// What the latest run has said.
  std::optional<double> take() {
    std::ifstream file(path_);
    double seconds = 0;
    if (!(file >> seconds)) {
      return std::nullopt;
    }
    std::ofstream(path_, std::ios::trunc);
    return seconds;
  }

private:
  static constexpr const char *kVariable = "TUTTI_STEP_TIME";

  std::string path_ = std::filesystem::temp_directory_path() / "tutti-step-XXXXXX";
};

/// Runs the program with one division of the rope after the other, and leaves the best one in the
/// environment. The status of a run that failed, or 0.
int tuneRope(const RunOptions &options, const Launcher &launcher) {
  const std::string stats = textOf("TUTTI_STATS");
  ::setenv("TUTTI_STATS", "0", 1);
  int status = 0;
  StepTime stepTime;
  std::optional<double> mostOfStep; // Of the whole run, if runs tell what a step takes.
  const auto probe = [&](const Shares &shares, double limit) -> std::optional<double> {
    ::setenv("TUTTI_ROPE", ropeOf(shares).c_str(), 1);
    const Quiet quiet;
    const auto before = std::chrono::steady_clock::now();
    const double most = limit > 0 && mostOfStep ? *mostOfStep : limit;
    status = runRanks(commandFor(options, launcher), launcher, most);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    if (status == kTookTooLong) {
      status = 0;
      return most;
    }
    if (status != 0) {
      return std::nullopt;
    }
    const std::optional<double> step = stepTime.take();
    if (limit == 0 && step) {
      mostOfStep = 2 * took.count() + 1;
    } else if (limit == 0) {
      stepTime.end(); // All runs are measured in the same way.
    }
    return mostOfStep ? step.value_or(took.count()) : took.count();
  };
  const std::optional<Tuned> tuned = tune(probe, options.probes);
  if (status != 0 || !tuned) {
    return status;
  }
  const std::string rope = ropeOf(tuned->shares);
  std::fprintf(stderr, "tuttirun: TUTTI_ROPE=%s is the best of %d runs: %.3f %s\n", rope.c_str(),
               tuned->probes, mostOfStep ? 1000 * tuned->seconds : tuned->seconds,
               mostOfStep ? "ms a step" : "s");
  ::setenv("TUTTI_ROPE", rope.c_str(), 1);
  ::setenv("TUTTI_STATS", stats.empty() ? "0" : stats.c_str(), 1);
  if (const std::string path = textOf("TUTTI_PROFILE"); !path.empty()) {
    const std::string key = profileKey(options.program, options.ranks, textOf("TUTTI_DEVICE"));
    const std::string profile = putIntoProfile(contentOf(path), key, *tuned);
    std::ofstream file(path);
    file << profile << std::flush;
    if (!file) {
      return fail("TUTTI_PROFILE=" + path + " cannot be written");
    }
  }
  return 0;
}

/// What an earlier run has found, unless the user says otherwise.
void takeProfile(const RunOptions &options) {
  const std::string path = textOf("TUTTI_PROFILE");
  if (path.empty() || std::getenv("TUTTI_ROPE")) {
    return;
  }
  const std::string key = profileKey(options.program, options.ranks, textOf("TUTTI_DEVICE"));
  if (const std::string rope = findInProfile(contentOf(path), key); !rope.empty()) {
    ::setenv("TUTTI_ROPE", rope.c_str(), 1);
  }
}

/// What belongs to gdb or valgrind, if the program runs under one of them.
void takeInspector(RunOptions &options) {
  const std::filesystem::path self = thisHost().self;
  const std::string suppressions =
      (self.parent_path().parent_path() / "lib/tutti/valgrind.supp").string();
  Inspected inspected =
      tutti::driver::inspected(std::move(options.program), options.ranks, suppressions);
  options.program = std::move(inspected.program);
  options.labelsOutput = inspected.isInspected && options.ranks > 1;
  if (!inspected.heap.empty()) {
    ::setenv("TUTTI_HEAP", inspected.heap.c_str(), 0);
  }
}

int run(RunOptions options) {
  takeInspector(options);
  if (!options.stats.empty()) {
    ::setenv("TUTTI_STATS", options.stats.c_str(), 1);
  }
  if (const int status = checkProgram(options.program[0]); status != 0) {
    return status;
  }
  Launcher launcher;
  // Options of the launcher may say where even one rank is to run.
  const bool needsLauncher = options.ranks > 1 || !options.launcherOptions.empty();
  if (needsLauncher) {
    launcher = findLauncher();
    if (!launcher.problem.empty()) {
      return fail(launcher.problem);
    }
  }
  if (const std::string bind = textOf(kBindVariable);
      !bind.empty() && bind != kBindCores && bind != kBindNone) {
    return fail(std::string(kBindVariable) + "=" + bind + ": expected cores or none");
  }
  takeProfile(options);
  if (options.probes > 0 && !options.isDryRun) {
    if (const int status = tuneRope(options, launcher); status != 0) {
      return status;
    }
  }
  const std::vector<std::string> command = commandFor(options, launcher);
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
  return runRanks(command, launcher);
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
  RunOptions options = readRunOptions(arguments);
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
    return run(std::move(options));
  }
  return 1;
}
