// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Conditions that have the same value in every run.
#pragma once

#include "compiler/frontend/luna/ast.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace tutti::compiler::luna {

/// A sum of multiples of what nothing is known of, by its text.
struct Sum {
  std::map<std::string, std::int64_t> terms;
  std::int64_t constant = 0;
};

/// What is proved of conditions: sums are compared term by term, and what else stands in them is
/// taken for any number, the same one where it is written the same way.
class Conditions {
public:
  /// Order: behind `check`, if that found no error.
  explicit Conditions(const Program &program);

  /// Whether the condition is true in every run, or false in every run; nothing if neither is
  /// proved. Cost: gives up where there is too much to try.
  std::optional<bool> alwaysIs(const Expression &condition) const;

private:
  std::unordered_map<const Declaration *, Sum> lets_; ///< Those that are short.
};

} // namespace tutti::compiler::luna
