// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `Group` promises, checked on every transport of the build. Each body runs on all ranks.
#include "runtime/transport/conformance/fixture.h"

#include <cstring>
#include <numeric>
#include <thread>

namespace tutti::transport {

namespace {

using conformance::EndpointTest;

class GroupTest : public EndpointTest {
protected:
  static void wait(Group &group, const Result<Request> &request) {
    ASSERT_TRUE(request) << request.error().text();
    Result<bool> done = false;
    while (done && !*done) {
      done = group.test(*request);
      std::this_thread::yield();
    }
    EXPECT_TRUE(done) << done.error().text();
  }

  /// All ranks, the last one first.
  static std::vector<Rank> backwards(const Endpoint &endpoint) {
    std::vector<Rank> members(static_cast<std::size_t>(endpoint.size()));
    std::iota(members.rbegin(), members.rend(), Rank{0});
    return members;
  }

  /// The ranks that are even or odd as this one.
  static std::vector<Rank> likeMe(const Endpoint &endpoint) {
    std::vector<Rank> members;
    for (Rank rank = endpoint.rank() % 2; rank < endpoint.size(); rank += 2) {
      members.push_back(rank);
    }
    return members;
  }
};

TEST_P(GroupTest, GathersInTheOrderOfMembers) {
  onEveryRank([](Endpoint &endpoint) {
    for (const auto &members : {backwards(endpoint), likeMe(endpoint)}) {
      const auto group = std::move(endpoint.group(members)).value();
      std::vector<Rank> all(members.size());
      const Rank own = endpoint.rank();

      wait(*group, group->allGather(std::as_bytes(std::span(&own, 1)),
                                    std::as_writable_bytes(std::span(all))));

      EXPECT_EQ(all, members);
    }
    barrier(endpoint);
  });
}

TEST_P(GroupTest, BroadcastsFromAnyPosition) {
  onEveryRank([](Endpoint &endpoint) {
    const auto members = likeMe(endpoint);
    const auto group = std::move(endpoint.group(members)).value();
    for (std::size_t root = 0; root < members.size(); ++root) {
      std::vector<Rank> values(1000, endpoint.rank());

      wait(*group,
           group->broadcast(static_cast<Rank>(root), std::as_writable_bytes(std::span(values))));

      EXPECT_EQ(values, std::vector<Rank>(1000, members[root]));
    }
    barrier(endpoint);
  });
}

TEST_P(GroupTest, ReducesElementByElement) {
  onEveryRank([](Endpoint &endpoint) {
    const auto members = backwards(endpoint);
    const auto group = std::move(endpoint.group(members)).value();
    const double ranks = endpoint.size();
    std::vector<double> sums{1, static_cast<double>(endpoint.rank())};
    std::vector<std::int32_t> most{-endpoint.rank(), endpoint.rank()};
    std::vector<std::uint8_t> bits{static_cast<std::uint8_t>(1U << endpoint.rank())};

    wait(*group, group->allReduce(Element::Double, Combination::Sum,
                                  std::as_writable_bytes(std::span(sums))));
    wait(*group, group->allReduce(Element::Int32, Combination::Max,
                                  std::as_writable_bytes(std::span(most))));
    wait(*group, group->allReduce(Element::UInt8, Combination::BitOr,
                                  std::as_writable_bytes(std::span(bits))));

    EXPECT_EQ(sums, (std::vector<double>{ranks, ranks * (ranks - 1) / 2}));
    EXPECT_EQ(most, (std::vector<std::int32_t>{0, endpoint.size() - 1}));
    EXPECT_EQ(bits.front(), (1U << endpoint.size()) - 1);
    barrier(endpoint);
  });
}

TEST_P(GroupTest, RefusesReductionsThatTheTypeLacks) {
  onEveryRank([](Endpoint &endpoint) {
    const auto group = std::move(endpoint.group(backwards(endpoint))).value();
    double value = 1;
    const auto bytes = std::as_writable_bytes(std::span(&value, 1));

    EXPECT_FALSE(group->allReduce(Element::Double, Combination::BitAnd, bytes));
    EXPECT_FALSE(group->allReduce(Element::ComplexFloat, Combination::Max, bytes));
    barrier(endpoint);
  });
}

TEST_P(GroupTest, HasSeveralOperationsUnderWay) {
  onEveryRank([](Endpoint &endpoint) {
    const auto group = std::move(endpoint.group(backwards(endpoint))).value();
    std::int64_t first = 1;
    std::int64_t second = 2;

    const auto one = group->allReduce(Element::Int64, Combination::Sum,
                                      std::as_writable_bytes(std::span(&first, 1)));
    const auto two = group->allReduce(Element::Int64, Combination::Sum,
                                      std::as_writable_bytes(std::span(&second, 1)));
    const auto meet = group->barrier();
    wait(*group, meet);
    wait(*group, two);
    wait(*group, one);

    EXPECT_EQ(first, endpoint.size());
    EXPECT_EQ(second, 2 * endpoint.size());
    barrier(endpoint);
  });
}

TEST_P(GroupTest, LetsMembersWaitForReductionsInAnyOrder) {
  onEveryRank([](Endpoint &endpoint) {
    const auto members = likeMe(endpoint);
    const auto group = std::move(endpoint.group(members)).value();
    std::vector<double> sums(100'000, endpoint.rank() + 0.5);
    float least = static_cast<float>(endpoint.rank());
    double expected = 0;
    for (const Rank member : members) {
      expected += member + 0.5;
    }

    const auto large = group->allReduce(Element::Double, Combination::Sum,
                                        std::as_writable_bytes(std::span(sums)));
    const auto small = group->allReduce(Element::Float, Combination::Min,
                                        std::as_writable_bytes(std::span(&least, 1)));
    const bool isFirst = members.front() == endpoint.rank();
    wait(*group, isFirst ? large : small);
    wait(*group, isFirst ? small : large);

    EXPECT_EQ(sums, std::vector<double>(100'000, expected));
    EXPECT_EQ(least, static_cast<float>(members.front()));
    barrier(endpoint);
  });
}

TEST_P(GroupTest, KeepsGroupsOfTheSameMembersApart) {
  onEveryRank([](Endpoint &endpoint) {
    for (int round = 0; round < 50; ++round) {
      const auto group = std::move(endpoint.group(likeMe(endpoint))).value();
      std::int32_t least = endpoint.rank() + round;

      wait(*group, group->allReduce(Element::Int32, Combination::Min,
                                    std::as_writable_bytes(std::span(&least, 1))));

      EXPECT_EQ(least, endpoint.rank() % 2 + round);
    }
    barrier(endpoint);
  });
}

TEST_P(GroupTest, RefusesListsWithoutThisRank) {
  onEveryRank([](Endpoint &endpoint) {
    const std::vector<Rank> outside{endpoint.rank(), endpoint.size()};

    EXPECT_EQ(endpoint.group({}).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(endpoint.group(outside).error().code, ErrorCode::InvalidArgument);
  });
}

INSTANTIATE_TEST_SUITE_P(Transport, GroupTest, testing::ValuesIn(conformance::jobs()),
                         [](const auto &info) { return info.param.name; });

} // namespace

} // namespace tutti::transport
