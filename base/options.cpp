// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/options.h"

#include "base/log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <optional>
#include <unistd.h>

namespace tutti {

namespace {

constexpr std::string_view kPrefix = "TUTTI_";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char &letter : result) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

template <typename T> std::optional<T> wholeNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// Bytes meant by "64", "64k", "64K", "64KB" or "64KiB".
std::optional<std::uint64_t> bytesOf(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = wholeNumber<std::uint64_t>(text.substr(0, digits));
  std::string unit = lower(text.substr(digits));
  if (!number) {
    return std::nullopt;
  }
  if (unit.empty() || unit == "b") {
    return number;
  }
  const std::size_t power = std::string_view("kmgt").find(unit.front());
  const std::string_view rest = std::string_view(unit).substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) {
    return std::nullopt;
  }
  const auto shift = static_cast<int>(10 * (power + 1));
  if (std::bit_width(*number) + shift > 64) {
    return std::nullopt;
  }
  return *number << shift;
}

/// A size in the largest unit that leaves no rest.
std::string sizeText(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGT";
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{}", bytes) : fmt::format("{}{}", bytes, kUnits[unit - 1]);
}

std::string sizeBounds(std::uint64_t least, std::uint64_t most) {
  if (most == std::numeric_limits<std::uint64_t>::max()) {
    return least == 0 ? "" : fmt::format(" of at least {}", sizeText(least));
  }
  return fmt::format(" from {} to {}", sizeText(least), sizeText(most));
}

} // namespace

Options Options::fromEnvironment() {
  std::vector<const char *> variables;
  for (char **variable = ::environ; variable && *variable; ++variable) {
    variables.push_back(*variable);
  }
  return Options(variables);
}

Options::Options(std::span<const char *const> environment) {
  for (const std::string_view variable : environment) {
    const std::size_t equals = variable.find('=');
    if (variable.starts_with(kPrefix) && equals != std::string_view::npos &&
        equals + 1 < variable.size()) {
      values_.emplace(variable.substr(0, equals), variable.substr(equals + 1));
    }
  }
}

Result<std::int64_t> Options::integer(std::string_view name, std::int64_t fallback,
                                      std::int64_t least, std::int64_t most) {
  const std::string *text = find(name);
  if (!text) {
    return fallback;
  }
  const auto value = wholeNumber<std::int64_t>(*text);
  if (!value || *value < least || *value > most) {
    return failure(ErrorCode::InvalidArgument, "{}={}: expected an integer from {} to {}", name,
                   *text, least, most);
  }
  return *value;
}

Result<std::uint64_t> Options::size(std::string_view name, std::uint64_t fallback,
                                    std::uint64_t least, std::uint64_t most) {
  const std::string *text = find(name);
  if (!text) {
    return fallback;
  }
  const auto value = bytesOf(*text);
  if (!value || *value < least || *value > most) {
    return failure(ErrorCode::InvalidArgument,
                   "{}={}: expected a number of bytes{}, for example 65536, "
                   "64K, 16M or 2G",
                   name, *text, sizeBounds(least, most));
  }
  return *value;
}

Result<bool> Options::boolean(std::string_view name, bool fallback) {
  const std::string *text = find(name);
  if (!text) {
    return fallback;
  }
  const std::string word = lower(*text);
  for (const std::string_view yes : {"1", "on", "true", "yes"}) {
    if (word == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"0", "off", "false", "no"}) {
    if (word == no) {
      return false;
    }
  }
  return failure(ErrorCode::InvalidArgument,
                 "{}={}: expected one of 1, on, true, yes, 0, off, false, no", name, *text);
}

std::string Options::text(std::string_view name, std::string_view fallback) {
  const std::string *text = find(name);
  return text ? *text : std::string(fallback);
}

void Options::allow(std::string_view name) { known_.emplace(name); }

std::vector<std::string> Options::unknown() const {
  std::vector<std::string> names;
  for (const auto &[name, value] : values_) {
    if (!known_.contains(name)) {
      names.push_back(name);
    }
  }
  return names;
}

void Options::warnUnknown() const {
  const std::vector<std::string> names = unknown();
  if (!names.empty()) {
    log::warn("ignored unknown environment variable{} {}", names.size() > 1 ? "s" : "",
              fmt::join(names, ", "));
  }
}

const std::string *Options::find(std::string_view name) {
  allow(name);
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

Result<std::int64_t> Options::choiceIndex(std::string_view name,
                                          std::span<const std::string_view> names) {
  const std::string *text = find(name);
  if (!text) {
    return -1;
  }
  const auto found = std::find(names.begin(), names.end(), lower(*text));
  if (found == names.end()) {
    return failure(ErrorCode::InvalidArgument, "{}={}: expected one of {}", name, *text,
                   fmt::join(names, ", "));
  }
  return found - names.begin();
}

} // namespace tutti
