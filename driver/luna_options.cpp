// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/luna_options.h"

#include <charconv>
#include <filesystem>
#include <string_view>

namespace tutti::driver {

namespace {

/// One pass over the arguments, up to the program.
class Reader {
public:
  explicit Reader(const std::vector<std::string> &arguments) : arguments_(arguments) {}

  LunaOptions read() {
    for (; next_ < arguments_.size() && options_.problem.empty(); ++next_) {
      const std::string &argument = arguments_[next_];
      if (!argument.starts_with('-')) {
        options_.program = argument;
        options_.arguments.assign(arguments_.begin() + static_cast<std::ptrdiff_t>(next_) + 1,
                                  arguments_.end());
        break;
      }
      if (!flag(argument) && !valued(argument)) {
        options_.problem = "argument not recognized: " + argument;
      }
    }
    if (options_.problem.empty() && options_.program.empty() && !options_.asksForHelp) {
      options_.problem = "no program specified";
    }
    return std::move(options_);
  }

private:
  bool flag(const std::string &argument) {
    if (argument == "--help" || argument == "-h") {
      options_.asksForHelp = true;
    } else if (argument == "--verbose") {
      options_.isVerbose = true;
    } else if (argument == "-t") {
      options_.showsTime = true;
    } else if (argument == "--no-cleanup") {
      options_.keepsFiles = true;
    } else if (argument == "--compile-only") {
      options_.onlyCompiles = true;
      options_.keepsFiles = true;
    } else if (argument == "-c") {
      options_.onlyStores = true;
    } else if (argument == "-g" || argument == "-O0" || argument == "-O" || argument == "-w" ||
               argument == "-Werror" || argument == "--std=luna" || argument == "-fcheck") {
      options_.compileOptions.push_back(argument);
    } else if (argument == "-q" || argument == "--quiet") {
      options_.compileOptions.emplace_back("-w"); // There is no progress to be quiet about.
    } else {
      // Ranks balance their load anyway.
      return argument == "-b" || argument == "-u";
    }
    return true;
  }

  bool valued(const std::string &argument) {
    std::string value;
    if (takes("--cpp-dir", argument, value)) {
      options_.cppFolders = splitPaths(value);
    } else if (takes("--cpp-source", argument, value)) {
      options_.cppSources = splitPaths(value);
    } else if (takes("--build-dir", argument, value)) {
      options_.buildFolder = value;
    } else if (takes("--output-file", argument, value)) {
      options_.output = value;
    } else if (takes("--worker-threads-count", argument, value)) {
      number(argument, value, options_.threads);
    } else if (takes("--disable-warning", argument, value)) {
      options_.compileOptions.push_back("--disable-warning=" + value);
    } else if (argument.starts_with("-D")) {
      value = argument.size() > 2 ? argument.substr(2) : following(argument);
      options_.compileOptions.push_back("-D" + value);
    } else if (argument.starts_with("-I")) {
      value = argument.size() > 2 ? argument.substr(2) : following(argument);
      options_.compileOptions.push_back("-I" + value);
    } else if (argument == "-n") {
      number(argument, following(argument), options_.ranks);
    } else {
      return takes("--luna-home", argument, value);
    }
    return true;
  }

  bool takes(std::string_view option, const std::string &argument, std::string &value) {
    if (!argument.starts_with(option)) {
      return false;
    }
    const bool isJoined = argument.size() > option.size() && argument[option.size()] == '=';
    if (!isJoined && argument.size() != option.size()) {
      return false;
    }
    value = isJoined ? argument.substr(option.size() + 1) : following(argument);
    return true;
  }

  std::string following(const std::string &option) {
    if (next_ + 1 >= arguments_.size()) {
      options_.problem = "no value provided for key: " + option;
      return {};
    }
    return arguments_[++next_];
  }

  void number(const std::string &option, const std::string &text, int &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (options_.problem.empty() &&
        (error != std::errc() || end != text.data() + text.size() || value < 1)) {
      options_.problem = "expected a positive number: " + option;
    }
  }

  const std::vector<std::string> &arguments_;
  std::size_t next_ = 0;
  LunaOptions options_;
};

} // namespace

std::vector<std::string> splitPaths(const std::string &list) {
  std::vector<std::string> paths(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size()) {
      paths.back() += list[++i];
    } else if (list[i] == ':') {
      paths.emplace_back();
    } else {
      paths.back() += list[i];
    }
  }
  std::erase(paths, "");
  return paths;
}

LunaOptions readLunaOptions(const std::vector<std::string> &arguments) {
  LunaOptions options = Reader(arguments).read();
  if (options.cppFolders.empty()) {
    const std::string own = std::filesystem::path(options.program).parent_path().string();
    options.cppFolders = {own.empty() ? "." : own};
  }
  return options;
}

} // namespace tutti::driver
