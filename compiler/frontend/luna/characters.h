// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What characters names and numbers are made of, whatever the locale.
#pragma once

namespace tutti::compiler::luna {

constexpr bool isDigit(char character) { return character >= '0' && character <= '9'; }

constexpr bool isNameStart(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         character == '_';
}

constexpr bool isNameCharacter(char character) {
  return isNameStart(character) || isDigit(character);
}

constexpr bool isSpace(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r' ||
         character == '\f' || character == '\v';
}

} // namespace tutti::compiler::luna
