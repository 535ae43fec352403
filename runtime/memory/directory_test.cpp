// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The directory against a model that keeps every byte of every place, and the shape of its plans.
#include "base/test_share.h"
#include "runtime/memory/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::memory {

namespace {

constexpr std::uint64_t kBytes = 96;

/// Every place's memory as version numbers, and who holds the newest version of each byte.
class Model {
public:
  explicit Model(const Topology &topology)
      : topology_(topology),
        copies_(static_cast<std::size_t>(topology.places()), std::vector<int>(kBytes)),
        valid_(kBytes, {0}) {
    // What nobody but place 0 holds must look stale elsewhere.
    for (std::size_t place = 1; place < copies_.size(); ++place) {
      copies_[place].assign(kBytes, -1);
    }
  }

  void apply(const Event &event) {
    for (std::uint64_t byte = event.range.begin; byte < event.range.end; ++byte) {
      if (event.kind == Event::Kind::Fetched) {
        copies_[0][byte] = newest(byte);
        valid_[byte].insert(0);
      } else if (event.kind == Event::Kind::Evicted) {
        evict(byte, event.from, event.to);
      } else {
        write(0, byte);
      }
    }
  }

  /// Plays the transfers with real copies and then the writes; checks what readers then see.
  void launch(const std::vector<ChunkAccess> &chunks, const std::vector<Transfer> &transfers) {
    std::map<std::uint32_t, RangeSet> pieces;
    std::uint32_t last = 0;
    std::set<std::tuple<std::uint32_t, Place, std::uint64_t>> passed;
    for (const Transfer &transfer : transfers) {
      EXPECT_LE(last, transfer.piece);
      last = transfer.piece;
      EXPECT_EQ(pieces.try_emplace(transfer.piece, transfer.ranges).first->second, transfer.ranges);
      EXPECT_TRUE(isLink(transfer)) << transfer.from << " to " << transfer.to;
      for (const Range &range : transfer.ranges.ranges()) {
        for (std::uint64_t byte = range.begin; byte < range.end; ++byte) {
          const bool isForwarded = passed.contains({transfer.piece, transfer.from, byte});
          EXPECT_TRUE(valid_[byte].contains(transfer.from) || isForwarded)
              << "sends what it does not have";
          copies_[transfer.to][byte] = copies_[transfer.from][byte];
          EXPECT_FALSE(valid_[byte].contains(transfer.to)) << "receives what it has";
          EXPECT_TRUE(passed.insert({transfer.piece, transfer.to, byte}).second);
          if (chunks[transfer.to].reads.overlaps(RangeSet::of({{byte, byte + 1}}))) {
            valid_[byte].insert(transfer.to);
          } else {
            EXPECT_TRUE(topology_.isHost(transfer.to)) << "receives what it does not read";
          }
        }
      }
    }
    forEachByte(chunks, &ChunkAccess::reads, [&](Place rank, std::uint64_t byte) {
      EXPECT_EQ(copies_[rank][byte], newest(byte));
    });
    forEachByte(chunks, &ChunkAccess::writes,
                [&](Place rank, std::uint64_t byte) { write(rank, byte); });
  }

  void expectSame(const Directory &directory) const {
    std::uint64_t at = 0;
    Holders before;
    directory.forEach({0, kBytes}, [&](Range run, const Holders &holders) {
      EXPECT_EQ(run.begin, at);
      EXPECT_FALSE(run.empty());
      EXPECT_NE(holders, before) << "runs are maximal";
      for (std::uint64_t byte = run.begin; byte < run.end; ++byte) {
        EXPECT_EQ(holders, Holders(valid_[byte].begin(), valid_[byte].end())) << byte;
      }
      at = run.end;
      before = holders;
    });
    EXPECT_EQ(at, kBytes);
    const RangeSet all = RangeSet::of({{3, 40}, {50, kBytes}});
    for (Place rank = 0; rank < static_cast<Place>(copies_.size()); ++rank) {
      std::vector<Range> missing;
      std::vector<Range> shared;
      std::vector<Range> only;
      for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
        if (!valid_[byte].contains(rank)) {
          missing.push_back({byte, byte + 1});
        }
        if (valid_[byte] != std::set<Place>{rank}) {
          shared.push_back({byte, byte + 1});
        } else {
          only.push_back({byte, byte + 1});
        }
      }
      EXPECT_EQ(directory.missing(rank, all), RangeSet::of(missing).intersect(all));
      EXPECT_EQ(directory.sharedBeyond(rank, all), RangeSet::of(shared).intersect(all));
      EXPECT_EQ(directory.onlyAt(rank, all), RangeSet::of(only).intersect(all));
    }
  }

private:
  bool isLink(const Transfer &link) const {
    return topology_.rankOf(link.from) == topology_.rankOf(link.to)
               ? link.from != link.to
               : (topology_.isHost(link.from) && topology_.isHost(link.to)) ||
                     topology_.hasRoute(link.from, link.to);
  }

