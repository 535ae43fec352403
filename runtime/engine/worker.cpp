// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/worker.h"

#include "base/check.h"
#include "runtime/engine/engine.h"

#include <sched.h>
#include <utility>

namespace tutti::engine {

namespace {

/// Stacks that lie idle and keep the memory that they have touched.
constexpr std::size_t kWarmStacks = 64;

} // namespace

Parked::Parked() : home_(Worker::current()) {}

void Parked::wait() {
  if (!home_) {
    bed_.sleep();
    return;
  }
  const ThreadState state(home_->usualFloatControl());
  home_->park(*this);
}

void Parked::resume() {
  if (home_) {
    home_->unpark(*this);
  } else {
    bed_.wake();
  }
}

Worker::Worker(Engine &engine, std::uint32_t index)
    : engine_(engine), index_(index), nextVictim_(index) {}

Worker::~Worker() = default;

void Worker::adopt(std::size_t bytes) {
  before_ = std::exchange(current_, this);
  // Stacks that another thread has left know its variables.
  if (std::exchange(thread_, std::this_thread::get_id()) != std::this_thread::get_id()) {
    idle_.clear();
    asides_.clear();
    stacks_.clear();
  }
  floatControl_ = FloatControl::now();
  native_ = std::make_unique<Stack>(bytes);
  running_ = native_.get();
}

void Worker::serve() {
  constexpr std::size_t kOwnBytes = std::size_t{16} << 10; // Nothing runs there.
  adopt(kOwnBytes);
  switchTo(idleStack());
}

void Worker::leave() { current_ = std::exchange(before_, nullptr); }

void Worker::runNow(Work &work) {
  ++counts_.run;
  if (hasRoom(__builtin_frame_address(0))) {
    const ThreadState state(floatControl_);
    if (Work *next = engine_.client_.run(*this, work)) {
      push(*next);
    }
    return;
  }
  if (asides_.empty()) {
    ++counts_.stacks;
    stacks_.push_back(std::make_unique<Stack>(
        engine_.settings_.stackBytes,
        [](void *worker) { static_cast<Worker *>(worker)->runHanded(); }, this));
    asides_.push_back(stacks_.back().get());
  }
  Stack &stack = *asides_.back();
  asides_.pop_back();
  handed_ = &work;
  handedBack_ = running_;
  const ThreadState state(floatControl_);
  switchTo(stack);
}

void Worker::runHanded() {
  for (;;) {
    Stack &back = *handedBack_;
    if (Work *next = engine_.client_.run(*this, *handed_)) {
      push(*next);
    }
    if (asides_.size() >= kWarmStacks) {
      running_->trim();
    }
    asides_.push_back(running_);
    switchTo(back);
  }
}

void Worker::push(Work &work) {
  if (work.priority == 0) [[likely]] {
    ready_.push(&work);
  } else {
    (work.priority > 0 ? engine_.urgent_ : engine_.idle_).push(work);
  }
  engine_.announce();
}

void Worker::switchTo(Stack &stack) { std::exchange(running_, &stack)->switchTo(stack); }

Stack &Worker::idleStack() {
  if (idle_.empty()) {
    ++counts_.stacks;
    stacks_.push_back(std::make_unique<Stack>(
        engine_.settings_.stackBytes, [](void *worker) { static_cast<Worker *>(worker)->loop(); },
        this));
    return *stacks_.back();
  }
  Stack *stack = idle_.back();
  idle_.pop_back();
  return *stack;
}

void Worker::park(Parked &parked) {
  parked.stack_ = running_;
  Parked *next = isTurnOfWork() ? nullptr : takeResumed();
  if (next == &parked) {
    return;
  }
  ++counts_.blocked;
  engine_.client_.parks();
  switchTo(next ? *next->stack_ : idleStack());
}

void Worker::unpark(Parked &parked) {
  Parked *first = returned_.load(std::memory_order_relaxed);
  do {
    parked.next_ = first;
    // Pairs with the acquire in `takeResumed`.
  } while (!returned_.compare_exchange_weak(first, &parked, std::memory_order_release,
                                            std::memory_order_relaxed));
  if (current_ == this) {
    return;
  }
  // As in Engine::announce.
  if (engine_.needsFence_) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  if (engine_.sleeping_.load(std::memory_order_relaxed) != 0) {
    engine_.wake(*this);
  }
}

Parked *Worker::takeResumed() {
  if (!resumed_) {
    if (!returned_.load(std::memory_order_relaxed)) {
      return nullptr;
    }
    Parked *newest = returned_.exchange(nullptr, std::memory_order_acquire);
    while (newest) {
      Parked *before = newest->next_;
      newest->next_ = std::exchange(resumed_, newest);
      newest = before;
    }
  }
  Parked *oldest = resumed_;
  resumed_ = oldest->next_;
  ++inARow_;
  return oldest;
}

bool Worker::isTurnOfWork() {
  if (inARow_ <= stacks_.size() - idle_.size()) {
    return false;
  }
  if (engine_.hasWork() || !throttled_.empty()) {
    return true;
  }
  inARow_ = 0;
  return false;
}

void Worker::loop() {
  for (;;) {
    const bool isTurn = isTurnOfWork();
    Parked *parked = isTurn ? nullptr : takeResumed();
    if (!parked && !throttled_.empty()) {
      parked = takeThrottled(false);
    }
    if (!parked) {
      pollBetweenWork();
      inARow_ = 0;
      Work *work = find();
      if (!work && !throttled_.empty() && (isTurn || !hasResumed())) {
        parked = takeThrottled(true);
      } else if (!work) {
        work = search();
      }
      if (work) {
        runAll(work);
        continue;
      }
    }
    if (parked || engine_.isEnding_.load(std::memory_order_relaxed)) {
      if (idle_.size() >= kWarmStacks) {
        running_->trim();
      }
      idle_.push_back(running_);
      switchTo(parked ? *parked->stack_ : *native_);
    }
  }
}

bool Worker::mustRunNow(const Work &work) const {
  return !hasResumed() && throttled_.empty() && engine_.urgent_.isEmpty() && work.priority == 0;
}

void Worker::runAll(Work *work) {
  while (work) {
    ++counts_.run;
    work = engine_.client_.run(*this, *work);
    if (work && !mustRunNow(*work)) {
      push(*std::exchange(work, nullptr));
    }
  }
}

Work *Worker::find() {
  const auto any = [](const Work &) { return true; };
  if (Work *work = engine_.urgent_.popIf(any)) {
    return work;
  }
  if (engine_.fromOutside_.load(std::memory_order_relaxed) != 0) {
    const SpinGuard guard(engine_.outside_);
    if (Work *work = engine_.firstOutside_) {
      engine_.firstOutside_ = work->next;
      engine_.lastOutside_ = work->next ? engine_.lastOutside_ : nullptr;
      engine_.fromOutside_.fetch_sub(1, std::memory_order_relaxed);
      return work;
    }
  }
  if (Work *work = ready_.pop()) {
    return work;
  }
  if (Work *work = steal()) {
    return work;
  }
  return engine_.idle_.popIf(any);
}

Work *Worker::steal() {
  if (!pause_.isOver()) {
    return nullptr;
  }
  const auto &workers = engine_.workers_;
  for (std::size_t turn = 0; turn < workers.size(); ++turn) {
    nextVictim_ = nextVictim_ + 1 < workers.size() ? nextVictim_ + 1 : 0;
    Worker &victim = *workers[nextVictim_];
    if (&victim == this || victim.ready_.size() == 0) {
      continue;
    }
    stolenAt_ = StealPause::Clock::now();
    if (Work *work = victim.ready_.steal()) {
      ++counts_.stolen;
      stolen_ = work;
      nextVictim_ = nextVictim_ == 0 ? static_cast<std::uint32_t>(workers.size()) - 1
                                     : nextVictim_ - 1; // Where there was something is more.
      return work;
    }
  }
  return nullptr;
}

Work *Worker::search() {
  constexpr int kTurns = 200;
  constexpr int kPauses = 8;
  Engine &engine = engine_;
  engine.searching_.fetch_add(1, std::memory_order_seq_cst);
  Work *work = nullptr;
  for (bool isOver = false; !isOver;) {
    for (int turn = 0; turn < kTurns && !work && !hasResumed(); ++turn) {
      for (int pause = 0; pause < kPauses; ++pause) {
        relaxProcessor();
      }
      if (engine.isPolled_.load(std::memory_order_acquire)) {
        engine.client_.poll();
      }
      work = find();
    }
    if (!work && !hasResumed() && !engine.isEnding_.load(std::memory_order_relaxed)) {
      work = pollUntilWork();
    }
    if (!work && !hasResumed() && !engine.isEnding_.load(std::memory_order_relaxed)) {
      sleep();
    }
    isOver = work || hasResumed() || engine.isEnding_.load(std::memory_order_relaxed);
  }
  // Who makes much work wakes one thread at a time; each passes it on.
  if (engine.searching_.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
      engine.sleeping_.load(std::memory_order_relaxed) != 0 && engine.hasWork()) {
    engine.wakeOne();
  }
  return work;
}

/// Work may take less than to look for messages, which may even give the processor to others.
void Worker::pollBetweenWork() {
  constexpr std::chrono::microseconds kApart{10};
  if (!engine_.isPolled_.load(std::memory_order_acquire)) {
    return;
  }
  if (const auto now = std::chrono::steady_clock::now(); now >= nextPoll_) {
    engine_.client_.poll();
    nextPoll_ = now + kApart;
  }
}

/// One of those without work polls, as long as there is something to look for.
Work *Worker::pollUntilWork() {
  Engine &engine = engine_;
  if (!engine.isPolled_.load(std::memory_order_acquire) ||
      engine.hasPoller_.exchange(true, std::memory_order_acquire)) {
    return nullptr;
  }
  Work *work = nullptr;
  while (!work && !hasResumed() && !engine.isEnding_.load(std::memory_order_relaxed) &&
         engine.client_.poll()) {
    work = find();
    sched_yield();
  }
  engine.hasPoller_.store(false, std::memory_order_release);
  return work ? work : find();
}

/// In and out as one of those that search.
void Worker::sleep() {
  engine_.beginSleep(*this);
  engine_.searching_.fetch_sub(1, std::memory_order_seq_cst);
  engine_.fence();
  const bool mayStay =
      engine_.hasWork() || hasResumed() || engine_.isEnding_.load(std::memory_order_relaxed);
  if (mayStay && engine_.endSleep(*this)) {
    return;
  }
  ++counts_.slept;
  bed_.sleep();
}

void Worker::makeRoom() {
  constexpr std::size_t kMostThrottled = 4;
  pool_.usedNow();
  if (!isShortOfMemory() || throttled_.size() >= kMostThrottled) {
    return;
  }
  Parked parked;
  throttled_.push_back(&parked);
  parked.wait();
}

Parked *Worker::takeThrottled(bool isIdle) {
  const std::size_t limit = engine_.settings_.taskBytes;
  const bool isEnough = pool_.usedNow() <= limit / 2;
  if (!isIdle && !isEnough) {
    return nullptr;
  }
  // What is there cannot run without more: let a good deal come before asking again.
  extra_ = isEnough ? 0 : extra_ + limit / 8;
  Parked *parked = throttled_.back();
  throttled_.pop_back();
  return parked;
}

} // namespace tutti::engine
