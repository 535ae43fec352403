// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What streams put on the wire and take from it. The ranks of a job would share this process's
/// window, so the other ends are bare endpoints.
#include "runtime/exec/streams.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace tutti::exec {

namespace {

using memory::kHeapBase;

constexpr std::uint64_t kHeapBytes = 64 << 20;
constexpr std::uint64_t kSegment = Packing::kSegmentBytes;

using Bytes = std::vector<std::byte>;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TUTTI_WINDOW_IS_SHADOW 1
#endif
#endif

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({kHeapBytes, 1 << 20, {}, false});
  return *mapped;
}

class StreamsTest : public testing::Test {
protected:
  void SetUp() override {
#ifdef TUTTI_WINDOW_IS_SHADOW
    GTEST_SKIP() << "ThreadSanitizer has its shadow at the addresses of the window";
#endif
    std::mt19937_64 random(11);
    for (std::uint64_t at = 0; at < kHeapBytes / 2; at += sizeof(std::uint64_t)) {
      const std::uint64_t word = random();
      std::memcpy(window().view(kHeapBase + at), &word, sizeof word);
    }
  }

  /// The window's bytes in the order of `ranges`.
  static Bytes contents(const RangeSet &ranges) {
    Bytes bytes;
    for (const Range &range : ranges.ranges()) {
      bytes.insert(bytes.end(), window().view(range.begin), window().view(range.end));
    }
    return bytes;
  }

  static Bytes randomBytes(std::uint64_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Bytes bytes(count);
    for (std::byte &byte : bytes) {
      byte = static_cast<std::byte>(random());
    }
    return bytes;
  }

  static RangeSet randomRanges(std::mt19937_64 &random, std::uint64_t within) {
    std::vector<Range> ranges;
    for (std::uint64_t count = 1 + random() % 20; count > 0; --count) {
      const std::uint64_t begin = kHeapBase + random() % within;
      ranges.push_back({begin, begin + 1 + random() % 5000});
    }
    return RangeSet::of(std::move(ranges));
  }

  /// Runs `streams` until nothing is under way.
  static void drain(Streams &streams) {
    for (int round = 0; round < 1000 && !streams.isIdle(); ++round) {
      ASSERT_TRUE(streams.progress());
    }
    EXPECT_TRUE(streams.isIdle());
  }

  /// A message that is there.
  static Bytes take(transport::Endpoint &endpoint, Rank from, std::uint32_t tag,
                    std::uint64_t bytes) {
    Bytes message(bytes);
    const auto request = endpoint.receive(from, tag, message);
    EXPECT_TRUE(request && *endpoint.test(*request));
    return message;
  }

  transport::mock::Network network_{3};
  std::unique_ptr<transport::Endpoint> zero_ = network_.open(0);
  std::unique_ptr<transport::Endpoint> one_ = network_.open(1);
  std::unique_ptr<transport::Endpoint> two_ = network_.open(2);
};

/// The tag of the n-th message between two ranks.
std::uint32_t tagOf(Lane lane, std::uint32_t number) {
  return static_cast<std::uint32_t>(lane) * (1 << 14) + number % (1 << 14);
}

TEST_F(StreamsTest, SendOneRangeAsOneMessage) {
  Streams streams(*zero_, window());
  const RangeSet ranges = RangeSet::of({{kHeapBase + 10, kHeapBase + 1010}});

  streams.send(Lane::Launch, 1, ranges);
  drain(streams);

  ASSERT_EQ(network_.sent().size(), 1U);
  EXPECT_EQ(take(*one_, 0, tagOf(Lane::Launch, 0), 1000), contents(ranges));
}

TEST_F(StreamsTest, SendSetsPackedInTheOrderOfAddresses) {
  std::mt19937_64 random(1);
  Streams streams(*zero_, window());
  for (std::uint32_t number = 0; number < 50; ++number) {
    const RangeSet ranges = randomRanges(random, 1 << 20);

    streams.send(Lane::Launch, 1, ranges);
    drain(streams);

    EXPECT_EQ(take(*one_, 0, tagOf(Lane::Launch, number), ranges.bytes()), contents(ranges));
  }
  EXPECT_EQ(network_.sent().size(), 50U);
}

TEST_F(StreamsTest, ReceiveSetsInTheOrderOfAddresses) {
  std::mt19937_64 random(2);
  Streams streams(*zero_, window());
  for (std::uint32_t number = 0; number < 50; ++number) {
    const RangeSet ranges = randomRanges(random, 1 << 20);
    const Bytes bytes = randomBytes(ranges.bytes(), number);
    const RangeSet around = RangeSet::of({{kHeapBase, kHeapBase + (2 << 20)}}).subtract(ranges);
    const Bytes before = contents(around);

    const Streams::Id id = streams.receive(Lane::Fetch, 1, ranges);
    EXPECT_FALSE(streams.hasEnded(id));
    ASSERT_TRUE(one_->send(0, tagOf(Lane::Fetch, number), bytes));
    drain(streams);

    EXPECT_TRUE(streams.hasEnded(id));
    EXPECT_EQ(contents(ranges), bytes);
    EXPECT_EQ(contents(around), before);
  }
}

