// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `Queue` and `Event` promise about copies and order, checked on every device.
#include "runtime/device/conformance/fixture.h"

#include <array>
#include <cstring>
#include <span>

namespace tutti::device {

namespace {

using namespace conformance;

class DeviceQueue : public DeviceTest {};

TEST_P(DeviceQueue, CopiesAcrossGranules) {
  // From odd places across borders of 64 KiB and 2 MiB.
  for (const std::uint64_t address : {kHeap + 64 * 1024 - 24, kHeap + 4 * kMiB - 40}) {
    const Words words = pattern(100000, address);
    put(address, words);
    EXPECT_EQ(get(address, words.size()), words);
  }
}

TEST_P(DeviceQueue, CopiesSingleBytes) {
  put(kHeap, {0});
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::byte byte{static_cast<std::uint8_t>(i + 1)};
    ASSERT_TRUE(ok(queue().copyIn({&byte, 1}, kHeap + i)));
  }

  EXPECT_EQ(get(kHeap, 1), (Words{0x0807060504030201}));
}

TEST_P(DeviceQueue, LeavesTheSourceFree) {
  for (const std::size_t count : {1U, 100U, 8192U, 131072U, 2000000U}) {
    Words source = pattern(count, 1);
    const Words before = source;
    ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, count * 8))));

    ASSERT_TRUE(ok(queue().copyIn(bytesOf(source), kHeap)));
    source.assign(count, 0);

    EXPECT_EQ(get(kHeap, count), before) << count;
  }
}

TEST_P(DeviceQueue, CopiesManyPiecesInOrder) {
  constexpr std::size_t kPieces = 500;
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, kPieces * 16))));
  for (std::size_t i = 0; i < kPieces; ++i) {
    const Words piece{i, ~i};
    ASSERT_TRUE(ok(queue().copyIn(bytesOf(piece), kHeap + i * 8))); // Overwrites half of the last.
  }

  const Words words = get(kHeap, kPieces + 1);

  for (std::size_t i = 0; i < kPieces; ++i) {
    EXPECT_EQ(words[i], i);
  }
  EXPECT_EQ(words[kPieces], ~(kPieces - 1));
}

TEST_P(DeviceQueue, CopiesNothing) {
  EXPECT_TRUE(ok(queue().copyIn({}, kHeap)));
  EXPECT_TRUE(ok(queue().copyOut(kHeap, {})));
  EXPECT_TRUE(ok(queue().finish()));
}

TEST_P(DeviceQueue, RefusesWhatIsNotCommitted) {
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, 4096))));
  const std::uint64_t far = kHeap + 512 * kMiB;
  Words words(4);

  EXPECT_TRUE(fails(queue().copyIn(bytesOf(words), far), ErrorCode::InvalidArgument));
  EXPECT_TRUE(fails(queue().copyOut(far, writableBytesOf(words)), ErrorCode::InvalidArgument));
  EXPECT_TRUE(fails(queue().copyIn(bytesOf(words), 0x1000), ErrorCode::InvalidArgument));
  EXPECT_TRUE(
      fails(queue().copyOut(kHigh.end - 8, writableBytesOf(words)), ErrorCode::InvalidArgument));
  EXPECT_TRUE(ok(queue().finish()));
}

TEST_P(DeviceQueue, CompletesEventsInOrder) {
  const Words words = pattern(1 << 20, 9);
  Words out(words.size());
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, words.size() * 8))));
  ASSERT_TRUE(ok(queue().copyIn(bytesOf(words), kHeap)));
  auto first = queue().record();
  ASSERT_TRUE(ok(first));
  ASSERT_TRUE(ok(queue().copyOut(kHeap, writableBytesOf(out))));
  auto second = queue().record();
  ASSERT_TRUE(ok(second));

  EXPECT_TRUE(ok(await(**second)));

  EXPECT_EQ(out, words);
  EXPECT_TRUE(ok((*first)->hasCompleted()));
  EXPECT_TRUE(ok(await(**first)));
  EXPECT_TRUE(ok(await(**second))); // May be asked again.
}

TEST_P(DeviceQueue, CompletesAnEventBehindNothing) {
  auto event = queue().record();
  ASSERT_TRUE(ok(event));

  EXPECT_TRUE(ok(await(**event)));
}

TEST_P(DeviceQueue, WaitsForAnotherQueue) {
  const auto other = makeQueue();
  ASSERT_TRUE(other);
  const Words words = pattern(1 << 20, 11);
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, words.size() * 8))));
  for (int round = 0; round < 5; ++round) {
    const Words before = pattern(words.size(), 100 + round);
    Words out(words.size());
    ASSERT_TRUE(ok(queue().copyIn(bytesOf(before), kHeap)));
    auto written = queue().record();
    ASSERT_TRUE(ok(written));
    ASSERT_TRUE(ok(other->wait(**written)));
    written->reset(); // The wait holds without it.
    ASSERT_TRUE(ok(other->copyOut(kHeap, writableBytesOf(out))));
    auto read = other->record();
    ASSERT_TRUE(ok(read));
    ASSERT_TRUE(ok(queue().wait(**read)));
    ASSERT_TRUE(ok(queue().copyIn(bytesOf(words), kHeap)));
    ASSERT_TRUE(ok(queue().finish()));

    EXPECT_EQ(out, before);
  }
}

