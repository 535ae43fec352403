// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/engine.h"

#include "base/check.h"

#include <algorithm>
#include <sched.h>

namespace tutti::engine {

Engine::Engine(Client &client, const EngineSettings &settings)
    : client_(client), settings_(settings), size_(std::max(settings.workers, 1U)),
      needsFence_(!canFenceAllThreads()), mayAdd_(mostWorkers(settings) > size_),
      // Where another one may come, nothing else could tell the first of it.
      isAlone_(size_ == 1 && !(mayAdd_ && needsFence_)) {
  for (std::uint32_t index = 0; index < mostWorkers(settings); ++index) {
    workers_.push_back(std::make_unique<Worker>(*this, index));
  }
  if (settings.hasGuests) {
    return;
  }
  if (settings.adoptsCaller) {
    workers_.front()->adopt(settings.stackBytes);
  }
  const ScopedLock lock(starting_);
  for (std::size_t index = settings.adoptsCaller ? 1 : 0; index < size_; ++index) {
    start(*workers_[index]);
  }
}

Engine::~Engine() {
  isEnding_.store(true);
  for (const auto &worker : workers_) {
    wake(*worker);
  }
  std::vector<std::thread> threads;
  {
    const ScopedLock lock(starting_);
    threads.swap(threads_);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  if (settings_.adoptsCaller && !settings_.hasGuests) {
    Worker::current_ = nullptr;
  }
}

void Engine::start(Worker &worker) {
  threads_.emplace_back([&worker] { worker.serve(); });
}

void Engine::addWorker() {
  if (!mayAdd_.load(std::memory_order_relaxed)) {
    return;
  }
  const ScopedLock lock(starting_);
  if (!mayAdd_.exchange(false, std::memory_order_relaxed)) {
    return;
  }
  isAlone_.store(false, std::memory_order_relaxed);
  if (!needsFence_) {
    fenceAllThreads();
  }
  start(*workers_.back());
}

void Engine::enter() {
  isEnding_.store(false, std::memory_order_relaxed);
  workers_.front()->adopt(settings_.stackBytes);
}

void Engine::serve(std::uint32_t index) {
  Worker &worker = *workers_[index];
  worker.serve();
  worker.leave();
}

void Engine::dismiss() {
  isEnding_.store(true);
  for (const auto &worker : workers_) {
    wake(*worker);
  }
}

void Engine::leave() { workers_.front()->leave(); }

void Engine::submit(Work &work) {
  if (Worker *worker = Worker::current(); worker && &worker->engine_ == this) {
    worker->push(work);
    return;
  }
  if (work.priority != 0) {
    (work.priority > 0 ? urgent_ : idle_).push(work);
    announce();
  } else {
    submitOutside(work);
  }
}

void Engine::submitOutside(Work &work) {
  {
    const SpinGuard guard(outside_);
    work.next = nullptr;
    (lastOutside_ ? lastOutside_->next : firstOutside_) = &work;
    lastOutside_ = &work;
    fromOutside_.fetch_add(1, std::memory_order_relaxed);
  }
  announce();
}

bool Engine::hasWork() const {
  return !urgent_.isEmpty() || !idle_.isEmpty() ||
         fromOutside_.load(std::memory_order_relaxed) != 0 ||
         std::ranges::any_of(workers_, [](const auto &each) { return each->ready_.size() != 0; });
}

void Engine::fence() {
  if (needsFence_) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } else {
    fenceAllThreads();
  }
}

void Engine::beginSleep(Worker &worker) {
  const SpinGuard guard(sleepers_);
  worker.nextSleeping_ = firstSleeping_;
  firstSleeping_ = &worker;
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
}

bool Engine::endSleep(Worker &worker) {
  const SpinGuard guard(sleepers_);
  for (Worker **link = &firstSleeping_; *link; link = &(*link)->nextSleeping_) {
    if (*link == &worker) {
      *link = worker.nextSleeping_;
      sleeping_.fetch_sub(1, std::memory_order_seq_cst);
      searching_.fetch_add(1, std::memory_order_seq_cst);
      return true;
    }
  }
  return false;
}

void Engine::wakeOne() {
  Worker *worker = nullptr;
  {
    const SpinGuard guard(sleepers_);
    worker = firstSleeping_;
    if (!worker) {
      return;
    }
    firstSleeping_ = worker->nextSleeping_;
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    searching_.fetch_add(1, std::memory_order_seq_cst);
  }
  worker->bed_.wake();
}

void Engine::wake(Worker &worker) {
  if (endSleep(worker)) {
    worker.bed_.wake();
  }
}

std::uint32_t Engine::mostWorkers(const EngineSettings &settings) {
  const bool mayAdd = settings.workers <= 1 && settings.adoptsCaller && !settings.hasGuests;
  return std::max(settings.workers, 1U) + (mayAdd ? 1 : 0);
}

std::uint32_t Engine::usableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  return std::max(1, CPU_COUNT(&set));
}

} // namespace tutti::engine