TEST_F(StreamsTest, CutLongStreamsIntoSegments) {
  Streams streams(*zero_, window());
  const RangeSet ranges = RangeSet::of({{kHeapBase, kHeapBase + kSegment + 5},
                                        {kHeapBase + 2 * kSegment, kHeapBase + 3 * kSegment}});
  const Bytes all = contents(ranges);

  streams.send(Lane::Launch, 1, ranges);
  drain(streams);

  EXPECT_EQ(streams.messagesFor(ranges), 3U);
  ASSERT_EQ(network_.sent().size(), 3U);
  Bytes arrived;
  for (std::uint32_t number = 0; number < 3; ++number) {
    const std::uint64_t bytes = number < 2 ? kSegment : 5;
    const Bytes part = take(*one_, 0, tagOf(Lane::Launch, number), bytes);
    arrived.insert(arrived.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(arrived == all);
}

TEST_F(StreamsTest, TakeStreamsOfOnePeerInTheOrderTheyWereAdded) {
  Streams streams(*zero_, window());
  const RangeSet first = RangeSet::of({{kHeapBase, kHeapBase + 8}});
  const RangeSet second = RangeSet::of({{kHeapBase + 64, kHeapBase + 72}});
  const Bytes toFirst = randomBytes(8, 1);
  const Bytes toSecond = randomBytes(8, 2);

  streams.receive(Lane::Launch, 1, first);
  streams.receive(Lane::Launch, 1, second);
  // The later message is there first.
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Launch, 1), toSecond));
  ASSERT_TRUE(streams.progress());
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Launch, 0), toFirst));
  drain(streams);

  EXPECT_EQ(contents(first), toFirst);
  EXPECT_EQ(contents(second), toSecond);
}

TEST_F(StreamsTest, KeepLanesAndPeersApart) {
  Streams streams(*zero_, window());
  std::vector<Bytes> sent;
  std::vector<RangeSet> ranges;
  for (std::uint64_t index = 0; index < 4; ++index) {
    ranges.push_back(RangeSet::of({{kHeapBase + index * 100, kHeapBase + index * 100 + 50}}));
    sent.push_back(randomBytes(50, index));
  }

  streams.receive(Lane::Launch, 1, ranges[0]);
  streams.receive(Lane::Fetch, 1, ranges[1]);
  streams.receive(Lane::Launch, 2, ranges[2]);
  streams.receive(Lane::Fetch, 2, ranges[3]);
  ASSERT_TRUE(two_->send(0, tagOf(Lane::Fetch, 0), sent[3]));
  ASSERT_TRUE(two_->send(0, tagOf(Lane::Launch, 0), sent[2]));
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Fetch, 0), sent[1]));
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Launch, 0), sent[0]));
  drain(streams);

  for (std::size_t index = 0; index < 4; ++index) {
    EXPECT_EQ(contents(ranges[index]), sent[index]) << index;
  }
}

TEST_F(StreamsTest, ForwardEachSegmentWhenItHasCome) {
  Streams streams(*one_, window());
  const RangeSet ranges = RangeSet::of({{kHeapBase, kHeapBase + 2 * kSegment}});
  const Bytes first = randomBytes(kSegment, 1);
  const Bytes second = randomBytes(kSegment, 2);

  const Streams::Id in = streams.receive(Lane::Launch, 0, ranges);
  streams.send(Lane::Launch, 2, ranges, in);
  ASSERT_TRUE(streams.progress());
  EXPECT_TRUE(network_.sent().empty());
  ASSERT_TRUE(zero_->send(1, tagOf(Lane::Launch, 0), first));
  ASSERT_TRUE(streams.progress());
  ASSERT_TRUE(streams.progress());
  EXPECT_TRUE(take(*two_, 1, tagOf(Lane::Launch, 0), kSegment) == first);
  ASSERT_TRUE(zero_->send(1, tagOf(Lane::Launch, 1), second));
  drain(streams);

  EXPECT_TRUE(take(*two_, 1, tagOf(Lane::Launch, 1), kSegment) == second);
}

TEST_F(StreamsTest, ReadUserMemoryUntilThePackedCopyIsMade) {
  Streams streams(*zero_, window());
  const RangeSet one = RangeSet::of({{kHeapBase, kHeapBase + 100}});
  const RangeSet several =
      RangeSet::of({{kHeapBase, kHeapBase + 8}, {kHeapBase + 50, kHeapBase + 58}});
  const RangeSet elsewhere = RangeSet::of({{kHeapBase + 8, kHeapBase + 50}});

  streams.send(Lane::Launch, 1, several);
  EXPECT_TRUE(streams.isReading(one));
  EXPECT_FALSE(streams.isReading(elsewhere));
  drain(streams);

  EXPECT_FALSE(streams.isReading(one));
  EXPECT_FALSE(streams.isSending());
}

