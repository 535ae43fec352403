// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Start and end of the tasks of this process.
#include "base/mutex.h"
#include "runtime/entry/cluster.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/tasks.h"
#include "runtime/model/tasks/tasks.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <omp.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

/// libomp's: GCC's <omp.h> has no such name.
extern "C" std::size_t kmp_get_stacksize_s();

namespace tutti::entry {

using model::tasks::OpenMp;
using model::tasks::Statistics;
using model::tasks::Tasks;

constinit std::atomic<Tasks *> detail::theTasks{nullptr};

namespace {

Mutex starting;
std::uint32_t wantedWorkers = 0;
bool isMainBusy = false;

/// Those that have been needed at a time, of each size; as long as the process: what has been
/// fulfilled from outside may still look at them.
struct Teams {
  Mutex mutex;
  std::vector<OpenMp *> all TUTTI_GUARDED_BY(mutex);
  std::vector<OpenMp *> idle TUTTI_GUARDED_BY(mutex);
};

Teams &teams() {
  static auto *teams = new Teams;
  return *teams;
}

/// The workers are the parent's.
void forgetTasks() { detail::theTasks.store(nullptr, std::memory_order_relaxed); }

} // namespace

void setWorkers(std::uint32_t workers) { wantedWorkers = workers; }

void keepMainOutOfTasks() { isMainBusy = true; }

std::uint32_t wishedWorkers() { return wantedWorkers; }

OpenMp &takeTeam(std::uint32_t threads) {
  const std::uint32_t workers = wantedWorkers > 0 ? std::min(wantedWorkers, threads) : threads;
  Teams &of = teams();
  const ScopedLock lock(of.mutex);
  const auto found = std::ranges::find(of.idle, workers, &OpenMp::workers);
  if (found != of.idle.end()) {
    OpenMp &team = **found;
    of.idle.erase(found);
    return team;
  }
  engine::EngineSettings settings;
  settings.workers = workers;
  settings.stackBytes = std::max(settings.stackBytes, kmp_get_stacksize_s());
  settings.hasGuests = true;
  of.all.push_back(new OpenMp(settings, omp_get_max_task_priority()));
  return *of.all.back();
}

void giveBackTeam(OpenMp &team) {
  Teams &of = teams();
  const ScopedLock lock(of.mutex);
  of.idle.push_back(&team);
}

Tasks &detail::startTasks() {
  const ScopedLock lock(starting);
  if (Tasks *tasks = theTasks.load(std::memory_order_acquire)) {
    return *tasks;
  }
  engine::EngineSettings settings;
  // Ranks of one host have divided its processors among themselves.
  settings.workers = wantedWorkers > 0         ? wantedWorkers
                     : clusterNode().nodes > 1 ? static_cast<std::uint32_t>(omp_get_max_threads())
                                               : engine::Engine::usableProcessors();
  settings.adoptsCaller = !isMainBusy && syscall(SYS_gettid) == getpid();
  auto *tasks = new Tasks(settings); // As long as the process: exit handlers may make tasks.
  if (Runtime *runtime = Runtime::active()) {
    if (runtime->accelerators()) {
      tasks->setAccelerators(*runtime->accelerators());
    }
    if (runtime->taskRanks()) {
      tasks->setRanks(*runtime->taskRanks());
    }
  }
  pthread_atfork(nullptr, nullptr, forgetTasks);
  theTasks.store(tasks, std::memory_order_release);
  return *tasks;
}

void finishTasks() {
  Tasks *tasks = detail::theTasks.load(std::memory_order_acquire);
  if (tasks && tasks->isMain(tasks->current())) {
    tasks->finish();
  }
}

bool isInTask() {
  Tasks *tasks = detail::theTasks.load(std::memory_order_relaxed);
  return OpenMp::here() || (tasks && !tasks->isMain(tasks->current()));
}

namespace {

/// Of the process and of all teams.
Statistics statistics() {
  Tasks *tasks = detail::theTasks.load(std::memory_order_acquire);
  Statistics sum = tasks ? tasks->statistics() : Statistics();
  Teams &of = teams();
  const ScopedLock lock(of.mutex);
  for (OpenMp *team : of.all) {
    sum.add(team->tasks().statistics());
  }
  return sum;
}

} // namespace

namespace {

/// What has become of tasks that might have run on other ranks.
void reportRemote(Stats stats) {
  const Tasks *tasks = detail::theTasks.load(std::memory_order_acquire);
  const auto *remote = tasks ? tasks->remote() : nullptr;
  if (!remote) {
    return;
  }
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  if (stats == Stats::Json) {
    std::fprintf(stderr, "tutti-remote-tasks: {\"sent\":%llu}\n", number(remote->sent()));
    return;
  }
  if (remote->sent() > 0) {
    std::fprintf(stderr, "tutti: %llu %s run on other ranks\n", number(remote->sent()),
                 remote->sent() == 1 ? "task has" : "tasks have");
  }
  for (const auto &[reason, count] : remote->reasons()) {
    std::fprintf(stderr, "tutti: %llu %s stayed on rank 0: %.*s\n", number(count),
                 count == 1 ? "task" : "tasks", static_cast<int>(reason.size()), reason.data());
  }
}

} // namespace

trace::TaskCounts countedTasks() {
  const Tasks *tasks = detail::theTasks.load(std::memory_order_acquire);
  const auto *remote = tasks ? tasks->remote() : nullptr;
  return {statistics().created, remote ? remote->sent() : 0};
}

void reportTasks(Stats stats) {
  if (stats == Stats::Off) {
    return;
  }
  const Statistics s = statistics();
  if (s.workers == 0) {
    return;
  }
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  const char *format =
      stats == Stats::Json
          ? "tutti-tasks: {\"workers\":%llu,\"created\":%llu,\"run\":%llu,\"stolen\":%llu,"
            "\"blocked\":%llu,\"stacks\":%llu,\"allocations\":%llu,"
            "\"lookups\":%llu,\"replayed\":%llu}\n"
          : "tutti: tasks on %llu workers: %llu created, %llu run, %llu stolen, %llu times "
            "blocked, %llu stacks, %llu allocations, "
            "%llu regions looked for, %llu tasks replayed\n";
  std::fprintf(stderr, format, number(s.workers), number(s.created), number(s.run),
               number(s.stolen), number(s.blocked), number(s.stacks), number(s.allocations),
               number(s.lookups), number(s.replayed));
  reportRemote(stats);
}

} // namespace tutti::entry
