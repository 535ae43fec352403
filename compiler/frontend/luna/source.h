// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Files of a LuNA program, places in them, and text that was put together from several places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::compiler::luna {

/// A character of a file, and the use of a macro that brought it there.
struct Location {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  std::uint32_t expansion = 0; ///< 0: none, else one more than the index in `Sources`.
};

/// A use of a macro: `$name`.
struct Expansion {
  Location use;
  std::string macro; ///< A copy: `#undef` forgets macros.
};

/// What a reader looks for: both count from one, columns in bytes.
struct LineColumn {
  std::uint32_t line;
  std::uint32_t column;
};

/// All files that were read, and all uses of macros.
///
/// Ownership: texts live as long as this.
class Sources {
public:
  /// Takes the text of a file; returns its number.
  std::uint32_t add(std::string path, std::string text);

  /// Reads a file. Returns false if that is not possible.
  bool read(const std::string &path, std::uint32_t &file);

  std::uint32_t addExpansion(Location use, std::string_view macro);

  const std::string &path(std::uint32_t file) const { return files_[file].path; }

  std::string_view text(std::uint32_t file) const { return files_[file].text; }

  const Expansion &expansion(std::uint32_t number) const { return expansions_[number - 1]; }

  std::size_t expansionCount() const { return expansions_.size(); }

  LineColumn lineColumn(Location location) const;

  /// The line's text, without its end.
  std::string_view line(Location location) const;

  /// The place in the program that is no macro: where the outermost macro was used.
  Location outermost(Location location) const;

private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> lines; ///< Where each begins.
  };

  std::deque<File> files_;
  std::vector<Expansion> expansions_;
};

/// Characters, and where each came from.
class Text {
public:
  const std::string &characters() const { return characters_; }

  std::size_t size() const { return characters_.size(); }

  void append(char character, Location from);

  /// Appends what stands together at `from`.
  void append(std::string_view characters, Location from);

  /// Appends a part of a text. If `expansion` is not 0, it has come from there in that one's stead.
  void append(const Text &text, std::size_t begin, std::size_t end, std::uint32_t expansion = 0);

  void erase(std::size_t begin, std::size_t end);

  /// Where the character at `offset` came from; behind the end, the place behind the last one.
  Location locate(std::size_t offset) const;

private:
  struct Run {
    std::size_t begin;
    Location from;
  };

  /// The run that `offset` lies in.
  std::size_t runAt(std::size_t offset) const;

  std::string characters_;
  std::vector<Run> runs_;
};

} // namespace tutti::compiler::luna