  template <typename Visit>
  static void forEachByte(const std::vector<ChunkAccess> &chunks, RangeSet ChunkAccess::*set,
                          Visit &&visit) {
    for (std::size_t rank = 0; rank < chunks.size(); ++rank) {
      for (const Range &range : (chunks[rank].*set).ranges()) {
        for (std::uint64_t byte = range.begin; byte < range.end; ++byte) {
          visit(static_cast<Place>(rank), byte);
        }
      }
    }
  }

  int newest(std::uint64_t byte) const { return copies_[*valid_[byte].begin()][byte]; }

  void write(Place rank, std::uint64_t byte) {
    copies_[rank][byte] = ++version_;
    valid_[byte] = {rank};
  }

  void evict(std::uint64_t byte, Place from, Place to) {
    if (valid_[byte] == std::set<Place>{from}) {
      copies_[to][byte] = copies_[from][byte];
      valid_[byte].insert(to);
    }
    valid_[byte].erase(from);
    copies_[from][byte] = -1;
  }

  Topology topology_;
  std::vector<std::vector<int>> copies_;
  std::vector<std::set<Place>> valid_;
  int version_ = 0;
};

RangeSet randomSet(std::mt19937 &random) {
  std::vector<Range> ranges(random() % 5);
  for (Range &range : ranges) {
    range.begin = random() % kBytes;
    range.end = std::min<std::uint64_t>(kBytes, range.begin + random() % 20);
  }
  return RangeSet::of(std::move(ranges));
}

std::vector<ChunkAccess> randomChunks(Place ranks, std::mt19937 &random) {
  std::vector<ChunkAccess> chunks(ranks);
  RangeSet written;
  for (ChunkAccess &chunk : chunks) {
    chunk.reads = randomSet(random);
    chunk.writes = randomSet(random).subtract(written);
    written = written.unite(chunk.writes);
  }
  return chunks;
}

std::uint64_t bytesOf(const std::vector<Transfer> &transfers) {
  std::uint64_t bytes = 0;
  for (const Transfer &transfer : transfers) {
    bytes += transfer.ranges.bytes();
  }
  return bytes;
}

/// `directory.launch` on as many ranks as there are chunks, without devices.
std::vector<Transfer> launchOn(Directory &directory, const std::vector<ChunkAccess> &chunks) {
  return directory.launch(chunks, Topology::ofHosts(static_cast<std::int32_t>(chunks.size())));
}

using Runs = std::vector<std::pair<Range, Holders>>;

Runs runsOf(const Directory &directory) {
  Runs runs;
  directory.forEach({0, ~std::uint64_t{0}},
                    [&](Range run, const Holders &holders) { runs.emplace_back(run, holders); });
  return runs;
}

/// A directory with these runs that has never been in another state, but for some of the runs.
Directory directoryOf(Runs runs, std::mt19937 &random) {
  std::shuffle(runs.begin(), runs.end(), random);
  Directory directory;
  for (const auto &[range, holders] : runs) {
    directory.assign({{{range}, holders}});
  }
  return directory;
}

/// `after` has come from `before`, and `undo` leads back.
void expectWayBack(const Directory &before, const Directory &after, const Assignments &undo) {
  Directory directory = after;
  const Assignments changes = directory.now(undo);
  directory.revert(undo);
  EXPECT_EQ(directory, before);
  directory.assign(changes);
  EXPECT_EQ(directory, after) << "what changed is all that differs";
}

