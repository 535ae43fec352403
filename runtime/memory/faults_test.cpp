// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Touches from threads to a listener, and from the signal handler.
#include "runtime/memory/faults.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

namespace tutti::memory {

namespace {

constexpr std::uint32_t kLong = 1'000'000'000 - 1;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TUTTI_WINDOW_IS_SHADOW 1
#endif
#endif

/// Takes until `count` touches have come.
std::vector<Touch *> takeAll(TouchQueue &queue, std::size_t count) {
  std::vector<Touch *> touches;
  while (touches.size() < count) {
    for (Touch *touch = queue.take(); touch; touch = touch->next) {
      touches.push_back(touch);
    }
    if (touches.size() < count) {
      queue.listen(kLong);
    }
  }
  return touches;
}

TEST(TouchQueue, IsEmptyAtFirst) {
  TouchQueue queue;

  EXPECT_TRUE(queue.isEmpty());
  EXPECT_EQ(queue.take(), nullptr);
}

TEST(TouchQueue, BlocksAThreadUntilItsTouchIsAnswered) {
  TouchQueue queue;
  std::atomic<bool> hasReturned{false};
  std::thread thread([&] {
    Touch touch;
    touch.range = {10, 20};
    touch.write = true;
    queue.await(touch);
    hasReturned = true;
  });

  Touch *touch = takeAll(queue, 1).front();

  EXPECT_FALSE(hasReturned);
  EXPECT_EQ(touch->range, (Range{10, 20}));
  EXPECT_TRUE(touch->write);
  TouchQueue::answer(*touch);
  thread.join();
  EXPECT_TRUE(hasReturned);
  EXPECT_TRUE(queue.isEmpty());
}

TEST(TouchQueue, GivesTouchesInTheOrderTheyCame) {
  TouchQueue queue;
  std::vector<std::thread> threads;
  std::vector<Touch> touches(4);
  for (std::uint64_t number = 0; number < touches.size(); ++number) {
    touches[number].range = {number, number + 1};
    threads.emplace_back([&queue, &touches, number] { queue.await(touches[number]); });
    queue.listen(kLong); // It has come.
  }

  const std::vector<Touch *> taken = takeAll(queue, touches.size());

  for (std::uint64_t number = 0; number < touches.size(); ++number) {
    EXPECT_EQ(taken[number]->range.begin, number);
    TouchQueue::answer(*taken[number]);
    threads[number].join();
  }
}

TEST(TouchQueue, HearsAWakeThatCameBeforeItListened) {
  TouchQueue queue;

  queue.wake();
  queue.listen(kLong); // Returns at once.
}

TEST(TouchQueue, ListensNoLongerThanItWasTold) {
  TouchQueue queue;

  queue.listen(1000);

  EXPECT_TRUE(queue.isEmpty());
}

TEST(TouchQueue, LosesNoTouchOfManyThreads) {
  constexpr std::size_t kThreads = 4;
  constexpr std::uint64_t kTouches = 2000;
  TouchQueue queue;
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&queue, thread] {
      for (std::uint64_t number = 0; number < kTouches; ++number) {
        Touch touch;
        touch.range = {thread, number};
        queue.await(touch);
      }
    });
  }

  std::vector<std::uint64_t> next(kThreads);
  for (std::size_t count = 0; count < kThreads * kTouches;) {
    for (Touch *touch = queue.take(); touch;) {
      // Gone once it is answered.
      Touch *const following = touch->next;
      EXPECT_EQ(touch->range.end, next[touch->range.begin]++);
      TouchQueue::answer(*touch);
      touch = following;
      ++count;
    }
    queue.listen(100'000);
  }

  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(queue.isEmpty());
}

#ifndef TUTTI_WINDOW_IS_SHADOW

/// A window whose faults a thread serves: it opens each page as far as the touch needs it.
class Served {
public:
  Served()
      : window_(*Window::open({32 << 20, 1 << 20, {}, true})),
        pages_(*PageTable::create(*window_)) {
    EXPECT_TRUE(installFaultHandler(*window_, *pages_, queue_));
    thread_ = std::thread([this] { serve(); });
  }

  ~Served() {
    isEnding_ = true;
    queue_.wake();
    thread_.join();
    removeFaultHandler();
  }

  Served(const Served &) = delete;
  Served &operator=(const Served &) = delete;

  const Window &window() const { return *window_; }

  PageTable &pages() { return *pages_; }

  struct Record {
    Range range;
    bool write;
    friend bool operator==(const Record &, const Record &) = default;
  };

  /// What was touched so far; after the touching threads went on.
  const std::vector<Record> &record() const { return served_; }

private:
  void serve() {
    while (!isEnding_) {
      queue_.listen(1'000'000);
      for (Touch *touch = queue_.take(); touch;) {
        Touch *const following = touch->next;
        served_.push_back({touch->range, touch->write});
        const Range page = pagesAround(touch->range);
        EXPECT_TRUE(pages_->open(page, touch->write ? Access::Open : Access::ReadOnly));
        TouchQueue::answer(*touch);
        touch = following;
      }
    }
  }

  std::vector<Record> served_;
  TouchQueue queue_;
  std::unique_ptr<Window> window_;
  std::unique_ptr<PageTable> pages_;
  std::atomic<bool> isEnding_{false};
  std::thread thread_;
};

