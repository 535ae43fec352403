// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lines on stderr, each written at once, prefixed with the program's name and
/// this process's rank.
///
/// Deciding what is worth a line is the caller's work. Nothing here allocates
/// or locks, so a signal handler may use it.
#pragma once

#include "base/format.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace tutti::log {

enum class Level : std::uint8_t { Quiet, Warn, Info };

/// Lines above `level` are dropped; `fatal` never is. Starts as `Warn`.
void setLevel(Level level);

/// Makes lines start with "tutti: rank R: " in place of "tutti: "; a negative
/// `rank` undoes it.
void setRank(std::int32_t rank);

/// What a fatal error does after its line is written: ends the whole job. If it
/// returns, this process exits with status 1. It may throw, which unit tests
/// use.
struct FatalHandler {
  void (*call)(void *context, std::string_view line) = nullptr;
  void *context = nullptr;
};

/// Returns the handler before.
///
/// Order: not concurrent with another `setFatalHandler`; a fatal error may
/// happen at any time.
FatalHandler setFatalHandler(FatalHandler handler);

namespace detail {

void write(Level level, fmt::string_view format, fmt::format_args args);

[[noreturn]] void writeFatal(fmt::string_view format, fmt::format_args args);

} // namespace detail

/// A line that only somebody who asked for it wants to see.
template <typename... Args> void info(fmt::format_string<Args...> format, Args &&...args) {
  detail::write(Level::Info, format, fmt::make_format_args(args...));
}

/// A line about something that works but not as the user probably wants.
template <typename... Args> void warn(fmt::format_string<Args...> format, Args &&...args) {
  detail::write(Level::Warn, format, fmt::make_format_args(args...));
}

/// The last line of a job: writes it, then runs the fatal handler.
template <typename... Args>
[[noreturn]] void fatal(fmt::format_string<Args...> format, Args &&...args) {
  detail::writeFatal(format, fmt::make_format_args(args...));
}

} // namespace tutti::log