void compareWithModel(const Topology &topology, unsigned seed) {
  std::mt19937 random(seed);
  Directory directory;
  Model model(topology);
  Directory before;
  Assignments undo; // Of some steps.
  for (std::uint64_t step = 0; step < casesOf(400); ++step) {
    if (random() % 4 == 0) {
      before = directory;
      undo.clear();
    }
    if (random() % 3 == 0) {
      const std::uint64_t begin = random() % kBytes;
      Event event{random() % 2 ? Event::Kind::Fetched : Event::Kind::Claimed,
                  {begin, std::min<std::uint64_t>(kBytes, begin + random() % 30)}};
      if (topology.hasDevices() && random() % 2 == 0) {
        event.kind = Event::Kind::Evicted;
        const auto devices = static_cast<unsigned>(topology.places() - topology.ranks());
        event.from = topology.ranks() + static_cast<Place>(random() % devices);
        event.to = topology.rankOf(event.from);
      }
      directory.apply(event, &undo);
      model.apply(event);
    } else {
      const auto chunks = randomChunks(topology.places(), random);
      const Step moves = directory.step(chunks, topology);
      directory.assign(moves.assignments, &undo);
      model.launch(chunks, moves.transfers);
    }
    model.expectSame(directory);
    EXPECT_EQ(directory.identity(), directoryOf(runsOf(directory), random).identity());
    expectWayBack(before, directory, undo);
    if (testing::Test::HasFailure()) {
      FAIL() << topology.ranks() << " ranks, " << topology.places() << " places, step " << step;
    }
  }
}

/// A five-point stencil over rows of one array into another, rows divided evenly.
std::vector<ChunkAccess> stencil(Place ranks, std::uint64_t rows, std::uint64_t rowBytes,
                                 std::uint64_t from, std::uint64_t to) {
  std::vector<ChunkAccess> chunks;
  for (Place rank = 0; rank < ranks; ++rank) {
    const std::uint64_t first = rows * rank / ranks;
    const std::uint64_t last = rows * (rank + 1) / ranks;
    const std::uint64_t above = first == 0 ? first : first - 1;
    const std::uint64_t below = std::min(last + 1, rows);
    chunks.push_back({RangeSet::of({{from + above * rowBytes, from + below * rowBytes}}),
                      RangeSet::of({{to + first * rowBytes, to + last * rowBytes}})});
  }
  return chunks;
}

TEST(Directory, AgreesWithAModelOfEveryByte) {
  for (Place ranks = 1; ranks <= 6; ++ranks) {
    compareWithModel(Topology::ofHosts(ranks), static_cast<unsigned>(ranks));
  }
}

TEST(Directory, AgreesWithAModelOfEveryByteOnDevices) {
  const std::vector<std::vector<std::int32_t>> clusters = {
      {1}, {3}, {1, 1}, {0, 2}, {2, 0, 1}, {2, 2, 2}, {0, 0, 1, 4}};
  for (std::size_t index = 0; index < clusters.size(); ++index) {
    compareWithModel(Topology(clusters[index]), static_cast<unsigned>(100 + index));
  }
}

/// Routes both ways between all pairs of these devices.
std::vector<DeviceRoute> routesAmong(const std::vector<Place> &devices) {
  std::vector<DeviceRoute> routes;
  for (const Place from : devices) {
    for (const Place to : devices) {
      if (from != to) {
        routes.push_back({from, to});
      }
    }
  }
  return routes;
}

TEST(Directory, AgreesWithAModelOfEveryByteWhereDevicesOfDifferentRanksHaveRoutes) {
  compareWithModel(Topology({1, 1}, routesAmong({2, 3})), 200);
  compareWithModel(Topology({1, 1}, {{2, 3}}), 201);
  // Two hosts of two ranks each.
  std::vector<DeviceRoute> routes = routesAmong({4, 6});
  for (const DeviceRoute &route : routesAmong({7, 8})) {
    routes.push_back(route);
  }
  compareWithModel(Topology({2, 1, 1, 1}, routes), 202);
}

