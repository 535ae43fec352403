// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// In front of what libomp has for tasks: where the calling thread runs a task of a team whose
/// tasks are Tutti's, these are the entry points; anywhere else libomp's own.
///
/// So it does not matter where a function was compiled that makes tasks, nor who calls it.
#include "abi/openmp.h"
#include "abi/tasks.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/next.h"
#include "runtime/model/tasks/openmp.h"

#include <cstddef>
#include <cstdint>
#include <link.h>
#include <omp.h>
#include <span>
#include <vector>

namespace {

using tutti::model::tasks::Event;
using tutti::model::tasks::LoopShape;
using tutti::model::tasks::OpenMp;
using tutti::model::tasks::TaskGroup;

using Duplicate = void (*)(tutti_task_block *, tutti_task_block *, std::int32_t);

/// The team whose task the calling thread runs, but for regions inside of that, which are libomp's.
OpenMp *team() {
  OpenMp *team = OpenMp::here();
  return team && team->isInTask() && omp_get_level() == 1 ? team : nullptr;
}

/// Where libomp's code lies.
struct Code {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

int findCode(dl_phdr_info *object, std::size_t, void *data) {
  Code &code = *static_cast<Code *>(data);
  for (int index = 0; index < object->dlpi_phnum; ++index) {
    const ElfW(Phdr) &part = object->dlpi_phdr[index];
    const std::uint64_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && code.begin - begin < part.p_memsz) {
      code = {begin, begin + part.p_memsz};
      return 1;
    }
  }
  return 0;
}

/// Whether `caller` is libomp itself, for a program that another compiler made calls of it for.
bool isOfLibomp(const void *caller) {
  static const Code code = [] {
    Code of{reinterpret_cast<std::uint64_t>(tutti::entry::next<void *>("__kmpc_global_thread_num")),
            0};
    dl_iterate_phdr(findCode, &of);
    return of;
  }();
  const auto address = reinterpret_cast<std::uint64_t>(caller);
  return address - code.begin < code.end - code.begin;
}

/// The team in which the calling task made a task of this block, or null.
OpenMp *maker(tutti_task_block *block) {
  OpenMp *team = OpenMp::here();
  return team && team->makes(block) ? team : nullptr;
}

OpenMp *runner(tutti_task_block *block) {
  OpenMp *team = OpenMp::here();
  return team && team->runs(block) ? team : nullptr;
}

/// Both lists of dependences that Clang hands over.
class Dependences {
public:
  Dependences(std::int32_t count, const omp_dependence *first, std::int32_t moreCount,
              const omp_dependence *more)
      : all_(first, static_cast<std::size_t>(count)) {
    if (moreCount > 0) {
      both_.assign(all_.begin(), all_.end());
      both_.insert(both_.end(), more, more + moreCount);
      all_ = both_;
    }
  }

  std::span<const omp_dependence> all() const { return all_; }

private:
  std::span<const omp_dependence> all_;
  std::vector<omp_dependence> both_;
};

std::int32_t submitted(OpenMp &team, tutti_task_block *block) {
  team.submit(block);
  return 0;
}

} // namespace

