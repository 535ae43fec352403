// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/preprocessor.h"

#include "compiler/frontend/luna/characters.h"
#include "compiler/frontend/luna/macro.h"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace tutti::compiler::luna {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDeepest = 64;
/// A few lines of macros that double themselves make no program of a million lines: so many
/// characters each program may have, and so many more for each one of its files.
constexpr std::size_t kFewestMade = std::size_t{64} << 10;
constexpr std::size_t kMadeForEach = 16;
/// The same for what uses of macros read as arguments and make, most of which others read again.
constexpr std::size_t kExpandedForEach = 64;
constexpr std::size_t kMostExpanded = std::size_t{16} << 20;
/// For so many of these characters there may be one use of a macro.
constexpr std::size_t kCharactersOfUse = 4;

/// A text that is being read; the text of a macro lies above the one that uses it.
struct Frame {
  std::shared_ptr<const Text> text; ///< Shared by all frames of a file's text that is included.
  std::size_t at = 0;
  std::size_t depth = 0;
  bool isFile = false;
  std::size_t conditions = 0; ///< How many were open where it began.
};

struct Condition {
  Location at;
  bool isTaken; ///< What stands here now counts.
  bool hasElse;
  bool isSkipped; ///< It stands in text that does not count.
};

class Preprocessor {
public:
  Preprocessor(Sources &sources, const PreprocessorOptions &options, Messages &messages)
      : sources_(sources), options_(options), messages_(messages) {
    for (const auto &[name, text] : options.definitions) {
      const std::uint32_t file = sources.add("<command line>", name + "=" + text);
      Macro macro{.at = {file, 0, 0}, .name = name};
      macro.body.append(text, {file, static_cast<std::uint32_t>(name.size() + 1), 0});
      macros_.insert_or_assign(name, std::move(macro));
    }
  }

  PreprocessedProgram run(std::uint32_t file) {
    pushFile(file, 0);
    if (starts("#!")) {
      skipLine();
    }
    while (!isAtEnd()) {
      step();
    }
    return std::move(program_);
  }

private:
  // Reading. A macro's text ends where it ends, but what begins in it may go on behind it.

  void pushFile(std::uint32_t file, std::size_t depth) {
    auto text = std::make_shared<Text>();
    text->append(sources_.text(file), {file, 0, 0});
    mayMake_ += kMadeForEach * text->size();
    mayExpand_ = std::min(mayExpand_ + kExpandedForEach * text->size(), kMostExpanded);
    frames_.push_back({std::move(text), 0, depth, true, conditions_.size()});
  }

