// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/rest_threads.h"

#include <climits>
#include <cstdint>

namespace {

/// Source: ident_t of libomp, and its KMP_IDENT_KMPC.
struct Place {
  std::int32_t reserved = 0;
  std::int32_t flags = 2;
  std::int32_t more[2] = {};
  const char *source = ";unknown;unknown;0;0;;";
};

void doNothing(std::int32_t *, std::int32_t *) {}

} // namespace

extern "C" void __kmpc_fork_call(void *place, std::int32_t count, void *body, ...);
// Other compilers' omp.h have none of these.
extern "C" int kmp_get_blocktime();
extern "C" void kmp_set_blocktime(int milliseconds);
extern "C" std::int32_t __kmpc_global_thread_num(void *place);
extern "C" void __kmpc_push_num_threads(void *place, std::int32_t thread, std::int32_t number);

namespace tutti::exec {

void restThreads(std::int32_t wanted) {
  constexpr int kForever = INT_MAX / 1000; // Libomp keeps microseconds, and tells milliseconds.
  const int blocktime = kmp_get_blocktime();
  if (blocktime >= kForever || blocktime == 0) {
    return;
  }
  kmp_set_blocktime(0); // Threads take that along at the end of a region.
  static Place place;
  if (wanted > 0) { // Else libomp would start those that the loop does not want.
    __kmpc_push_num_threads(&place, __kmpc_global_thread_num(&place), wanted);
  }
  __kmpc_fork_call(&place, 0, reinterpret_cast<void *>(doNothing));
  kmp_set_blocktime(blocktime);
}

} // namespace tutti::exec