/// Defines `name`, which is `ours` where `which` finds a team, and otherwise libomp's.
#define TUTTI_INSTEAD(result, name, parameters, arguments, which, ours)                            \
  TUTTI_EXPORT result name parameters {                                                            \
    if (OpenMp *team = which) {                                                                    \
      return ours;                                                                                 \
    }                                                                                              \
    static constinit tutti::entry::Next<result(*) parameters> next(#name);                         \
    return next.get() arguments;                                                                   \
  }

TUTTI_INSTEAD(tutti_task_block *, __kmpc_omp_task_alloc,
              (void *place, std::int32_t thread, std::int32_t flags, std::size_t bytes,
               std::size_t shareds, tutti_task_entry entry),
              (place, thread, flags, bytes, shareds, entry), ::team(),
              team->create(static_cast<std::uint32_t>(flags), bytes, shareds, entry))

/// `target nowait`: a task like others. What the job's ranks and devices take part in, the
/// program's thread launches, which does not wait for devices. libomp would give it to threads of
/// its own, and one program in ten ends then with "Assertion failure at kmp_tasking.cpp: task_team
/// != __null" where other programs run beside it (LLVM 19, with Clang's programs as well).
TUTTI_EXPORT tutti_task_block *__kmpc_omp_target_task_alloc(void *place, std::int32_t thread,
                                                            std::int32_t flags, std::size_t bytes,
                                                            std::size_t shareds,
                                                            tutti_task_entry entry,
                                                            std::int64_t /*device*/) {
  return __kmpc_omp_task_alloc(place, thread, flags, bytes, shareds, entry);
}

TUTTI_EXPORT std::int32_t __kmpc_omp_task(void *place, std::int32_t thread,
                                          tutti_task_block *block) {
  if (OpenMp *team = maker(block)) {
    return submitted(*team, block);
  }
  if (OpenMp *team = runner(block)) { // The next part of an untied task.
    team->callAgain();
    return 0;
  }
  static constinit tutti::entry::Next<std::int32_t (*)(void *, std::int32_t, tutti_task_block *)>
      next("__kmpc_omp_task");
  return next.get()(place, thread, block);
}

TUTTI_EXPORT std::int32_t __kmpc_omp_task_with_deps(void *place, std::int32_t thread,
                                                    tutti_task_block *block, std::int32_t count,
                                                    const omp_dependence *first,
                                                    std::int32_t moreCount,
                                                    const omp_dependence *more) {
  if (OpenMp *team = maker(block)) {
    team->name(block, Dependences(count, first, moreCount, more).all());
    return submitted(*team, block);
  }
  static constinit tutti::entry::Next<decltype(&__kmpc_omp_task_with_deps)> next(
      "__kmpc_omp_task_with_deps");
  return next.get()(place, thread, block, count, first, moreCount, more);
}

TUTTI_INSTEAD(void, __kmpc_omp_task_begin_if0,
              (void *place, std::int32_t thread, tutti_task_block *block), (place, thread, block),
              maker(block), team->begin(block))

TUTTI_INSTEAD(void, __kmpc_omp_task_complete_if0,
              (void *place, std::int32_t thread, tutti_task_block *block), (place, thread, block),
              runner(block), team->end(block))

TUTTI_EXPORT void __kmpc_omp_taskwait_deps_51(void *place, std::int32_t thread, std::int32_t count,
                                              const omp_dependence *first, std::int32_t moreCount,
                                              const omp_dependence *more, std::int32_t hasNoWait) {
  if (OpenMp *team = ::team(); team && !isOfLibomp(__builtin_return_address(0))) {
    team->waitFor(Dependences(count, first, moreCount, more).all(), hasNoWait != 0);
    return;
  }
  static constinit tutti::entry::Next<decltype(&__kmpc_omp_taskwait_deps_51)> next(
      "__kmpc_omp_taskwait_deps_51");
  next.get()(place, thread, count, first, moreCount, more, hasNoWait);
}

TUTTI_EXPORT void __kmpc_omp_wait_deps(void *place, std::int32_t thread, std::int32_t count,
                                       const omp_dependence *first, std::int32_t moreCount,
                                       const omp_dependence *more) {
  if (OpenMp *team = ::team(); team && !isOfLibomp(__builtin_return_address(0))) {
    team->waitFor(Dependences(count, first, moreCount, more).all(), false);
    return;
  }
  static constinit tutti::entry::Next<decltype(&__kmpc_omp_wait_deps)> next("__kmpc_omp_wait_deps");
  next.get()(place, thread, count, first, moreCount, more);
}

TUTTI_EXPORT std::int32_t __kmpc_omp_taskwait(void *place, std::int32_t thread) {
  if (OpenMp *team = ::team(); team && !isOfLibomp(__builtin_return_address(0))) {
    team->wait();
    return 0;
  }
  static constinit tutti::entry::Next<decltype(&__kmpc_omp_taskwait)> next("__kmpc_omp_taskwait");
  return next.get()(place, thread);
}

TUTTI_EXPORT std::int32_t __kmpc_omp_taskyield(void *place, std::int32_t thread, int end) {
  if (OpenMp *team = ::team(); team && !isOfLibomp(__builtin_return_address(0))) {
    team->yield();
    return 0;
  }
  static constinit tutti::entry::Next<decltype(&__kmpc_omp_taskyield)> next("__kmpc_omp_taskyield");
  return next.get()(place, thread, end);
}

TUTTI_EXPORT void __kmpc_taskgroup(void *place, std::int32_t thread) {
  if (OpenMp *team = ::team(); team && !isOfLibomp(__builtin_return_address(0))) {
    team->beginGroup();
    return;
  }
  static constinit tutti::entry::Next<decltype(&__kmpc_taskgroup)> next("__kmpc_taskgroup");
  next.get()(place, thread);
}

TUTTI_INSTEAD(void, __kmpc_end_taskgroup, (void *place, std::int32_t thread), (place, thread),
              ::team(), team->endGroup())

namespace {

std::size_t placeIn(const tutti_task_block *block, const std::uint64_t *bound) {
  return static_cast<std::size_t>(reinterpret_cast<const std::byte *>(bound) -
                                  reinterpret_cast<const std::byte *>(block));
}

LoopShape shapeOf(const tutti_task_block *block, const std::uint64_t *lower,
                  const std::uint64_t *upper, std::int64_t stride, std::int32_t schedule,
                  std::uint64_t size, bool isStrict) {
  constexpr std::int32_t kByGrainsize = 1; // Source: __kmpc_taskloop; 2 is num_tasks.
  constexpr std::int32_t kByTasks = 2;
  return {.lower = *lower,
          .upper = *upper,
          .stride = stride,
          .grainsize = schedule == kByGrainsize ? size : 0,
          .tasks = schedule == kByTasks ? size : 0,
          .isStrict = isStrict,
          .lowerAt = placeIn(block, lower),
          .upperAt = placeIn(block, upper)};
}

void submitLoop(OpenMp &team, tutti_task_block *block, bool isDeferred, const LoopShape &shape,
                bool hasNoGroup, void *duplicate) {
  if (!hasNoGroup) {
    team.beginGroup();
  }
  team.submitLoop(block, shape, isDeferred, reinterpret_cast<Duplicate>(duplicate));
  if (!hasNoGroup) {
    team.endGroup();
  }
}

} // namespace

TUTTI_INSTEAD(void, __kmpc_taskloop,
              (void *place, std::int32_t thread, tutti_task_block *block, std::int32_t isDeferred,
               std::uint64_t *lower, std::uint64_t *upper, std::int64_t stride,
               std::int32_t hasNoGroup, std::int32_t schedule, std::uint64_t size, void *duplicate),
              (place, thread, block, isDeferred, lower, upper, stride, hasNoGroup, schedule, size,
               duplicate),
              maker(block),
              submitLoop(*team, block, isDeferred != 0,
                         shapeOf(block, lower, upper, stride, schedule, size, false),
                         hasNoGroup != 0, duplicate))

TUTTI_INSTEAD(void, __kmpc_taskloop_5,
              (void *place, std::int32_t thread, tutti_task_block *block, std::int32_t isDeferred,
               std::uint64_t *lower, std::uint64_t *upper, std::int64_t stride,
               std::int32_t hasNoGroup, std::int32_t schedule, std::uint64_t size,
               std::int32_t isStrict, void *duplicate),
              (place, thread, block, isDeferred, lower, upper, stride, hasNoGroup, schedule, size,
               isStrict, duplicate),
              maker(block),
              submitLoop(*team, block, isDeferred != 0,
                         shapeOf(block, lower, upper, stride, schedule, size, isStrict != 0),
                         hasNoGroup != 0, duplicate))

namespace {

TaskGroup *reduce(OpenMp &team, std::int32_t count, const omp_task_reduction *what) {
  TaskGroup *group = team.group();
  for (const omp_task_reduction &each : std::span(what, static_cast<std::size_t>(count))) {
    group->reductions.emplace_back(each, team.workers());
  }
  return group;
}

/// As older compilers say it. Source: kmp_task_red_input of libomp.
struct OlderReduction {
  void *shared;
  std::size_t bytes;
  void *initialize; ///< Of the copy alone.
  void (*finalize)(void *copy);
  void (*combine)(void *shared, void *copy);
  std::uint32_t flags;
};

TaskGroup *reduce(OpenMp &team, std::int32_t count, const OlderReduction *what) {
  std::vector<omp_task_reduction> all;
  for (const OlderReduction &each : std::span(what, static_cast<std::size_t>(count))) {
    // The second argument, which it does not have, is in a register that it leaves alone.
    all.push_back({each.shared, each.shared, each.bytes,
                   reinterpret_cast<void (*)(void *, void *)>(each.initialize), each.finalize,
                   each.combine, each.flags});
  }
  return reduce(team, count, all.data());
}

} // namespace

TUTTI_INSTEAD(void *, __kmpc_task_reduction_init,
              (std::int32_t thread, std::int32_t count, void *what), (thread, count, what),
              ::team(), reduce(*team, count, static_cast<const OlderReduction *>(what)))

TUTTI_INSTEAD(void *, __kmpc_taskred_init, (std::int32_t thread, std::int32_t count, void *what),
              (thread, count, what), ::team(),
              reduce(*team, count, static_cast<const omp_task_reduction *>(what)))

TUTTI_INSTEAD(void *, __kmpc_task_reduction_get_th_data,
              (std::int32_t thread, void *group, void *item), (thread, group, item), ::team(),
              team->privateOf(static_cast<TaskGroup *>(group), item))

namespace {

constexpr std::int32_t kCancelsGroup = 4; // Source: kmp_cancel_kind_t of libomp.

/// Whether the innermost group is cancelled, which `cancels` does.
std::int32_t cancelled(OpenMp &team, bool cancels) {
  TaskGroup *group = team.group();
  if (!group || omp_get_cancellation() == 0) {
    return 0;
  }
  if (cancels) {
    group->isCancelled.store(true, std::memory_order_relaxed);
  }
  return group->isCancelled.load(std::memory_order_relaxed) ? 1 : 0;
}

} // namespace

TUTTI_INSTEAD(std::int32_t, __kmpc_cancel, (void *place, std::int32_t thread, std::int32_t kind),
              (place, thread, kind), kind == kCancelsGroup ? ::team() : nullptr,
              cancelled(*team, true))

TUTTI_INSTEAD(std::int32_t, __kmpc_cancellationpoint,
              (void *place, std::int32_t thread, std::int32_t kind), (place, thread, kind),
              kind == kCancelsGroup ? ::team() : nullptr, cancelled(*team, false))

TUTTI_INSTEAD(Event *, __kmpc_task_allow_completion_event,
              (void *place, std::int32_t thread, tutti_task_block *block), (place, thread, block),
              maker(block), team->allowEvent(block))

TUTTI_EXPORT void omp_fulfill_event(omp_event_handle_t handle) {
  auto *event = reinterpret_cast<Event *>(handle);
  if (event && event->mark == Event::kMark) {
    OpenMp::fulfil(*event);
    return;
  }
  static constinit tutti::entry::Next<void (*)(omp_event_handle_t)> next("omp_fulfill_event");
  next.get()(handle);
}

TUTTI_INSTEAD(int, omp_in_final, (), (), ::team(), team->isInFinal() ? 1 : 0)
