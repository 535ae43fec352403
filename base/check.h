// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks for bugs of ours. A failed check writes one line and ends the job
/// through the handler of `log::setFatalHandler`. Trouble that the world may
/// cause is a `Status`, not a check.
#pragma once

#include "base/format.h"
#include "base/log.h"

#include <cstdint>

namespace tutti::detail {

/// Where a check stands; built only on the failing path.
struct CheckSite {
  const char *file;
  std::uint32_t line;
  const char *condition;
};

[[noreturn, gnu::cold]] void writeFailedCheck(const CheckSite &site, fmt::string_view format,
                                              fmt::format_args args);

[[noreturn, gnu::cold]] inline void checkFailed(const CheckSite &site) {
  writeFailedCheck(site, "", fmt::make_format_args());
}

template <typename... Args>
[[noreturn, gnu::cold]] void checkFailed(const CheckSite &site, fmt::format_string<Args...> format,
                                         Args &&...args) {
  writeFailedCheck(site, fmt::string_view(format), fmt::make_format_args(args...));
}

} // namespace tutti::detail

/// `TUTTI_CHECK(condition)` or `TUTTI_CHECK(condition, "format {}", args...)`;
/// also in release builds. The message says what was expected of which
/// operation.
#define TUTTI_CHECK(condition, ...)                                                                \
  (static_cast<bool>(condition)                                                                    \
       ? static_cast<void>(0)                                                                      \
       : ::tutti::detail::checkFailed({__FILE__, __LINE__, #condition} __VA_OPT__(, )              \
                                          __VA_ARGS__))

/// As `TUTTI_CHECK`, for conditions too expensive for release builds: there it
/// is not evaluated.
#ifdef NDEBUG
#define TUTTI_DCHECK(condition, ...)                                                               \
  (true ? static_cast<void>(0) : TUTTI_CHECK(condition __VA_OPT__(, ) __VA_ARGS__))
#else
#define TUTTI_DCHECK(condition, ...) TUTTI_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#endif
