// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Long random histories of a directory, from access records on, against a map that has every byte
/// of every place: launches over boxes, rows and followed words, merges, returns, fetches, claims,
/// evictions, and devices whose copies vanish.
#include "base/test_share.h"
#include "runtime/memory/access_set.h"
#include "runtime/memory/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tutti::memory {

namespace {

constexpr std::uint64_t kBegin = 1 << 16;
constexpr std::uint64_t kBytes = 2048;
constexpr Range kAll{kBegin, kBegin + kBytes};
constexpr int kSteps = 2000;

/// Of all that are written, so few runs are many: then some records are taken with their gaps.
constexpr std::uint64_t kManyRuns = 6;

/// Histories.
const std::uint64_t kSeeds = casesOf(5);

using Random = std::mt19937_64;
using Bytes = std::bitset<kBytes>;

std::uint64_t between(Random &random, std::uint64_t first, std::uint64_t end) {
  return first + random() % (end - first);
}

RangeSet setOf(const Bytes &bytes) {
  std::vector<Range> ranges;
  for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
    if (!bytes[byte]) {
      continue;
    }
    if (ranges.empty() || ranges.back().end != kBegin + byte) {
      ranges.push_back({kBegin + byte, kBegin + byte});
    }
    ++ranges.back().end;
  }
  return RangeSet::of(std::move(ranges));
}

Bytes bytesOf(const RangeSet &set) {
  Bytes bytes;
  for (const Range &range : set.ranges()) {
    EXPECT_TRUE(kAll.contains(range)) << range.begin << " to " << range.end;
    for (std::uint64_t at = range.begin; at < range.end; ++at) {
      bytes.set(at - kBegin);
    }
  }
  return bytes;
}

Range randomRange(Random &random, std::uint64_t most = kBytes) {
  const std::uint64_t begin = between(random, kAll.begin, kAll.end);
  return {begin, std::min(kAll.end, begin + random() % most)};
}

RangeSet randomSet(Random &random) {
  std::vector<Range> ranges(random() % 4);
  for (Range &range : ranges) {
    range = randomRange(random, 1 + kBytes / (1 + random() % 64));
  }
  return RangeSet::of(std::move(ranges));
}

/// An access as a region reports it, with what of it counts.
struct Access {
  std::uint32_t flags;
  std::uint64_t address;
  std::uint64_t size;
  std::vector<tutti_dim> dims;
  Range limit;
};

/// Every byte of it, element by element.
Bytes bytesOf(const Access &access) {
  std::vector<std::uint64_t> starts{access.address};
  for (const tutti_dim &dim : access.dims) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t start : starts) {
      for (std::int64_t index = 0; index < dim.count; ++index) {
        next.push_back(start + static_cast<std::uint64_t>(index * dim.stride));
      }
    }
    starts = std::move(next);
  }
  Bytes bytes;
  for (const std::uint64_t start : starts) {
    for (std::uint64_t at = start; at < start + access.size; ++at) {
      if (at >= access.limit.begin && at < access.limit.end) {
        bytes.set(at - kBegin);
      }
    }
  }
  return bytes;
}

std::uint32_t randomFlags(Random &random) {
  constexpr std::array<std::uint32_t, 4> kFlags{TUTTI_READ, TUTTI_WRITE, TUTTI_READ | TUTTI_WRITE,
                                                TUTTI_WRITE | TUTTI_AT_MOST};
  return kFlags[random() % kFlags.size()];
}

