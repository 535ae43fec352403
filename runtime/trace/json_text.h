// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Text as JSON has it.
#pragma once

#include "base/format.h"

#include <iterator>
#include <string>
#include <string_view>

namespace tutti::trace {

inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

} // namespace tutti::trace
