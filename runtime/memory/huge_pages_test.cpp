// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace tutti::memory {

namespace {

constexpr std::uint64_t kHuge = kHugePageBytes;

/// One per process: the mappings stay.
const Window &window() {
  static const auto mapped = *Window::open({64 * kHuge, 1 << 20, {}, true});
  return *mapped;
}

/// The `index`-th huge page of the heap. Each test has some of its own.
Range huge(std::uint64_t index, std::uint64_t count = 1) {
  const std::uint64_t begin = window().heap().begin + index * kHuge;
  return {begin, begin + count * kHuge};
}

/// Bytes in huge pages, of the mapping that holds the compute view of the heap.
std::uint64_t hugeBytes() {
  std::ifstream maps("/proc/self/smaps");
  const auto view = reinterpret_cast<std::uint64_t>(window().view(window().heap().begin));
  bool isView = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    char dash = 0;
    std::uint64_t end = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      isView = begin <= view && view < end;
    } else if (isView && line.starts_with("ShmemPmdMapped:")) {
      return std::stoull(line.substr(line.find(':') + 1)) << 10;
    }
  }
  return 0;
}

bool isZero(Range bytes) {
  const std::byte *const begin = window().view(bytes.begin);
  return std::all_of(begin, begin + bytes.size(), [](std::byte b) { return b == std::byte{}; });
}

TEST(HugePages, HoldFreshMemory) {
  const std::uint64_t before = hugeBytes();
  if (!makeHuge(window(), huge(0, 4))) {
    GTEST_SKIP() << "the kernel makes none";
  }
  EXPECT_EQ(hugeBytes() - before, 4 * kHuge);
  EXPECT_TRUE(isZero(huge(0, 4)));
}

TEST(HugePages, AreMadeOfAllThatThreadsShare) {
  const std::uint64_t before = hugeBytes();
  std::byte *const there = window().view(huge(32 + 17).end - 1);
  *there = std::byte{9};
  if (!makeHuge(window(), huge(32, 23))) {
    GTEST_SKIP() << "the kernel makes none";
  }
  EXPECT_EQ(hugeBytes() - before, 23 * kHuge);
  EXPECT_EQ(*there, std::byte{9});
  *there = {};
  EXPECT_TRUE(isZero(huge(32, 23)));
}

TEST(HugePages, AreNotMadeOfAPart) {
  const std::uint64_t before = hugeBytes();
  const Range all = huge(8, 2);
  makeHuge(window(), {all.begin + kPageBytes, all.end - kPageBytes});
  EXPECT_EQ(hugeBytes(), before);
}

TEST(HugePages, KeepTheFewBytesThatAreThere) {
  const std::uint64_t before = hugeBytes();
  std::byte *const there = window().view(huge(12).begin + 5 * kPageBytes);
  *there = std::byte{7};
  if (!makeHuge(window(), huge(12))) {
    GTEST_SKIP() << "the kernel makes none";
  }
  EXPECT_EQ(hugeBytes() - before, kHuge);
  EXPECT_EQ(*there, std::byte{7});
  EXPECT_EQ(*reinterpret_cast<std::byte *>(huge(12).begin + 5 * kPageBytes), std::byte{7});
  *there = {};
  EXPECT_TRUE(isZero(huge(12)));
}

TEST(HugePages, AreNotMadeOfWhatHasBeenTouched) {
  EXPECT_TRUE(isFresh(window(), huge(16, 2)));
  std::memset(window().view(huge(16).begin), 1, kHuge / 4);
  EXPECT_FALSE(isFresh(window(), huge(16, 2)));
  EXPECT_FALSE(isFresh(window(), {huge(17).begin + 1, huge(17).end})) << "none as a whole";
  const std::uint64_t before = hugeBytes();
  makeHuge(window(), huge(16));
  EXPECT_EQ(hugeBytes(), before);
}

} // namespace

} // namespace tutti::memory