/// A box of a matrix of words, whole rows of it, scattered words within an object as one finds that
/// follows pointers, or strides of any kind.
void addRandom(std::vector<Access> &accesses, Random &random) {
  constexpr std::uint64_t kWord = 8;
  constexpr std::uint64_t kColumns = 16;
  constexpr std::uint64_t kRow = kWord * kColumns;
  constexpr std::uint64_t kRows = kBytes / kRow;
  const std::uint32_t flags = randomFlags(random);
  const std::uint64_t top = random() % kRows;
  const auto height = static_cast<std::int64_t>(between(random, 1, kRows - top + 1));
  switch (random() % 4) {
  case 0: {
    const std::uint64_t left = random() % kColumns;
    const auto width = static_cast<std::int64_t>(between(random, 1, kColumns - left + 1));
    accesses.push_back(
        {flags, kBegin + top * kRow + left * kWord, kWord, {{kRow, height}, {kWord, width}}, kAll});
    break;
  }
  case 1:
    accesses.push_back({flags, kBegin + top * kRow, kRow, {{kRow, height}}, kAll});
    break;
  case 2: {
    const Range object = randomRange(random, 512);
    for (std::uint64_t words = random() % 6; words > 0 && !object.empty(); --words) {
      const std::uint64_t at = between(random, object.begin, object.end);
      accesses.push_back({flags, at / kWord * kWord, kWord, {}, object});
    }
    break;
  }
  default: {
    Access access{flags, between(random, kAll.begin, kAll.end), 1 + random() % 24, {}, kAll};
    if (random() % 2 == 0) {
      access.limit = randomRange(random);
    }
    for (std::uint64_t dims = random() % 4; dims > 0; --dims) {
      const auto stride = static_cast<std::int64_t>(random() % 300);
      access.dims.push_back({random() % 3 == 0 ? -stride : stride,
                             static_cast<std::int64_t>(random() % 8) - (random() % 8 == 0)});
    }
    accesses.push_back(std::move(access));
  }
  }
}

AccessRecords recordsOf(const std::vector<Access> &accesses) {
  AccessCollector collector;
  for (const Access &access : accesses) {
    collector.add(access.flags, access.address, access.size,
                  static_cast<std::uint32_t>(access.dims.size()), access.dims.data(), access.limit);
  }
  return collector.take([](std::uint64_t) { return Range{}; });
}

/// A record gives the same bytes whatever it is clipped to, and says rightly what it overlaps.
void expectClips(const AccessRecord &record, Random &random) {
  const auto all = [&](bool widen, Range clip) {
    std::vector<Range> runs;
    record.runs(widen).forEach(
        {std::max(clip.begin, record.limit.begin), std::min(clip.end, record.limit.end)},
        [&](Range run) {
          EXPECT_TRUE(clip.contains(run) && record.limit.contains(run));
          EXPECT_FALSE(run.empty());
          runs.push_back(run);
          return true;
        });
    return RangeSet::of(std::move(runs));
  };
  const Range clip = randomRange(random);
  for (const bool widen : {false, true}) {
    EXPECT_EQ(all(widen, clip), all(widen, record.hull).intersect(RangeSet::of({clip})));
  }
  EXPECT_GE(record.bytes(), all(false, record.hull).bytes());
  const RangeSet some = randomSet(random);
  EXPECT_EQ(record.overlaps(some), all(true, record.hull).overlaps(some));
}

/// What `accesses` touch, as the directory gets it; compared with a walk over every element.
ChunkAccess touchedBy(const std::vector<Access> &accesses, Random &random) {
  Bytes reads;
  Bytes writes;
  Bytes atMost;
  for (const Access &access : accesses) {
    const Bytes bytes = bytesOf(access);
    reads |= (access.flags & (TUTTI_READ | TUTTI_AT_MOST)) != 0 ? bytes : Bytes();
    writes |= (access.flags & TUTTI_WRITE) != 0 ? bytes : Bytes();
    atMost |= (access.flags & TUTTI_AT_MOST) != 0 ? bytes : Bytes();
  }
  const AccessRecords records = recordsOf(accesses);
  const AccessRanges ranges(AccessRanges::kMaxRanges, kManyRuns);
  const AccessSet set = memory::setOf(records, ranges);
  const Bytes setReads = bytesOf(set.reads);
  const Bytes setWrites = bytesOf(set.writes);
  const Bytes setAtMost = bytesOf(set.atMost);
  EXPECT_FALSE(set.tooMany || set.anywhere || set.unresolved);
  EXPECT_TRUE((reads & ~setReads).none());
  EXPECT_TRUE((writes & ~setWrites).none());
  EXPECT_TRUE((atMost & ~setAtMost).none());
  EXPECT_TRUE((setWrites & ~writes & ~setAtMost).none()) << "writes what is not written";
  EXPECT_TRUE((setAtMost & ~setReads).none()) << "does not read what it may leave as it was";
  const bool isExact = std::ranges::none_of(
      records.records, [&](const AccessRecord &record) { return ranges.isCoarse(record); });
  EXPECT_TRUE(!isExact || (setWrites == writes && setAtMost == atMost));

  const Range clip = randomRange(random);
  AccessRanges clipped = ranges;
  for (const AccessRecord &record : records.records) {
    clipped.add(record, clip);
    expectClips(record, random);
  }
  const AccessSet part = clipped.take();
  EXPECT_EQ(part.reads, set.reads.intersect(RangeSet::of({clip})));
  EXPECT_EQ(part.writes, set.writes.intersect(RangeSet::of({clip})));
  EXPECT_EQ(part.atMost, set.atMost.intersect(RangeSet::of({clip})));
  return {set.reads, set.writes};
}