TEST_F(StreamsTest, MatchHoweverLateMessagesAre) {
  network_.delay(3);
  Streams streams(*zero_, window());
  const RangeSet ranges =
      RangeSet::of({{kHeapBase, kHeapBase + 8}, {kHeapBase + 16, kHeapBase + 24}});
  const Bytes bytes = randomBytes(16, 9);

  streams.receive(Lane::Launch, 1, ranges);
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Launch, 0), bytes));
  drain(streams);

  EXPECT_EQ(contents(ranges), bytes);
}

TEST_F(StreamsTest, GoOnCountingWhenTagsBeginAnew) {
  Streams streams(*zero_, window());
  const RangeSet ranges = RangeSet::of({{kHeapBase, kHeapBase + 1}});
  for (std::uint32_t number = 0; number < (1 << 14) + 3; ++number) {
    streams.send(Lane::Launch, 1, ranges);
    drain(streams);
  }

  const auto sent = network_.sent();
  EXPECT_EQ(sent[(1 << 14) - 1].tag, (1U << 14) - 1);
  EXPECT_EQ(sent[1 << 14].tag, 0U);
}

std::uint32_t askTagOf(Lane lane, std::uint32_t number) {
  return 2 * (1 << 14) + tagOf(lane, number);
}

TEST_F(StreamsTest, AskForAPageWhenTheOneBeforeIsThere) {
  Streams streams(*zero_, window(), Pace::PageByPage);
  const RangeSet ranges = RangeSet::of({{kHeapBase, kHeapBase + memory::kPageBytes + 5}});
  const Bytes bytes = randomBytes(memory::kPageBytes + 5, 3);
  const auto page = std::span(bytes).first(memory::kPageBytes);

  streams.receive(Lane::Launch, 1, ranges);
  ASSERT_TRUE(streams.progress());
  EXPECT_EQ(network_.sent().size(), 1U);
  take(*one_, 0, askTagOf(Lane::Launch, 0), 1);
  ASSERT_TRUE(streams.progress());
  EXPECT_EQ(network_.sent().size(), 1U);
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Launch, 0), page));
  ASSERT_TRUE(streams.progress());
  take(*one_, 0, askTagOf(Lane::Launch, 1), 1);
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Launch, 1), std::span(bytes).subspan(memory::kPageBytes)));
  drain(streams);

  EXPECT_EQ(contents(ranges), bytes);
  EXPECT_EQ(streams.messagesFor(ranges), 4U);
}

TEST_F(StreamsTest, SendAPageWhenItIsAskedFor) {
  Streams streams(*zero_, window(), Pace::PageByPage);
  const RangeSet ranges = RangeSet::of({{kHeapBase, kHeapBase + memory::kPageBytes},
                                        {kHeapBase + (1 << 20), kHeapBase + (1 << 20) + 5}});
  const Bytes all = contents(ranges);
  const Bytes word(1);

  streams.send(Lane::Launch, 1, ranges);
  ASSERT_TRUE(streams.progress());
  EXPECT_TRUE(network_.sent().empty());
  Bytes arrived;
  for (std::uint32_t number = 0; number < 2; ++number) {
    ASSERT_TRUE(one_->send(0, askTagOf(Lane::Launch, number), word));
    ASSERT_TRUE(streams.progress());
    const Bytes part =
        take(*one_, 0, tagOf(Lane::Launch, number), number == 0 ? memory::kPageBytes : 5);
    arrived.insert(arrived.end(), part.begin(), part.end());
  }
  drain(streams);

  EXPECT_EQ(arrived, all);
}

TEST_F(StreamsTest, PageByPageTakeOneStreamOfAPeerAfterTheOther) {
  Streams streams(*zero_, window(), Pace::PageByPage);
  const RangeSet first = RangeSet::of({{kHeapBase, kHeapBase + 8}});
  const RangeSet second = RangeSet::of({{kHeapBase + 64, kHeapBase + 72}});
  const Bytes toFirst = randomBytes(8, 1);

  streams.receive(Lane::Launch, 1, first);
  streams.receive(Lane::Launch, 1, second);
  streams.receive(Lane::Launch, 2, second);
  ASSERT_TRUE(streams.progress());
  EXPECT_EQ(network_.sent().size(), 2U); // One to each.
  take(*one_, 0, askTagOf(Lane::Launch, 0), 1);
  ASSERT_TRUE(one_->send(0, tagOf(Lane::Launch, 0), toFirst));
  ASSERT_TRUE(streams.progress());
  ASSERT_TRUE(streams.progress());
  take(*one_, 0, askTagOf(Lane::Launch, 1), 1);

  EXPECT_EQ(contents(first), toFirst);
}

TEST_F(StreamsTest, ReportWhatTheTransportReports) {
  Streams streams(*zero_, window());
  network_.failNext(0, transport::mock::Operation::Send,
                    failure(ErrorCode::PeerLost, "rank 1 is gone"));
  streams.send(Lane::Launch, 1, RangeSet::of({{kHeapBase, kHeapBase + 1}}));

  const Result<bool> outcome = streams.progress();

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::PeerLost);
}

} // namespace

} // namespace tutti::exec
