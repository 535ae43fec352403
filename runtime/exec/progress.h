// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What moves messages while the program computes: one lock, one poll function, one thread, and
/// waiting that polls.
#pragma once

#include "base/mutex.h"
#include "runtime/memory/faults.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace tutti::exec {

/// How eagerly to poll without result: at first at once, then giving the processor away, at last
/// asleep.
class Backoff {
public:
  /// `isCrowded`: more threads than processors, so spinning takes time from those waited for.
  explicit Backoff(bool isCrowded) : spins_(isCrowded ? 4 : 400) {}

  void pause();

  void reset() { rounds_ = 0; }

private:
  std::uint32_t spins_;
  std::uint32_t rounds_ = 0;
};

/// What the lock of `Progress` is to the thread-safety analysis, which cannot tell that what a job
/// and each of its protocols refer to is one object: for all of them it is this one, which a thread
/// holds in its own rank.
class TUTTI_CAPABILITY("lock of progress") Turn {};

inline constexpr Turn kTurn;

/// Who calls the function holds the lock of its rank's `Progress`. Behind the parameters of a
/// lambda, too, which without it holds nothing.
#define TUTTI_IN_TURN TUTTI_REQUIRES(::tutti::exec::kTurn)

/// The lock of everything that a rank's threads share, and the thread that polls under it.
///
/// Threading: internally synchronised.
class Progress {
public:
  /// Holds the lock, but while it has been given away in between.
  class TUTTI_SCOPED_CAPABILITY Lock {
  public:
    /// Takes the lock, ahead of the thread.
    explicit Lock(Progress &progress) TUTTI_ACQUIRE(kTurn);
    ~Lock() TUTTI_RELEASE();
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

    void lock() TUTTI_ACQUIRE();
    void unlock() TUTTI_RELEASE();

  private:
    Progress &progress_;
    bool isHeld_ = false;
  };

  /// Moves everything on; whether anything moved. Called under the lock.
  using Poll = std::function<bool()>;

  /// Whether something is under way that needs polling although nobody waits for it. Called under
  /// the lock.
  using IsBusy = std::function<bool()>;

  /// Looks after what can wait. Called under the lock, by the thread, now and then while nothing is
  /// under way.
  using Watch = std::function<void()>;

  /// `queue` wakes the thread; it is the only listener.
  Progress(memory::TouchQueue &queue, bool isCrowded) : queue_(queue), isCrowded_(isCrowded) {}

  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  ~Progress() { stop(); }

  void start(Poll poll, IsBusy isBusy, Watch watch);

  /// Ends the thread. Waiting still works.
  void stop();

  // Not analysed: the analysis does not see that what is returned goes on holding.
  Lock lock() TUTTI_ACQUIRE(kTurn) TUTTI_NO_THREAD_SAFETY_ANALYSIS { return Lock(*this); }

  /// Gives the lock away while `during()` runs.
  ///
  /// Not analysed: a reference says nothing to the analysis of what the lock behind it holds. What
  /// calls this holds the lock, and `during` is analysed as a function that does not.
  template <typename During>
  void giveAway(Lock &lock, During &&during) TUTTI_IN_TURN TUTTI_NO_THREAD_SAFETY_ANALYSIS {
    lock.unlock();
    during();
    lock.lock();
  }

  /// Polls until `isDone()`, giving the lock away in between.
  template <typename IsDone> void waitUntil(Lock &lock, IsDone &&isDone) TUTTI_IN_TURN {
    if (isDone()) {
      return;
    }
    const Waiting waiting(*this);
    Backoff backoff(isCrowded_);
    while (true) {
      const bool moved = poll_();
      if (isDone()) {
        return;
      }
      if (moved) {
        backoff.reset();
        continue;
      }
      giveAway(lock, [&] { backoff.pause(); });
    }
  }

private:
  /// While a thread waits, it polls, and the progress thread sleeps.
  class Waiting {
  public:
    explicit Waiting(Progress &progress) : progress_(progress) {
      progress_.waiting_.fetch_add(1, std::memory_order_relaxed);
    }

    ~Waiting();
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

  private:
    Progress &progress_;
  };

  void run();

  memory::TouchQueue &queue_;
  bool isCrowded_;
  Poll poll_;
  IsBusy isBusy_;
  Watch watch_;
  std::mutex mutex_;                      ///< The analysis knows it as `kTurn`.
  std::atomic<std::uint32_t> wanting_{0}; ///< Threads at the lock; the progress thread lets them.
  std::atomic<std::uint32_t> waiting_{0}; ///< Threads in `waitUntil`.
  std::atomic<bool> isStopping_{false};
  std::thread thread_;
};

} // namespace tutti::exec
