// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `Device` promises about memory, checked on every device.
#include "runtime/device/conformance/fixture.h"

namespace tutti::device {

namespace {

using namespace conformance;

class DeviceMemory : public DeviceTest {};

TEST_P(DeviceMemory, TellsWhatItIs) {
  const Info &info = device().info();

  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_FALSE(info.identity.empty());
  EXPECT_TRUE(info.format == TUTTI_KERNEL_PTX || info.format == TUTTI_KERNEL_OPENCL_C);
  EXPECT_GT(info.memory, 0U);
  EXPECT_GT(device().capacity(), 0U);
  EXPECT_LE(device().capacity(), info.memory);
  EXPECT_GT(info.units, 0U);
  EXPECT_GT(info.maxGroup, 0U);
  EXPECT_GT(info.localBytes, 0U);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_GT(info.maxGroupOf[d], 0U);
    EXPECT_GT(info.maxGroups[d], 0U);
  }
}

TEST_P(DeviceMemory, HasNothingCommittedAtFirst) { EXPECT_EQ(device().committed(), 0U); }

TEST_P(DeviceMemory, CountsWhatIsCommittedOnce) {
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, 100))));
  const std::uint64_t once = device().committed();
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap + 10, 50))));

  EXPECT_GE(once, 100U);
  EXPECT_EQ(device().committed(), once);
}

TEST_P(DeviceMemory, CommitsNothingForNoBytes) {
  EXPECT_TRUE(ok(device().commit(rangeAt(kHeap, 0))));
  EXPECT_EQ(device().committed(), 0U);
}

TEST_P(DeviceMemory, CommitsBothEndsOfBothSegments) {
  const std::uint64_t lastLow = kLow.end - 8;
  const Words first = pattern(1, 1);
  const Words last = pattern(1, 2);
  const Words stack = pattern(1, 3);

  put(kLow.begin, first);
  put(lastLow, last);
  put(kHigh.begin, stack);

  EXPECT_EQ(get(kLow.begin, 1), first);
  EXPECT_EQ(get(lastLow, 1), last);
  EXPECT_EQ(get(kHigh.begin, 1), stack);
}

TEST_P(DeviceMemory, RefusesWhatIsNotInTheWindow) {
  for (const Range bytes :
       {Range{kLow.begin - 8, kLow.begin + 8}, Range{kLow.end - 8, kLow.end + 8},
        Range{0x1000, 0x2000}, Range{kLow.begin, kHigh.begin + 8},
        Range{kHigh.end - 8, kHigh.end + 8}}) {
    EXPECT_TRUE(fails(device().commit(bytes), ErrorCode::InvalidArgument)) << bytes.begin;
  }
  EXPECT_EQ(device().committed(), 0U);
}

TEST_P(DeviceMemory, KeepsContentsWhenMoreIsCommitted) {
  const Words low = pattern(1000, 1);
  const Words heap = pattern(100000, 2);
  put(kLow.begin + 4096, low);
  put(kHeap + 4096, heap);

  for (const std::uint64_t size : {std::uint64_t{1}, 40 * kMiB, 200 * kMiB}) {
    ASSERT_TRUE(ok(device().commit(rangeAt(kHeap + 3 * kMiB, size))));
  }
  ASSERT_TRUE(ok(device().commit(kLow)));

  EXPECT_EQ(get(kLow.begin + 4096, low.size()), low);
  EXPECT_EQ(get(kHeap + 4096, heap.size()), heap);
}

TEST_P(DeviceMemory, CommitsWhileAQueueIsBusy) {
  const Words before = pattern(1 << 20, 1);
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, before.size() * 8))));
  ASSERT_TRUE(ok(queue().copyIn(bytesOf(before), kHeap)));
  Words after(before.size());
  ASSERT_TRUE(ok(queue().copyOut(kHeap, writableBytesOf(after))));

  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap + 100 * kMiB, 100 * kMiB))));
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_EQ(after, before);
}

TEST_P(DeviceMemory, IsAsItWasWhenItIsFull) {
  const Words words = pattern(5000, 7);
  put(kHeap, words);
  const std::uint64_t before = device().committed();

  const Status status = device().commit({kHeap, kHigh.end});

  EXPECT_TRUE(fails(status, ErrorCode::OutOfMemory));
  EXPECT_EQ(device().committed(), before);
  EXPECT_EQ(get(kHeap, words.size()), words);
  put(kHeap + 3 * kMiB, words);
  EXPECT_EQ(get(kHeap + 3 * kMiB, words.size()), words);
}

TEST_P(DeviceMemory, GivesMemoryBack) {
  ASSERT_TRUE(ok(device().commit(kLow)));
  const std::uint64_t low = device().committed();
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, 32 * kMiB))));

  ASSERT_TRUE(ok(device().release(kHigh)));

  EXPECT_EQ(device().committed(), low);
  Words words(1);
  EXPECT_TRUE(fails(queue().copyIn(bytesOf(words), kHeap), ErrorCode::InvalidArgument));
}

TEST_P(DeviceMemory, KeepsWhatIsNotWhollyReleased) {
  const Words words = pattern(1000, 3);
  put(kHeap, words);

  ASSERT_TRUE(ok(device().release(rangeAt(kHeap + 8, 100))));

  EXPECT_EQ(get(kHeap, words.size()), words);
}

TEST_P(DeviceMemory, CommitsAgainWhatWasReleased) {
  const Words words = pattern(1000, 4);
  put(kHeap, words);
  ASSERT_TRUE(ok(device().release(kHigh)));
  ASSERT_TRUE(ok(device().release(kHigh)));
  EXPECT_EQ(device().committed(), 0U);

  put(kHeap, words);

  EXPECT_EQ(get(kHeap, words.size()), words);
}

TEST_P(DeviceMemory, RefusesToReleaseWhatIsNotInTheWindow) {
  EXPECT_TRUE(fails(device().release({kHigh.end, kHigh.end + 4096}), ErrorCode::InvalidArgument));
}

TEST_P(DeviceMemory, MakesHostBuffers) {
  const auto buffer = makeHostBuffer(100000);
  const auto empty = makeHostBuffer(0);
  ASSERT_TRUE(buffer && empty);
  EXPECT_EQ(buffer->bytes().size(), 100000U);
  EXPECT_TRUE(empty->bytes().empty());
  const Words words = pattern(12500, 5);
  std::memcpy(buffer->bytes().data(), words.data(), 100000);
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, 100000))));

  ASSERT_TRUE(ok(queue().copyIn(buffer->bytes(), kHeap)));
  std::memset(buffer->bytes().data(), 0, 100000);
  ASSERT_TRUE(ok(queue().copyOut(kHeap, buffer->bytes())));
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_EQ(std::memcmp(buffer->bytes().data(), words.data(), 100000), 0);
}

TEST_P(DeviceMemory, IsOpenedByItsIndexOnly) {
  EXPECT_FALSE(GetParam().driver->open(GetParam().ofDriver, kWindow));
}

TEST_P(DeviceMemory, TakesAWindowWithoutLowSegment) {
  auto opened = GetParam().driver->open(GetParam().index, {{}, kHigh});
  ASSERT_TRUE(ok(opened));

  EXPECT_TRUE(ok((*opened)->commit(rangeAt(kHeap, 4096))));
  EXPECT_TRUE(fails((*opened)->commit(rangeAt(kLow.begin, 8)), ErrorCode::InvalidArgument));
}

TUTTI_CONFORMANCE(DeviceMemory);

} // namespace

} // namespace tutti::device
