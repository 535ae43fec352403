// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::driver {

namespace {

std::vector<char *> rawArguments(const std::vector<std::string> &command) {
  std::vector<char *> raw;
  raw.reserve(command.size() + 1);
  for (const std::string &argument : command) {
    raw.push_back(const_cast<char *>(argument.c_str()));
  }
  raw.push_back(nullptr);
  return raw;
}

sigset_t supervisedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
    sigaddset(&set, signal);
  }
  return set;
}

/// The child between fork and exec: never returns.
[[noreturn]] void startChild(const std::vector<std::string> &command, const sigset_t &oldMask,
                             pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(128 + SIGKILL);
  }
  ::sigprocmask(SIG_SETMASK, &oldMask, nullptr);
  const std::string problem = "tuttirun: " + become(command) + "\n";
  const ssize_t written = ::write(STDERR_FILENO, problem.data(), problem.size());
  static_cast<void>(written);
  constexpr int kNotFound = 127;
  constexpr int kNotExecutable = 126;
  ::_exit(errno == ENOENT ? kNotFound : kNotExecutable);
}

/// Whether one of the signals that end a job is waiting to be taken.
int pendingEndSignal() {
  sigset_t pending;
  ::sigpending(&pending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (sigismember(&pending, signal) == 1) {
      return signal;
    }
  }
  return 0;
}

} // namespace

std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos) {
    return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  }
  const char *path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

std::string outputOf(const std::vector<std::string> &command) {
  int ends[2];
  if (::pipe(ends) != 0) {
    return {};
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    static_cast<void>(become(command));
    ::_exit(1);
  }
  ::close(ends[1]);
  std::string output;
  char buffer[4096];
  while (child > 0) {
    const ssize_t count = ::read(ends[0], buffer, sizeof buffer);
    if (count > 0) {
      output.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  ::close(ends[0]);
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
  }
  return output;
}

std::string become(const std::vector<std::string> &command) {
  ::execvp(command[0].c_str(), rawArguments(command).data());
  return "cannot start " + command[0] + ": " + std::strerror(errno);
}

ChildEnd supervise(const std::vector<std::string> &command, const Supervision &supervision) {
  ChildEnd end;
  const sigset_t signals = supervisedSignals();
  sigset_t oldMask;
  ::sigprocmask(SIG_BLOCK, &signals, &oldMask);
  const pid_t self = ::getpid();
  const pid_t parent = ::getppid();
  const pid_t child = ::fork();
  if (child < 0) {
    end.problem = std::string("cannot fork: ") + std::strerror(errno);
    return end;
  }
  if (child == 0) {
    startChild(command, oldMask, self);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const timespec second = {1, 0};
    siginfo_t info;
    const int signal = ::sigtimedwait(&signals, &info, &second);
    if (supervision.endsWithParent && ::getppid() != parent) {
      end.askedToEndBy = SIGHUP;
      ::kill(child, SIGKILL);
    } else if (signal > 0 && signal != SIGCHLD) {
      if (signal != SIGUSR1 && signal != SIGUSR2) {
        end.askedToEndBy = signal;
      }
      if (info.si_code != SI_KERNEL || supervision.forwardsTerminalSignals) {
        ::kill(child, signal);
      }
    }
  }
  if (end.askedToEndBy == 0) {
    end.askedToEndBy = pendingEndSignal();
  }
  ::sigprocmask(SIG_SETMASK, &oldMask, nullptr);
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.exitCode = 128 + end.signal;
  } else {
    end.exitCode = WEXITSTATUS(status);
  }
  return end;
}

} // namespace tutti::driver