TEST(Directory, MovesHaloRowsStraightBetweenDevicesWithRoutes) {
  constexpr std::uint64_t kOther = 1 << 20;
  const Topology topology({1, 1, 1}, routesAmong({3, 4, 5}));
  Directory directory;
  for (int step = 0; step < 6; ++step) {
    const bool even = step % 2 == 0;
    auto chunks = stencil(3, 60, 800, even ? 0 : kOther, even ? kOther : 0);
    chunks.insert(chunks.begin(), 3, ChunkAccess{});

    const auto transfers = directory.launch(chunks, topology);

    if (step > 1) {
      ASSERT_EQ(transfers.size(), 4U);
      for (const Transfer &transfer : transfers) {
        EXPECT_FALSE(topology.isHost(transfer.from) || topology.isHost(transfer.to));
        EXPECT_EQ(transfer.ranges.bytes(), 800U);
      }
    }
  }
}

TEST(Directory, PrefersADeviceWithARouteToTheHostOfANearerRank) {
  const Topology topology({0, 1, 1}, {{3, 4}});
  Directory directory;
  const RangeSet bytes = RangeSet::of({{0, 8}});
  std::vector<ChunkAccess> chunks(5);
  chunks[1].reads = bytes; // Hosts of ranks 1 and 2, and the device of rank 1.
  chunks[3].reads = bytes;
  static_cast<void>(directory.launch(chunks, topology));
  chunks.assign(5, {});
  chunks[4].reads = bytes;

  const auto transfers = directory.launch(chunks, topology);

  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].from, 3);
  EXPECT_EQ(transfers[0].to, 4);
}

TEST(Directory, MovesHaloRowsStraightBetweenDevicesOfOneRank) {
  constexpr std::uint64_t kRows = 64;
  constexpr std::uint64_t kRow = 800;
  constexpr std::uint64_t kOther = 1 << 20;
  const Topology topology({4});
  Directory directory;
  const auto onDevices = [](std::vector<ChunkAccess> chunks) {
    chunks.insert(chunks.begin(), ChunkAccess{});
    return chunks;
  };
  for (int step = 0; step < 6; ++step) {
    const bool even = step % 2 == 0;

    const auto transfers = directory.launch(
        onDevices(stencil(4, kRows, kRow, even ? 0 : kOther, even ? kOther : 0)), topology);

    if (step < 2) {
      continue;
    }
    EXPECT_EQ(transfers.size(), 2U * 3);
    EXPECT_EQ(bytesOf(transfers), 2U * 3 * kRow);
    for (const Transfer &transfer : transfers) {
      EXPECT_FALSE(topology.isHost(transfer.from) || topology.isHost(transfer.to));
    }
  }
}

TEST(Directory, PassesHalosOfDevicesThroughTheHostsOfTheirRanks) {
  const Topology topology({1, 1});
  Directory directory;
  std::vector<ChunkAccess> chunks(4);
  chunks[2].writes = RangeSet::of({{0, 100}});
  directory.launch(chunks, topology);

  chunks.assign(4, {});
  chunks[3].reads = RangeSet::of({{0, 100}});
  const auto transfers = directory.launch(chunks, topology);

  ASSERT_EQ(transfers.size(), 3U);
  EXPECT_EQ(std::pair(transfers[0].from, transfers[0].to), std::pair(2, 0));
  EXPECT_EQ(std::pair(transfers[1].from, transfers[1].to), std::pair(0, 1));
  EXPECT_EQ(std::pair(transfers[2].from, transfers[2].to), std::pair(1, 3));
  EXPECT_EQ(directory.missing(0, RangeSet::of({{0, 100}})).bytes(), 100U)
      << "a host that passes bytes on does not hold them";
}

TEST(Directory, MovesOnlyHaloRowsOnceAStencilIsSteady) {
  constexpr std::uint64_t kRows = 64;
  constexpr std::uint64_t kRow = 800;
  constexpr std::uint64_t kOther = 1 << 20;
  for (Place ranks = 2; ranks <= 8; ++ranks) {
    Directory directory;
    launchOn(directory, stencil(ranks, kRows, kRow, 0, kOther));
    launchOn(directory, stencil(ranks, kRows, kRow, kOther, 0));
    for (int step = 0; step < 4; ++step) {
      const bool even = step % 2 == 0;

      const auto transfers =
          launchOn(directory, stencil(ranks, kRows, kRow, even ? 0 : kOther, even ? kOther : 0));

      EXPECT_EQ(transfers.size(), 2U * (ranks - 1));
      EXPECT_EQ(bytesOf(transfers), 2U * (ranks - 1) * kRow);
      for (const Transfer &transfer : transfers) {
        EXPECT_EQ(std::abs(transfer.from - transfer.to), 1);
      }
    }
  }
}

