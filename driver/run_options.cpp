// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/run_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace tutti::driver {

namespace {

/// Options of Open MPI, Hydra and srun that are followed by a value, without leading dashes.
constexpr auto kLauncherValues = std::to_array<std::string_view>(
    {"x",        "host",    "H",          "hostfile",   "machinefile",   "map-by",
     "bind-to",  "rank-by", "wdir",       "wd",         "path",          "prefix",
     "npernode", "N",       "npersocket", "ppr",        "cpus-per-proc", "cpus-per-rank",
     "cpu-set",  "rf",      "rankfile",   "stdin",      "timeout",       "output-filename",
     "tune",     "am",      "app",        "report-pid", "report-uri",    "preload-files",
     "f",        "hosts",   "ppn",        "envlist",    "genvlist",      "iface",
     "launcher", "rmk",     "bootstrap",  "nodes",      "nodelist",      "partition",
     "account",  "time",    "mpi"});

/// Options that are followed by two values: a name and what it is set to.
constexpr auto kLauncherPairs = std::to_array<std::string_view>({"mca", "gmca", "genv", "env"});

template <std::size_t N>
bool contains(const std::array<std::string_view, N> &list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string_view withoutDashes(std::string_view option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

constexpr int kProbes = 60;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool readCount(std::string_view text, int &count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count >= 1;
}

/// One pass over the arguments; `next_` is the first that is not understood yet.
class Reader {
public:
  explicit Reader(const std::vector<std::string> &arguments) : arguments_(arguments) {}

  RunOptions read() {
    while (next_ < arguments_.size() && options_.problem.empty()) {
      const std::string &argument = arguments_[next_];
      if (argument == "--") {
        ++next_;
        break;
      }
      if (!argument.starts_with('-')) {
        break;
      }
      ++next_;
      if (!ownOption(argument)) {
        launcherOption(argument);
      }
    }
    options_.program.assign(arguments_.begin() + static_cast<std::ptrdiff_t>(next_),
                            arguments_.end());
    if (options_.problem.empty() && options_.action == RunAction::Run && options_.program.empty()) {
      options_.problem = "no program given (see tuttirun --help)";
    }
    return std::move(options_);
  }

private:
  bool ownOption(const std::string &argument) {
    if (argument == "-n" || argument == "-np" || argument == "--np" || argument == "--ranks") {
      ranks(next_ < arguments_.size() ? arguments_[next_++] : std::string());
    } else if (argument.starts_with("--ranks=") || argument.starts_with("-n=")) {
      ranks(argument.substr(argument.find('=') + 1));
    } else if (argument.size() > 2 && argument.starts_with("-n") && isDigit(argument[2])) {
      ranks(argument.substr(2));
    } else if (argument == "-h" || argument == "--help") {
      options_.action = RunAction::Help;
    } else if (argument == "-V" || argument == "--version") {
      options_.action = RunAction::Version;
    } else if (argument == "--stats") {
      options_.stats = "text";
    } else if (argument.starts_with("--stats=")) {
      options_.stats = argument.substr(argument.find('=') + 1);
    } else if (argument == "--tune" && !isLaunchersTune()) {
      options_.probes = kProbes;
    } else if (argument.starts_with("--tune=")) {
      probes(argument.substr(argument.find('=') + 1));
    } else if (argument == "--verbose") {
      options_.isVerbose = true;
    } else if (argument == "--dry-run") {
      options_.isDryRun = true;
    } else {
      return false;
    }
    return true;
  }

  /// Open MPI's option of this name is followed by a file of parameters; ours by other options or
  /// by the program, which can be executed.
  bool isLaunchersTune() const {
    std::error_code none;
    return next_ < arguments_.size() && std::filesystem::is_regular_file(arguments_[next_], none) &&
           access(arguments_[next_].c_str(), X_OK) != 0;
  }

  void ranks(const std::string &text) {
    if (!readCount(text, options_.ranks)) {
      options_.problem = "-n needs a number of ranks, not '" + text + "'";
    }
  }

  void probes(const std::string &text) {
    if (!readCount(text, options_.probes)) {
      options_.problem = "--tune needs a number of runs, not '" + text + "'";
    }
  }

  void launcherOption(const std::string &argument) {
    const std::string_view name = withoutDashes(argument);
    std::size_t values = 0;
    if (contains(kLauncherPairs, name)) {
      values = 2;
    } else if (contains(kLauncherValues, name)) {
      values = 1;
    }
    options_.launcherOptions.push_back(argument);
    for (; values > 0 && next_ < arguments_.size(); --values) {
      options_.launcherOptions.push_back(arguments_[next_++]);
    }
  }

  const std::vector<std::string> &arguments_;
  std::size_t next_ = 0;
  RunOptions options_;
};

} // namespace

RunOptions readRunOptions(const std::vector<std::string> &arguments) {
  return Reader(arguments).read();
}

} // namespace tutti::driver