/// What each place touches in a launch; no two write the same byte. Of a merge, all that take part
/// begin with the same bytes, and place 0 writes them.
std::vector<ChunkAccess> randomChunks(const Topology &topology, Random &random) {
  std::vector<ChunkAccess> chunks(static_cast<std::size_t>(topology.places()));
  RangeSet written;
  const RangeSet merged = random() % 8 == 0 ? randomSet(random) : RangeSet();
  for (ChunkAccess &chunk : chunks) {
    std::vector<Access> accesses;
    for (std::uint64_t some = random() % 4; some > 0; --some) {
      addRandom(accesses, random);
    }
    chunk = touchedBy(accesses, random);
    chunk.writes = chunk.writes.subtract(written).subtract(merged);
    written = written.unite(chunk.writes);
    if (random() % 2 == 0) {
      chunk.reads = chunk.reads.unite(merged);
    }
  }
  chunks.front().reads = chunks.front().reads.unite(merged);
  chunks.front().writes = chunks.front().writes.unite(merged);
  return chunks;
}

/// Every place's memory as version numbers, and who holds the newest version of each byte.
class Model {
public:
  explicit Model(const Topology &topology)
      : topology_(topology), copies_(static_cast<std::size_t>(topology.places())) {
    // What nobody but place 0 holds must look stale elsewhere.
    for (std::size_t place = 0; place < copies_.size(); ++place) {
      copies_[place].fill(place == 0 ? 0 : kStale);
    }
    holders_.fill(1);
  }

  void apply(const Event &event) {
    for (std::uint64_t at = event.range.begin; at < event.range.end; ++at) {
      const std::uint64_t byte = at - kBegin;
      if (event.kind == Event::Kind::Fetched) {
        copy(byte, 0);
      } else if (event.kind == Event::Kind::Claimed) {
        write(0, byte);
      } else {
        vanish(byte, event.from, event.to);
      }
    }
  }

  /// Plays the transfers with real copies and then the writes; checks what readers then see.
  void launch(const std::vector<ChunkAccess> &chunks, const std::vector<Transfer> &transfers) {
    std::vector<Bytes> reads;
    for (const ChunkAccess &chunk : chunks) {
      reads.push_back(bytesOf(chunk.reads));
    }
    std::set<std::pair<std::uint32_t, Place>> received;
    std::uint32_t last = 0;
    for (const Transfer &transfer : transfers) {
      EXPECT_LE(last, transfer.piece);
      last = transfer.piece;
      EXPECT_TRUE(isLink(transfer)) << transfer.from << " to " << transfer.to;
      EXPECT_FALSE(received.contains({transfer.piece, transfer.to})) << "receives twice";
      move(transfer, received.contains({transfer.piece, transfer.from}),
           reads[static_cast<std::size_t>(transfer.to)]);
      received.emplace(transfer.piece, transfer.to);
    }
    for (std::size_t place = 0; place < chunks.size(); ++place) {
      for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
        EXPECT_TRUE(!reads[place][byte] || copies_[place][byte] == newest(byte))
            << place << " reads something old at " << byte;
      }
    }
    for (std::size_t place = 0; place < chunks.size(); ++place) {
      const Bytes writes = bytesOf(chunks[place].writes);
      for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
        if (writes[byte]) {
          write(static_cast<Place>(place), byte);
        }
      }
    }
  }

  /// What `place` alone has of `range` is copied to place 0, as writes are that return.
  void copyHome(Range range) {
    for (std::uint64_t at = range.begin; at < range.end; ++at) {
      copy(at - kBegin, 0);
    }
  }

  RangeSet heldBy(Place place) const {
    return where([&](std::uint32_t holders) { return (holders & bit(place)) != 0; });
  }

  RangeSet heldAloneBy(Place place) const {
    return where([&](std::uint32_t holders) { return holders == bit(place); });
  }

  void expectSame(const Directory &directory, Random &random) const {
    expectRuns(directory, kAll);
    expectRuns(directory, randomRange(random));
    const auto place = static_cast<Place>(random() % copies_.size());
    const RangeSet within = randomSet(random);
    EXPECT_EQ(directory.missing(place, within), within.subtract(heldBy(place)));
    EXPECT_EQ(directory.onlyAt(place, within), within.intersect(heldAloneBy(place)));
    EXPECT_EQ(directory.sharedBeyond(place, within), within.subtract(heldAloneBy(place)));
    for (const Range &range : within.ranges()) {
      const RangeSet bytes = RangeSet::of({range});
      const Directory::Standing standing = directory.standing(place, range);
      EXPECT_EQ(standing.isValid, bytes.subtract(heldBy(place)).empty());
      EXPECT_EQ(standing.isAlone, bytes.subtract(heldAloneBy(place)).empty());
      if (standing.isValid) {
        EXPECT_EQ(standing.isHome, bytes.subtract(heldBy(0)).empty());
      }
      if (!standing.alike.empty()) {
        EXPECT_TRUE(standing.alike.contains(range));
        const RangeSet alike = RangeSet::of({standing.alike});
        EXPECT_TRUE(kAll.contains(standing.alike)); // Else the model knows nothing of it.
        EXPECT_EQ(standing.isValid, alike.subtract(heldBy(place)).empty());
        EXPECT_EQ(standing.isAlone, alike.subtract(heldAloneBy(place)).empty());
      }
    }
  }