TEST(Directory, ReachesACycleOfStatesInATimeLoop) {
  Directory directory;
  const auto there = stencil(4, 64, 800, 0, 1 << 20);
  const auto back = stencil(4, 64, 800, 1 << 20, 0);
  launchOn(directory, there);
  launchOn(directory, back);
  launchOn(directory, there);
  launchOn(directory, back);
  const Directory before = directory;

  launchOn(directory, there);
  EXPECT_NE(directory, before);
  launchOn(directory, back);

  EXPECT_EQ(directory, before);
}

TEST(Directory, BroadcastsDownABinomialTree) {
  for (Place ranks = 2; ranks <= 17; ++ranks) {
    for (Place source = 0; source < ranks; ++source) {
      Directory directory;
      std::vector<ChunkAccess> writing(ranks);
      writing[source].writes = RangeSet::of({{0, 1000}});
      launchOn(directory, writing);

      const auto transfers =
          launchOn(directory, std::vector<ChunkAccess>(ranks, {RangeSet::of({{0, 1000}}), {}}));

      ASSERT_EQ(transfers.size(), ranks - 1U);
      std::map<Place, int> depth = {{source, 0}};
      std::map<Place, int> sends;
      for (const Transfer &transfer : transfers) {
        ASSERT_TRUE(depth.contains(transfer.from)) << "forwards before it receives";
        // A rank sends one message after the other: its n-th child has the data n rounds later.
        const int round = depth[transfer.from] + ++sends[transfer.from];
        EXPECT_TRUE(depth.emplace(transfer.to, round).second) << "receives twice";
        EXPECT_LE(round, std::bit_width(static_cast<unsigned>(ranks - 1)));
      }
      EXPECT_EQ(depth.size(), static_cast<std::size_t>(ranks));
    }
  }
}

TEST(Directory, GathersEveryPartOnceAtEveryRank) {
  constexpr Place kRanks = 5;
  constexpr std::uint64_t kPart = 100;
  Directory directory;
  std::vector<ChunkAccess> writing(kRanks);
  for (Place rank = 0; rank < kRanks; ++rank) {
    writing[rank].writes = RangeSet::of({{rank * kPart, (rank + 1) * kPart}});
  }
  launchOn(directory, writing);

  const std::vector<ChunkAccess> reading(kRanks, {RangeSet::of({{0, kRanks * kPart}}), {}});
  const auto transfers = launchOn(directory, reading);

  EXPECT_EQ(transfers.size(), static_cast<std::size_t>(kRanks) * (kRanks - 1));
  EXPECT_EQ(bytesOf(transfers), kRanks * (kRanks - 1) * kPart);
  EXPECT_TRUE(launchOn(directory, reading).empty()) << "the second time all is there";
}

TEST(Directory, PutsScatteredRangesOfOnePairIntoOneMessage) {
  std::vector<Range> columns;
  for (std::uint64_t row = 0; row < 5000; ++row) {
    columns.push_back({row * 64, row * 64 + 8});
  }
  Directory directory;
  std::vector<ChunkAccess> chunks(2);
  chunks[1].reads = RangeSet::of(columns);

  const auto transfers = launchOn(directory, chunks);

  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].ranges, chunks[1].reads);
}

TEST(Directory, TakesTheHolderNearestToTheReader) {
  Directory directory;
  std::vector<ChunkAccess> chunks(8);
  chunks[5].writes = RangeSet::of({{0, 100}});
  launchOn(directory, chunks);
  directory.apply({Event::Kind::Fetched, {0, 100}});

  chunks.assign(8, {});
  chunks[6].reads = RangeSet::of({{0, 50}});
  chunks[1].reads = RangeSet::of({{50, 100}});
  const auto transfers = launchOn(directory, chunks);

  ASSERT_EQ(transfers.size(), 2U);
  EXPECT_EQ(transfers[0].from, 0);
  EXPECT_EQ(transfers[0].to, 1);
  EXPECT_EQ(transfers[1].from, 5);
  EXPECT_EQ(transfers[1].to, 6);
}

