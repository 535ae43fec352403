// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
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
                             pid_t parent, int errorEnd, const std::string &speaker) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(128 + SIGKILL);
  }
  if (errorEnd >= 0) {
    ::dup2(errorEnd, STDERR_FILENO);
  }
  ::sigprocmask(SIG_SETMASK, &oldMask, nullptr);
  const std::string problem = speaker + ": " + become(command) + "\n";
  const int status = errno == ENOENT ? kNotFound : kNotExecutable;
  const ssize_t written = ::write(STDERR_FILENO, problem.data(), problem.size());
  static_cast<void>(written);
  ::_exit(status);
}

void printError(const std::string &text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) {
      return;
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

/// Folders may be "executed" too.
bool isProgram(const std::string &path) {
  struct stat status = {};
  return ::access(path.c_str(), X_OK) == 0 && ::stat(path.c_str(), &status) == 0 &&
         S_ISREG(status.st_mode);
}

/// Waits for a child: signals and its standard error in one loop.
class Supervisor {
public:
  Supervisor(const Supervision &supervision, pid_t child, pid_t parent, int signals, int errors)
      : supervision_(supervision), child_(child), parent_(parent),
        files_{pollfd{signals, POLLIN, 0}, pollfd{errors, POLLIN, 0}} {}

  ChildEnd run() {
    int status = 0;
    while (::waitpid(child_, &status, WNOHANG) == 0) {
      constexpr int kMilliseconds = 250;
      ::poll(files_.data(), files_.size(), kMilliseconds);
      takeSignals();
      takeErrors();
      checkTime();
    }
    takeErrors();
    if (supervision_.errors) {
      printError(supervision_.errors->finish());
    }
    takeSignals(); // Sent to the whole group, perhaps, and so to the child before us.
    if (WIFSIGNALED(status)) {
      end_.signal = WTERMSIG(status);
      end_.exitCode = 128 + end_.signal;
    } else {
      end_.exitCode = WEXITSTATUS(status);
    }
    return end_;
  }

private:
  using Clock = std::chrono::steady_clock;

  void takeSignals() {
    signalfd_siginfo info;
    while (::read(files_[0].fd, &info, sizeof info) == sizeof info) {
      const int signal = static_cast<int>(info.ssi_signo);
      if (signal == SIGCHLD) {
        continue;
      }
      if (signal != SIGUSR1 && signal != SIGUSR2) {
        end_.askedToEndBy = signal;
        startClock();
      }
      if (info.ssi_code != SI_KERNEL || supervision_.forwardsTerminalSignals) {
        ::kill(child_, signal);
      }
    }
  }

  void takeErrors() {
    char buffer[65536];
    ssize_t count = 0;
    while (files_[1].fd >= 0 && (count = ::read(files_[1].fd, buffer, sizeof buffer)) > 0) {
      printError(supervision_.errors->feed({buffer, static_cast<std::size_t>(count)}));
    }
    if (count == 0) {
      files_[1].fd = -1; // Closed by all writers, or there is none.
    }
    if (supervision_.errors && supervision_.errors->hasReport()) {
      startClock();
    }
  }

  /// From now on the child has only seconds. A monitor's child may take its time.
  void startClock() {
    if (supervision_.errors && !ending_) {
      ending_ = true;
      since_ = Clock::now();
    }
  }

  void checkTime() {
    if (supervision_.endsWithParent && ::getppid() != parent_) {
      end_.askedToEndBy = SIGHUP;
      ::kill(child_, SIGKILL);
    }
    if (supervision_.most.count() > 0 && !end_.tookTooLong &&
        Clock::now() - begin_ > supervision_.most) {
      end_.tookTooLong = true;
      ::kill(child_, SIGTERM);
      startClock();
    }
    const auto waited = Clock::now() - since_;
    if (ending_ && waited > std::chrono::milliseconds(2500)) {
      ::kill(child_, waited > std::chrono::milliseconds(3500) ? SIGKILL : SIGTERM);
    }
  }

  const Supervision &supervision_;
  pid_t child_;
  pid_t parent_;
  std::array<pollfd, 2> files_;
  ChildEnd end_;
  bool ending_ = false;
  Clock::time_point since_;
  const Clock::time_point begin_ = Clock::now();
};

} // namespace

std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos) {
    return isProgram(name) ? name : std::string();
  }
  const char *path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (isProgram(candidate)) {
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
  const int code = errno;
  std::string problem = "cannot start " + command[0] + ": " + std::strerror(code);
  errno = code;
  return problem;
}

ChildEnd supervise(const std::vector<std::string> &command, const Supervision &supervision) {
  ChildEnd end;
  std::array<int, 2> errors = {-1, -1};
  if (supervision.errors && ::pipe2(errors.data(), O_CLOEXEC) != 0) {
    end.problem = std::string("cannot make a pipe: ") + std::strerror(errno);
    return end;
  }
  const sigset_t signals = supervisedSignals();
  sigset_t oldMask;
  ::sigprocmask(SIG_BLOCK, &signals, &oldMask);
  const int signalFile = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  const pid_t self = ::getpid();
  const pid_t parent = ::getppid();
  const pid_t child = ::fork();
  if (child == 0) {
    startChild(command, oldMask, self, errors[1], supervision.speaker);
  }
  if (child < 0) {
    end.problem = std::string("cannot fork: ") + std::strerror(errno);
  } else {
    if (supervision.errors) {
      ::close(errors[1]);
      ::fcntl(errors[0], F_SETFL, O_NONBLOCK);
    }
    end = Supervisor(supervision, child, parent, signalFile, errors[0]).run();
  }
  ::close(signalFile);
  ::sigprocmask(SIG_SETMASK, &oldMask, nullptr);
  return end;
}

} // namespace tutti::driver
