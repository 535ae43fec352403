// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Start and end of the tasks of this process.
#include "base/mutex.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/tasks.h"
#include "runtime/model/tasks/tasks.h"

#include <cstdio>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::entry {

using model::tasks::Tasks;

constinit std::atomic<Tasks *> detail::theTasks{nullptr};

namespace {

Mutex starting;
std::uint32_t wantedWorkers = 0;

/// The workers are the parent's.
void forgetTasks() { detail::theTasks.store(nullptr, std::memory_order_relaxed); }

} // namespace

void setWorkers(std::uint32_t workers) { wantedWorkers = workers; }

Tasks &detail::startTasks() {
  const ScopedLock lock(starting);
  if (Tasks *tasks = theTasks.load(std::memory_order_acquire)) {
    return *tasks;
  }
  engine::EngineSettings settings;
  settings.workers = wantedWorkers > 0 ? wantedWorkers : engine::Engine::usableProcessors();
  settings.adoptsCaller = syscall(SYS_gettid) == getpid();
  auto *tasks = new Tasks(settings); // As long as the process: exit handlers may make tasks.
  if (Runtime *runtime = Runtime::active(); runtime && runtime->accelerators()) {
    tasks->setAccelerators(*runtime->accelerators());
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
  return tasks && !tasks->isMain(tasks->current());
}

void reportTasks(Stats stats) {
  Tasks *tasks = detail::theTasks.load(std::memory_order_acquire);
  if (!tasks || stats == Stats::Off) {
    return;
  }
  const model::tasks::Statistics s = tasks->statistics();
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  const char *format =
      stats == Stats::Json
          ? "tutti-tasks: {\"workers\":%llu,\"created\":%llu,\"run\":%llu,\"stolen\":%llu,"
            "\"blocked\":%llu,\"stacks\":%llu,\"allocations\":%llu}\n"
          : "tutti: tasks on %llu workers: %llu created, %llu run, %llu stolen, %llu times "
            "blocked, %llu stacks, %llu allocations\n";
  std::fprintf(stderr, format, number(s.workers), number(s.created), number(s.run),
               number(s.stolen), number(s.blocked), number(s.stacks), number(s.allocations));
}

} // namespace tutti::entry
