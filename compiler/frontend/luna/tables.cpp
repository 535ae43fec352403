// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/tables.h"

#include <cstdio>

namespace tutti::compiler::luna {

int Table::add(std::string row) {
  rows_.push_back(std::move(row));
  return static_cast<int>(rows_.size() - 1);
}

int Table::share(const std::string &row) {
  const auto [known, isNew] = known_.try_emplace(row, static_cast<int>(rows_.size()));
  if (isNew) {
    rows_.push_back(row);
  }
  return known->second;
}

std::string Table::text() const {
  std::string text = "const " + std::string(type_) + " " + name_ + "[] = {\n";
  for (const std::string &row : rows_) {
    text += row + ",\n";
  }
  // An array has one element at least.
  return text + (rows_.empty() ? "{}};\n" : "};\n");
}

std::string Tables::list(const std::vector<int> &positions) {
  int first = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const int row = lists.add(std::to_string(positions[i]));
    first = i == 0 ? row : first;
  }
  return "{" + std::to_string(first) + ", " + std::to_string(positions.size()) + "}";
}

int Tables::node(const Node &node, const std::string &at) {
  const auto number = [](int value) { return std::to_string(value) + ", "; };
  return nodes.share("{TUTTI_LUNA_" + std::string(node.kind) + ", " + number(node.a) +
                     number(node.b) + number(node.c) + number(node.up) + number(node.slot) +
                     node.indices + ", " + node.integer + ", " + node.real + ", " + node.text +
                     ", " + at + "}");
}

std::string Tables::text() const {
  std::string text;
  for (const Table *table :
       {&nodes, &statements, &rules, &blocks, &slots, &subs, &procedures, &labels, &lists}) {
    text += table->text();
  }
  return text;
}

std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\' || character == '?') {
      result += '\\';
      result += character;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char octal[5];
      std::snprintf(octal, sizeof octal, "\\%03o", byte);
      result += octal;
    } else {
      result += character;
    }
  }
  return result + "\"";
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    constexpr std::string_view kLetters = "abfnrtv";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v";
    const char letter = text[++i];
    const std::size_t known = kLetters.find(letter);
    if (known != std::string_view::npos) {
      result += kMeanings[known];
    } else if (letter != '\n') { // A line that goes on.
      result += letter;
    }
  }
  return result;
}

} // namespace tutti::compiler::luna
