// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/messages.h"

#include <algorithm>

namespace tutti::compiler::luna {

void Messages::error(Location at, std::string_view code, std::string text) {
  isWrong_ = true;
  add(at, "error", code, std::move(text));
}

void Messages::warning(Location at, std::string_view code, std::string text) {
  lastIsHidden_ = options_.noWarnings || options_.disabled.contains(code);
  if (!lastIsHidden_) {
    add(at, options_.warningsAreErrors ? "error" : "warning", code, std::move(text));
  }
}

void Messages::note(Location at, std::string text) {
  if (!lastIsHidden_ && !messages_.empty()) {
    messages_.back().notes.push_back({at, "note", std::move(text)});
  }
}

void Messages::add(Location at, std::string_view kind, std::string_view code, std::string text) {
  text += " [" + std::string(code) + "]";
  lastIsHidden_ = !seen_.emplace(at.file, at.offset, at.expansion, text).second;
  if (lastIsHidden_) {
    return;
  }
  messages_.push_back({at, std::string(kind), std::move(text), {}, messages_.size()});
  errors_ += kind == "error" ? 1 : 0;
}

std::string Messages::lineOf(Location at, Location from) const {
  const std::string line = std::to_string(sources_.lineColumn(at).line);
  return at.file == from.file ? "line " + line : sources_.path(at.file) + ":" + line;
}

std::string Messages::print() {
  std::ranges::sort(messages_, {}, [&](const Message &message) {
    const Location at = sources_.outermost(message.at);
    return std::tuple(at.file, at.offset, message.number);
  });
  std::string out;
  for (const Message &message : messages_) {
    printOne(message, out);
    for (const Message &note : message.notes) {
      printOne(note, out);
    }
  }
  messages_.clear();
  return out;
}

void Messages::printOne(const Message &message, std::string &out) const {
  const LineColumn place = sources_.lineColumn(message.at);
  out += sources_.path(message.at.file) + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column) + ": " + message.kind + ": " + message.text + "\n";
  const std::string line(sources_.line(message.at));
  std::string mark;
  for (const char character : line.substr(0, place.column - 1)) {
    const bool continues = (static_cast<unsigned char>(character) & 0xc0U) == 0x80U; // UTF-8
    mark += continues ? "" : character == '\t' ? "\t" : " ";
  }
  out += line + "\n" + mark + "^\n";
  constexpr int kMostUses = 4; // And the outermost one.
  Location at = message.at;
  for (int uses = 0; at.expansion != 0; ++uses) {
    const Expansion &expansion = sources_.expansion(at.expansion);
    at = expansion.use;
    if (uses < kMostUses || at.expansion == 0) {
      printOne({{at.file, at.offset, 0},
                "note",
                "in the text of macro '" + expansion.macro + "', used here",
                {}},
               out);
    }
  }
}

} // namespace tutti::compiler::luna
