// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/engine.h"

#include "base/check.h"

#include <algorithm>
#include <sched.h>

namespace tutti::engine {

Engine::Engine(Client &client, const EngineSettings &settings)
    : client_(client), settings_(settings), needsFence_(!canFenceAllThreads()) {
  for (std::uint32_t index = 0; index < std::max(settings.workers, 1U); ++index) {
    workers_.push_back(std::make_unique<Worker>(*this, index));
  }
  if (settings.hasGuests) {
    return;
  }
  if (settings.adoptsCaller) {
    workers_.front()->adopt(settings.stackBytes);
  }
  for (std::size_t index = settings.adoptsCaller ? 1 : 0; index < workers_.size(); ++index) {
    threads_.emplace_back([worker = workers_[index].get()] { worker->serve(); });
  }
}

Engine::~Engine() {
  isEnding_.store(true);
  for (const auto &worker : workers_) {
    wake(*worker);
  }
  for (std::thread &thread : threads_) {
    thread.join();
  }
  if (settings_.adoptsCaller && !settings_.hasGuests) {
    Worker::current_ = nullptr;
  }
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

std::uint32_t Engine::usableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  return std::max(1, CPU_COUNT(&set));
}

} // namespace tutti::engine
