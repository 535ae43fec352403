// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tutti::compiler::luna {

std::uint32_t Sources::add(std::string path, std::string text) {
  File &file = files_.emplace_back(File{std::move(path), std::move(text), {0}});
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') {
      file.lines.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  return static_cast<std::uint32_t>(files_.size() - 1);
}

bool Sources::read(const std::string &path, std::uint32_t &file) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return false;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return false;
  }
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"; // As some editors begin files.
  if (text.starts_with(kByteOrderMark)) {
    text.erase(0, kByteOrderMark.size());
  }
  file = add(path, std::move(text));
  return true;
}

std::uint32_t Sources::addExpansion(Location use, std::string_view macro) {
  expansions_.push_back({use, std::string(macro)});
  return static_cast<std::uint32_t>(expansions_.size());
}

LineColumn Sources::lineColumn(Location location) const {
  const std::vector<std::uint32_t> &lines = files_[location.file].lines;
  const auto next = std::upper_bound(lines.begin(), lines.end(), location.offset);
  return {static_cast<std::uint32_t>(next - lines.begin()), location.offset - *(next - 1) + 1};
}

std::string_view Sources::line(Location location) const {
  const File &file = files_[location.file];
  const LineColumn place = lineColumn(location);
  std::string_view text = std::string_view(file.text).substr(file.lines[place.line - 1]);
  text = text.substr(0, text.find('\n'));
  return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

Location Sources::outermost(Location location) const {
  while (location.expansion != 0) {
    location = expansion(location.expansion).use;
  }
  return location;
}

void Text::append(char character, Location from) { append(std::string_view(&character, 1), from); }

void Text::append(std::string_view characters, Location from) {
  if (characters.empty()) {
    return;
  }
  const std::size_t length = characters_.size() - (runs_.empty() ? 0 : runs_.back().begin);
  const bool continues = !runs_.empty() && runs_.back().from.file == from.file &&
                         runs_.back().from.expansion == from.expansion &&
                         runs_.back().from.offset + length == from.offset;
  if (!continues) {
    runs_.push_back({characters_.size(), from});
  }
  characters_ += characters;
}

void Text::append(const Text &text, std::size_t begin, std::size_t end, std::uint32_t expansion) {
  for (std::size_t run = begin < end ? text.runAt(begin) : 0; begin < end; ++run) {
    const std::size_t next = run + 1 < text.runs_.size() ? text.runs_[run + 1].begin : text.size();
    const std::size_t stop = std::min(next, end);
    Location from = text.locate(begin);
    from.expansion = expansion != 0 ? expansion : from.expansion;
    append(std::string_view(text.characters_).substr(begin, stop - begin), from);
    begin = stop;
  }
}

void Text::erase(std::size_t begin, std::size_t end) {
  Text rest;
  rest.append(*this, 0, begin);
  rest.append(*this, end, size());
  *this = std::move(rest);
}

std::size_t Text::runAt(std::size_t offset) const {
  const auto next = std::upper_bound(runs_.begin(), runs_.end(), offset,
                                     [](std::size_t at, const Run &run) { return at < run.begin; });
  return static_cast<std::size_t>(next - runs_.begin()) - 1;
}

Location Text::locate(std::size_t offset) const {
  if (runs_.empty()) {
    return {};
  }
  const Run &run = runs_[runAt(std::min(offset, characters_.size()))];
  Location location = run.from;
  location.offset += static_cast<std::uint32_t>(std::min(offset, characters_.size()) - run.begin);
  return location;
}

} // namespace tutti::compiler::luna
