// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A thread that runs what is ready: its own newest first, then what others have had longest.
///
/// Work runs on the worker's stack. If it has to wait, the stack is left to it, and the worker goes
/// on with another one, until it finds that the waiting is over.
#pragma once

#include "base/count.h"
#include "base/steal_deque.h"
#include "runtime/engine/bed.h"
#include "runtime/engine/parked.h"
#include "runtime/engine/pool.h"
#include "runtime/engine/stack.h"
#include "runtime/engine/steal_pause.h"
#include "runtime/engine/thread_state.h"
#include "runtime/engine/work.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace tutti::engine {

class Engine;

/// What one worker did.
struct WorkerCounts {
  Count run;
  Count stolen;
  Count blocked; ///< Left a stack to who waits.
  Count stacks;  ///< That were ever made.
  Count slept;
};

/// Threading: confined to its thread, unless said otherwise.
class Worker {
public:
  Worker(Engine &engine, std::uint32_t index);
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker();

  /// The calling thread, if it is one.
  static Worker *current() { return current_; }

  /// Immutable; from any thread.
  std::uint32_t index() const { return index_; }

  /// What the program calls it: what `Engine::addWorker` starts has the number of the first.
  std::uint32_t number() const;

  Pool &pool() { return pool_; }

  /// Of memory for tasks from the general heap, so far.
  std::size_t allocations() const { return pool_.allocations(); }

  /// Counts work that has been run without having been queued.
  void countRun() { ++counts_.run; }

  /// Calls the body of the work that the client has been asked to run. If it has been stolen, this
  /// notes whether that was worth it.
  template <typename Body> auto callBody(const Work &work, Body &&body) {
    if (stolen_ != &work) [[likely]] {
      return body();
    }
    stolen_ = nullptr;
    const auto begin = StealPause::Clock::now();
    const auto getting = begin - stolenAt_;
    const auto result = body();
    const auto end = StealPause::Clock::now();
    pause_.note(getting, end - begin, end);
    return result;
  }

  /// From any thread, but exact only while nothing runs.
  const WorkerCounts &counts() const { return counts_; }

  /// Queues what has become ready.
  void push(Work &work);

  /// What this worker would run next, if `wants` says so of it; else, and if somebody who waited
  /// here may go on, null.
  template <typename Wants> Work *takeIf(Wants &&wants);

  /// Runs the work on top of the caller, and what becomes ready by it, as long as `wants` says so.
  template <typename Wants> void runOnTop(Work &work, Wants &&wants);

  /// Any work that `wants` says so of; some of what there is is looked at, each time other work.
  /// What a patient one finds and does not want stays where it is; else it goes to where everybody
  /// looks, so that in the end nothing is hidden from anybody.
  template <typename Wants> Work *search(Wants &&wants, bool isPatient);

  /// Runs the work and comes back: on top of the caller, or if that has no room, on another stack.
  void runNow(Work &work);

  /// Whether work may run on top of what runs at `frame`.
  bool hasRoom(const void *frame) const { return running_->hasRoom(frame); }

  /// Memory for tasks is short: waits until some has come back, or there is nothing else to run.
  /// Only a few wait so at a time: who makes tasks in tasks makes them go, too, newest first.
  void makeRoom();

  /// Whether `makeRoom` is called for.
  bool isShortOfMemory() const;

  const FloatControl &usualFloatControl() const { return floatControl_; }

private:
  friend class Engine;
  friend class Parked;

  /// The calling thread becomes this worker, on the stack where it is.
  void adopt(std::size_t bytes);
  /// The thread of a worker that has none yet: leaves its stack for one of the engine's, until the
  /// engine ends.
  void serve();
  /// The calling thread is again what it was before `adopt`.
  void leave();
  [[noreturn]] void loop();
  void runAll(Work *work);

  /// Of what has become ready by the work before: whether nothing else comes first.
  bool mustRunNow(const Work &work) const;

  void park(Parked &parked);
  void unpark(Parked &parked); ///< From any thread.
  Parked *takeResumed();

  /// Whether each of those that may go on has had its turn since other work had one, or who makes
  /// some, if there is any. Tasks that look for something again and again would else leave no time
  /// for what they wait for.
  bool isTurnOfWork();

  bool hasResumed() const {
    return resumed_ || returned_.load(std::memory_order_relaxed) != nullptr;
  }

  void switchTo(Stack &stack);
  Stack &idleStack();
  /// Body of the stacks that `runNow` takes.
  [[noreturn]] void runHanded();

  Work *find();
  Work *steal();
  /// Looks for work for a while, then sleeps; null if the loop has other things to look after.
  Work *search();
  Work *pollUntilWork();
  void pollBetweenWork();
  void sleep();
  Parked *takeThrottled(bool isIdle);

  inline static thread_local Worker *current_ [[gnu::tls_model("initial-exec")]] = nullptr;

  Engine &engine_;
  const std::uint32_t index_;
  std::uint32_t nextVictim_;
  FloatControl floatControl_;
  Stack *running_ = nullptr;      ///< What the thread is on.
  std::unique_ptr<Stack> native_; ///< The thread's own.
  std::vector<Stack *> idle_;     ///< In the middle of `loop`.
  std::vector<Stack *> asides_;   ///< In the middle of `runHanded`.
  Work *handed_ = nullptr;        ///< To `runHanded`.
  Stack *handedBack_ = nullptr;   ///< Where it comes from.
  std::vector<std::unique_ptr<Stack>> stacks_;
  std::thread::id thread_;    ///< That the stacks belong to.
  Worker *before_ = nullptr;  ///< What the thread was before.
  Parked *resumed_ = nullptr; ///< The oldest first.
  std::size_t inARow_ = 0;    ///< Of those, how many have gone on since other work was run.
  std::vector<Parked *> throttled_;
  std::size_t extra_ = 0; ///< Bytes that tasks may have beyond the limit.
  WorkerCounts counts_;
  Pool pool_;
  const Work *stolen_ = nullptr; ///< The latest, until its body is called.
  StealPause::Clock::time_point stolenAt_;
  StealPause pause_;
  std::chrono::steady_clock::time_point nextPoll_;      ///< Not before, as long as there is work.
  StealDeque<Work> ready_;                              ///< Stolen from by others.
  Bed bed_;                                             ///< Woken by others.
  alignas(64) std::atomic<Parked *> returned_{nullptr}; ///< Resumed by others, the newest first.
  Worker *nextSleeping_ = nullptr;                      ///< The engine's.
};

} // namespace tutti::engine
