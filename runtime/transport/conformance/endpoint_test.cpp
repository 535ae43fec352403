// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `Endpoint` promises, checked on every transport of the build. Each body runs on all ranks.
#include "runtime/transport/conformance/fixture.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

namespace tutti::transport {

namespace {

using conformance::EndpointTest;

using Bytes = std::vector<std::byte>;

Bytes bytesOf(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// `size` bytes that depend on `seed`.
Bytes pattern(std::size_t size, std::size_t seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>((i * 31 + (i >> 12) + seed) & 0xff);
  }
  return bytes;
}

TEST_P(EndpointTest, MovesBytesFromEveryRankToEveryRank) {
  onEveryRank([](Endpoint &endpoint) {
    const auto ranks = static_cast<std::size_t>(endpoint.size());
    std::vector<Bytes> out;
    std::vector<Bytes> in(ranks, Bytes(2));
    std::vector<Request> requests;
    for (Rank peer = 0; peer < endpoint.size(); ++peer) {
      out.push_back({static_cast<std::byte>(endpoint.rank()), static_cast<std::byte>(peer)});
    }
    for (Rank peer = 0; peer < endpoint.size(); ++peer) {
      requests.push_back(*endpoint.receive(peer, 5, in[peer]));
      requests.push_back(*endpoint.send(peer, 5, out[peer]));
    }
    wait(endpoint, requests);

    for (Rank peer = 0; peer < endpoint.size(); ++peer) {
      EXPECT_EQ(in[peer],
                (Bytes{static_cast<std::byte>(peer), static_cast<std::byte>(endpoint.rank())}));
    }
  });
}

TEST_P(EndpointTest, MatchesEqualTagsInPostingOrder) {
  onEveryRank([](Endpoint &endpoint) {
    const Rank to = (endpoint.rank() + 1) % endpoint.size();
    const Rank from = (endpoint.rank() + endpoint.size() - 1) % endpoint.size();
    std::vector<Bytes> out;
    std::vector<Bytes> in;
    std::vector<Request> requests;
    for (std::size_t i = 0; i < 50; ++i) {
      out.push_back(pattern(1 + i * i * 40, i)); // Below and above any eager limit.
      in.emplace_back(out.back().size());
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      requests.push_back(*endpoint.send(to, 7, out[i]));
      requests.push_back(*endpoint.receive(from, 7, in[i]));
    }
    wait(endpoint, requests);

    EXPECT_EQ(in, out);
  });
}

TEST_P(EndpointTest, KeepsTagsApart) {
  onEveryRank([](Endpoint &endpoint) {
    const Rank to = (endpoint.rank() + 1) % endpoint.size();
    const Rank from = (endpoint.rank() + endpoint.size() - 1) % endpoint.size();
    const Bytes low = bytesOf("low!");
    const Bytes high = bytesOf("high");
    Bytes inLow(4);
    Bytes inHigh(4);

    // Received in the other order than sent; the tags differ in the highest bit only.
    wait(endpoint,
         {*endpoint.send(to, 9, low), *endpoint.send(to, 9 | 1U << 31, high),
          *endpoint.receive(from, 9 | 1U << 31, inHigh), *endpoint.receive(from, 9, inLow)});

    EXPECT_EQ(textOf(inLow), "low!");
    EXPECT_EQ(textOf(inHigh), "high");
  });
}

TEST_P(EndpointTest, MovesEmptyMessages) {
  onEveryRank([](Endpoint &endpoint) {
    const Rank to = (endpoint.rank() + 1) % endpoint.size();
    const Rank from = (endpoint.rank() + endpoint.size() - 1) % endpoint.size();

    wait(endpoint, {*endpoint.send(to, 1, {}), *endpoint.receive(from, 1, {})});
  });
}

TEST_P(EndpointTest, ReportsAMessageOfAnotherSize) {
  for (const std::size_t expected : {3U, 9U}) {
    onEveryRank([expected](Endpoint &endpoint) {
      const Rank to = (endpoint.rank() + 1) % endpoint.size();
      const Rank from = (endpoint.rank() + endpoint.size() - 1) % endpoint.size();
      const Bytes out = bytesOf("sixsix");
      Bytes in(expected);
      const Request receive = *endpoint.receive(from, 3, in);
      wait(endpoint, {*endpoint.send(to, 3, out)});
      Result<bool> outcome = false;
      while (outcome && !*outcome) {
        outcome = endpoint.test(receive);
      }

      ASSERT_FALSE(outcome);
      EXPECT_EQ(outcome.error().code, ErrorCode::SizeMismatch);
      barrier(endpoint);
    });
  }
}

TEST_P(EndpointTest, RejectsRanksThatAreNotThere) {
  onEveryRank([](Endpoint &endpoint) {
    for (const Rank rank : {-1, endpoint.size()}) {
      EXPECT_EQ(endpoint.send(rank, 0, {}).error().code, ErrorCode::InvalidArgument);
      EXPECT_EQ(endpoint.receive(rank, 0, {}).error().code, ErrorCode::InvalidArgument);
      EXPECT_EQ(endpoint.sendControl(rank, {}).error().code, ErrorCode::InvalidArgument);
    }
  });
}

TEST_P(EndpointTest, RejectsRequestsThatAreNotUnderWay) {
  onEveryRank([](Endpoint &endpoint) {
    Bytes in(1);
    const Bytes out(1);
    const Request receive = *endpoint.receive(endpoint.rank(), 2, in);
    wait(endpoint, {*endpoint.send(endpoint.rank(), 2, out), receive});

    EXPECT_EQ(endpoint.test(receive).error().code, ErrorCode::InvalidArgument);
  });
}

TEST_P(EndpointTest, DeliversControlMessagesInSendingOrder) {
  onEveryRank([](Endpoint &endpoint) {
    constexpr std::size_t kMessages = 40;
    for (std::size_t i = 0; i < kMessages; ++i) {
      for (Rank to = 0; to < endpoint.size(); ++to) {
        const Bytes message = pattern(i % 5 == 0 ? 200000 : i, i);
        EXPECT_TRUE(endpoint.sendControl(to, message));
      }
    }
    const auto ranks = static_cast<std::size_t>(endpoint.size());

    const std::vector<Control> messages = awaitControl(endpoint, kMessages * ranks);

    ASSERT_EQ(messages.size(), kMessages * ranks);
    std::vector<std::size_t> next(ranks);
    for (const Control &message : messages) {
      const std::size_t i = next[message.from]++;
      EXPECT_EQ(message.bytes, pattern(i % 5 == 0 ? 200000 : i, i));
    }
    barrier(endpoint);
  });
}

TEST_P(EndpointTest, DeliversLongControlMessagesWhole) {
  onEveryRank([](Endpoint &endpoint) {
    const Rank to = (endpoint.rank() + 1) % endpoint.size();
    const Bytes message = pattern((std::size_t{64} << 20) + 5, 1); // More than a piece over MPI.
    EXPECT_TRUE(endpoint.sendControl(to, message));
    EXPECT_TRUE(endpoint.sendControl(to, bytesOf("behind")));

    const std::vector<Control> messages = awaitControl(endpoint, 2);

    ASSERT_EQ(messages.size(), 2U);
    EXPECT_TRUE(messages[0].bytes == message);
    EXPECT_EQ(textOf(messages[1].bytes), "behind");
    barrier(endpoint);
  });
}

TEST_P(EndpointTest, KeepsControlAndDataApart) {
  onEveryRank([](Endpoint &endpoint) {
    const Rank to = (endpoint.rank() + 1) % endpoint.size();
    const Rank from = (endpoint.rank() + endpoint.size() - 1) % endpoint.size();
    const Bytes data = bytesOf("data");
    Bytes in(4);
    const Request receive = *endpoint.receive(from, 0, in);
    EXPECT_TRUE(endpoint.sendControl(to, bytesOf("control")));
    const auto messages = awaitControl(endpoint, 1);
    wait(endpoint, {*endpoint.send(to, 0, data), receive});

    EXPECT_EQ(textOf(messages.at(0).bytes), "control");
    EXPECT_EQ(textOf(in), "data");
    barrier(endpoint);
  });
}

TEST_P(EndpointTest, PollingWithoutMessagesGivesNone) {
  onEveryRank([](Endpoint &endpoint) {
    std::vector<Control> messages;

    EXPECT_TRUE(endpoint.pollControl(messages));
    EXPECT_TRUE(messages.empty());
    barrier(endpoint);
  });
}

TEST_P(EndpointTest, SumsIntoRankZero) {
  onEveryRank([](Endpoint &endpoint) {
    const auto ranks = static_cast<std::uint64_t>(endpoint.size());
    for (int round = 0; round < 3; ++round) {
      std::vector<std::uint64_t> values = {1, static_cast<std::uint64_t>(endpoint.rank()),
                                           1ULL << 40};

      EXPECT_TRUE(endpoint.sum(values));

      if (endpoint.rank() == 0) {
        EXPECT_EQ(values,
                  (std::vector<std::uint64_t>{ranks, ranks * (ranks - 1) / 2, ranks << 40}));
      }
    }
  });
}

TEST_P(EndpointTest, GathersByRankEverywhere) {
  onEveryRank([](Endpoint &endpoint) {
    for (int round = 0; round < 3; ++round) {
      const auto all = endpoint.allGather(bytesOf(fmt::format("<{}>", endpoint.rank())));

      std::string expected;
      for (Rank rank = 0; rank < endpoint.size(); ++rank) {
        expected += fmt::format("<{}>", rank);
      }
      ASSERT_TRUE(all);
      EXPECT_EQ(textOf(*all), expected);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Transport, EndpointTest, testing::ValuesIn(conformance::jobs()),
                         [](const auto &info) { return info.param.name; });

} // namespace

} // namespace tutti::transport