TEST(Directory, LeavesAnOnlyCopyToTheHostOfAnEvictedDevice) {
  const Topology topology({0, 1});
  const Place device = topology.deviceOf(1, 0);
  Directory directory;
  std::vector<ChunkAccess> chunks(3);
  chunks[2].writes = RangeSet::of({{0, 100}});
  directory.launch(chunks, topology);
  directory.apply({Event::Kind::Fetched, {0, 40}});

  EXPECT_EQ(directory.onlyAt(device, RangeSet::of({{20, 60}})), RangeSet::of({{40, 60}}));
  directory.apply({Event::Kind::Evicted, {20, 60}, device, 1});

  std::vector<std::pair<Range, Holders>> runs;
  directory.forEach({0, 100},
                    [&](Range run, const Holders &holders) { runs.emplace_back(run, holders); });
  const std::vector<std::pair<Range, Holders>> expected{
      {{0, 20}, {0, device}}, {{20, 40}, {0}}, {{40, 60}, {1}}, {{60, 100}, {device}}};
  EXPECT_EQ(runs, expected);
}

TEST(Directory, HasOneIdentityForEachState) {
  constexpr std::uint64_t kFew = 5; // So few bytes that states come again.
  std::mt19937 random(7);
  std::map<Runs, std::pair<std::uint64_t, std::uint64_t>, bool (*)(const Runs &, const Runs &)>
      identities([](const Runs &a, const Runs &b) {
        return std::ranges::lexicographical_compare(a, b, [](const auto &left, const auto &right) {
          return std::tuple(left.first.begin, left.first.end, left.second) <
                 std::tuple(right.first.begin, right.first.end, right.second);
        });
      });
  std::set<std::pair<std::uint64_t, std::uint64_t>> all;
  Directory directory;
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t begin = random() % kFew;
    const Range range{begin, begin + 1 + random() % (kFew - begin)};
    const std::vector<Holders> choices = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};
    directory.assign({{{range}, choices[random() % choices.size()]}});

    const std::pair identity{directory.identity().low, directory.identity().high};
    const auto [known, isNew] = identities.try_emplace(runsOf(directory), identity);
    EXPECT_EQ(known->second, identity);
    EXPECT_EQ(all.insert(identity).second, isNew) << "two states have one identity";
  }
  EXPECT_GT(identities.size(), 1000U);
  EXPECT_LT(identities.size(), 19000U);
  directory.assign({{{{0, kFew}}, {0}}});
  EXPECT_EQ(directory.identity(), Identity());
}

TEST(Directory, ChangesWithoutLookingAtOtherRuns) {
  constexpr std::uint64_t kRuns = 100000;
  Directory directory;
  Assignment rows{{}, {1}};
  for (std::uint64_t row = 0; row < kRuns; ++row) {
    rows.ranges.push_back({row * 64, row * 64 + 8});
  }
  directory.assign({rows});
  const auto changes = [&](const Event &event) {
    const std::uint64_t before = directory.visits();
    directory.apply(event);
    return directory.visits() - before;
  };

  EXPECT_LE(changes({Event::Kind::Fetched, {64 * 5000, 64 * 5002}}), 20U);
  EXPECT_LE(changes({Event::Kind::Claimed, {64 * 90000, 64 * 90002}}), 10U);
  EXPECT_LE(changes({Event::Kind::Fetched, {64 * 70000 + 8, 64 * 70000 + 64}}), 10U);
  const std::uint64_t before = directory.visits();
  EXPECT_EQ(directory.missing(0, RangeSet::of({{0, 8}, {64 * 50000, 64 * 50000 + 32}})).bytes(),
            16U);
  EXPECT_LE(directory.visits() - before, 10U);
}

TEST(Directory, ForgetsWhatRankZeroClaims) {
  Directory directory;
  std::vector<ChunkAccess> chunks(3);
  chunks[2].writes = RangeSet::of({{10, 90}});
  launchOn(directory, chunks);

  directory.apply({Event::Kind::Claimed, {0, 200}});

  EXPECT_EQ(directory, Directory());
}

} // namespace

} // namespace tutti::memory