TEST_P(DeviceQueue, WaitsForAnotherDevice) {
  const auto other = openOther();
  ASSERT_TRUE(other);
  auto theirs = other->makeQueue();
  ASSERT_TRUE(ok(theirs));
  const Words words = pattern(1000, 12);
  Words out(words.size());
  put(kHeap, words);

  ASSERT_TRUE(ok(queue().copyOut(kHeap, writableBytesOf(out))));
  auto event = queue().record();
  ASSERT_TRUE(ok(event));
  ASSERT_TRUE(ok((*theirs)->wait(**event)));
  ASSERT_TRUE(ok((*theirs)->finish()));

  EXPECT_EQ(out, words);
}

TEST_P(DeviceQueue, CopiesLockedMemoryBesideOtherQueues) {
  constexpr std::size_t kWords = kMiB / 8;
  alignas(4096) static std::array<std::byte, 2 * kMiB> pages; // Outlives the device.
  const std::span<std::byte> both(pages);
  const std::span<std::byte> from = both.first(kMiB);
  const std::span<std::byte> to = both.last(kMiB);
  const Words words = pattern(kWords, 5);
  std::memcpy(from.data(), words.data(), kMiB);
  std::memset(to.data(), 0, kMiB);
  if (const Status status = device().lock(both); !status) {
    ASSERT_EQ(status.error().code, ErrorCode::NotSupported);
    GTEST_SKIP() << "no memory of the host can be locked";
  }
  EXPECT_TRUE(ok(device().lock(both))); // It is already.
  ASSERT_TRUE(ok(device().commit(rangeAt(kHeap, kMiB))));
  const auto in = makeQueue();
  const auto out = makeQueue();

  ASSERT_TRUE(ok(in->copyInLocked(from, kHeap)));
  auto arrived = in->record();
  ASSERT_TRUE(ok(arrived));
  ASSERT_TRUE(ok(queue().wait(**arrived)));
  const std::uint64_t one = 1;
  ASSERT_TRUE(ok(queue().copyIn(std::as_bytes(std::span(&one, 1)), kHeap + 8)));
  auto changed = queue().record();
  ASSERT_TRUE(ok(changed));
  ASSERT_TRUE(ok(out->wait(**changed)));
  ASSERT_TRUE(ok(out->copyOutLocked(kHeap, to)));
  ASSERT_TRUE(ok(out->finish()));

  Words expected = words;
  expected[1] = 1;
  EXPECT_EQ(std::memcmp(to.data(), expected.data(), kMiB), 0);
}

TEST_P(DeviceQueue, CopiesFromAnotherDeviceOrHasNoRoute) {
  const auto other = openOther();
  ASSERT_TRUE(other);
  auto theirs = other->makeQueue();
  ASSERT_TRUE(ok(theirs));
  const Words words = pattern(70000, 13);
  const Range bytes = rangeAt(kHeap + 1000, words.size() * 8);
  put(bytes.begin, words);
  ASSERT_TRUE(ok(other->commit(bytes)));

  const Status status = (*theirs)->copyFrom(device(), bytes);

  if (status) {
    Words out(words.size());
    ASSERT_TRUE(ok((*theirs)->copyOut(bytes.begin, writableBytesOf(out))));
    ASSERT_TRUE(ok((*theirs)->finish()));
    EXPECT_EQ(out, words);
  } else {
    EXPECT_TRUE(fails(status, ErrorCode::NoRoute));
    EXPECT_TRUE(device().info().reaches.empty());
  }
}

TEST_P(DeviceQueue, CopiesFromMemoryThatIsSharedBetweenProcesses) {
  const auto other = openOther();
  ASSERT_TRUE(other);
  const Status allowed = other->allowSharing();
  if (!allowed) {
    EXPECT_TRUE(fails(allowed, ErrorCode::NotSupported));
    EXPECT_TRUE(ok(other->commit(rangeAt(kHeap, 8))));
    EXPECT_TRUE(fails(other->share(rangeAt(kHeap, 8)), ErrorCode::NotSupported));
    return;
  }
  // One process plays both.
  const Range block = rangeAt(kHeap, 8 * kMiB);
  ASSERT_TRUE(ok(other->commit(block)));
  auto theirs = other->makeQueue();
  ASSERT_TRUE(ok(theirs));
  const Words words = pattern(70000, 14);
  const Range bytes = rangeAt(kHeap + 1000, words.size() * 8);
  ASSERT_TRUE(ok((*theirs)->copyIn(bytesOf(words), bytes.begin)));
  ASSERT_TRUE(ok((*theirs)->finish()));
  auto foreign = device().makeForeign();
  ASSERT_TRUE(ok(foreign));
  {
    const auto handle = other->share(block);
    ASSERT_TRUE(ok(handle));
    ASSERT_TRUE(ok((*foreign)->add(block, *handle)));
  }
  ASSERT_TRUE(ok(device().commit(bytes)));

  ASSERT_TRUE(ok(queue().copyForeign(**foreign, bytes)));
  ASSERT_TRUE(ok(queue().finish()));

  EXPECT_EQ(get(bytes.begin, words.size()), words);
  ASSERT_TRUE(ok((*foreign)->remove(block)));
  EXPECT_TRUE(fails(queue().copyForeign(**foreign, bytes), ErrorCode::InvalidArgument));
}

TUTTI_CONFORMANCE(DeviceQueue);

} // namespace

} // namespace tutti::device
