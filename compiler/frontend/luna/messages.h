// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors and warnings of the compiler, printed in the order of the program's text.
#pragma once

#include "compiler/frontend/luna/source.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::compiler::luna {

/// What the user wants to hear.
struct MessageOptions {
  bool warningsAreErrors = false;
  bool noWarnings = false;
  std::set<std::string, std::less<>> disabled; ///< Codes of warnings, such as W-UNUSED.
};

/// Always: `errorCount` counts what `print` calls an error.
class Messages {
public:
  Messages(const Sources &sources, MessageOptions options)
      : sources_(sources), options_(std::move(options)) {}

  /// `code` as in the table of docs/guide/luna.md. The same message at the same place counts once.
  void error(Location at, std::string_view code, std::string text);

  void warning(Location at, std::string_view code, std::string text);

  /// Belongs to the message before it.
  void note(Location at, std::string text);

  /// "line 3", with the file's name if it is not the one of `from`.
  std::string lineOf(Location at, Location from) const;

  std::size_t errorCount() const { return errors_; }

  bool hasErrors() const { return errors_ > 0; }

  /// Whether the program has errors besides warnings that options have made some.
  bool isWrong() const { return isWrong_; }

  /// All messages so far; forgets them.
  std::string print();

private:
  struct Message {
    Location at;
    std::string kind;
    std::string text;
    std::vector<Message> notes = {};
    std::size_t number = 0; ///< Of those at one place the first comes first.
  };

  void add(Location at, std::string_view kind, std::string_view code, std::string text);
  void printOne(const Message &message, std::string &out) const;

  const Sources &sources_;
  MessageOptions options_;
  std::vector<Message> messages_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>> seen_;
  std::size_t errors_ = 0;
  bool isWrong_ = false;
  bool lastIsHidden_ = false;
};

} // namespace tutti::compiler::luna
