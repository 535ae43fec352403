// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry of libFuzzer: any bytes are read as a LuNA program, and written as C++ if they are one.
/// No input may take long; its processor time counts, whatever else the machine does.
#include "compiler/frontend/luna/front_end.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr int kSeconds = 2;
  tutti::compiler::luna::FrontEndOptions options;
  options.path = "fuzz.fa";
  const std::string text(reinterpret_cast<const char *>(data), size);
  const std::clock_t start = std::clock();
  const auto result = tutti::compiler::luna::compileText(options, text, false);
  if (std::clock() - start > kSeconds * CLOCKS_PER_SEC) {
    std::fprintf(stderr, "the front end takes more than %d s of processor time\n", kSeconds);
    std::abort();
  }
  return result.isRight && !result.messages.empty() && result.code.empty() ? -1 : 0;
}
