// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/command_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

namespace tutti::driver {

namespace {

/// Options whose value is the next argument when it is not joined to them.
constexpr auto kTakesNext = std::to_array<std::string_view>({"-o",           "-x",
                                                             "-I",           "-D",
                                                             "-U",           "-L",
                                                             "-l",           "-B",
                                                             "-F",           "-T",
                                                             "-u",           "-e",
                                                             "-z",           "-A",
                                                             "-G",           "-V",
                                                             "-b",           "-h",
                                                             "-MF",          "-MT",
                                                             "-MQ",          "-MJ",
                                                             "-include",     "-imacros",
                                                             "-isystem",     "-iquote",
                                                             "-idirafter",   "-iprefix",
                                                             "-isysroot",    "-imultilib",
                                                             "-iwithprefix", "-iwithprefixbefore",
                                                             "-cxx-isystem", "-include-pch",
                                                             "-Xclang",      "-Xlinker",
                                                             "-Xassembler",  "-Xpreprocessor",
                                                             "-Xanalyzer",   "-Xopenmp-target",
                                                             "-mllvm",       "-target",
                                                             "-arch",        "-rpath",
                                                             "--param",      "--sysroot"});

/// Appends `argument`, or what the response file that it names holds.
void expandInto(std::vector<std::string> &expanded, const std::string &argument, int depth) {
  constexpr int kDeepest = 20;
  if (argument.size() > 1 && argument[0] == '@' && depth < kDeepest) {
    std::ifstream file(argument.substr(1));
    if (file) {
      std::ostringstream text;
      text << file.rdbuf();
      for (const std::string &inner : splitResponseFile(text.str())) {
        expandInto(expanded, inner, depth + 1);
      }
      return;
    }
  }
  expanded.push_back(argument);
}

bool takesNext(std::string_view option, std::span<const OwnOption> more) {
  return std::ranges::find(kTakesNext, option) != kTakesNext.end() ||
         std::ranges::any_of(
             more, [&](const OwnOption &own) { return own.takesNext && own.name == option; });
}

} // namespace

std::vector<std::string> expanded(const std::vector<std::string> &arguments) {
  std::vector<std::string> all;
  for (const std::string &argument : arguments) {
    expandInto(all, argument, 0);
  }
  return all;
}

bool OwnOption::matches(std::string_view word) const {
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

std::vector<Word> wordsOf(std::span<const std::string> arguments, std::span<const OwnOption> more) {
  std::vector<Word> words;
  bool onlyInputs = false;
  std::string_view language;
  for (std::size_t i = 0; i < arguments.size();) {
    const std::string_view text = arguments[i];
    Word word{i, 1, onlyInputs || text == "-" || !text.starts_with('-'), text, {}, {}};
    if (word.isInput) {
      word.language = language;
    } else if (text == "--") {
      onlyInputs = true;
    } else if (takesNext(text, more)) {
      word.count = 2;
      word.value = i + 1 < arguments.size() ? std::string_view(arguments[i + 1]) : "";
    }
    if (!word.isInput && text.starts_with("-x")) {
      language = word.count == 2 ? word.value : text.substr(2);
      language = language == "none" ? "" : language;
    }
    i += word.count;
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> splitResponseFile(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      inWord = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      inWord = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (inWord) {
        words.push_back(word);
      }
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord) {
    words.push_back(word);
  }
  return words;
}

} // namespace tutti::driver
