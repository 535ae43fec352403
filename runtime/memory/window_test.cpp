// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the window lies and what its two views share. Each test maps it in a process of its own,
/// since mappings stay.
#include "runtime/memory/window.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

namespace tutti::memory {

namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TUTTI_WINDOW_IS_SHADOW 1
#endif
#endif

constexpr std::uint64_t kHeapBytes = 32 << 20;
constexpr std::uint64_t kStackBytes = 1 << 20;

alignas(kPageBytes) char globals[3 * kPageBytes];

Range rangeOf(const void *begin, std::uint64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(begin);
  return {address, address + bytes};
}

WindowPlan planOf(bool mirrored) {
  return {kHeapBytes, kStackBytes, {rangeOf(globals, sizeof globals)}, mirrored};
}

/// Runs `body` in a child process; fails if it does.
template <typename Body> void inAProcessOfItsOwn(Body &&body) {
#ifdef TUTTI_WINDOW_IS_SHADOW
  GTEST_SKIP() << "ThreadSanitizer has its shadow at the addresses of the window";
#endif
  EXPECT_EXIT(
      {
        body();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

char *at(std::uint64_t address) { return reinterpret_cast<char *>(address); }

TEST(Window, ShowsTheSameBytesInBothViews) {
  inAProcessOfItsOwn([] {
    const auto window = *Window::open(planOf(true));
    ASSERT_EQ(window->delta(), kViewDelta);

    for (const Range &segment : window->segments()) {
      for (const std::uint64_t address : {segment.begin, segment.end - 1}) {
        *at(address) = 'w';
        EXPECT_EQ(*window->view(address), std::byte{'w'});
        *window->view(address) = std::byte{'v'};
        EXPECT_EQ(*at(address), 'v');
      }
    }
  });
}

/// A line of the kernel's list of mappings that begins at `address`: its place in the file.
std::uint64_t offsetOfMappingAt(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0;
    unsigned long long offset = 0;
    if (std::sscanf(line.c_str(), "%llx-%*x %*s %llx", &begin, &offset) == 2 && begin == address) {
      return offset;
    }
  }
  ADD_FAILURE() << "nothing is mapped at " << std::hex << address;
  return 0;
}

TEST(Window, LetsPagesOfBothViewsOfTheHeapBeHuge) {
  inAProcessOfItsOwn([] {
    const auto window = *Window::open(planOf(true));
    constexpr std::uint64_t kHuge = std::uint64_t{2} << 20;

    for (const std::uint64_t view :
         {window->heap().begin, window->heap().begin + static_cast<std::uint64_t>(kViewDelta)}) {
      EXPECT_EQ(view % kHuge, 0U);
      EXPECT_EQ(offsetOfMappingAt(view) % kHuge, 0U);
    }
  });
}

TEST(Window, HasOneViewUnlessMirrored) {
  inAProcessOfItsOwn([] {
    const auto window = *Window::open(planOf(false));

    EXPECT_EQ(window->delta(), 0);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(window->view(kHeapBase)), kHeapBase);
    *at(window->heap().end - 1) = 'x';
    *at(window->stack().begin) = 'x';
  });
}

TEST(Window, KeepsWhatVariablesHold) {
  inAProcessOfItsOwn([] {
    std::memcpy(globals + kPageBytes - 3, "across", 6);

    const auto window = *Window::open(planOf(true));

    EXPECT_EQ(std::memcmp(globals + kPageBytes - 3, "across", 6), 0);
    const auto address = reinterpret_cast<std::uint64_t>(globals) + kPageBytes - 3;
    EXPECT_EQ(std::memcmp(window->view(address), "across", 6), 0);
  });
}

TEST(Window, ContainsWhatLiesInOneSegment) {
  inAProcessOfItsOwn([] {
    const auto window = *Window::open(planOf(true));

    EXPECT_EQ(window->heap(), (Range{kHeapBase, kHeapBase + kHeapBytes}));
    EXPECT_EQ(window->stack().size(), kStackBytes);
    ASSERT_EQ(window->segments().size(), 3U);
    for (const Range &segment : window->segments()) {
      EXPECT_TRUE(window->contains(segment));
      EXPECT_TRUE(window->contains({segment.end - 1, segment.end}));
      EXPECT_FALSE(window->contains({segment.end - 1, segment.end + 1}));
      EXPECT_FALSE(window->contains({segment.begin - 1, segment.begin + 1}));
      EXPECT_FALSE(window->contains({~std::uint64_t{7}, 0})) << "it wraps around";
      EXPECT_EQ(window->segmentOf(segment.begin), segment);
      EXPECT_EQ(window->segmentOf(segment.end - 1), segment);
      EXPECT_TRUE(window->segmentOf(segment.end).empty());
    }
    EXPECT_FALSE(window->contains({window->stack().begin, window->heap().end}));
  });
}

#ifndef TUTTI_WINDOW_IS_SHADOW

TEST(Window, LeavesAGapBetweenStackAndHeap) {
  // AddressSanitizer turns the signal into an exit status.
  EXPECT_EXIT(
      {
        const auto window = *Window::open(planOf(true));
        *at(window->stack().end) = 1;
      },
      [](int status) { return status != 0; }, "");
}

#endif

TEST(Window, GivesTheEndOfTheHeapBack) {
  inAProcessOfItsOwn([] {
    const auto window = *Window::open(planOf(true));

    window->limitHeap(kHeapBytes / 2);

    EXPECT_EQ(window->heap().size(), kHeapBytes / 2);
    EXPECT_TRUE(window->contains(window->heap()));
    EXPECT_FALSE(window->contains({kHeapBase, kHeapBase + kHeapBytes / 2 + 1}));
    window->limitHeap(kHeapBytes);
    EXPECT_EQ(window->heap().size(), kHeapBytes / 2);
  });
}

TEST(Window, TakesNoAddressesThatAreInUse) {
  inAProcessOfItsOwn([] {
    const auto first = *Window::open(planOf(false));
    *at(kHeapBase) = 'x';

    const auto second = Window::open(planOf(false));

    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(*at(kHeapBase), 'x');
  });
}

TEST(Pages, AroundARangeAreTheFewestThatHoldIt) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t begin = random() % (1 << 16);
    const Range range{begin, begin + 1 + random() % (1 << 14)};

    const Range around = pagesAround(range);
    const Range inside = pagesInside(range);

    EXPECT_TRUE(around.contains(range));
    EXPECT_LT(range.begin - around.begin, kPageBytes);
    EXPECT_LT(around.end - range.end, kPageBytes);
    EXPECT_EQ((around.begin | around.end) % kPageBytes, 0U);
    EXPECT_EQ((inside.begin | inside.end) % kPageBytes, 0U);
    for (std::uint64_t page = around.begin; page < around.end; page += kPageBytes) {
      EXPECT_EQ(inside.contains({page, page + kPageBytes}),
                range.contains({page, page + kPageBytes}));
    }
  }
}

} // namespace

} // namespace tutti::memory