/// Runs `body` in a child process; fails if it does.
template <typename Body> void inAProcessOfItsOwn(Body &&body) {
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(
      {
        body();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

volatile char *at(std::uint64_t address) { return reinterpret_cast<volatile char *>(address); }

TEST(FaultHandler, AsksForWhatIsTouched) {
  inAProcessOfItsOwn([] {
    Served served;
    ASSERT_TRUE(served.pages().tighten(RangeSet::of({{kHeapBase, kHeapBase + 2 * kPageBytes}}),
                                       Access::None));
    *served.window().view(kHeapBase + 5) = std::byte{7};

    EXPECT_EQ(*at(kHeapBase + 5), 7);
    *at(kHeapBase + kPageBytes + 1) = 8;

    EXPECT_EQ(served.record(),
              (std::vector<Served::Record>{
                  {{kHeapBase + 5, kHeapBase + 6}, false},
                  {{kHeapBase + kPageBytes + 1, kHeapBase + kPageBytes + 2}, true}}));
    EXPECT_EQ(*served.window().view(kHeapBase + kPageBytes + 1), std::byte{8});
    EXPECT_EQ(faultCount(), 2U);
  });
}

TEST(FaultHandler, AsksAgainWhenAPageThatMayBeReadIsWritten) {
  inAProcessOfItsOwn([] {
    Served served;
    ASSERT_TRUE(
        served.pages().tighten(RangeSet::of({{kHeapBase, kHeapBase + kPageBytes}}), Access::None));

    static_cast<void>(*at(kHeapBase));
    *at(kHeapBase) = 3;
    *at(kHeapBase + 1) = 4;

    ASSERT_EQ(served.record().size(), 2U);
    EXPECT_FALSE(served.record()[0].write);
    EXPECT_TRUE(served.record()[1].write);
  });
}

TEST(FaultHandler, ServesSeveralThreads) {
  inAProcessOfItsOwn([] {
    constexpr std::uint64_t kPages = 200;
    Served served;
    ASSERT_TRUE(served.pages().tighten(RangeSet::of({{kHeapBase, kHeapBase + kPages * kPageBytes}}),
                                       Access::None));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([thread] {
        for (std::uint64_t page = 0; page < kPages; ++page) {
          *at(kHeapBase + page * kPageBytes + static_cast<std::uint64_t>(thread)) = 1;
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }

    for (std::uint64_t page = 0; page < kPages; ++page) {
      EXPECT_EQ(served.pages().at(kHeapBase + page * kPageBytes), Access::Open);
    }
    EXPECT_GE(served.record().size(), kPages);
    EXPECT_LE(served.record().size(), 3 * kPages);
  });
}

TEST(FaultHandler, LeavesOtherFaultsToTheKernel) {
  EXPECT_EXIT(
      {
        Served served;
        *reinterpret_cast<volatile char *>(8) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultHandler, LeavesFaultsOfTheProgramInTheWindowsGapsToTheKernel) {
  EXPECT_EXIT(
      {
        Served served;
        *at(served.window().stack().end) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

volatile std::sig_atomic_t passedOn = 0;
sigjmp_buf behindFault;

void goOnBehindFault(int) {
  passedOn = passedOn + 1;
  siglongjmp(behindFault, 1);
}

void setProgramHandler(void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  exchangeFaultAction(&action, nullptr);
}

TEST(FaultHandler, GivesOtherFaultsToTheProgramAgainAndAgain) {
  inAProcessOfItsOwn([] {
    Served served;
    ASSERT_TRUE(
        served.pages().tighten(RangeSet::of({{kHeapBase, kHeapBase + kPageBytes}}), Access::None));
    setProgramHandler(goOnBehindFault);
    for (volatile int times = 0; times < 3; times = times + 1) {
      if (sigsetjmp(behindFault, 1) == 0) {
        *reinterpret_cast<volatile char *>(8) = 1;
      }
    }
    *at(kHeapBase) = 3;

    EXPECT_EQ(passedOn, 3);
    EXPECT_EQ(served.record().size(), 1U);
    struct sigaction known = {};
    exchangeFaultAction(nullptr, &known);
    EXPECT_EQ(known.sa_handler, goOnBehindFault);
  });
}

TEST(FaultHandler, LetsTheProgramsHandlerTouchWhatIsProtected) {
  inAProcessOfItsOwn([] {
    Served served;
    ASSERT_TRUE(
        served.pages().tighten(RangeSet::of({{kHeapBase, kHeapBase + kPageBytes}}), Access::None));
    setProgramHandler([](int number) {
      *at(kHeapBase) = 4;
      goOnBehindFault(number);
    });
    if (sigsetjmp(behindFault, 1) == 0) {
      *reinterpret_cast<volatile char *>(8) = 1;
    }

    EXPECT_EQ(passedOn, 1);
    EXPECT_EQ(*at(kHeapBase), 4);
  });
}

TEST(FaultHandler, ForgetsAHandlerThatIsForOneFault) {
  EXPECT_EXIT(
      {
        Served served;
        setProgramHandler(goOnBehindFault, static_cast<int>(SA_RESETHAND));
        if (sigsetjmp(behindFault, 1) == 0) {
          *reinterpret_cast<volatile char *>(8) = 1;
        }
        *reinterpret_cast<volatile char *>(8) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultHandler, EndsAProgramWhoseHandlerFaults) {
  EXPECT_EXIT(
      {
        Served served;
        setProgramHandler([](int) { *reinterpret_cast<volatile char *>(16) = 1; });
        *reinterpret_cast<volatile char *>(8) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultHandler, GivesASignalThatWasSentToTheProgram) {
  inAProcessOfItsOwn([] {
    Served served;
    setProgramHandler([](int) { passedOn = passedOn + 1; });
    std::raise(SIGSEGV);
    EXPECT_EQ(passedOn, 1);
    setProgramHandler(SIG_IGN);
    std::raise(SIGSEGV);
    EXPECT_EQ(passedOn, 1);
  });
}

TEST(FaultHandler, LeavesASignalThatWasSentToTheKernel) {
  EXPECT_EXIT(
      {
        Served served;
        std::raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

#endif

} // namespace

} // namespace tutti::memory
