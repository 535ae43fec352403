// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/sanitizer.h"

#include <dlfcn.h>
#include <utility>

namespace tutti::entry {

const char *sanitizer() {
  static constexpr std::pair<const char *, const char *> kSanitizers[] = {
      {"__asan_init", "AddressSanitizer"},
      {"__hwasan_init", "HWAddressSanitizer"},
      {"__lsan_init", "LeakSanitizer"},
      {"__msan_init", "MemorySanitizer"},
      {"__tsan_init", "ThreadSanitizer"}};
  for (const auto &[symbol, name] : kSanitizers) {
    if (dlsym(RTLD_DEFAULT, symbol)) {
      return name;
    }
  }
  return nullptr;
}

} // namespace tutti::entry
