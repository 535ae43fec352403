// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/text_assembly.h"

#include "abi/tasks.h"

namespace tutti::driver {

namespace {

/// As the assembler reads it.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      result += '\\';
    }
    result += letter;
  }
  return result + '"';
}

} // namespace

// The section is kept even where nothing refers to it (R): a record is found by its section alone.
std::string textAssembly(const std::string &section, const std::string &file,
                         const std::string &path) {
  static_assert(sizeof(tutti_task_text) == 16);
  return "  .section .rodata\n"
         ".Lfile:\n"
         "  .asciz " +
         quoted(file) +
         "\n"
         ".Ltext:\n"
         "  .incbin " +
         quoted(path) +
         "\n"
         "  .byte 0\n"
         "  .section " +
         section +
         ",\"awR\",@progbits\n"
         "  .balign 8\n"
         "  .quad .Lfile\n"
         "  .quad .Ltext\n"
         "  .section .note.GNU-stack,\"\",@progbits\n";
}

} // namespace tutti::driver
