// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/ptx.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace tutti::device::cuda::ptx {

namespace {

bool isBlank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && isBlank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// Without what stands between // and the end of the line. Other comments are not read.
std::string withoutComments(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comment = std::min(text.find("//", at), text.size());
    result += text.substr(at, comment - at);
    at = std::min(text.find('\n', comment), text.size());
  }
  return result;
}

/// At commas that are in no brackets or braces.
std::vector<std::string> operandsOf(std::string_view text) {
  std::vector<std::string> operands;
  std::string operand;
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '{' || letter == '[' || letter == '(' ? 1 : 0;
    depth -= letter == '}' || letter == ']' || letter == ')' ? 1 : 0;
    if (letter == ',' && depth == 0) {
      operands.push_back(std::move(operand));
      operand.clear();
    } else if (!isBlank(letter)) {
      operand += letter;
    }
  }
  if (!operand.empty()) {
    operands.push_back(std::move(operand));
  }
  return operands;
}

std::vector<std::string> wordsOf(std::string_view opcode) {
  std::vector<std::string> words(1);
  for (const char letter : opcode) {
    if (letter == '.') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

/// Names of what stands between the parentheses behind a kernel's name.
std::vector<std::string> parametersOf(std::string_view text) {
  std::vector<std::string> parameters;
  for (const std::string_view comma = ","; !trimmed(text).empty();) {
    const std::size_t end = std::min(text.find(comma), text.size());
    std::string_view one = trimmed(text.substr(0, end));
    if (const std::size_t bracket = one.find('['); bracket != std::string_view::npos) {
      one = trimmed(one.substr(0, bracket));
    }
    const std::size_t blank = one.find_last_of(" \t\n");
    parameters.emplace_back(blank == std::string_view::npos ? one : one.substr(blank + 1));
    text = end < text.size() ? text.substr(end + 1) : std::string_view();
  }
  return parameters;
}

/// The places of a kernel's parameters and of its body, without what encloses them.
struct Place {
  std::string_view parameters;
  std::string_view body;
};

std::optional<Place> placeOf(std::string_view text, std::string_view name) {
  constexpr std::string_view kEntry = ".entry";
  for (std::size_t at = text.find(kEntry); at != std::string_view::npos;
       at = text.find(kEntry, at + 1)) {
    std::string_view rest = trimmed(text.substr(at + kEntry.size()));
    if (!rest.starts_with(name)) {
      continue;
    }
    rest = trimmed(rest.substr(name.size()));
    const std::size_t close = rest.find(')');
    const std::size_t open = rest.find('{', close == std::string_view::npos ? 0 : close);
    if (!rest.starts_with('(') || close == std::string_view::npos ||
        open == std::string_view::npos) {
      continue;
    }
    // Braces stand around operands, too, but these are closed again at once.
    std::size_t depth = 1;
    std::size_t end = open + 1;
    for (; end < rest.size() && depth > 0; ++end) {
      depth += rest[end] == '{' ? 1 : 0;
      depth -= rest[end] == '}' ? 1 : 0;
    }
    return Place{rest.substr(1, close - 1), rest.substr(open + 1, end - open - 2)};
  }
  return std::nullopt;
}

/// Goes through a body once.
class Reader {
public:
  explicit Reader(Kernel &kernel) : kernel_(kernel) {}

  bool read(std::string_view body) {
    for (body = trimmed(body); !body.empty(); body = trimmed(body)) {
      if (!statement(body)) {
        return false;
      }
    }
    return connect();
  }

private:
  bool statement(std::string_view &body) {
    const std::size_t end = body.find_first_of(";:{");
    if (end == std::string_view::npos || body[0] == '{') {
      return false; // A scope of its own.
    }
    const bool isLabel =
        body[end] == ':' && (end + 1 == body.size() || body[end + 1] != ':') &&
        std::none_of(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(end), isBlank);
    if (isLabel) {
      labels_[std::string(body.substr(0, end))] = kernel_.instructions.size();
      body.remove_prefix(end + 1);
      return true;
    }
    const std::size_t semicolon = body.find(';');
    if (semicolon == std::string_view::npos) {
      return false;
    }
    const std::string_view text = body.substr(0, semicolon);
    body.remove_prefix(semicolon + 1);
    if (!text.starts_with('.')) {
      return instruction(text);
    }
    if (text.starts_with(".reg")) {
      // Assembly in the source may have others, which look like variables where they are used.
      return std::count(text.begin(), text.end(), '%') ==
             std::count(text.begin(), text.end(), ',') + 1;
    }
    return text.starts_with(".pragma") || text.starts_with(".shared") || text.starts_with(".local");
  }

  bool instruction(std::string_view text) {
    Instruction made;
    if (text.starts_with('@')) {
      text.remove_prefix(1);
      made.isNegated = text.starts_with('!');
      text.remove_prefix(made.isNegated ? 1 : 0);
      const std::size_t blank = std::min(text.find_first_of(" \t\n"), text.size());
      made.guard = text.substr(0, blank);
      text = trimmed(text.substr(blank));
    }
    const std::size_t blank = std::min(text.find_first_of(" \t\n"), text.size());
    made.words = wordsOf(text.substr(0, blank));
    made.operands = operandsOf(text.substr(blank));
    kernel_.instructions.push_back(std::move(made));
    return true;
  }

  static bool isLast(const Instruction &each) {
    return each.words[0] == "bra" || each.words[0] == "ret" || each.words[0] == "exit";
  }

  /// Makes blocks.
  bool connect() {
    const std::size_t count = kernel_.instructions.size();
    std::vector<bool> begins(count + 1);
    begins[0] = true;
    for (const auto &[name, place] : labels_) {
      begins[place] = true;
    }
    for (std::size_t i = 0; i < count; ++i) {
      begins[i + 1] = begins[i + 1] || isLast(kernel_.instructions[i]);
    }
    std::vector<std::size_t> blockOf(count + 1, kEnd);
    for (std::size_t i = 0; i < count; ++i) {
      if (begins[i]) {
        kernel_.blocks.push_back({i, i, kEnd, kEnd});
      }
      kernel_.blocks.back().end = i + 1;
      blockOf[i] = kernel_.blocks.size() - 1;
    }
    for (Block &block : kernel_.blocks) {
      const Instruction &last = kernel_.instructions[block.end - 1];
      block.target = block.behind = blockOf[block.end];
      if (last.words[0] == "bra") {
        const auto label =
            last.operands.size() == 1 ? labels_.find(last.operands[0]) : labels_.end();
        if (label == labels_.end()) {
          return false;
        }
        block.target = blockOf[label->second];
      } else if (isLast(last)) {
        block.target = kEnd;
      }
      if (last.guard.empty()) {
        block.behind = block.target;
      }
    }
    return count > 0;
  }

  Kernel &kernel_;
  std::map<std::string, std::size_t> labels_;
};

} // namespace

bool Instruction::has(std::string_view word) const {
  return std::find(words.begin() + 1, words.end(), word) != words.end();
}

std::optional<Kernel> read(std::string_view text, std::string_view name) {
  const std::string code = withoutComments(text);
  const auto place = placeOf(code, name);
  if (!place) {
    return std::nullopt;
  }
  Kernel kernel;
  kernel.parameters = parametersOf(place->parameters);
  if (!Reader(kernel).read(place->body)) {
    kernel.instructions.clear();
    kernel.blocks.clear();
  }
  return kernel;
}

} // namespace tutti::device::cuda::ptx
