// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is said of a program that is wrong: once, as it does not go on.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::model::fragments {

/// Why the program cannot go on: one message, several lines perhaps.
struct Failure {
  std::string text;
};

/// What is said of a program that is wrong: once, as it does not go on.
///
/// Threading: externally synchronised.
class Failures {
public:
  explicit Failures(const Program &program) : program_(program) {}

  Failures(const Failures &) = delete;
  Failures &operator=(const Failures &) = delete;

  /// Null if the program can go on.
  const std::optional<Failure> &failure() const { return failure_; }

  bool hasFailed() const { return failure_.has_value(); }

  /// The program is wrong at a place of it.
  void failAt(std::string_view at, std::string_view text, std::string_view code);

  /// The program is wrong, as found from outside.
  void fail(Call &call, std::string_view text, std::string_view code);

  /// With its indices.
  std::string nameOf(const Entry &entry) const;

  /// A statement, and where it stands.
  std::string whoIs(std::int32_t statement) const;

  /// Through which calls of subs the program came there, the innermost first.
  std::string chainOf(const Frame *frame) const;

private:
  const Program &program_;
  std::optional<Failure> failure_;
};

} // namespace tutti::model::fragments