private:
  static constexpr int kStale = -1;

  static std::uint32_t bit(Place place) { return std::uint32_t{1} << place; }

  template <typename Is> RangeSet where(Is &&is) const {
    Bytes bytes;
    for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
      bytes[byte] = is(holders_[byte]);
    }
    return setOf(bytes);
  }

  bool isLink(const Transfer &link) const {
    return topology_.rankOf(link.from) == topology_.rankOf(link.to)
               ? link.from != link.to
               : (topology_.isHost(link.from) && topology_.isHost(link.to)) ||
                     topology_.hasRoute(link.from, link.to);
  }

  void move(const Transfer &transfer, bool isForwarded, const Bytes &reads) {
    const auto from = static_cast<std::size_t>(transfer.from);
    const auto to = static_cast<std::size_t>(transfer.to);
    for (const Range &range : transfer.ranges.ranges()) {
      for (std::uint64_t byte = range.begin - kBegin; byte < range.end - kBegin; ++byte) {
        EXPECT_TRUE(isForwarded || (holders_[byte] & bit(transfer.from)) != 0)
            << "sends what it does not have";
        EXPECT_TRUE((holders_[byte] & bit(transfer.to)) == 0) << "receives what it has";
        copies_[to][byte] = copies_[from][byte];
        if (reads[byte]) {
          holders_[byte] |= bit(transfer.to);
        } else {
          EXPECT_TRUE(topology_.isHost(transfer.to)) << "receives what it does not read";
        }
      }
    }
  }

  int newest(std::uint64_t byte) const {
    return copies_[static_cast<std::size_t>(std::countr_zero(holders_[byte]))][byte];
  }

  void copy(std::uint64_t byte, Place to) {
    copies_[static_cast<std::size_t>(to)][byte] = newest(byte);
    holders_[byte] |= bit(to);
  }

  void write(Place place, std::uint64_t byte) {
    copies_[static_cast<std::size_t>(place)][byte] = ++version_;
    holders_[byte] = bit(place);
  }

  void vanish(std::uint64_t byte, Place from, Place to) {
    if (holders_[byte] == bit(from)) {
      copy(byte, to);
    }
    holders_[byte] &= ~bit(from);
    copies_[static_cast<std::size_t>(from)][byte] = kStale;
  }

  void expectRuns(const Directory &directory, Range range) const {
    std::uint64_t at = range.begin;
    Holders before;
    directory.forEach(range, [&](Range run, const Holders &holders) {
      EXPECT_EQ(run.begin, at);
      EXPECT_FALSE(run.empty());
      EXPECT_NE(holders, before) << "runs are maximal";
      std::uint32_t bits = 0;
      for (const Place place : holders) {
        bits |= bit(place);
      }
      for (std::uint64_t byte = run.begin - kBegin; byte < run.end - kBegin; ++byte) {
        EXPECT_EQ(bits, holders_[byte]) << byte;
      }
      at = run.end;
      before = holders;
    });
    EXPECT_EQ(at, std::max(range.begin, range.end));
  }

  Topology topology_;
  std::vector<std::array<int, kBytes>> copies_;
  std::array<std::uint32_t, kBytes> holders_;
  int version_ = 0;
};

