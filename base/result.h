// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors as values: `Result<T>` and `Status` for what the world may do to us.
///
/// The members mirror `std::expected`, which C++20 lacks. Both are
/// [[nodiscard]]: handle it, return it, or `.ignore("why")`.
#pragma once

#include "base/check.h"
#include "base/format.h"

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace tutti {

enum class ErrorCode : std::uint8_t {
  InvalidArgument, ///< The caller's arguments or an option are wrong; nothing
                   ///< was done.
  InvalidShape,    ///< Extents that had to agree do not.
  SizeMismatch,    ///< A message is not as long as its receiver expects.
  OutOfMemory,     ///< Memory, address space or a count of mappings is used up.
  NotSupported,    ///< This build, machine or library cannot do it.
  DriverMissing,   ///< A library opened at run time is absent or too old.
  WrongImage,      ///< Compiled code of another ABI version, or not the same on
                   ///< every rank.
  SystemFailed,    ///< A system call failed; `native` is errno.
  TransportFailed, ///< The transport reports an error; `native` is its code.
  PeerLost,        ///< Another rank has gone.
  DeviceLost,      ///< Sticky: every later call on the device returns it.
  KernelFault,     ///< A kernel failed while it ran.
  NoRoute,         ///< Two memories cannot reach each other directly.
};

std::string_view name(ErrorCode code);

/// What went wrong, in words a user can act on.
struct Error {
  ErrorCode code;
  std::string message;
  std::int64_t native = 0; ///< Code of the failing library or system call; 0 if there is none.
  std::source_location where = std::source_location::current();

  /// "message (SystemFailed 12, runtime/memory/window.cpp:34)".
  std::string text() const;
};

/// Success or an `Error`.
class [[nodiscard]] Status {
public:
  Status() = default;

  Status(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }

  explicit operator bool() const { return has_value(); }

  const Error &error() const & {
    TUTTI_CHECK(error_, "error() of a success");
    return *error_;
  }

  Error &&error() && {
    TUTTI_CHECK(error_, "error() of a success");
    return *std::move(error_);
  }

  /// Drops the outcome; `why` is for the reader.
  void ignore([[maybe_unused]] std::string_view why) const {}

private:
  std::optional<Error> error_;
};

/// A `T` or an `Error`.
template <typename T> class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_void_v<T>, "use Status or a pointer");

public:
  using value_type = T;
  using error_type = Error;

  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  /// Implicit from whatever converts to `T`: `return 3;`, `return
  /// std::make_unique<Derived>();`.
  template <typename U = T>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error>)
  Result(U &&value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool has_value() const { return state_.index() == 0; }

  explicit operator bool() const { return has_value(); }

  /// Errors: a value that is absent is a bug of the caller, reported with the
  /// error's text.
  T &value() & {
    checkValue();
    return *std::get_if<0>(&state_);
  }

  const T &value() const & {
    checkValue();
    return *std::get_if<0>(&state_);
  }

  T &&value() && { return std::move(value()); }

  T &operator*() & { return value(); }

  const T &operator*() const & { return value(); }

  T &&operator*() && { return std::move(*this).value(); }

  T *operator->() { return &value(); }

  const T *operator->() const { return &value(); }

  template <typename U> T value_or(U &&fallback) const & {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }

  template <typename U> T value_or(U &&fallback) && {
    return has_value() ? std::move(*this).value() : static_cast<T>(std::forward<U>(fallback));
  }

  const Error &error() const & {
    TUTTI_CHECK(!has_value(), "error() of a success");
    return *std::get_if<1>(&state_);
  }

  Error &&error() && {
    TUTTI_CHECK(!has_value(), "error() of a success");
    return std::move(*std::get_if<1>(&state_));
  }

  /// Drops value and outcome; `why` is for the reader.
  void ignore([[maybe_unused]] std::string_view why) const {}

private:
  void checkValue() const {
    TUTTI_CHECK(has_value(), "value() of an error: {}", std::get_if<1>(&state_)->message);
  }

  std::variant<T, Error> state_;
};

namespace detail {

/// A format string that remembers where it was written.
template <typename... Args> struct FormatAt {
  template <typename S>
  consteval FormatAt(const S &text, std::source_location at = std::source_location::current())
      : format(text), where(at) {}

  fmt::format_string<Args...> format;
  std::source_location where;
};

} // namespace detail

/// An error with a formatted message, located at the caller: `return
/// failure(code, "got {}", n);`.
template <typename... Args>
Error failure(ErrorCode code, detail::FormatAt<std::type_identity_t<Args>...> format,
              Args &&...args) {
  return {code, fmt::format(format.format, std::forward<Args>(args)...), 0, format.where};
}

/// As `failure`, with the code of the library or system call that failed.
template <typename... Args>
Error nativeFailure(ErrorCode code, std::int64_t native,
                    detail::FormatAt<std::type_identity_t<Args>...> format, Args &&...args) {
  return {code, fmt::format(format.format, std::forward<Args>(args)...), native, format.where};
}

} // namespace tutti

/// Returns the error of a `Status` or `Result` from the enclosing function, or
/// goes on.
#define TUTTI_TRY(expression)                                                                      \
  do {                                                                                             \
    if (auto tuttiOutcome = (expression); !tuttiOutcome) {                                         \
      return std::move(tuttiOutcome).error();                                                      \
    }                                                                                              \
  } while (false)

/// Assigns the value of a `Result` to `target`, or returns its error from the enclosing function.
#define TUTTI_ASSIGN(target, expression)                                                           \
  do {                                                                                             \
    auto tuttiOutcome = (expression);                                                              \
    if (!tuttiOutcome) {                                                                           \
      return std::move(tuttiOutcome).error();                                                      \
    }                                                                                              \
    (target) = *std::move(tuttiOutcome);                                                           \
  } while (false)
