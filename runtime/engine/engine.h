// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The workers of a process, and what they have in common: work that came from outside or has a
/// priority, and who sleeps.
#pragma once

#include "base/spin_lock.h"
#include "runtime/engine/priorities.h"
#include "runtime/engine/work.h"
#include "runtime/engine/worker.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace tutti::engine {

struct EngineSettings {
  std::uint32_t workers = 1;
  std::size_t stackBytes = usualStackBytes();
  std::size_t taskBytes = std::size_t{32} << 20; ///< Of one worker's tasks: beyond it, who makes
                                                 ///< tasks waits while there is something to run.
  bool adoptsCaller =
      true; ///< The thread that makes the engine is worker 0; else that is one more.
};

/// Threading: internally synchronised, unless said otherwise.
class Engine {
public:
  /// The calling thread becomes worker 0, unless the settings say otherwise; starts the others.
  Engine(Client &client, const EngineSettings &settings);
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;
  /// Order: nothing is ready, runs or waits, and no thread is about to resume anything. In the
  /// thread
  ///        that made it.
  ~Engine();

  std::span<const std::unique_ptr<Worker>> workers() const { return workers_; }

  const EngineSettings &settings() const { return settings_; }

  /// Queues what has become ready; from any thread.
  void submit(Work &work);

  /// From now on workers poll the client. Before there is anything to look for.
  void startPolling() { isPolled_.store(true, std::memory_order_release); }

  /// How many CPUs the calling thread may use.
  static std::uint32_t usableProcessors();

private:
  friend class Worker;

  /// Something has been queued: somebody who sleeps may have to be woken.
  void announce() {
    if (needsFence_) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    } else {
      // Who goes to sleep fences this thread, too.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (sleeping_.load(std::memory_order_relaxed) != 0 &&
        searching_.load(std::memory_order_relaxed) == 0) {
      wakeOne();
    }
  }

  void wakeOne();
  /// Wakes that one if it sleeps.
  void wake(Worker &worker);
  bool hasWork() const;
  void fence();

  /// Of the list of who sleeps; whoever takes a worker off it has it search.
  void beginSleep(Worker &worker);
  bool endSleep(Worker &worker);

  Client &client_;
  const EngineSettings settings_;
  const bool needsFence_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  Priorities urgent_; ///< Above 0.
  Priorities idle_;   ///< Below 0.
  std::atomic<bool> isEnding_{false};
  std::atomic<bool> isPolled_{false};
  std::atomic<bool> hasPoller_{false}; ///< Of workers without work one polls.
  alignas(64) std::atomic<std::uint32_t> searching_{0};
  std::atomic<std::uint32_t> sleeping_{0};
  SpinLock sleepers_;
  Worker *firstSleeping_ TUTTI_GUARDED_BY(sleepers_) = nullptr;
  SpinLock outside_;
  Work *firstOutside_ TUTTI_GUARDED_BY(outside_) = nullptr;
  Work *lastOutside_ TUTTI_GUARDED_BY(outside_) = nullptr;
  std::atomic<std::uint32_t> fromOutside_{0}; ///< A hint.
};

inline bool Worker::isShortOfMemory() const {
  return pool_.used() > engine_.settings_.taskBytes + extra_;
}

template <typename Wants> void Worker::runOnTop(Work &work, Wants &&wants) {
  for (Work *next = &work; next;) {
    ++counts_.run;
    next = engine_.client_.run(*this, *next);
    if (next && (!mustRunNow(*next) || !wants(*next))) {
      push(*next);
      return;
    }
  }
}

template <typename Wants> Work *Worker::takeIf(Wants &&wants) {
  if (hasResumed()) {
    return nullptr;
  }
  if (!engine_.urgent_.isEmpty()) {
    return engine_.urgent_.popIf(wants);
  }
  Work *work = ready_.pop();
  if (work && !wants(*work)) {
    ready_.push(work);
    work = nullptr;
  }
  return work;
}

} // namespace tutti::engine
