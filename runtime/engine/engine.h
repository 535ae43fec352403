// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The workers of a process, and what they have in common: work that came from outside or has a
/// priority, and who sleeps.
#pragma once

#include "base/mutex.h"
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
  /// No thread is started, and the caller is not adopted: threads come and go, see `enter`.
  bool hasGuests = false;
};

/// Threading: internally synchronised, unless said otherwise.
class Engine {
public:
  /// The calling thread becomes worker 0, unless the settings say otherwise; starts the others.
  Engine(Client &client, const EngineSettings &settings);
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;
  /// Order: nothing is ready, runs or waits, and no thread is about to resume anything. In the
  ///        thread that made it.
  ~Engine();

  /// How many there are but for the one that `addWorker` starts, which stands in for the first.
  std::uint32_t size() const { return size_; }

  /// That one, too.
  std::span<const std::unique_ptr<Worker>> workers() const { return workers_; }

  /// Whether no more than one worker runs. Threading: what is done after `addWorker` is done after
  /// all that has been done by who was alone.
  bool isAlone() const { return isAlone_.load(std::memory_order_relaxed); }

  /// Starts another worker if the thread that made the engine is the only one: it may be waiting
  /// for the calling thread, in a way that the engine does not know. From any thread.
  void addWorker();

  const EngineSettings &settings() const { return settings_; }

  /// Queues what has become ready; from any thread.
  void submit(Work &work);

  /// Whether something is queued that nobody has taken yet. A hint; from any thread.
  bool hasWork() const;

  /// From now on workers poll the client. Before there is anything to look for.
  void startPolling() { isPolled_.store(true, std::memory_order_release); }

  /// @name Of an engine with guests.
  /// @{

  /// The calling thread is worker 0 from here to `leave`, and others may come.
  void enter();

  /// The calling thread is that worker until `dismiss` is called, which may have been before.
  void serve(std::uint32_t index);

  /// Order: before `leave`; nothing is ready, runs or waits.
  void dismiss();

  /// Order: by the thread that entered. All others have to be back before somebody enters again.
  void leave();

  /// @}

  /// How many workers an engine with these settings has at most.
  static std::uint32_t mostWorkers(const EngineSettings &settings);

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

  /// Gives work to whoever asks next, by whatever thread.
  void submitOutside(Work &work);
  /// Some of the oldest are looked at, and stand last afterwards.
  template <typename Wants> Work *takeOutside(Wants &&wants);
  void wakeOne();
  /// Wakes that one if it sleeps.
  void wake(Worker &worker);
  void fence();
  void start(Worker &worker) TUTTI_REQUIRES(starting_);

  /// Of the list of who sleeps; whoever takes a worker off it has it search.
  void beginSleep(Worker &worker);
  bool endSleep(Worker &worker);

  Client &client_;
  const EngineSettings settings_;
  const std::uint32_t size_;
  const bool needsFence_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Mutex starting_;
  std::vector<std::thread> threads_ TUTTI_GUARDED_BY(starting_);
  std::atomic<bool> mayAdd_; ///< See `addWorker`.
  std::atomic<bool> isAlone_;
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

inline std::uint32_t Worker::number() const { return index_ % engine_.size(); }

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

template <typename Wants> Work *Engine::takeOutside(Wants &&wants) {
  constexpr int kMost = 64;
  if (fromOutside_.load(std::memory_order_relaxed) == 0) {
    return nullptr;
  }
  const SpinGuard guard(outside_);
  for (int turn = 0; turn < kMost && firstOutside_; ++turn) {
    Work *work = firstOutside_;
    firstOutside_ = work->next;
    lastOutside_ = firstOutside_ ? lastOutside_ : nullptr;
    if (wants(*work)) {
      fromOutside_.fetch_sub(1, std::memory_order_relaxed);
      return work;
    }
    work->next = nullptr;
    (lastOutside_ ? lastOutside_->next : firstOutside_) = work;
    lastOutside_ = work;
  }
  return nullptr;
}

template <typename Wants> Work *Worker::search(Wants &&wants, bool isPatient) {
  if (Work *work = engine_.urgent_.takeIf(wants)) {
    return work;
  }
  if (Work *work = ready_.pop()) {
    if (wants(*work)) {
      return work;
    }
    if (isPatient) {
      ready_.push(work);
    } else {
      engine_.submitOutside(*work);
    }
  }
  if (Work *work = engine_.takeOutside(wants)) {
    return work;
  }
  if (!isPatient) {
    if (Work *work = steal()) {
      if (wants(*work)) {
        return work;
      }
      engine_.submitOutside(*work);
    }
  }
  return engine_.idle_.takeIf(wants);
}

} // namespace tutti::engine
