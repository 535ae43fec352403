// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How what launches follow comes to the other ranks.
#include "runtime/exec/followed.h"
#include "runtime/protocol/announce.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace tutti::protocol {

using namespace exec;

namespace {

tutti_region &region() {
  static tutti_region region{};
  region.id = 5;
  return region;
}

/// Rank 0 and another one.
class Announced : public testing::Test {
protected:
  struct Received {
    Launch launch;
    std::size_t bytes; ///< Of the message.
  };

  Received announce(const RecentlyFollowed::Pointer &followed) {
    Launch launch;
    launch.region = &region();
    launch.captures = {3};
    launch.piece = 24;
    launch.widening = {false, true};
    launch.arrays = {{1000, 9000}};
    launch.followed = followed;
    const std::vector<std::byte> message = encode(launch, sent_);
    Reader reader(message);
    reader.take<Kind>();
    Launch received = decodeLaunch(
        reader, [](std::uint64_t) -> const tutti_region * { return &region(); }, received_);
    EXPECT_TRUE(reader.rest().empty());
    EXPECT_EQ(received.captures, launch.captures);
    EXPECT_EQ(received.piece, launch.piece);
    EXPECT_FALSE(received.widening.reads);
    EXPECT_TRUE(received.widening.writes);
    EXPECT_EQ(received.arrays, launch.arrays);
    return {std::move(received), message.size()};
  }

  std::shared_ptr<const Followed> contentNumber(std::uint64_t id) {
    Followed::Content content = contentOf({{8 * id, id, 8}});
    content.allocations = {{id, {id, id + 100}}};
    content.objects = RangeSet::of({{id, id + 200}});
    content.lists.total = 3;
    content.lists.index = RangeSet::of({{id, id + 8}, {id + 16, id + 24}});
    content.lists.objects = {{{id, id + 50}, {RangeSet::of({{id, id + 1}}), {}, {}}},
                             {{id + 60, id + 90}, {{}, {}, RangeSet::of({{id + 61, id + 62}})}}};
    return std::make_shared<const Followed>(id, std::move(content));
  }

  RecentlyFollowed sent_;
  RecentlyFollowed received_;
};

TEST_F(Announced, ContentsArriveAsTheyWere) {
  const auto followed = contentNumber(7);

  for (int round = 0; round < 2; ++round) {
    const Launch launch = announce(followed).launch;

    ASSERT_TRUE(launch.followed);
    EXPECT_EQ(launch.followed->id(), 7U);
    EXPECT_EQ(launch.followed->content(), followed->content());
  }
  EXPECT_FALSE(announce(nullptr).launch.followed);
}

TEST_F(Announced, ContentsTravelOnceWhileTheyAreRecent) {
  std::vector<BlockValue> words;
  for (std::uint64_t index = 0; index < 10000; ++index) {
    words.push_back({16 * index, index, 8});
  }
  const auto large = std::make_shared<const Followed>(0, contentOf(std::move(words)));
  const std::size_t bytes = announce(large).bytes;

  for (std::uint64_t id = 1; id < 2 * RecentlyFollowed::kMost; ++id) {
    announce(contentNumber(id));
    EXPECT_LT(announce(large).bytes, 1000U) << "it is used now and then";
  }
  for (std::uint64_t id = 0; id < RecentlyFollowed::kMost; ++id) {
    announce(contentNumber(1000 + id));
  }
  EXPECT_EQ(announce(large).bytes, bytes) << "it had been forgotten";
}

} // namespace

} // namespace tutti::protocol
