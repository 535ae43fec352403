// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads the environment variables TUTTI_*. Each reader of an option states its
/// name, its range and its default where it is used; this file parses, and
/// words the errors.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti {

/// The TUTTI_* variables of one environment. An empty value counts as not set.
///
/// Threading: externally synchronised.
/// Errors:    every reader gives InvalidArgument with one line that names
/// variable, value and what
///            is allowed.
class Options {
public:
  /// The variables of this process, as of now.
  static Options fromEnvironment();

  /// Takes "NAME=value" strings; those that do not begin with TUTTI_ are
  /// ignored.
  explicit Options(std::span<const char *const> environment);

  /// A decimal integer in [least, most].
  Result<std::int64_t> integer(std::string_view name, std::int64_t fallback, std::int64_t least,
                               std::int64_t most);

  /// A number of bytes in [least, most]: digits, then nothing, K, M, G or T
  /// (powers of 1024; "KiB" and "KB" mean the same, in any case).
  Result<std::uint64_t> size(std::string_view name, std::uint64_t fallback, std::uint64_t least = 0,
                             std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

  /// 1/0, on/off, true/false or yes/no.
  Result<bool> boolean(std::string_view name, bool fallback);

  /// One of `choices`, by its name.
  template <typename E>
  Result<E> choice(std::string_view name, E fallback,
                   std::span<const std::pair<std::string_view, E>> choices) {
    std::vector<std::string_view> names;
    for (const auto &[word, value] : choices) {
      names.push_back(word);
    }
    const Result<std::int64_t> index = choiceIndex(name, names);
    if (!index) {
      return index.error();
    }
    return *index < 0 ? fallback : choices[static_cast<std::size_t>(*index)].second;
  }

  /// Any text.
  std::string text(std::string_view name, std::string_view fallback);

  /// Names a variable that somebody else reads, so that it is not unknown.
  void allow(std::string_view name);

  /// Set variables that no reader has asked for so far: misspelt, probably.
  std::vector<std::string> unknown() const;

  /// Warns about all `unknown` variables in one line; silent if there are none.
  void warnUnknown() const;

private:
  /// The value of `name`, or null if it is not set; from now on `name` is
  /// known.
  const std::string *find(std::string_view name);

  /// Index into `names`, or -1 if the variable is not set.
  Result<std::int64_t> choiceIndex(std::string_view name, std::span<const std::string_view> names);

  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> known_;
};

} // namespace tutti
