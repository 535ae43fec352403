// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/macro.h"

#include "compiler/frontend/luna/characters.h"

#include <algorithm>

namespace tutti::compiler::luna {

namespace {

/// Names with commas between them and a parenthesis behind; leaves `at` behind it.
bool readParameters(std::string_view text, std::size_t &at, std::vector<std::string> &names) {
  const auto skip = [&](std::size_t place) {
    while (place < text.size() && isSpace(text[place])) {
      ++place;
    }
    return place;
  };
  std::size_t next = skip(at);
  if (next == text.size() || text[next] != '(') {
    return false;
  }
  do {
    const std::size_t begin = next = skip(next + 1);
    while (next < text.size() && isNameCharacter(text[next])) {
      ++next;
    }
    const std::string name(text.substr(begin, next - begin));
    if (name.empty() || !isNameStart(name[0]) || std::ranges::find(names, name) != names.end()) {
      return false;
    }
    names.push_back(name);
    next = skip(next);
  } while (next < text.size() && text[next] == ',');
  at = next + 1;
  return next < text.size() && text[next] == ')';
}

class ArgumentReader {
public:
  ArgumentReader(const std::function<char(std::size_t)> &peek, bool isPlain)
      : peek_(peek), isPlain_(isPlain) {}

  ArgumentShape read() {
    shape_.cuts.push_back({0, true});
    int depth = 0;
    for (std::size_t at = 1; peek_(at) != '\0'; ++at) {
      const char next = peek_(at);
      if (next == '\\' && !isPlain_) {
        hasEscape = true; // It is read again, as plain text.
        break;
      }
      if (next == '\\') {
        shape_.cuts.push_back({at++, false});
      } else if (next == '"' && !isPlain_) {
        inString_ = !inString_;
      } else if (next == '(' && !isPlain_ && !inString_) {
        ++depth;
      } else if (next == ')' && depth > 0 && !inString_) {
        --depth;
      } else if ((next == ',' || next == ')') && depth == 0 && !inString_) {
        shape_.cuts.push_back({at, true});
        if (next == ')') {
          shape_.length = at + 1;
          break;
        }
      }
    }
    return std::move(shape_);
  }

  bool hasEscape = false;

private:
  const std::function<char(std::size_t)> &peek_;
  bool isPlain_;
  bool inString_ = false;
  ArgumentShape shape_;
};

} // namespace

std::size_t Macro::parameterOf(std::string_view name) const {
  std::size_t best = parameters.size();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (name.starts_with(parameters[i]) &&
        (best == parameters.size() || parameters[i].size() > parameters[best].size())) {
      best = i;
    }
  }
  return best;
}

Text Macro::expand(const std::vector<Text> &arguments, std::uint32_t expansion) const {
  Text text;
  const std::string &from = body.characters();
  std::size_t at = 0;
  while (at < from.size()) {
    const std::size_t dollar = std::min(from.find('$', at), from.size());
    std::size_t end = std::min(dollar + 1, from.size());
    while (end < from.size() && isNameCharacter(from[end])) {
      ++end;
    }
    const std::string_view name =
        dollar < from.size() ? std::string_view(from).substr(dollar + 1, end - dollar - 1) : "";
    const std::size_t parameter = parameterOf(name);
    if (parameter == parameters.size()) {
      text.append(body, at, end, expansion);
      at = end;
    } else {
      text.append(body, at, dollar, expansion);
      text.append(arguments[parameter], 0, arguments[parameter].size());
      at = dollar + 1 + parameters[parameter].size();
    }
  }
  return text;
}

std::optional<Macro> readMacro(const Text &line) {
  const std::string_view text = line.characters();
  std::size_t at = 0;
  while (at < text.size() && isNameCharacter(text[at])) {
    ++at;
  }
  if (at == 0 || !isNameStart(text[0])) {
    return std::nullopt;
  }
  Macro macro{.at = line.locate(0), .name = std::string(text.substr(0, at))};
  std::size_t behind = at;
  macro.takesArguments = readParameters(text, behind, macro.parameters);
  if (macro.takesArguments) {
    at = behind;
  } else {
    macro.parameters.clear();
  }
  std::size_t end = text.size();
  while (at < end && isSpace(text[at])) {
    ++at;
  }
  while (end > at && isSpace(text[end - 1])) {
    --end;
  }
  macro.body.append(line, at, end);
  return macro;
}

ArgumentShape shapeOfArguments(const std::function<char(std::size_t)> &peek) {
  ArgumentReader whole(peek, false);
  ArgumentShape shape = whole.read();
  return whole.hasEscape || shape.length == 0 ? ArgumentReader(peek, true).read() : shape;
}

} // namespace tutti::compiler::luna
