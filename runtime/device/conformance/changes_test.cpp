// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What snapshots and `Queue::changes` promise, checked on every device.
#include "runtime/device/conformance/fixture.h"

#include <algorithm>
#include <map>
#include <random>

namespace tutti::device {

namespace {

using namespace conformance;

constexpr std::uint64_t kWordsPerGrain = Change::kGrain / 8;

class DeviceChanges : public DeviceTest {
protected:
  std::unique_ptr<Snapshot> snapshot(std::uint64_t bytes) {
    auto made = device().makeSnapshot(bytes);
    EXPECT_TRUE(ok(made));
    return made ? std::move(*made) : nullptr;
  }

  /// By byte from `bytes.begin` on: what it holds now, of those that differ.
  std::map<std::uint64_t, std::byte> differing(Range bytes, const Snapshot &since,
                                               std::uint64_t offset) {
    std::map<std::uint64_t, std::byte> found;
    const auto changes = queue().changes(bytes, since, offset);
    EXPECT_TRUE(ok(changes));
    std::size_t twice = 0;
    for (const Change &change : *changes) {
      EXPECT_NE(change.mask, 0U);
      for (std::uint64_t byte = 0; byte < Change::kGrain; ++byte) {
        if ((change.mask >> byte & 1) != 0) {
          twice +=
              found.emplace(change.grain * Change::kGrain + byte, change.now[byte]).second ? 0 : 1;
        }
      }
    }
    EXPECT_EQ(twice, 0U);
    return found;
  }
};

TEST_P(DeviceChanges, AreTheBytesThatDiffer) {
  std::mt19937 random(1);
  // Across borders of 64 KiB and 2 MiB; not whole groups of work-items.
  for (const std::uint64_t address : {kLow.begin + 32, kHeap + 2 * kMiB - 64 * 1024 - 96}) {
    const Words before = pattern(37 * 1024 + kWordsPerGrain, address);
    Words now = before;
    std::map<std::uint64_t, std::byte> expected;
    const auto bytes = writableBytesOf(now);
    for (std::uint64_t byte = 0; byte < bytes.size(); ++byte) {
      // Runs of all lengths, and long stretches of none.
      if (random() % 3 == 0 && byte / 4096 % 3 != 1) {
        bytes[byte] ^= static_cast<std::byte>(1U << random() % 8);
        expected.emplace(byte, bytes[byte]);
      }
    }
    const Range range = rangeAt(address, bytes.size());
    put(address, before);
    const auto kept = snapshot(bytes.size() + 64);

    ASSERT_TRUE(ok(queue().keep(range, *kept, 64)));
    put(address, now);

    EXPECT_EQ(differing(range, *kept, 64), expected);
  }
}

TEST_P(DeviceChanges, AreNoneWhereTheSameWasWritten) {
  const Words words = pattern(10000, 1);
  put(kHeap, words);
  const auto kept = snapshot(words.size() * 8);

  ASSERT_TRUE(ok(queue().keep(rangeAt(kHeap, words.size() * 8), *kept, 0)));
  put(kHeap, words);

  EXPECT_TRUE(differing(rangeAt(kHeap, words.size() * 8), *kept, 0).empty());
}

TEST_P(DeviceChanges, AreThoseOfAKernelBetweenThem) {
  const Words words = pattern(1000, 1);
  put(kHeap, words);
  const auto kept = snapshot(8000);
  KernelLaunch launch;
  launch.kernel = load("scale");
  launch.grid.group[0] = 4;
  launch.lower = 500;
  launch.upper = 501;
  launch.total = 1000;
  launch.arguments = {kHeap, 3};

  ASSERT_TRUE(ok(queue().keep(rangeAt(kHeap, 8000), *kept, 0)));
  ASSERT_TRUE(ok(queue().launch(launch)));
  const auto found = differing(rangeAt(kHeap, 8000), *kept, 0);

  const Words scaled{words[500] * 3};
  for (std::uint64_t byte = 0; byte < 8; ++byte) {
    const bool differs = bytesOf(scaled)[byte] != bytesOf(words)[4000 + byte];
    EXPECT_EQ(found.contains(4000 + byte), differs) << byte;
  }
  EXPECT_LE(found.size(), 8U);
  EXPECT_FALSE(found.empty());
}

TEST_P(DeviceChanges, MayBeAllOfAsMuchAsCanBeCompared) {
  constexpr std::uint64_t kWords = Queue::kMostCompared / 8;
  const Words before = pattern(kWords, 1);
  Words now = before;
  for (std::uint64_t word = 0; word < kWords; word += kWordsPerGrain) {
    ++now[word];
  }
  put(kHeap, before);
  const auto kept = snapshot(Queue::kMostCompared);

  ASSERT_TRUE(ok(queue().keep(rangeAt(kHeap, Queue::kMostCompared), *kept, 0)));
  put(kHeap, now);
  const auto changes = queue().changes(rangeAt(kHeap, Queue::kMostCompared), *kept, 0);

  ASSERT_TRUE(ok(changes));
  ASSERT_EQ(changes->size(), kWords / kWordsPerGrain);
  std::vector<bool> isFound(changes->size());
  std::size_t wrong = 0;
  for (const Change &change : *changes) {
    const auto expected = bytesOf(now).subspan(change.grain * Change::kGrain, Change::kGrain);
    wrong += std::equal(expected.begin(), expected.end(), change.now.begin()) ? 0 : 1;
    isFound[change.grain] = true;
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(std::count(isFound.begin(), isFound.end(), false), 0);
}

TEST_P(DeviceChanges, NeedMemoryThatTheDeviceHas) {
  EXPECT_TRUE(fails(device().makeSnapshot(std::uint64_t{1} << 50), ErrorCode::OutOfMemory));
}

TEST_P(DeviceChanges, AreNotLookedForWhereNothingIsCommitted) {
  put(kHeap, pattern(10, 1));
  const auto kept = snapshot(64);

  EXPECT_TRUE(
      fails(queue().keep(rangeAt(kHeap + 512 * kMiB, 64), *kept, 0), ErrorCode::InvalidArgument));
  EXPECT_TRUE(fails(queue().changes(rangeAt(kHeap + 512 * kMiB, 64), *kept, 0),
                    ErrorCode::InvalidArgument));
}

TUTTI_CONFORMANCE(DeviceChanges);

} // namespace

} // namespace tutti::device
