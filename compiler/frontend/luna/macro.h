// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Macros: what a `#define` says, what stands between the parentheses of a use, and the text that
/// comes of the two.
#pragma once

#include "compiler/frontend/luna/source.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tutti::compiler::luna {

struct Macro {
  Location at;
  std::string name;
  bool takesArguments = false;
  std::vector<std::string> parameters = {};
  Text body = {};

  /// The body with `$parameter` replaced; its characters belong to `expansion`, those of the
  /// arguments stay where they are. A name that begins with a parameter's counts as that one, with
  /// more behind it.
  Text expand(const std::vector<Text> &arguments, std::uint32_t expansion) const;

private:
  /// The parameter that `name` begins with, the longest of several; their number if none.
  std::size_t parameterOf(std::string_view name) const;
};

/// Reads what stands behind `#define`; nothing if that is no name.
std::optional<Macro> readMacro(const Text &line);

/// Where the arguments of a use lie.
struct ArgumentShape {
  /// A character that belongs to no argument.
  struct Cut {
    std::size_t at;
    bool isArgument; ///< An argument ends here, and one begins.
  };

  std::size_t length = 0; ///< With both parentheses; 0 if there is no end.
  std::vector<Cut> cuts;
};

/// Looks ahead from an opening parenthesis. Parentheses and strings in arguments are whole, except
/// where the use has a `\`, which takes the meaning of the next character and leaves nothing else
/// whole: so older programs write them.
ArgumentShape shapeOfArguments(const std::function<char(std::size_t)> &peek);

} // namespace tutti::compiler::luna
