// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry of libFuzzer: any bytes are read as a LuNA program, and written as C++ if they are one.
#include "compiler/frontend/luna/front_end.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  tutti::compiler::luna::FrontEndOptions options;
  options.path = "fuzz.fa";
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto result = tutti::compiler::luna::compileText(options, text, false);
  return result.isRight && !result.messages.empty() && result.code.empty() ? -1 : 0;
}