/// A directory that has come to the state of `directory` by the shortest way.
Directory remade(const Directory &directory) {
  Directory made;
  directory.forEach({0, ~std::uint64_t{0}},
                    [&](Range run, const Holders &holders) { made.assign({{{run}, holders}}); });
  return made;
}

/// A directory and its model on one job.
class History {
public:
  History(const Topology &topology, std::uint64_t seed)
      : topology_(topology), random_(seed), model_(topology) {}

  void step() {
    if (random_() % 8 == 0) {
      mark_ = directory_;
      undo_.clear();
    }
    const std::uint64_t kind = random_() % 16;
    if (kind < 8) {
      launch();
    } else if (kind < 11) {
      touch(random_() % 2 == 0 ? Event::Kind::Fetched : Event::Kind::Claimed);
    } else if (kind == 11) {
      bringHome();
    } else if (topology_.hasDevices()) {
      kind == 12 ? lose() : evict();
    }
    model_.expectSame(directory_, random_);
    if (random_() % 8 == 0) {
      expectWayBack();
    }
  }

private:
  void launch() {
    const std::vector<ChunkAccess> chunks = randomChunks(topology_, random_);
    const Step moves = directory_.step(chunks, topology_);
    directory_.assign(moves.assignments, &undo_);
    model_.launch(chunks, moves.transfers);
  }

  void touch(Event::Kind kind) { apply({kind, randomRange(random_, 256)}); }

  /// What a place writes where rank 0 needs it returns.
  void bringHome() {
    const auto place =
        static_cast<Place>(random_() % static_cast<std::uint64_t>(topology_.places()));
    const RangeSet home = model_.heldAloneBy(place).intersect(randomSet(random_));
    if (place != 0 && !home.empty()) {
      directory_.assign({{home.ranges(), {0, place}}}, &undo_);
      for (const Range &range : home.ranges()) {
        model_.copyHome(range);
      }
    }
  }

  Place anyDevice() {
    const auto devices = static_cast<std::uint64_t>(topology_.places() - topology_.ranks());
    return topology_.ranks() + static_cast<Place>(random_() % devices);
  }

  void leave(Place device, const RangeSet &bytes) {
    for (const Range &range : bytes.ranges()) {
      apply({Event::Kind::Evicted, range, device, topology_.rankOf(device)});
    }
  }

  void evict() { leave(anyDevice(), randomSet(random_)); }

  /// All that a device holds vanishes, but for some that is gone: that stays its, until somebody
  /// writes it.
  void lose() {
    const Place device = anyDevice();
    const RangeSet gone = directory_.onlyAt(device, randomSet(random_));
    leave(device, model_.heldBy(device).subtract(gone));
    EXPECT_EQ(directory_.missing(device, RangeSet::of({kAll})),
              RangeSet::of({kAll}).subtract(gone));
  }

  void apply(const Event &event) {
    directory_.apply(event, &undo_);
    model_.apply(event);
  }

  /// The identity follows from the state alone, and what was noted leads back and forth.
  void expectWayBack() {
    const Directory same = remade(directory_);
    EXPECT_EQ(same, directory_);
    EXPECT_EQ(same.identity(), directory_.identity());
    Directory back = directory_;
    const Assignments changes = back.now(undo_);
    back.revert(undo_);
    EXPECT_EQ(back, mark_);
    back.assign(changes);
    EXPECT_EQ(back, directory_);
  }

  const Topology topology_;
  Random random_;
  Model model_;
  Directory directory_;
  Directory mark_;
  Assignments undo_; ///< Leads back to `mark_`.
};

/// Hosts alone, devices, and devices with routes between ranks.
std::vector<Topology> topologies() {
  return {Topology::ofHosts(1),
          Topology::ofHosts(4),
          Topology({1}),
          Topology({1, 1}),
          Topology({2, 0, 1}),
          Topology({1, 1}, {{2, 3}, {3, 2}}),
          Topology({2, 1, 1}, {{3, 5}, {5, 3}, {4, 6}}),
          Topology::ofHosts(7),
          Topology({2, 2, 2})};
}

TEST(DirectoryModel, AgreesWithEveryByteOfLongHistories) {
  const std::vector<Topology> all = topologies();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    // The jobs with devices come soon.
    const Topology &topology = all[(seed * 4 + 3) % all.size()];
    History history(topology, seed);
    for (int step = 0; step < kSteps; ++step) {
      history.step();
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
    }
  }
}

} // namespace

} // namespace tutti::memory
