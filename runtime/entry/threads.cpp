// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/threads.h"

#include "abi/abi.h"
#include "abi/teams.h"
#include "base/guarded.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/runtime.h"

#include <algorithm>
#include <atomic>
#include <omp.h>
#include <unordered_map>

namespace tutti::entry {

namespace {

std::atomic<bool> isToldOne{false}; ///< Nothing is passed on by it: what it says is all.

std::int32_t told(int answer) {
  if (answer == 1 && omp_get_max_threads() == 1) {
    isToldOne.store(true, std::memory_order_relaxed);
  }
  return answer;
}

std::atomic<std::uint64_t> distributed{0}; ///< Launches; nothing is passed on by it, either.

/// What became of constructs that have a version for several ranks, by what stands for them.
struct Spread {
  std::uint64_t before = 0; ///< Launches distributed until the version began.
  int vain = 0;             ///< How often in a row it was executed, and none was added.
};

Guarded<std::unordered_map<const void *, Spread>> &spreads() {
  static auto *all = new Guarded<std::unordered_map<const void *, Spread>>;
  return *all; // Threads may ask until the very end.
}

/// Calls under way that this thread makes for a team which is not there.
thread_local std::int32_t callsOfOne = 0;

/// Whether this thread would be in a team now; in one of its own OpenMP knows best.
bool standsForTeam() { return callsOfOne > 0 && omp_get_level() == 0; }

} // namespace

void noteDistributed() { distributed.fetch_add(1, std::memory_order_relaxed); }

bool knowsOfOneThreadOnly() {
  return isToldOne.load(std::memory_order_relaxed) && omp_get_max_threads() == 1;
}

} // namespace tutti::entry

TUTTI_EXPORT std::int32_t tutti_get_max_threads() {
  return tutti::entry::told(omp_get_max_threads());
}

TUTTI_EXPORT std::int32_t tutti_get_num_threads() {
  return tutti::entry::told(tutti::entry::standsForTeam() ? omp_get_max_threads()
                                                          : omp_get_num_threads());
}

TUTTI_EXPORT std::int32_t tutti_in_parallel() {
  return tutti::entry::standsForTeam() ? std::int32_t{omp_get_max_threads() > 1}
                                       : omp_in_parallel();
}

TUTTI_EXPORT std::int32_t tutti_team_size(std::int32_t requested) {
  if (omp_get_active_level() >= omp_get_max_active_levels()) {
    return 1;
  }
  const int threads = requested > 0 ? requested : omp_get_max_threads();
  return tutti::entry::told(std::clamp(threads, 1, std::max(omp_get_thread_limit(), 1)));
}

TUTTI_EXPORT std::int32_t tutti_begin_spread(const void *construct) {
  constexpr int kMaxVain = 16; // Time for launches to be tried out.
  if (!tutti::entry::Runtime::active()) {
    return 0;
  }
  auto all = tutti::entry::spreads().lock();
  tutti::entry::Spread &known = (*all)[construct];
  known.before = tutti::entry::distributed.load(std::memory_order_relaxed);
  return std::int32_t{known.vain < kMaxVain};
}

TUTTI_EXPORT void tutti_end_spread(const void *construct) {
  const tutti::entry::Runtime *runtime = tutti::entry::Runtime::active();
  if (runtime && runtime->awaitsDevices()) {
    return; // Its launches have been at home for a reason that is going to pass.
  }
  const std::uint64_t now = tutti::entry::distributed.load(std::memory_order_relaxed);
  auto all = tutti::entry::spreads().lock();
  tutti::entry::Spread &known = (*all)[construct];
  known.vain = now == known.before ? known.vain + 1 : 0;
}

TUTTI_EXPORT void tutti_begin_call_of_one() { ++tutti::entry::callsOfOne; }

TUTTI_EXPORT void tutti_end_call_of_one() { --tutti::entry::callsOfOne; }

TUTTI_EXPORT std::int32_t tutti_get_num_procs() { return tutti::entry::told(omp_get_num_procs()); }

TUTTI_EXPORT void tutti_set_num_threads(std::int32_t threads) {
  omp_set_num_threads(threads);
  tutti::entry::told(threads);
}