  void pop() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    while (frame.isFile && conditions_.size() > frame.conditions) {
      messages_.error(conditions_.back().at, "E-MACRO", "this condition has no #endif");
      conditions_.pop_back();
    }
  }

  bool isAtEnd() {
    while (!frames_.empty() && frames_.back().at == frames_.back().text->size()) {
      pop();
    }
    return frames_.empty();
  }

  /// The character `ahead` of the next one; 0 where the file ends.
  char peek(std::size_t ahead = 0) const {
    for (std::size_t i = frames_.size(); i-- > 0;) {
      const Frame &frame = frames_[i];
      const std::size_t left = frame.text->size() - frame.at;
      if (ahead < left) {
        return frame.text->characters()[frame.at + ahead];
      }
      if (frame.isFile) {
        return '\0';
      }
      ahead -= left;
    }
    return '\0';
  }

  bool starts(std::string_view word) const {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (peek(i) != word[i]) {
        return false;
      }
    }
    return true;
  }

  /// Drops frames of macros that have been read; never the file's.
  void settle() {
    while (!frames_.back().isFile && frames_.back().at == frames_.back().text->size()) {
      frames_.pop_back();
    }
  }

  bool fileEnds() {
    settle();
    return frames_.back().at == frames_.back().text->size();
  }

  Location here() {
    settle();
    return frames_.back().text->locate(frames_.back().at);
  }

  char take() {
    settle();
    Frame &frame = frames_.back();
    return frame.text->characters()[frame.at++];
  }

  void take(std::size_t count, Text &to) {
    while (count > 0) {
      settle();
      Frame &frame = frames_.back();
      const std::size_t part = std::min(count, frame.text->size() - frame.at);
      to.append(*frame.text, frame.at, frame.at + part);
      frame.at += part;
      count -= part;
    }
  }

  void drop(std::size_t count) {
    while (count-- > 0 && !fileEnds()) {
      take();
    }
  }

  std::string takeName() {
    std::string name;
    while (isNameCharacter(peek())) {
      name += take();
    }
    return name;
  }

  bool skips() const { return !conditions_.empty() && !conditions_.back().isTaken; }

  void copy() {
    const Location at = here();
    const char character = take();
    if (!skips()) {
      program_.text.append(character, at);
    }
  }

  void step() {
    const char next = peek();
    if (starts("//")) {
      skipLine();
    } else if (starts("/*")) {
      skipComment();
    } else if (next == '`') {
      take();
      while (isNameCharacter(peek())) {
        take();
      }
    } else if (next == '"') {
      copyString();
    } else if (next == '#' && isNameStart(peek(1))) {
      directive();
    } else if (starts("${<") || starts("${{")) {
      foreignText();
    } else if (next == '$' && isNameStart(peek(1)) && !skips()) {
      use();
    } else {
      copyPlain();
    }
  }

  /// What has no meaning here, at once: nearly all of a program.
  void copyPlain() {
    copy();
    settle();
    Frame &frame = frames_.back();
    const std::string &text = frame.text->characters();
    const std::size_t stop = std::min(text.find_first_of("/`\"#$", frame.at), text.size());
    if (!skips()) {
      program_.text.append(*frame.text, frame.at, stop);
    }
    frame.at = stop;
  }

  // Comments and strings.

  void skipLine() {
    while (!fileEnds() && peek() != '\n') {
      drop(peek() == '\\' ? 2 : 1);
    }
  }

  void skipComment() {
    const Location begin = here();
    drop(2);
    while (!fileEnds() && !starts("*/")) {
      take();
    }
    if (fileEnds()) {
      messages_.error(begin, "E-MACRO", "this comment has no end");
    }
    drop(2);
    if (!skips()) {
      program_.text.append(' ', begin); // Words on both sides stay apart.
    }
  }

  void copyString() {
    const Location begin = here();
    copy();
    while (!fileEnds() && peek() != '"') {
      if (peek() == '\\') {
        copy();
      }
      if (!fileEnds()) {
        copy();
      }
    }
    if (fileEnds()) {
      messages_.error(begin, "E-MACRO", "this string has no end");
    } else {
      copy();
    }
  }

  void foreignText() {
    const Location begin = here();
    std::string end = "$}}";
    ForeignText foreign{program_.text.size(), {}};
    const bool hasBraces = peek(2) == '{';
    drop(hasBraces ? 2 : 3);
    if (!hasBraces) {
      end.clear();
      while (!fileEnds() && peek() != '}' && peek() != '\n') {
        end += take();
      }
      if (end.empty() || peek() != '}') {
        messages_.error(begin, "E-BLOCK", "expected '${<', a word that ends the text, and '}'");
        return;
      }
      take();
    }
    while (!fileEnds() && !starts(end)) {
      const Location at = here();
      foreign.text.append(take(), at);
    }
    if (fileEnds()) {
      messages_.error(begin, "E-BLOCK", "this text has no end: expected '" + end + "'");
      return;
    }
    const Location at = here();
    drop(end.size());
    if (hasBraces) {
      foreign.text.append('}', {at.file, at.offset + 1, at.expansion});
    }
    if (!skips()) {
      program_.text.append(kForeign, begin);
      program_.foreign.push_back(std::move(foreign));
    }
  }

  // Directives.

  void directive() {
    const Location at = here();
    take();
    const std::string name = takeName();
    if (name == "ifdef" || name == "ifndef") {
      condition(at, name == "ifdef");
    } else if (name == "else" || name == "endif") {
      endOrElse(at, name == "else");
    } else if (name == "define") {
      define(at);
    } else if (name == "undef") {
      undefine(at);
    } else if (name == "include") {
      include(at);
    } else if (!skips()) {
      messages_.error(at, "E-MACRO", "unknown directive '#" + name + "'");
      skipLine();
    }
  }

  void skipSpaces() {
    while (peek() == ' ' || peek() == '\t') {
      take();
    }
  }

  std::string nameOfDirective(Location at, std::string_view directive) {
    skipSpaces();
    if (!isNameStart(peek())) {
      messages_.error(at, "E-MACRO", "expected a name behind '#" + std::string(directive) + "'");
      return {};
    }
    return takeName();
  }

  void condition(Location at, bool wantsDefined) {
    const std::string name = nameOfDirective(at, wantsDefined ? "ifdef" : "ifndef");
    const bool holds = macros_.contains(name) == wantsDefined;
    conditions_.push_back({at, holds && !skips(), false, skips()});
  }

  void endOrElse(Location at, bool isElse) {
    const std::string name = isElse ? "#else" : "#endif";
    std::size_t outer = 0;
    for (const Frame &frame : frames_) {
      outer = frame.isFile ? frame.conditions : outer;
    }
    if (conditions_.size() == outer) {
      messages_.error(at, "E-MACRO", "'" + name + "' without '#ifdef'");
    } else if (!isElse) {
      conditions_.pop_back();
    } else if (conditions_.back().hasElse) {
      messages_.error(at, "E-MACRO", "a second '#else' of one condition");
      messages_.note(conditions_.back().at, "the condition is this one");
    } else {
      Condition &condition = conditions_.back();
      condition.hasElse = true;
      condition.isTaken = !condition.isTaken && !condition.isSkipped;
    }
  }

  void define(Location at) {
    std::optional<Macro> macro;
    skipSpaces();
    const Location name = here();
    Text line = takeLogicalLine();
    if (skips()) {
      return;
    }
    macro = readMacro(line);
    if (!macro) {
      messages_.error(at, "E-MACRO", "expected a name behind '#define'");
      return;
    }
    macro->at = name;
    const auto [old, isNew] = macros_.try_emplace(macro->name, std::move(*macro));
    if (!isNew) {
      messages_.error(name, "E-MACRO", "macro '" + old->first + "' is already defined");
      messages_.note(old->second.at, "it was defined here");
    }
  }

  /// Up to the end of the line, or of the last of several that `\` joins; without comments.
  Text takeLogicalLine() {
    Text line;
    bool inString = false;
    while (!fileEnds() && peek() != '\n') {
      const Location at = here();
      if (starts("\\\n") || starts("\\\r\n")) {
        drop(peek(1) == '\n' ? 2 : 3);
        line.append('\n', at);
      } else if (peek() == '\\') {
        line.append(take(), at);
        line.append(fileEnds() ? ' ' : take(), {at.file, at.offset + 1, at.expansion});
      } else if (!inString && starts("//")) {
        skipLine();
      } else if (!inString && starts("/*")) {
        skipComment();
        line.append(' ', at);
      } else {
        inString ^= peek() == '"';
        line.append(take(), at);
      }
    }
    return line;
  }

  void undefine(Location at) {
    const std::string name = nameOfDirective(at, "undef");
    if (!skips() && !name.empty() && macros_.erase(name) == 0) {
      messages_.error(at, "E-MACRO", "macro '" + name + "' is not defined");
    }
  }

  void include(Location at) {
    while (isSpace(peek())) {
      take();
    }
    const Location begin = here();
    if (peek() != '"') {
      messages_.error(at, "E-MACRO", "expected a file's name in quotes behind '#include'");
      return;
    }
    take();
    std::string name;
    while (!fileEnds() && peek() != '"' && peek() != '\n') {
      name += take();
    }
    if (peek() != '"') {
      messages_.error(begin, "E-MACRO", "this name of a file has no end");
      return;
    }
    take();
    if (!skips()) {
      includeFile(begin, name);
    }
  }

  void includeFile(Location at, const std::string &name) {
    const std::size_t depth = frames_.back().depth + 1;
    if (depth > kDeepest) {
      messages_.error(at, "E-MACRO", "files include each other more than 64 deep");
      frames_.resize(1); // Nothing but the same again would follow.
      frames_.back().at = frames_.back().text->size();
      return;
    }
    std::vector<fs::path> places = {fs::path(sources_.path(at.file)).parent_path() / name};
    for (const std::string &folder : options_.includeFolders) {
      places.push_back(fs::path(folder) / name);
    }
    for (const fs::path &place : places) {
      std::uint32_t file = 0;
      if (sources_.read(place.string(), file)) {
        pushFile(file, depth);
        return;
      }
    }
    messages_.error(at, "E-MACRO", "there is no file '" + name + "'");
  }

  // Macros.

  void use() {
    const Location at = here();
    const std::size_t depth = frames_.back().depth + 1;
    take();
    const std::string name = takeName();
    const auto found = macros_.find(name);
    if (found == macros_.end()) {
      messages_.error(at, "E-MACRO", "macro '" + name + "' is not defined");
      return;
    }
    const Macro &macro = found->second;
    std::vector<Text> arguments;
    if (macro.takesArguments && !takeArguments(at, macro, arguments)) {
      return;
    }
    if (depth > kDeepest) {
      return giveUp(at, "the text of macro '" + name + "' uses macros more than 64 deep");
    }
    const std::uint32_t expansion = sources_.addExpansion(at, found->first);
    auto text = std::make_shared<Text>(macro.expand(arguments, expansion));
    expanded_ += text->size();
    if (expanded_ > mayExpand_ || program_.text.size() > mayMake_ ||
        sources_.expansionCount() > mayExpand_ / kCharactersOfUse) {
      return giveUp(at, "macros make more text than a program may have");
    }
    frames_.push_back({std::move(text), 0, depth, false, 0});
  }

  /// Nothing that follows would be worth reading.
  void giveUp(Location at, std::string problem) {
    messages_.error(at, "E-MACRO", std::move(problem));
    conditions_.clear();
    frames_.clear();
  }

  bool takeArguments(Location at, const Macro &macro, std::vector<Text> &arguments) {
    const std::string quoted = "'" + macro.name + "'";
    if (peek() != '(') {
      messages_.error(at, "E-MACRO",
                      "macro " + quoted + " takes " + std::to_string(macro.parameters.size()) +
                          " argument(s), none given");
      return false;
    }
    const ArgumentShape shape = shapeOfArguments([this](std::size_t ahead) { return peek(ahead); });
    if (shape.length == 0) {
      messages_.error(here(), "E-MACRO", "the arguments of macro " + quoted + " have no end");
      skipLine();
      return false;
    }
    expanded_ += shape.length;
    std::size_t next = 0;
    for (const ArgumentShape::Cut &cut : shape.cuts) {
      if (cut.at > next) {
        take(cut.at - next, arguments.back());
      }
      if (cut.isArgument) {
        arguments.emplace_back();
      }
      take(); // What is cut out.
      next = cut.at + 1;
    }
    arguments.pop_back(); // Begun by the closing parenthesis.
    if (arguments.size() != macro.parameters.size()) {
      messages_.error(at, "E-MACRO",
                      "macro " + quoted + " takes " + std::to_string(macro.parameters.size()) +
                          " argument(s), " + std::to_string(arguments.size()) + " given");
      messages_.note(macro.at, "it is defined here");
      return false;
    }
    return true;
  }

  Sources &sources_;
  const PreprocessorOptions &options_;
  Messages &messages_;
  std::map<std::string, Macro, std::less<>> macros_;
  std::vector<Frame> frames_;
  std::vector<Condition> conditions_;
  std::size_t expanded_ = 0;
  std::size_t mayMake_ = kFewestMade;
  std::size_t mayExpand_ = kFewestMade;
  PreprocessedProgram program_;
};

} // namespace

PreprocessedProgram preprocess(Sources &sources, std::uint32_t file,
                               const PreprocessorOptions &options, Messages &messages) {
  return Preprocessor(sources, options, messages).run(file);
}

} // namespace tutti::compiler::luna
