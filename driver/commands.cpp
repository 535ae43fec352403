// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/commands.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tutti::driver {

namespace {

namespace fs = std::filesystem;

constexpr int kDoesNotStart = 127;

/// Ignores what the terminal sends to all of its processes.
class Patience {
public:
  Patience() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}

  Patience(const Patience &) = delete;
  Patience &operator=(const Patience &) = delete;

  ~Patience() { restore(); }

  void restore() const {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }

private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

} // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  fs::path place = fs::temp_directory_path(error);
  std::string name = (error ? fs::path("/tmp") : place) / "tutti-XXXXXX";
  path_ = ::mkdtemp(name.data()) != nullptr ? name : "";
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) {
    fs::remove_all(path_, error);
  }
}

std::string quoted(const Command &command) {
  std::string line;
  for (const std::string &word : command) {
    line += " \"";
    for (const char letter : word) {
      line += std::strchr("\"\\$`", letter) != nullptr ? std::string{'\\', letter}
                                                       : std::string(1, letter);
    }
    line += '"';
  }
  return line;
}

int runToEnd(const Command &command) {
  const Patience patience;
  const pid_t child = ::fork();
  if (child < 0) {
    std::fprintf(stderr, "error: cannot start %s: %s\n", command[0].c_str(), std::strerror(errno));
    return kDoesNotStart;
  }
  if (child == 0) {
    patience.restore();
    ::_exit(become(command));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int become(const Command &command) {
  std::vector<char *> raw;
  raw.reserve(command.size() + 1);
  for (const std::string &argument : command) {
    raw.push_back(const_cast<char *>(argument.c_str()));
  }
  raw.push_back(nullptr);
  ::execv(raw[0], raw.data());
  std::fprintf(stderr, "error: cannot start %s: %s\n", raw[0], std::strerror(errno));
  return kDoesNotStart;
}

} // namespace tutti::driver
