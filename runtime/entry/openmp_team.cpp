// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Teams of OpenMP whose threads are the workers of the tasks that one of them makes.
#include "abi/openmp.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/sanitizer.h"
#include "runtime/entry/tasks.h"
#include "runtime/model/tasks/openmp.h"

#include <atomic>
#include <omp.h>

extern "C" void __kmpc_fork_call(void *place, std::int32_t count, void *body, ...);
extern "C" void __kmpc_barrier(void *place, std::int32_t thread);

namespace {

using tutti::model::tasks::OpenMp;

/// Of one region; lives in the caller of `tutti_fork_tasks`.
struct Region {
  tutti_team_body body;
  void *arguments;
  std::atomic<OpenMp *> team{nullptr}; ///< From the thread that runs the body.
};

/// What each thread of the team runs.
void runRegion(std::int32_t *thread, std::int32_t *number, void *data) {
  Region &region = *static_cast<Region *>(data);
  if (*number == 0) {
    OpenMp &team = tutti::entry::takeTeam(static_cast<std::uint32_t>(omp_get_num_threads()));
    team.enter(*thread);
    region.team.store(&team, std::memory_order_release);
    region.team.notify_all();
    region.body(thread, number, region.arguments);
    team.leave();
    return;
  }
  const std::uint32_t wished = tutti::entry::wishedWorkers();
  const auto index = static_cast<std::uint32_t>(*number);
  if (wished == 0 || index < wished) {
    region.team.wait(nullptr, std::memory_order_acquire);
    region.team.load(std::memory_order_acquire)->serve(index, *thread);
  }
}

} // namespace

TUTTI_EXPORT void tutti_fork_tasks(void *place, tutti_team_body body, void *arguments) {
  static const bool isChecked = tutti::entry::sanitizer() != nullptr;
  if (isChecked || omp_get_level() > 0 || omp_get_num_teams() > 1 || tutti::entry::isInTask()) {
    __kmpc_fork_call(place, 1, reinterpret_cast<void *>(body), arguments);
    return;
  }
  Region region{body, arguments};
  __kmpc_fork_call(place, 1, reinterpret_cast<void *>(runRegion), &region);
  if (OpenMp *team = region.team.load(std::memory_order_relaxed)) {
    tutti::entry::giveBackTeam(*team); // No sooner: all of its threads are back now.
  }
}

TUTTI_EXPORT void tutti_team_barrier(void *place, std::int32_t thread) {
  if (OpenMp *team = OpenMp::here(); team && omp_get_level() == 1) {
    team->waitForAll();
  } else {
    __kmpc_barrier(place, thread);
  }
}
