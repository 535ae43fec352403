// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/threads.h"

#include "abi/abi.h"
#include "runtime/entry/exports.h"

#include <atomic>
#include <omp.h>

namespace tutti::entry {

namespace {

std::atomic<bool> isToldOne{false}; ///< Nothing is passed on by it: what it says is all.

std::int32_t told(int answer) {
  if (answer == 1 && omp_get_max_threads() == 1) {
    isToldOne.store(true, std::memory_order_relaxed);
  }
  return answer;
}

} // namespace

bool knowsOfOneThreadOnly() { return isToldOne.load(std::memory_order_relaxed); }

} // namespace tutti::entry

TUTTI_EXPORT std::int32_t tutti_get_max_threads() {
  return tutti::entry::told(omp_get_max_threads());
}

TUTTI_EXPORT std::int32_t tutti_get_num_threads() {
  return tutti::entry::told(omp_get_num_threads());
}

TUTTI_EXPORT std::int32_t tutti_get_num_procs() { return tutti::entry::told(omp_get_num_procs()); }

TUTTI_EXPORT void tutti_set_num_threads(std::int32_t threads) {
  omp_set_num_threads(threads);
  tutti::entry::told(threads);
}
