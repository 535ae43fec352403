// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes a Clang command line apart: response files, options with their values, inputs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::driver {

/// A program and its arguments.
using Command = std::vector<std::string>;

/// The arguments with those of response files in place. An unreadable file stays as it is named.
std::vector<std::string> expanded(const std::vector<std::string> &arguments);

/// Splits the text of a response file as Clang and GCC do.
std::vector<std::string> splitResponseFile(std::string_view text);

/// An option that some tool knows, of its own or with a value: `name`, `name value`, `name=value`.
struct OwnOption {
  std::string_view name;
  bool takesNext;

  bool matches(std::string_view word) const;
};

/// An option, with the value that is the next argument, or an input.
struct Word {
  std::size_t at;            ///< Of its first argument.
  std::size_t count;         ///< Of its arguments, 1 or 2.
  bool isInput;              ///< Else an option.
  std::string_view text;     ///< Its first argument.
  std::string_view value;    ///< Its second one.
  std::string_view language; ///< Of an input: what `-x` says; empty if nothing.
};

/// `more` are options that Clang does not know. Borrows the arguments.
std::vector<Word> wordsOf(std::span<const std::string> arguments,
                          std::span<const OwnOption> more = {});

} // namespace tutti::driver
