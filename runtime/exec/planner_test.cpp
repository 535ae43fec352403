// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plans against a job played in this process: every rank's copies of some words, and what one
/// rank alone would hold.
#include "base/test_allocations.h"
#include "base/test_instructions.h"
#include "base/test_share.h"
#include "runtime/exec/followed.h"
#include "runtime/exec/owners.h"
#include "runtime/exec/planner.h"
#include "runtime/exec/streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <unistd.h>
#include <vector>

namespace tutti::exec {

namespace {

using memory::Event;
using memory::kHeapBase;
using memory::kPageBytes;
using test::allocations;

constexpr std::uint64_t kWord = 8;

/// Where variables of the program would be; nobody touches them here.
constexpr Range kGlobals{0x800000, 0x900000};

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({512 << 20, 1 << 20, {kGlobals}, false});
  return *mapped;
}

const memory::Topology &hosts(Rank ranks) {
  static std::map<Rank, memory::Topology> topologies;
  return topologies.try_emplace(ranks, memory::Topology::ofHosts(ranks)).first->second;
}

Planner plannerOf(Rank self, Rank ranks) {
  static const Rooms rooms(window(), {});
  return {self, hosts(ranks), window(), rooms};
}

/// What iterations [lower, upper) of [0, total) touch.
using Accesses = std::function<void(tutti_sink &, std::int64_t lower, std::int64_t upper)>;

/// A region whose first capture is the address of its `Accesses`.
tutti_region regionOf(std::uint64_t id) {
  tutti_region region{};
  region.id = id;
  region.source = "test.c:1:1";
  region.accesses = [](const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                       std::int64_t upper, std::int64_t, tutti_sink *sink) {
    (*reinterpret_cast<const Accesses *>(captures[0]))(*sink, lower, upper);
  };
  return region;
}

/// A launch on all hosts in equal parts.
struct Loop {
  Loop(Rank ranks, std::int64_t total, Accesses what) : accesses(std::move(what)) {
    static std::uint64_t ids = 0;
    region = regionOf(++ids);
    launch.region = &region;
    launch.captures = {reinterpret_cast<std::uint64_t>(&accesses)};
    launch.total = total;
    for (Rank rank = 0; rank < ranks; ++rank) {
      launch.shares.push_back({rank, 1});
    }
  }

  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;

  Accesses accesses;
  tutti_region region{};
  Launch launch;
};

/// Elements [lower, upper) of the array of words at `base`.
void add(tutti_sink &sink, std::uint32_t flags, std::uint64_t base, std::int64_t lower,
         std::int64_t upper) {
  const tutti_dim dim{kWord, upper - lower};
  sink.add(flags, base, base + static_cast<std::uint64_t>(lower) * kWord, kWord, 1, &dim);
}

class PlannerTest : public testing::Test {};

class Job {
public:
  explicit Job(Rank ranks)
      : ranks_(ranks), unseen_(plannerOf(0, ranks)), copies_(static_cast<std::size_t>(ranks)) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      planners_.push_back(plannerOf(rank, ranks));
    }
    const std::uint64_t stackTop = window().stack().end;
    areas_ = {{kHeapBase, kHeapBase + 16 * kPageBytes}, {stackTop - 4 * kPageBytes, stackTop}};
  }

  /// Sequential code of rank 0 reads or writes a word.
  void touch(std::uint64_t address, bool write) {
    const Range page = memory::pagesAround({address, address + 1});
    if (access(page.begin) == Access::None) {
      planners_[0].directory().forEach(page, [&](Range run, const memory::Holders &holders) {
        copyWords(holders.front(), 0, run);
      });
      record({Event::Kind::Fetched, page});
      pages_[page.begin] = isShared(page) ? Access::ReadOnly : Access::Open;
    }
    EXPECT_EQ(at(0, address), truth_[address]) << "rank 0 reads an old word";
    if (!write) {
      return;
    }
    if (access(page.begin) == Access::ReadOnly) {
      if (isShared(page)) {
        record({Event::Kind::Claimed, page});
      }
      pages_[page.begin] = Access::Open;
    } else {
      EXPECT_TRUE(!isShared({address, address + kWord}) || twins_.contains(page.begin))
          << "rank 0 writes unnoticed";
    }
    changed_.insert(address);
    store(0, address);
  }

  /// All ranks plan, exchange, run and go on. `seed` chooses what at-most writes write.
  void run(const Loop &loop, std::uint64_t seed) {
    collectTwins();
    for (std::size_t rank = 1; rank < planners_.size(); ++rank) {
      planners_[rank].apply(events_);
    }
    events_.clear();
    std::vector<std::shared_ptr<const Plan>> plans;
    for (Planner &planner : planners_) {
      plans.push_back(planner.plan(loop.launch).plan);
      ASSERT_EQ(plans.back()->reasonHome, "");
    }
    exchange(plans);
    compute(loop, plans, seed);
    merge(plans);
    for (const Return &returned : plans[0]->returns) {
      for (const Range &range : returned.ranges.ranges()) {
        copyWords(returned.from, 0, range);
      }
    }
    const memory::Directory before = planners_[0].directory();
    for (std::size_t rank = 0; rank < planners_.size(); ++rank) {
      planners_[rank].commit(*plans[rank]);
      EXPECT_TRUE(planners_[rank].directory() == planners_[0].directory());
      EXPECT_TRUE(planners_[rank].directoryBefore() == before);
    }
    unseen_.commit(*unseen_.plan(loop.launch).plan);
    protect(*plans[0]);
    check();
    before_ = before;
  }

  /// The planner that nobody looked into knows what the others know.
  void look() {
    EXPECT_TRUE(unseen_.directoryBefore() == before_);
    EXPECT_TRUE(unseen_.directory() == planners_[0].directory());
    EXPECT_TRUE(unseen_.directoryBefore() == before_);
    EXPECT_TRUE(planners_[0].directoryBefore() == before_);
  }

  const std::vector<Range> &areas() const { return areas_; }

private:
  enum class Access { Open, ReadOnly, None };

  template <typename Visit> static void forWords(Range range, Visit &&visit) {
    for (std::uint64_t word = range.begin & ~(kWord - 1); word < range.end; word += kWord) {
      visit(word);
    }
  }

  Access access(std::uint64_t page) const {
    const auto found = pages_.find(page);
    return found == pages_.end() ? Access::Open : found->second;
  }

  std::uint64_t at(Rank rank, std::uint64_t address) {
    return copies_[static_cast<std::size_t>(rank)][address];
  }

  bool isShared(Range range) {
    return !planners_[0].directory().sharedBeyond(0, RangeSet::of({range})).empty();
  }

  void copyWords(Rank from, Rank to, Range range) {
    forWords(range, [&](std::uint64_t word) {
      copies_[static_cast<std::size_t>(to)][word] = at(from, word);
    });
  }

  void store(Rank rank, std::uint64_t address) {
    copies_[static_cast<std::size_t>(rank)][address] = truth_[address] = ++versions_;
  }

  void record(const Event &event) {
    planners_[0].apply({&event, 1});
    unseen_.apply({&event, 1});
    events_.push_back(event);
  }

  void collectTwins() {
    for (const std::uint64_t address : std::exchange(changed_, {})) {
      const Range word{address, address + kWord};
      if (twins_.contains(memory::pagesAround(word).begin) && isShared(word)) {
        record({Event::Kind::Claimed, word});
      }
    }
    std::erase_if(twins_,
                  [this](std::uint64_t page) { return !isShared({page, page + kPageBytes}); });
  }

  /// The n-th send from a to b is the n-th receive of b from a, and carries the same ranges.
  void exchange(const std::vector<std::shared_ptr<const Plan>> &plans) {
    std::map<std::pair<Rank, Rank>, std::vector<RangeSet>> sends;
    std::map<std::pair<Rank, Rank>, std::vector<RangeSet>> receives;
    std::set<std::pair<Rank, const Link *>> done;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      for (const Link &link : plans[static_cast<std::size_t>(rank)]->links) {
        auto &side = link.isSend ? sends[{rank, link.peer}] : receives[{link.peer, rank}];
        side.push_back(link.ranges);
      }
    }
    ASSERT_EQ(sends, receives);
    for (bool moved = true; moved;) {
      moved = false;
      for (Rank rank = 0; rank < ranks_; ++rank) {
        moved = advance(rank, plans, done) || moved;
      }
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      for (const Link &link : plans[static_cast<std::size_t>(rank)]->links) {
        EXPECT_TRUE(done.contains({rank, &link})) << "ranks wait for one another";
      }
    }
  }

  /// Sends of `rank` whose bytes are there; marks both ends.
  bool advance(Rank rank, const std::vector<std::shared_ptr<const Plan>> &plans,
               std::set<std::pair<Rank, const Link *>> &done) {
    bool moved = false;
    const std::vector<Link> &links = plans[static_cast<std::size_t>(rank)]->links;
    for (const Link &link : links) {
      if (!link.isSend || done.contains({rank, &link}) ||
          (link.after && !done.contains({rank, &links[*link.after]}))) {
        continue;
      }
      const std::vector<Link> &theirs = plans[static_cast<std::size_t>(link.peer)]->links;
      const auto end = std::find_if(theirs.begin(), theirs.end(), [&](const Link &other) {
        return !other.isSend && other.peer == rank && other.ranges == link.ranges &&
               !done.contains({link.peer, &other});
      });
      if (end == theirs.end()) {
        continue;
      }
      for (const Range &range : link.ranges.ranges()) {
        copyWords(rank, link.peer, range);
      }
      done.insert({rank, &link});
      done.insert({link.peer, &*end});
      moved = true;
    }
    return moved;
  }

  void compute(const Loop &loop, const std::vector<std::shared_ptr<const Plan>> &plans,
               std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::pair<Rank, std::uint64_t>> writes;
    std::map<std::uint64_t, std::vector<Rank>> scattered; // Who may write a word.
    std::int64_t lower = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const balance::Chunk chunk = plans[static_cast<std::size_t>(rank)]->chunk;
      EXPECT_EQ(chunk.lower, lower) << "chunks follow one another";
      lower = chunk.upper;
      expectPieces(loop, *plans[static_cast<std::size_t>(rank)]);
      const Touches touches =
          touchesOf(loop.launch, window(), chunk.lower, chunk.upper, allocationsOf(loop.launch));
      for (const Range &range : touches.sets.reads.ranges()) {
        forWords(range, [&](std::uint64_t word) {
          EXPECT_EQ(at(rank, word), truth_[word]) << "rank " << rank << " reads an old word";
        });
      }
      for (const Range &range : touches.sets.writes.ranges()) {
        forWords(range, [&](std::uint64_t word) {
          const RangeSet bytes = RangeSet::of({{word, word + kWord}});
          const bool isAtMost = touches.sets.atMost.overlaps(bytes);
          if (touches.sets.scattered.overlaps(bytes)) {
            scattered[word].push_back(rank);
          } else if (!isAtMost || random() % 2 == 0) {
            writes.emplace_back(rank, word);
          }
        });
      }
    }
    EXPECT_EQ(lower, loop.launch.total);
    for (const auto &[word, ranks] : scattered) {
      if (random() % 3 != 0) {
        writes.emplace_back(ranks[random() % ranks.size()], word);
      }
    }
    expectSameBase(plans);
    for (const auto &[rank, word] : writes) {
      store(rank, word);
      if (plans[static_cast<std::size_t>(rank)]->merged.overlaps(
              RangeSet::of({{word, word + kWord}}))) {
        changes_.emplace_back(rank, word);
      }
    }
  }

  /// The pieces of a part are all of it, and none touches what it does not wait for.
  static void expectPieces(const Loop &loop, const Plan &plan) {
    std::vector<Piece> pieces = plan.waiting;
    if (!plan.interior.empty()) {
      pieces.push_back({plan.interior, {}});
    }
    std::ranges::sort(pieces, {}, [](const Piece &piece) { return piece.chunk.lower; });
    std::int64_t next = plan.chunk.lower;
    for (const Piece &piece : pieces) {
      EXPECT_EQ(piece.chunk.lower, next);
      EXPECT_FALSE(piece.chunk.empty());
      next = piece.chunk.upper;
      const Touches touches = touchesOf(loop.launch, window(), piece.chunk.lower, piece.chunk.upper,
                                        allocationsOf(loop.launch));
      for (std::size_t link = 0; link < plan.links.size(); ++link) {
        const RangeSet &received = plan.links[link].ranges;
        const bool isAwaited =
            std::ranges::find(piece.needs, link, &Need::link) != piece.needs.end();
        if (!plan.links[link].isSend && !isAwaited) {
          EXPECT_FALSE(touches.sets.reads.overlaps(received));
          EXPECT_FALSE(touches.sets.writes.overlaps(received));
        }
      }
    }
    EXPECT_EQ(next, plan.chunk.upper);
  }

  /// All that look for what changed begin with the same.
  void expectSameBase(const std::vector<std::shared_ptr<const Plan>> &plans) {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      for (const Range &range : plans[static_cast<std::size_t>(rank)]->merged.ranges()) {
        forWords(range, [&](std::uint64_t word) {
          EXPECT_EQ(at(rank, word), truth_[word]) << "rank " << rank << " compares with old words";
        });
      }
    }
  }

  void merge(const std::vector<std::shared_ptr<const Plan>> &plans) {
    for (const auto &[rank, word] : std::exchange(changes_, {})) {
      EXPECT_TRUE(plans[0]->merged.overlaps(RangeSet::of({{word, word + kWord}})));
      const std::vector<Rank> &all = plans[0]->contributors;
      EXPECT_TRUE(std::binary_search(all.begin(), all.end(), rank));
      copyWords(rank, 0, {word, word + kWord});
    }
  }

  void protect(const Plan &plan) {
    const auto forPages = [](const RangeSet &pages, const auto &visit) {
      for (const Range &range : pages.ranges()) {
        EXPECT_EQ((range.begin | range.end) % kPageBytes, 0U);
        for (std::uint64_t page = range.begin; page < range.end; page += kPageBytes) {
          visit(page);
        }
      }
    };
    EXPECT_FALSE(plan.absentPages.overlaps(plan.readOnlyPages));
    forPages(plan.twinPages, [&](std::uint64_t page) {
      if (access(page) == Access::Open) {
        twins_.insert(page);
      }
    });
    forPages(plan.absentPages, [&](std::uint64_t page) {
      pages_[page] = Access::None;
      twins_.erase(page);
    });
    forPages(plan.readOnlyPages, [&](std::uint64_t page) {
      pages_[page] = std::max(access(page), Access::ReadOnly);
      twins_.erase(page);
    });
  }

  /// Who is said to hold a word holds the newest; what rank 0 may touch is the newest.
  void check() {
    for (const Range &area : areas_) {
      planners_[0].directory().forEach(area, [&](Range run, const memory::Holders &holders) {
        for (const Rank rank : holders) {
          forWords(run, [&](std::uint64_t word) {
            ASSERT_EQ(at(rank, word), truth_[word]) << "rank " << rank << " at " << word;
          });
        }
      });
      for (std::uint64_t page = area.begin; page < area.end; page += kPageBytes) {
        if (access(page) != Access::None) {
          EXPECT_TRUE(planners_[0]
                          .directory()
                          .missing(0, RangeSet::of({{page, page + kPageBytes}}))
                          .empty());
        }
      }
    }
  }

  Rank ranks_;
  std::vector<Planner> planners_;
  Planner unseen_; ///< As the first one, but nobody looks into its directory.
  std::vector<std::map<std::uint64_t, std::uint64_t>> copies_; ///< By rank: word to version.
  memory::Directory before_;                                   ///< Before the latest launch.
  std::map<std::uint64_t, std::uint64_t> truth_;
  std::uint64_t versions_ = 0;
  std::vector<Range> areas_;
  std::map<std::uint64_t, Access> pages_;
  std::set<std::uint64_t> twins_;
  std::set<std::uint64_t> changed_; ///< Words that rank 0 wrote since the launch before.
  std::vector<Event> events_;
  std::vector<std::pair<Rank, std::uint64_t>> changes_; ///< To be merged.
};

/// Two large arrays of the heap, one that shares their last page, and a small one on the stack.
struct Arrays {
  std::uint64_t a = kHeapBase + 64;
  std::uint64_t b = a + 2000 * kWord;
  std::uint64_t c = b + 2000 * kWord;
  std::uint64_t onStack = window().stack().end - kPageBytes - 800;
  std::int64_t large = 2000;
  std::int64_t small = 200;

  /// Those of the heap; they may be asked for by their begins.
  std::vector<Allocation> inHeap() const {
    return {{a, {a, b}}, {b, {b, c}}, {c, {c, c + 2000 * kWord}}};
  }
};

/// What is read, what is written, both or nothing.
Widening randomWidening(std::mt19937_64 &random) {
  const auto kinds = random();
  return {kinds % 4 == 1 || kinds % 4 == 3, kinds % 4 >= 2};
}

std::unique_ptr<Loop> randomLoop(Rank ranks, std::mt19937_64 &random) {
  const Arrays arrays;
  const std::vector<std::uint64_t> bases{arrays.a, arrays.b, arrays.c, arrays.onStack};
  const std::uint64_t target = bases[random() % 4];
  std::uint64_t source = bases[random() % 4];
  while (source == target) {
    source = bases[random() % 4];
  }
  const bool isSmall = target == arrays.onStack || source == arrays.onStack;
  const std::int64_t size = isSmall ? arrays.small : arrays.large;
  const auto block = static_cast<std::int64_t>(1 + random() % 40);
  const std::int64_t total = (size - 2) / block;
  const std::uint32_t write = TUTTI_WRITE | (random() % 3 == 0 ? TUTTI_AT_MOST : 0);
  const auto kind = random() % 5;
  return std::make_unique<Loop>(ranks, total,
                                [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
                                  const std::int64_t first = 1 + lower * block;
                                  const std::int64_t last = 1 + upper * block;
                                  if (kind == 0) { // Neighbours.
                                    add(sink, TUTTI_READ, source, first - 1, last + 1);
                                    add(sink, write, target, first, last);
                                  } else if (kind == 1) { // Everybody reads everything.
                                    add(sink, TUTTI_READ, source, 0, size);
                                    add(sink, write, target, first, last);
                                  } else if (kind == 2) { // In reverse.
                                    add(sink, TUTTI_READ, source, size - last, size - first);
                                    add(sink, write, target, first, last);
                                  } else if (kind == 3) { // Anywhere.
                                    const auto bytes = static_cast<std::uint64_t>(size) * kWord;
                                    sink.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED, target,
                                             target, bytes, 0, nullptr);
                                    add(sink, TUTTI_READ, source, first, last);
                                    add(sink, write, source, first, last);
                                  } else { // In place.
                                    add(sink, TUTTI_READ, target, first, last);
                                    add(sink, write, target, first, last);
                                  }
                                });
}

/// Part of a matrix of `kColumns` columns.
struct Box {
  static constexpr std::int64_t kColumns = 40;

  std::int64_t top;
  std::int64_t bottom;
  std::int64_t left;
  std::int64_t right;
};

void add(tutti_sink &sink, std::uint32_t flags, std::uint64_t base, const Box &box) {
  const std::array<tutti_dim, 2> dims{tutti_dim{kWord * Box::kColumns, box.bottom - box.top},
                                      tutti_dim{kWord, box.right - box.left}};
  sink.add(flags, base,
           base + static_cast<std::uint64_t>(box.top * Box::kColumns + box.left) * kWord, kWord,
           dims.size(), dims.data());
}

/// A loop over rows or columns of a box that is anywhere in a matrix: its captures are new each
/// time.
std::unique_ptr<Loop> randomBoxes(Rank ranks, std::mt19937_64 &random) {
  const Arrays arrays;
  constexpr std::int64_t kRows = 50;
  const std::uint64_t target = random() % 2 == 0 ? arrays.a : arrays.b;
  const std::uint64_t source = target == arrays.a ? arrays.b : arrays.a;
  const auto between = [&random](std::int64_t lowest, std::int64_t most) {
    return lowest + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - lowest));
  };
  Box box{};
  box.top = between(1, kRows - 10);
  box.bottom = between(box.top + 4, kRows);
  // Narrow ones, and ones with a border of some words.
  box.left = random() % 2 == 0 ? between(1, 4) : between(1, Box::kColumns - 9);
  box.right = box.left < 4 && random() % 2 == 0 ? Box::kColumns - 1 : box.left + between(1, 8);
  const std::uint32_t write = TUTTI_WRITE | (random() % 3 == 0 ? TUTTI_AT_MOST : 0);
  const auto kind = random() % 4;
  const bool byRows = kind != 3;
  const std::int64_t total = byRows ? box.bottom - box.top : box.right - box.left;
  return std::make_unique<Loop>(
      ranks, total, [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
        Box part = box;
        (byRows ? part.bottom : part.right) = (byRows ? box.top : box.left) + upper;
        (byRows ? part.top : part.left) += lower;
        if (kind == 0) { // In place, with a row that all read.
          add(sink, TUTTI_READ, target, part);
          add(sink, TUTTI_READ, target, {box.top - 1, box.top, box.left, box.right});
        } else if (kind == 1) { // Neighbours.
          add(sink, TUTTI_READ, source,
              {part.top - 1, part.bottom + 1, part.left - 1, part.right + 1});
        } else if (kind == 2) { // All rows of the columns beside.
          add(sink, TUTTI_READ, target, {0, kRows, 0, box.left});
          add(sink, TUTTI_READ, target, {0, kRows, box.right, Box::kColumns});
        } else { // Columns, from all of another matrix.
          add(sink, TUTTI_READ, source, {0, kRows, 0, Box::kColumns});
        }
        add(sink, write, target, part);
      });
}

/// Random jobs of each number of ranks.
const std::uint64_t kSeeds = casesOf(5);

class PlannerOnRanks : public PlannerTest, public testing::WithParamInterface<Rank> {};

TEST_P(PlannerOnRanks, LetsEveryRankReadWhatOneRankAloneWouldRead) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    Job job(GetParam());
    std::vector<std::unique_ptr<Loop>> loops;
    for (int index = 0; index < 4; ++index) {
      loops.push_back(randomLoop(GetParam(), random));
      loops.back()->launch.widening = index < 2 ? Widening() : randomWidening(random);
      loops.back()->launch.allocations = Arrays().inHeap();
    }
    for (int step = 0; step < 12 && !HasFailure(); ++step) {
      const std::uint64_t most = random() % 2 == 0 ? 1 : 12;
      for (std::uint64_t touches = random() % most; touches > 0; --touches) {
        const Range area = job.areas()[random() % 4 == 0 ? 1 : 0];
        job.touch(area.begin + random() % (area.size() / kWord) * kWord, random() % 2 == 0);
      }
      if (random() % 4 == 0) {
        job.look();
      }
      for (std::uint64_t launches = 1 + random() % 3; launches > 0; --launches) {
        if (random() % 2 == 0) {
          loops.push_back(randomBoxes(GetParam(), random));
          loops.back()->launch.takesHulls = random() % 2 == 0;
          loops.back()->launch.arrays = {{Arrays().a, Arrays().c}};
          loops.back()->launch.widening = random() % 2 == 0 ? Widening() : randomWidening(random);
          loops.back()->launch.allocations = Arrays().inHeap();
          job.run(*loops.back(), random());
        } else {
          job.run(*loops[random() % loops.size()], random());
        }
      }
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

/// A window of some columns, over rows that are cut anywhere.
std::unique_ptr<Loop> windowAt(Rank ranks, std::int64_t left, std::int64_t width,
                               std::mt19937_64 &random) {
  constexpr std::int64_t kRows = 50;
  const std::int64_t top = static_cast<std::int64_t>(random() % 3);
  auto loop = std::make_unique<Loop>(
      ranks, kRows - top, [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
        const Box part{top + lower, top + upper, left, left + width};
        add(sink, TUTTI_READ | TUTTI_WRITE, Arrays().a, part);
        if (left > 8) { // Others may read what would be taken.
          add(sink, TUTTI_READ, Arrays().a, {part.top, part.top + 1, 2, 4});
        }
      });
  for (Share &share : loop->launch.shares) {
    share.weight = 1 + static_cast<std::uint32_t>(random() % 2);
  }
  return loop;
}

TEST_P(PlannerOnRanks, ReadsNoOldWordWhereWindowsMoveOn) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    Job job(GetParam());
    std::vector<std::unique_ptr<Loop>> loops;
    std::int64_t left = 10;
    for (int step = 0; step < 40 && !HasFailure(); ++step) {
      if (random() % 4 == 0) {
        const Range area = job.areas()[0];
        job.touch(area.begin + random() % (area.size() / kWord) * kWord, random() % 2 == 0);
      }
      if (random() % 6 == 0) {
        loops.push_back(randomBoxes(GetParam(), random));
      } else {
        left = std::clamp<std::int64_t>(left + static_cast<std::int64_t>(random() % 4) - 1, 0, 28);
        loops.push_back(
            windowAt(GetParam(), left, 8 + static_cast<std::int64_t>(random() % 5), random));
      }
      Launch &launch = loops.back()->launch;
      launch.takesHulls = random() % 4 != 0;
      launch.arrays = {{Arrays().a, Arrays().c}};
      job.run(*loops.back(), random());
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, PlannerOnRanks, testing::Values(1, 2, 3, 5, 8));

/// b[i] from a[i - 1] to a[i + 1], and back.
struct Stencil {
  explicit Stencil(Rank ranks)
      : there(ranks, 100000, stepFrom(kHeapBase, kHeapBase + (1 << 20))),
        back(ranks, 100000, stepFrom(kHeapBase + (1 << 20), kHeapBase)) {}

  static Accesses stepFrom(std::uint64_t from, std::uint64_t to) {
    return [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
      add(sink, TUTTI_READ, from, lower, upper + 2);
      add(sink, TUTTI_WRITE, to, lower + 1, upper + 1);
    };
  }

  Loop there;
  Loop back;
};

/// Bytes of all links of rank 1, of which a launch on two ranks reads and writes parts of two
/// arrays.
std::uint64_t exchangedOf(Widening widening, bool knowsObjects) {
  constexpr std::uint64_t kOther = kHeapBase + (1 << 20);
  Loop loop(2, 1000, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ, kHeapBase, lower, upper);
    add(sink, TUTTI_WRITE, kOther, lower, upper);
  });
  loop.launch.widening = widening;
  if (knowsObjects) {
    loop.launch.allocations = {{kHeapBase, {kHeapBase, kHeapBase + 4000 * kWord}},
                               {kOther, {kOther, kOther + 2000 * kWord}}};
  }
  Planner planner = plannerOf(1, 2);
  const auto plan = planner.plan(loop.launch).plan;
  EXPECT_EQ(plan->reasonHome, "");
  EXPECT_EQ(plan->merged.bytes(), widening.writes && knowsObjects ? 2000 * kWord : 0);
  std::uint64_t bytes = 0;
  for (const Link &link : plan->links) {
    bytes += link.ranges.bytes();
  }
  return bytes;
}

TEST_F(PlannerTest, TakesWholeObjectsWhereRecordsAreWidened) {
  EXPECT_EQ(exchangedOf({false, false}, true), 500 * kWord);
  EXPECT_EQ(exchangedOf({true, false}, true), 4000 * kWord);
  EXPECT_EQ(exchangedOf({false, true}, true), (500 + 2000) * kWord); // To compare with.
  EXPECT_EQ(exchangedOf({true, true}, true), (4000 + 2000) * kWord);
}

TEST_F(PlannerTest, TakesWhatRecordsSayOfObjectsThatItDoesNotKnow) {
  EXPECT_EQ(exchangedOf({true, true}, false), 500 * kWord);
}

TEST_F(PlannerTest, KnowsThePlansOfATimeLoop) {
  const Stencil stencil(4);
  Planner planner = plannerOf(1, 4);
  int unknown = 0;

  for (int step = 0; step < 50; ++step) {
    for (const Loop *loop : {&stencil.there, &stencil.back}) {
      const auto [plan, isKnown] = planner.plan(loop->launch);
      unknown += isKnown ? 0 : 1;
      planner.commit(*plan);
    }
  }

  EXPECT_LE(unknown, 4);
}

TEST_F(PlannerTest, AllocatesNothingAndLeavesTheDirectoryAloneInATimeLoop) {
  const Stencil stencil(4);
  Planner planner = plannerOf(1, 4);
  const memory::Directory &directory = planner.directory();
  const auto goRound = [&](int times) {
    for (int step = 0; step < times; ++step) {
      for (const Loop *loop : {&stencil.there, &stencil.back}) {
        planner.commit(*planner.plan(loop->launch).plan);
      }
    }
  };
  goRound(500);
  const std::uint64_t visits = directory.visits();
  const std::uint64_t allocated = allocations;

  goRound(500);

  EXPECT_EQ(allocations, allocated);
  EXPECT_EQ(directory.visits(), visits);
}

/// A directory with many runs: every other word of an array is valid at rank 1 alone.
class FragmentedTest : public PlannerTest {
protected:
  static constexpr std::int64_t kRuns = 100000;

  FragmentedTest() {
    Loop loop(2, 2 * kRuns, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
      add(sink, TUTTI_WRITE, kHeapBase, lower, upper);
    });
    loop.launch.shares = {{1, 1}};
    planner_.commit(*planner_.plan(loop.launch).plan);
    std::vector<Event> claims;
    for (std::uint64_t index = 0; index < kRuns; ++index) {
      const std::uint64_t word = kHeapBase + 2 * index * kWord;
      claims.push_back({Event::Kind::Claimed, {word, word + kWord}});
    }
    planner_.apply(claims);
  }

  Planner planner_ = plannerOf(0, 2);
};

TEST_F(FragmentedTest, GetsEventsAndLaunchesThatMeetFewRuns) {
  const Loop first(2, 10, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ, kHeapBase, 50000 + lower, 50000 + upper);
    add(sink, TUTTI_WRITE, kHeapBase, 80000 + lower, 80000 + upper);
  });
  const Loop second(2, 10, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, kHeapBase, 20000 + lower, 20000 + upper);
  });
  const memory::Directory &directory = planner_.directory();
  std::size_t runs = 0;
  directory.forEach(window().heap(), [&](Range, const memory::Holders &) { ++runs; });
  EXPECT_GE(runs, 2U * kRuns);
  const std::uint64_t visits = directory.visits();
  const std::uint64_t allocated = allocations;
  const auto fetch = [&](std::uint64_t word) {
    const Range bytes{kHeapBase + word * kWord, kHeapBase + (word + 10) * kWord};
    const Event fetched{Event::Kind::Fetched, bytes};
    planner_.apply({&fetched, 1});
    return RangeSet::of({bytes});
  };

  fetch(30000);
  EXPECT_FALSE(planner_.plan(first.launch).isKnown);
  planner_.commit(*planner_.plan(first.launch).plan);
  const RangeSet fetched = fetch(60000);
  EXPECT_EQ(planner_.directoryBefore().missing(0, fetched).bytes(), 5 * kWord);
  EXPECT_TRUE(planner_.directory().missing(0, fetched).empty());
  EXPECT_FALSE(planner_.plan(second.launch).isKnown);
  planner_.commit(*planner_.plan(second.launch).plan);
  fetch(40000);

  EXPECT_LT(directory.visits() - visits, 1000U);
  EXPECT_LT(allocations - allocated, 1000U);
}

TEST_F(PlannerTest, MovesOneElementPerNeighbourInATimeLoop) {
  const Stencil stencil(4);
  Planner planner = plannerOf(1, 4);
  for (int step = 0; step < 3; ++step) {
    planner.commit(*planner.plan(stencil.there.launch).plan);
    planner.commit(*planner.plan(stencil.back.launch).plan);
  }

  const auto plan = planner.plan(stencil.there.launch).plan;

  ASSERT_EQ(plan->links.size(), 4U);
  for (const Link &link : plan->links) {
    EXPECT_EQ(link.ranges.bytes(), kWord);
    EXPECT_TRUE(link.peer == 0 || link.peer == 2);
  }
}

/// What rank 1 of 2 writes of the words [first, last) of an array among the variables, and has to
/// return to rank 0, once `before` have run.
std::uint64_t bytesReturned(std::uint64_t base, std::int64_t first, std::int64_t last,
                            const std::vector<Accesses> &before) {
  Planner planner = plannerOf(0, 2);
  for (const Accesses &accesses : before) {
    const Loop loop(2, 10, accesses);
    planner.commit(*planner.plan(loop.launch).plan);
  }
  const Loop writes(2, last - first, [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, base, first + lower, first + upper);
  });
  std::uint64_t bytes = 0;
  for (const Return &returned : planner.plan(writes.launch).plan->returns) {
    bytes += returned.ranges.bytes();
  }
  return bytes;
}

Accesses readsOf(std::uint64_t base, std::int64_t first, std::int64_t last) {
  return [=](tutti_sink &sink, std::int64_t, std::int64_t) {
    add(sink, TUTTI_READ, base, first, last);
  };
}

TEST_F(PlannerTest, ReturnsNothingOfVariablesThatWereSeenToBeOfAnArray) {
  constexpr std::uint64_t kBase = kGlobals.begin + 64;

  // The last word that is written is the tenth of its page.
  EXPECT_EQ(bytesReturned(kBase, 512, 2050, {}), 10 * kWord);
  EXPECT_EQ(bytesReturned(kBase, 512, 2050, {readsOf(kBase, 0, 4096)}), 0U);
}

TEST_F(PlannerTest, ReturnsNothingOfAPageThatTwoArraysShare) {
  constexpr std::uint64_t kBase = kGlobals.begin + 64;
  constexpr std::uint64_t kNext = kBase + 2050 * kWord;

  EXPECT_EQ(bytesReturned(kBase, 512, 2050, {readsOf(kNext, 0, 2048)}), 0U);
  // Something of the program lies in between.
  EXPECT_EQ(bytesReturned(kBase, 512, 2050, {readsOf(kNext + kWord, 0, 2048)}), 10 * kWord);
}

TEST_F(PlannerTest, ReturnsVariablesThatShareAPageWithSmallOnes) {
  constexpr std::uint64_t kBase = kGlobals.begin + 64;
  constexpr std::uint64_t kNext = kBase + 2050 * kWord;

  EXPECT_EQ(bytesReturned(kBase, 512, 2050,
                          {readsOf(kNext, 0, 511), readsOf(kNext + 511 * kWord, 0, 511)}),
            10 * kWord);
}

TEST_F(PlannerTest, RunsTheInteriorWhileNeighboursSend) {
  const Stencil stencil(4);
  Planner planner = plannerOf(1, 4);
  for (int step = 0; step < 3; ++step) {
    planner.commit(*planner.plan(stencil.there.launch).plan);
    planner.commit(*planner.plan(stencil.back.launch).plan);
  }

  const auto plan = planner.plan(stencil.there.launch).plan;

  EXPECT_EQ(plan->chunk, (balance::Chunk{25000, 50000}));
  EXPECT_EQ(plan->interior, (balance::Chunk{25001, 49999}));
  ASSERT_EQ(plan->waiting.size(), 2U);
  EXPECT_EQ(plan->waiting[0].chunk, (balance::Chunk{25000, 25001}));
  EXPECT_EQ(plan->waiting[1].chunk, (balance::Chunk{49999, 50000}));
  for (std::size_t index = 0; index < 2; ++index) {
    const Piece &piece = plan->waiting[index];
    ASSERT_EQ(piece.needs.size(), 1U) << "each end waits for its own neighbour";
    const Link &link = plan->links[piece.needs[0].link];
    EXPECT_FALSE(link.isSend);
    EXPECT_EQ(link.peer, index == 0 ? 0 : 2);
    EXPECT_EQ(piece.needs[0].bytes, link.ranges.bytes());
  }
}

TEST_F(PlannerTest, KeepsPiecesTogetherThatMayHaveAnOrder) {
  Stencil stencil(4);
  const std::int64_t total = stencil.there.launch.total;
  stencil.there.launch.piece = 24;
  Planner planner = plannerOf(1, 4);
  for (int step = 0; step < 3; ++step) {
    planner.commit(*planner.plan(stencil.there.launch).plan);
    planner.commit(*planner.plan(stencil.back.launch).plan);
  }

  const auto plan = planner.plan(stencil.there.launch).plan;

  std::int64_t end = 0;
  for (const balance::Chunk &chunk : chunksOf(stencil.there.launch)) {
    EXPECT_EQ(chunk.lower, end);
    EXPECT_EQ(chunk.lower % 24, 0);
    end = chunk.upper;
  }
  EXPECT_EQ(end, total);
  EXPECT_TRUE(plan->interior.empty());
  ASSERT_EQ(plan->waiting.size(), 1U);
  EXPECT_EQ(plan->waiting[0].chunk, plan->chunk);
  EXPECT_EQ(plan->chunk, chunksOf(stencil.there.launch)[1]);
  stencil.there.launch.piece = 1;
  EXPECT_EQ(planner.plan(stencil.there.launch).plan->chunk, (balance::Chunk{25000, 50000}))
      << "another plan";
}

/// Rank 1 reads what rank 0 has: 64 MiB of one array, or 32 MiB of it and as much of another.
TEST_F(PlannerTest, WaitsPieceByPieceForWhatComesInManyMessages) {
  constexpr std::int64_t kCount = 1024;
  constexpr std::int64_t kWords = 16384;
  constexpr std::uint64_t kOther = kHeapBase + (256 << 20);
  for (const bool isOfTwo : {false, true}) {
    const Loop loop(2, kCount, [&](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
      if (isOfTwo) {
        add(sink, TUTTI_READ, kHeapBase, lower * kWords / 2, upper * kWords / 2);
        add(sink, TUTTI_READ, kOther, lower * kWords / 2, upper * kWords / 2);
      } else {
        add(sink, TUTTI_READ, kHeapBase, lower * kWords, upper * kWords);
      }
    });
    Planner planner = plannerOf(1, 2);

    const auto plan = planner.plan(loop.launch).plan;

    EXPECT_TRUE(plan->interior.empty());
    ASSERT_EQ(plan->waiting.size(), 4U);
    std::int64_t next = 512;
    for (std::size_t index = 0; index < 4; ++index) {
      const Piece &piece = plan->waiting[index];
      EXPECT_EQ(piece.chunk, (balance::Chunk{next, next + 128}));
      next += 128;
      ASSERT_EQ(piece.needs.size(), 1U);
      const std::uint64_t quarters = isOfTwo ? index + 5 : 2 * (index + 1);
      EXPECT_EQ(piece.needs[0].bytes, quarters * Packing::kSegmentBytes);
    }
  }
}

TEST_F(PlannerTest, HasAnInteriorBesideWhatComesInTheMiddle) {
  const Loop loop(2, 1000, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ | TUTTI_WRITE, kHeapBase, lower, upper);
  });
  Planner planner = plannerOf(1, 2);
  planner.commit(*planner.plan(loop.launch).plan);
  const Event claimed{Event::Kind::Claimed, {kHeapBase + 745 * kWord, kHeapBase + 755 * kWord}};
  planner.apply({&claimed, 1});

  const auto plan = planner.plan(loop.launch).plan;

  EXPECT_EQ(plan->interior, (balance::Chunk{500, 745}));
  ASSERT_EQ(plan->waiting.size(), 1U);
  EXPECT_EQ(plan->waiting[0].chunk, (balance::Chunk{745, 1000}));
}

TEST_F(PlannerTest, LooksForNoInteriorOfSmallLaunchesThatMoveOn) {
  for (const std::int64_t words : {1, 64}) {
    int asked = 0;
    Loop loop(2, 1000, [&](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
      ++asked;
      add(sink, TUTTI_READ | TUTTI_WRITE, kHeapBase, words * lower, words * upper);
    });
    Planner planner = plannerOf(1, 2);
    planner.commit(*planner.plan(loop.launch).plan);
    const std::uint64_t middle = kHeapBase + static_cast<std::uint64_t>(words) * 750 * kWord;
    const Event claimed{Event::Kind::Claimed, {middle, middle + kWord}};
    planner.apply({&claimed, 1});
    loop.launch.takesHulls = true;
    asked = 0;

    const auto plan = planner.plan(loop.launch).plan;

    EXPECT_EQ(plan->interior.empty(), words == 1);
    ASSERT_EQ(plan->waiting.size(), 1U);
    EXPECT_EQ(plan->waiting[0].needs.size(), 1U);
    EXPECT_EQ(asked <= 5, words == 1) << asked << " times";
  }
}

TEST_F(PlannerTest, HasNoInteriorWhereEveryIterationWaits) {
  const Loop all(2, 10, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ, kHeapBase, 0, 100);
    add(sink, TUTTI_WRITE, kHeapBase + (1 << 20), lower, upper);
  });
  Planner planner = plannerOf(1, 2);

  const auto plan = planner.plan(all.launch).plan;

  EXPECT_TRUE(plan->interior.empty());
  EXPECT_EQ(plan->chunk, (balance::Chunk{5, 10}));
  ASSERT_EQ(plan->waiting.size(), 1U);
  EXPECT_EQ(plan->waiting[0].chunk, plan->chunk);
  EXPECT_EQ(plan->waiting[0].needs.size(), plan->links.size());
}

TEST_F(PlannerTest, StaysWhereItIsUntilAPlanIsCommitted) {
  const Stencil stencil(2);
  Planner planner = plannerOf(0, 2);
  const memory::Directory before = planner.directory();

  static_cast<void>(planner.plan(stencil.there.launch));

  EXPECT_TRUE(planner.directory() == before);
}

TEST_F(PlannerTest, PlansAnewAfterAnEvent) {
  const Stencil stencil(2);
  Planner planner = plannerOf(0, 2);
  planner.commit(*planner.plan(stencil.there.launch).plan);
  static_cast<void>(planner.plan(stencil.back.launch));

  const Event claimed{Event::Kind::Claimed,
                      {kHeapBase + (1 << 20) + 600000, kHeapBase + (1 << 20) + 608000}};
  planner.apply({&claimed, 1});

  EXPECT_FALSE(planner.plan(stencil.back.launch).isKnown);
}

TEST_F(PlannerTest, CountsWhatStayingHomeWouldFetch) {
  const Stencil stencil(4);
  Planner planner = plannerOf(0, 4);
  planner.commit(*planner.plan(stencil.there.launch).plan);

  const auto plan = planner.plan(stencil.back.launch).plan;

  EXPECT_NEAR(static_cast<double>(plan->bytesToStayHome), 75000 * kWord, 64);
}

/// What planning has cost where no clock is needed.
struct Cost {
  std::uint64_t allocations;
  std::uint64_t visits; ///< Of runs of the directory.
  int records;
};

/// A matrix of `rows` rows of 64 words, of which each rank has a part; then some columns of it,
/// which no launch has touched before.
struct Matrix {
  static constexpr std::int64_t kColumns = 64;

  Matrix(Rank ranks, std::int64_t rows)
      : all(ranks, rows,
            [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
              add(sink, TUTTI_WRITE, kHeapBase, lower * kColumns, upper * kColumns);
            }),
        some(ranks, rows, [this](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
          ++records;
          const std::array<tutti_dim, 2> dims{tutti_dim{kWord * kColumns, upper - lower},
                                              tutti_dim{kWord, 8}};
          sink.add(TUTTI_READ | TUTTI_WRITE, kHeapBase,
                   kHeapBase + static_cast<std::uint64_t>(lower * kColumns + column) * kWord, kWord,
                   dims.size(), dims.data());
        }) {}

  Loop all;
  Loop some;
  std::int64_t column = 1;
  int records = 0;
};

Cost costInPlace(Rank ranks, std::int64_t rows) {
  Matrix matrix(ranks, rows);
  Planner planner = plannerOf(0, ranks);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  matrix.some.launch.captures.push_back(0);
  for (const std::uint64_t capture : {1U, 2U}) { // Memory is kept from the first one on.
    const std::uint64_t visits = planner.directory().visits();
    const std::uint64_t before = allocations;
    matrix.records = 0;
    matrix.column = static_cast<std::int64_t>(capture);
    matrix.some.launch.captures.back() = capture;
    const auto [plan, isKnown] = planner.plan(matrix.some.launch);
    planner.commit(*plan);
    EXPECT_TRUE(plan->isInPlace);
    EXPECT_FALSE(isKnown);
    if (capture == 2) {
      return {allocations - before, planner.directory().visits() - visits, matrix.records};
    }
  }
  return {};
}

TEST_F(PlannerTest, TakesTheSameForLaunchesInPlaceWhateverTheirRows) {
  for (const Rank ranks : {1, 4, 64}) {
    const Cost few = costInPlace(ranks, 100);
    const Cost many = costInPlace(ranks, 100000);
    EXPECT_EQ(many.allocations, few.allocations);
    EXPECT_EQ(many.visits, few.visits);
    EXPECT_EQ(many.records, ranks);
    EXPECT_LE(many.visits, 2 * static_cast<std::uint64_t>(ranks) + 2);
    EXPECT_LE(many.allocations, 32U);
  }
}

TEST_F(PlannerTest, MakesPlansInPlaceInTheMemoryOfThoseThatNobodyHas) {
  const memory::Topology topology({8});
  const Rooms rooms(window(), std::vector<Room>(8, {1 << 30, 4096}));
  Planner planner(0, topology, window(), rooms);
  Matrix matrix(0, 800);
  for (Place place = 1; place <= 8; ++place) {
    matrix.all.launch.shares.push_back({place, 1});
    matrix.some.launch.shares.push_back({place, 1});
  }
  planner.commit(*planner.plan(matrix.all.launch).plan);
  const auto planOf = [&](std::int64_t column) {
    matrix.column = column;
    matrix.some.launch.captures.resize(1);
    matrix.some.launch.captures.push_back(static_cast<std::uint64_t>(column));
    return planner.plan(matrix.some.launch).plan;
  };
  const auto firstWritten = [](const Plan &plan) { return plan.devices[3].writes.hull().begin; };
  const auto wordOf = [](std::uint64_t column) { return kHeapBase + (300 * 64 + column) * kWord; };
  EXPECT_TRUE(planOf(1)->isInPlace);

  const std::uint64_t before = allocations;
  EXPECT_EQ(firstWritten(*planOf(2)), wordOf(2));
  EXPECT_LE(allocations - before, 20U) << "two for each device, or it is one of others";

  const auto held = planOf(3);
  EXPECT_EQ(firstWritten(*planOf(4)), wordOf(4));
  EXPECT_EQ(firstWritten(*held), wordOf(3));
}

/// Rows of `words` words on one device, all of which rank 0 has, too; the loop writes `inside` of
/// each. Runs of the directory behind it, and pages that it closes.
std::pair<std::size_t, RangeSet> behindRows(std::int64_t words, std::int64_t inside,
                                            bool areGapsThere) {
  constexpr std::int64_t kRows = 200;
  static const memory::Topology topology({1});
  static const Rooms rooms(window(), {{1 << 30, 1 << 21}});
  Planner planner(0, topology, window(), rooms);
  const auto pitch = static_cast<std::int64_t>(kWord) * words;
  const auto rows = [&](tutti_sink &sink, std::uint32_t flags, std::int64_t first,
                        std::int64_t count, std::int64_t lower, std::int64_t upper) {
    const tutti_dim dim{pitch, upper - lower};
    sink.add(flags, kHeapBase,
             kHeapBase + static_cast<std::uint64_t>(lower * words + first) * kWord,
             static_cast<std::uint64_t>(count) * kWord, 1, &dim);
  };
  Loop all(0, kRows, [&](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    rows(sink, TUTTI_WRITE, areGapsThere ? 0 : 1, areGapsThere ? words : inside, lower, upper);
  });
  Loop some(0, kRows, [&](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    rows(sink, TUTTI_WRITE, 1, inside, lower, upper);
  });
  const Range object{kHeapBase, kHeapBase + static_cast<std::uint64_t>(kRows * pitch)};
  all.launch.shares = some.launch.shares = {{1, 1}};
  all.launch.arrays = some.launch.arrays = {object};
  planner.commit(*planner.plan(all.launch).plan);
  planner.apply(std::vector<Event>{{Event::Kind::Fetched, object}});
  const auto plan = planner.plan(some.launch).plan;
  planner.commit(*plan);
  std::size_t runs = 0;
  planner.directory().forEach(object, [&](Range, const memory::Holders &) { ++runs; });
  return {runs, plan->absentPages};
}

TEST_F(PlannerTest, KeepsTheInsideOfAGridOnADeviceAsOneRun) {
  const auto [runs, absent] = behindRows(100, 98, true);
  const auto [runsOfRows, absentOfRows] = behindRows(100, 98, false);

  EXPECT_EQ(runs, 3U);
  EXPECT_GE(runsOfRows, 200U) << "the device lacks what lies between the rows";
  EXPECT_EQ(absent, absentOfRows);
  EXPECT_GE(behindRows(2048, 1, true).first, 200U) << "whole pages would be closed";
}

/// Of the plan of a launch that is new, as the one before it was: in place, or, where it takes
/// hulls, of data that is all at home.
std::int64_t instructionsOfPlan(Planner planner, Matrix &matrix, bool isInPlace) {
  matrix.some.launch.takesHulls = !isInPlace;
  if (isInPlace) {
    planner.commit(*planner.plan(matrix.all.launch).plan);
  }
  static_cast<void>(planner.plan(matrix.some.launch)); // Memory is there from then on.
  matrix.column = 2;
  matrix.some.launch.captures.push_back(2);
  return *test::instructionsOf([&] {
    if (planner.plan(matrix.some.launch).plan->isInPlace != isInPlace) {
      _exit(1);
    }
  });
}

std::int64_t instructionsOnHosts(Rank ranks, std::int64_t rows, bool isInPlace) {
  Matrix matrix(ranks, rows);
  return instructionsOfPlan(plannerOf(0, ranks), matrix, isInPlace);
}

/// In place, on so many devices of one rank.
std::int64_t instructionsOnDevices(std::int32_t devices, std::int64_t rows) {
  const memory::Topology topology({devices});
  const Rooms rooms(window(),
                    std::vector<Room>(static_cast<std::size_t>(devices), {1 << 30, 2 << 20}));
  Matrix matrix(devices, rows);
  for (Loop *loop : {&matrix.all, &matrix.some}) {
    for (Share &share : loop->launch.shares) {
      ++share.place;
    }
  }
  return instructionsOfPlan(Planner(0, topology, window(), rooms), matrix, true);
}

TEST_F(PlannerTest, ExecutesAsManyInstructionsForNewLaunchesWhateverTheirRows) {
  if (const char *reason = test::reasonToCountNone()) {
    GTEST_SKIP() << reason;
  }
  const auto expect = [](std::int64_t few, std::int64_t many, std::int64_t onAQuarter) {
    EXPECT_LE(2 * many, 3 * few) << "whatever the rows";
    EXPECT_LE(few, 4 * onAQuarter) << "at most linear in places";
    return few;
  };
  std::int64_t hosts = instructionsOnHosts(1, 100, true);
  std::int64_t devices = instructionsOnDevices(1, 100);
  for (const std::int32_t places : {4, 16, 64}) {
    hosts = expect(instructionsOnHosts(places, 100, true),
                   instructionsOnHosts(places, 100000, true), hosts);
    devices =
        expect(instructionsOnDevices(places, 100), instructionsOnDevices(places, 100000), devices);
  }
  // What moves is sorted, too.
  expect(instructionsOnHosts(8, 1000, false), instructionsOnHosts(8, 100000, false),
         instructionsOnHosts(2, 1000, false) * 9 / 8);
}

TEST_F(PlannerTest, RemembersLaunchesInPlaceThatComeAgain) {
  Matrix matrix(2, 1000);
  Planner planner = plannerOf(0, 2);
  planner.commit(*planner.plan(matrix.all.launch).plan);

  EXPECT_FALSE(planner.plan(matrix.some.launch).isKnown);
  EXPECT_FALSE(planner.plan(matrix.some.launch).isKnown) << "what comes once is not kept";
  EXPECT_TRUE(planner.plan(matrix.some.launch).isKnown);
}

TEST_F(PlannerTest, IsNotInPlaceWhereAnythingMovesOrCopiesBecomeInvalid) {
  Matrix matrix(2, 1000);
  Planner planner = plannerOf(0, 2);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  const Range last{kHeapBase + 999 * 64 * kWord, kHeapBase + 1000 * 64 * kWord};
  ASSERT_TRUE(planner.plan(matrix.some.launch).plan->isInPlace);

  const Event fetched{Event::Kind::Fetched, last};
  planner.apply({&fetched, 1});
  const auto shared = planner.plan(matrix.some.launch).plan;
  EXPECT_FALSE(shared->isInPlace) << "rank 0 has a copy of what is written";
  EXPECT_EQ(shared->absentPages.ranges().size(), 1U);

  const Event claimed{Event::Kind::Claimed, last};
  planner.apply({&claimed, 1});
  const auto moved = planner.plan(matrix.some.launch).plan;
  EXPECT_FALSE(moved->isInPlace) << "rank 0 has what is read";
  EXPECT_EQ(moved->bytesToDistribute, 8 * kWord) << "the row's columns, and no others";

  matrix.some.launch.blocks = {{kHeapBase + kWord, 1, 8}};
  EXPECT_NE(planner.plan(matrix.some.launch).plan->reasonHome, "") << "it would write a block";
}

TEST_F(PlannerTest, TakesWholeHullsOfWhatMovesOnThroughAnObject) {
  Matrix matrix(4, 1000);
  Planner planner = plannerOf(0, 4);
  matrix.some.launch.takesHulls = true;

  const auto first = planner.plan(matrix.some.launch).plan; // All is at home.
  planner.commit(*first);

  EXPECT_LE(first->outcome->changes.size(), 6U);
  for (const memory::Assignment &change : first->outcome->changes) {
    EXPECT_EQ(change.ranges.size(), 1U);
  }
  matrix.column = 2;
  matrix.some.launch.captures.push_back(0);
  EXPECT_FALSE(planner.plan(matrix.some.launch).plan->isInPlace) << "the hull ends one later";
  matrix.column = 1;
  matrix.some.launch.captures.back() = 1;
  EXPECT_TRUE(planner.plan(matrix.some.launch).plan->isInPlace);
}

/// What moves for launches of which each goes on by a column, over 25 rows of two places: the
/// border lies in the middle of a row.
struct Handed {
  int launches = 0;
  std::uint64_t bytes = 0;
};

/// `first`: of two places, the first; `step`: of columns, 1 or -1.
Handed handedOver(Planner planner, Place first, std::int64_t step, bool takesMore, bool isArray) {
  Matrix matrix(2, 25);
  matrix.all.launch.total = 25 * Matrix::kColumns;
  matrix.all.accesses = [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, kHeapBase, lower, upper);
  };
  matrix.all.launch.shares = {{first, 1}, {first + 1, 1}};
  planner.commit(*planner.plan(matrix.all.launch).plan);
  Launch &launch = matrix.some.launch;
  launch.shares = {{first, 13}, {first + 1, 12}};
  launch.takesHulls = takesMore;
  if (isArray) {
    launch.arrays = {{kHeapBase, kHeapBase + 25 * Matrix::kColumns * kWord}};
  }
  Handed handed;
  for (std::int64_t column = step > 0 ? 0 : 47; column >= 0 && column < 48; column += step) {
    matrix.column = column;
    launch.captures.resize(1);
    launch.captures.push_back(static_cast<std::uint64_t>(column));
    const auto plan = planner.plan(launch).plan;
    planner.commit(*plan);
    for (const Link &link : plan->links) {
      ++handed.launches;
      handed.bytes += link.ranges.bytes();
    }
    for (const Copy &copy : plan->copies) {
      ++handed.launches;
      handed.bytes += copy.ranges.bytes();
    }
  }
  return handed;
}

TEST_F(PlannerTest, HandsTheRestOfARowOverAtOnce) {
  const auto onHosts = [](std::int64_t step, bool takesMore, bool isArray) {
    return handedOver(plannerOf(0, 2), 0, step, takesMore, isArray);
  };
  EXPECT_GE(onHosts(1, false, true).launches, 20) << "a number at each launch";

  const Handed up = onHosts(1, true, true);
  EXPECT_EQ(up.launches, 1);
  EXPECT_EQ(up.bytes, Matrix::kColumns / 2 * kWord) << "nothing of the next row";
  // What is behind the window when it comes from there goes over with it.
  const Handed down = onHosts(-1, true, true);
  EXPECT_LE(down.launches, 3);
  EXPECT_GE(onHosts(1, true, false).launches, 20) << "who knows what lies beside";
}

TEST_F(PlannerTest, HandsTheRestOfARowOverFromDeviceToDevice) {
  const memory::Topology topology({2});
  const Rooms rooms(window(), {{1 << 30, 2 << 20}, {1 << 30, 2 << 20}});
  const auto onDevices = [&](bool takesMore) {
    return handedOver(Planner(0, topology, window(), rooms), 1, 1, takesMore, true);
  };

  EXPECT_GE(onDevices(false).launches, 20);
  EXPECT_EQ(onDevices(true).launches, 1);
}

TEST_F(PlannerTest, TakesNothingThatOthersTouch) {
  constexpr std::int64_t kRun = 64;
  std::int64_t offset = 0;
  Loop loop(2, kRun, [&](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ | TUTTI_WRITE, kHeapBase, offset + lower, offset + upper);
  });
  loop.launch.takesHulls = true;
  loop.launch.arrays = {{kHeapBase, kHeapBase + 4 * kPageBytes}};
  Planner planner = plannerOf(0, 2);
  planner.commit(*planner.plan(loop.launch).plan);
  loop.launch.captures.push_back(offset = 1);

  const auto plan = planner.plan(loop.launch).plan;

  std::vector<std::uint64_t> moved;
  for (const Link &link : plan->links) {
    moved.push_back(link.ranges.bytes());
  }
  // To rank 1, which has 32 words, as many behind its new last one; to rank 0 that one alone.
  EXPECT_EQ(moved, (std::vector<std::uint64_t>{34 * kWord, kWord}));
  EXPECT_EQ(plan->bytesToDistribute, 2 * kWord) << "the rest spares as much later";
  loop.launch.takesHulls = false;
  EXPECT_EQ(plan->bytesTouched, planner.plan(loop.launch).plan->bytesTouched);
  loop.launch.takesHulls = true;
  loop.launch.portion = {1, 2};
  for (const Link &link : planner.plan(loop.launch).plan->links) {
    EXPECT_EQ(link.ranges.bytes(), kWord) << "devices of streamed launches are full";
  }
}

TEST_F(PlannerTest, TakesNoHullsThatOthersTouch) {
  static constexpr std::int64_t kRows = 400;
  const auto loop = [](std::uint32_t others) {
    return std::make_unique<Loop>(
        2, kRows, [others](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
          const auto box = [&](std::uint32_t flags, std::int64_t top, std::int64_t bottom,
                               std::int64_t left, std::int64_t right) {
            const std::array<tutti_dim, 2> dims{tutti_dim{kWord * 64, bottom - top},
                                                tutti_dim{kWord, right - left}};
            sink.add(flags, kHeapBase,
                     kHeapBase + static_cast<std::uint64_t>(top * 64 + left) * kWord, kWord,
                     dims.size(), dims.data());
          };
          box(TUTTI_WRITE, lower, upper, 0, 16);
          box(others, 0, kRows, 32, 48);
        });
  };
  const auto rangesWritten = [](const Loop &loop) {
    Planner planner = plannerOf(1, 2);
    const auto plan = planner.plan(loop.launch).plan;
    EXPECT_EQ(plan->reasonHome, "");
    return plan->overwritten.ranges().size();
  };
  const auto reading = loop(TUTTI_READ);
  reading->launch.takesHulls = true;
  const auto alone = loop(0);
  alone->launch.takesHulls = true;

  EXPECT_GE(rangesWritten(*reading), 200U);
  EXPECT_EQ(rangesWritten(*alone), 1U);
}

/// A loop over rows `first` and following of a matrix like that.
std::unique_ptr<Loop> rowsFrom(Rank ranks, std::int64_t first, std::int64_t rows) {
  return std::make_unique<Loop>(
      ranks, rows, [first](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
        add(sink, TUTTI_WRITE, kHeapBase, (first + lower) * Matrix::kColumns,
            (first + upper) * Matrix::kColumns);
      });
}

TEST_F(PlannerTest, TellsWhereTheDataOfALoopLies) {
  Matrix matrix(4, 1000); // 250 rows each.
  Planner planner = plannerOf(0, 4);
  const auto shrunk = rowsFrom(4, 300, 700);
  const auto atHome = ownedBy(shrunk->launch, window(), planner.directory());
  ASSERT_TRUE(atHome);
  EXPECT_EQ(atHome->iterations, (std::vector<std::uint32_t>{700, 0, 0, 0}));
  planner.commit(*planner.plan(matrix.all.launch).plan);

  const auto owned = ownedBy(shrunk->launch, window(), planner.directory());

  ASSERT_TRUE(owned);
  EXPECT_EQ(owned->iterations, (std::vector<std::uint32_t>{0, 200, 250, 250}));
  EXPECT_EQ(owned->stride, Matrix::kColumns * kWord);
  EXPECT_EQ(owned->bytes, Matrix::kColumns * kWord);
  for (std::size_t part = 0; part < 4; ++part) {
    shrunk->launch.shares[part].weight = owned->iterations[part];
  }
  EXPECT_TRUE(planner.plan(shrunk->launch).plan->isInPlace);
}

/// One column of a matrix, from row `first` on.
std::unique_ptr<Loop> columnFrom(Rank ranks, std::int64_t column, std::int64_t first,
                                 std::int64_t rows) {
  return std::make_unique<Loop>(
      ranks, rows, [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
        const tutti_dim dim{Matrix::kColumns * kWord, upper - lower};
        const std::uint64_t begin =
            kHeapBase +
            static_cast<std::uint64_t>((first + lower) * Matrix::kColumns + column) * kWord;
        sink.add(TUTTI_READ, kHeapBase, begin, kWord, 1, &dim);
        sink.add(TUTTI_WRITE, kHeapBase, begin, kWord, 1, &dim);
      });
}

TEST_F(PlannerTest, TellsWhereAColumnLiesWhoeverHasTheOneBesideIt) {
  Matrix matrix(4, 1000); // 250 rows each.
  Planner planner = plannerOf(0, 4);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  planner.commit(*planner.plan(columnFrom(4, 3, 300, 700)->launch).plan); // In equal parts.

  const auto owned = ownedBy(columnFrom(4, 4, 300, 700)->launch, window(), planner.directory());

  ASSERT_TRUE(owned);
  EXPECT_EQ(owned->iterations, (std::vector<std::uint32_t>{0, 200, 250, 250}));
  EXPECT_EQ(owned->bytes, kWord);
}

TEST_F(PlannerTest, TakesNoGapsOfWhatIsReadToBeWrittenByRuns) {
  Matrix matrix(4, 1000);
  Planner planner = plannerOf(0, 4);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  const auto column = columnFrom(4, 3, 300, 700);
  column->launch.takesHulls = true;

  // Equal parts of 175 rows where 0, 200, 250 and 250 lie: 175 + 150 + 75 borders move.
  EXPECT_EQ(planner.plan(column->launch).plan->bytesToDistribute, (175 + 150 + 75) * kWord);
}

TEST_F(PlannerTest, ProtectsPagesOfAnArrayOfWhichALaunchTouchesLittle) {
  constexpr std::int64_t kFew = 64;
  const auto loop =
      std::make_unique<Loop>(2, kFew, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
        add(sink, TUTTI_READ | TUTTI_WRITE, kHeapBase, 600 + lower, 600 + upper);
      });
  Planner planner = plannerOf(0, 2);
  const auto alone = planner.plan(loop->launch).plan;
  EXPECT_EQ(alone->returns.size(), 1U) << "who knows what else is on the page";
  EXPECT_FALSE(alone->twinPages.empty());

  loop->launch.arrays = {{kHeapBase, kHeapBase + 5 * kPageBytes}};
  EXPECT_TRUE(planner.plan(loop->launch).isKnown) << "a loop that goes round is planned as before";
  loop->launch.takesHulls = true;
  const auto plan = planner.plan(loop->launch).plan;

  EXPECT_TRUE(plan->returns.empty());
  EXPECT_TRUE(plan->twinPages.empty());
  EXPECT_EQ(plan->absentPages,
            RangeSet::of({{kHeapBase + kPageBytes, kHeapBase + 2 * kPageBytes}}));
}

TEST_F(PlannerTest, TellsWhereDataLiesOfWhichElementsAreReportedOneByOne) {
  constexpr std::int64_t kColumns = 8;
  Matrix matrix(4, 1000); // 250 rows each.
  Planner planner = plannerOf(0, 4);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  std::int64_t evaluated = 0;
  const Loop loop(4, 700, [&](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    ++evaluated;
    for (std::int64_t column = 0; column < kColumns; ++column) {
      const tutti_dim dim{Matrix::kColumns * kWord, upper - lower};
      const std::uint64_t begin =
          kHeapBase + static_cast<std::uint64_t>((300 + lower) * Matrix::kColumns + column) * kWord;
      sink.add(TUTTI_READ, kHeapBase, begin + kWord, kWord, 1, &dim);
      sink.add(TUTTI_WRITE, kHeapBase, begin, kWord, 1, &dim);
    }
  });

  const auto owned = ownedBy(loop.launch, window(), planner.directory());

  ASSERT_TRUE(owned);
  EXPECT_EQ(owned->iterations, (std::vector<std::uint32_t>{0, 200, 250, 250}));
  EXPECT_EQ(owned->bytes, kColumns * kWord);
  EXPECT_EQ(evaluated, 3);
}

TEST_F(PlannerTest, TellsNothingOfLoopsThatDoNotWriteInALine) {
  Matrix matrix(2, 1000);
  Planner planner = plannerOf(0, 2);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  const auto loopOf = [](auto begin) {
    return std::make_unique<Loop>(2, 100,
                                  [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
                                    for (std::int64_t at = lower; at < upper; ++at) {
                                      add(sink, TUTTI_WRITE, kHeapBase, begin(at), begin(at) + 1);
                                    }
                                  });
  };
  const auto askedFor = [&](auto begin) {
    return ownedBy(loopOf(begin)->launch, window(), planner.directory()).has_value();
  };

  EXPECT_TRUE(askedFor([](std::int64_t at) { return 3 * at; }));
  EXPECT_FALSE(askedFor([](std::int64_t at) { return 3 * (99 - at); })) << "backwards";
  EXPECT_FALSE(askedFor([](std::int64_t at) { return at * at; }));
  EXPECT_FALSE(askedFor([](std::int64_t) { return std::int64_t{5}; }));
}

TEST_F(PlannerTest, CountsAFewIterationsThatLieElsewhereForThePartThatTheyFallTo) {
  Planner planner = plannerOf(0, 2);
  Matrix matrix(2, 1000);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  const Event claimed{Event::Kind::Claimed,
                      {kHeapBase + 950 * 64 * kWord, kHeapBase + 1000 * 64 * kWord}};
  planner.apply({&claimed, 1});

  const auto owned = ownedBy(rowsFrom(2, 0, 1000)->launch, window(), planner.directory());

  ASSERT_TRUE(owned);
  EXPECT_EQ(owned->iterations, (std::vector<std::uint32_t>{500, 500}));
  EXPECT_EQ(owned->elsewhere, 50);
  EXPECT_EQ(owned->most, 0U);
}

TEST_F(PlannerTest, DoesNotTellWhereDataLiesThatIsNotInTheOrderOfTheParts) {
  Matrix matrix(4, 1000);
  std::swap(matrix.all.launch.shares[1], matrix.all.launch.shares[2]);
  Planner planner = plannerOf(0, 4);
  planner.commit(*planner.plan(matrix.all.launch).plan);
  EXPECT_FALSE(ownedBy(rowsFrom(4, 0, 1000)->launch, window(), planner.directory()));

  const auto twoThirds = rowsFrom(4, 500, 500);
  twoThirds->launch.shares.erase(twoThirds->launch.shares.begin() + 1);
  EXPECT_FALSE(ownedBy(twoThirds->launch, window(), planner.directory())) << "half is nobody's";
}

/// One rank with a device that holds 2 MiB, in units of 4 KiB.
class PortionTest : public PlannerTest {
protected:
  static constexpr std::int64_t kWords = 1 << 20; ///< Four times as much.

  memory::Topology topology_{{1}};
  Rooms rooms_{window(), {{2 << 20, 4096}}};
  Planner planner_{0, topology_, window(), rooms_};
};

/// A launch on the device alone.
struct DeviceLoop : Loop {
  explicit DeviceLoop(std::int64_t total, Accesses what) : Loop(0, total, std::move(what)) {
    launch.shares = {{1, 1}};
  }
};

TEST_F(PortionTest, DividesWhatADeviceCannotHold) {
  const DeviceLoop loop(kWords, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, kHeapBase, lower, upper);
  });

  const Division division = planner_.divide(loop.launch);

  EXPECT_FALSE(division.tooSmall.has_value());
  EXPECT_EQ(division.portions, 16);
}

TEST_F(PortionTest, GivesUpWhereOneIterationIsTooLarge) {
  const DeviceLoop loop(4, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    // The last iteration touches as much as all others together.
    const auto reach = [](std::int64_t i) { return i == 4 ? kWords / 2 : i * kWords / 16; };
    add(sink, TUTTI_WRITE, kHeapBase, reach(lower), reach(upper));
  });

  const Division division = planner_.divide(loop.launch);

  EXPECT_EQ(division.portions, 4);
  EXPECT_EQ(division.tooSmall, Place{1});
}

TEST_F(PortionTest, NamesADeviceThatCannotHoldWhatEveryIterationReads) {
  const DeviceLoop loop(kWords, [](tutti_sink &sink, std::int64_t, std::int64_t) {
    add(sink, TUTTI_READ, kHeapBase, 0, kWords);
  });

  EXPECT_EQ(planner_.divide(loop.launch).tooSmall, Place{1});
}

TEST_F(PortionTest, PlansItsPartOfTheIterations) {
  DeviceLoop loop(kWords, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, kHeapBase, lower, upper);
  });
  loop.launch.portion = {1, 4};

  const auto plan = planner_.plan(loop.launch).plan;

  ASSERT_EQ(plan->devices.size(), 1U);
  EXPECT_EQ(plan->devices[0].chunk, (balance::Chunk{kWords / 4, kWords / 2}));
  const Range part{kHeapBase + (2 << 20), kHeapBase + (4 << 20)};
  EXPECT_EQ(plan->devices[0].touched, RangeSet::of({part}));
  EXPECT_EQ(plan->footprints, std::vector<RangeSet>{RangeSet::of({part})});
  loop.launch.portion = {2, 4};
  EXPECT_FALSE(planner_.plan(loop.launch).isKnown);
}

constexpr std::uint64_t kSum = kHeapBase + (32 << 20);

void addAndSum(tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
  add(sink, TUTTI_READ, kHeapBase, lower, upper);
  if (lower == 0) {
    add(sink, TUTTI_WRITE | TUTTI_REDUCED, kSum, 0, 1);
  }
}

TEST_F(PortionTest, CombinesTheReductionOfEveryPortion) {
  DeviceLoop loop(kWords, addAndSum);

  for (std::int32_t index = 0; index < 4; ++index) {
    loop.launch.portion = {index, 4};
    const auto plan = planner_.plan(loop.launch).plan;
    EXPECT_TRUE(plan->overwritten.overlaps(RangeSet::of({{kSum, kSum + kWord}}))) << index;
    planner_.commit(*plan);
  }
}

TEST_F(PortionTest, CombinesTheReductionOfWhatFollowsASample) {
  DeviceLoop loop(kWords, addAndSum);
  loop.launch.first = kWords / 64;

  const auto plan = planner_.plan(loop.launch).plan;

  EXPECT_TRUE(plan->overwritten.overlaps(RangeSet::of({{kSum, kSum + kWord}})));
}

TEST_F(PortionTest, PlansAnewForDataThatWasEvicted) {
  const DeviceLoop loop(1000, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ, kHeapBase, lower, upper);
  });
  planner_.commit(*planner_.plan(loop.launch).plan);
  EXPECT_TRUE(planner_.plan(loop.launch).plan->copies.empty());

  const Event evicted{Event::Kind::Evicted, {kHeapBase, kHeapBase + 4096}, 1, 0};
  planner_.apply({&evicted, 1});

  const auto plan = planner_.plan(loop.launch).plan;
  ASSERT_EQ(plan->copies.size(), 1U);
  EXPECT_EQ(plan->copies[0].from, 0);
  EXPECT_EQ(plan->copies[0].to, 1);
  EXPECT_EQ(plan->copies[0].ranges, RangeSet::of({{kHeapBase, kHeapBase + 4096}}));
}

/// Two ranks with a device each, the places 2 and 3.
class LoanTest : public PlannerTest {
protected:
  std::shared_ptr<const Plan> planOn(Rank self, const std::vector<memory::DeviceRoute> &routes) {
    const memory::Topology topology({1, 1}, routes);
    const Rooms rooms(window(), {{1 << 30, 4096}, {1 << 30, 4096}});
    Planner planner(self, topology, window(), rooms);
    planner.commit(*planner.plan(writes_.launch).plan);
    return planner.plan(reads_.launch).plan;
  }

  struct OnDevices : Loop {
    explicit OnDevices(Accesses what) : Loop(0, 1000, std::move(what)) {
      launch.shares = {{2, 1}, {3, 1}};
    }
  };

  OnDevices writes_{[](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, kHeapBase, lower, upper);
  }};
  /// One element of the neighbour above.
  OnDevices reads_{[](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ, kHeapBase, lower, std::min<std::int64_t>(upper + 1, 1000));
  }};
  const RangeSet bytes_ = RangeSet::of({{kHeapBase + 500 * kWord, kHeapBase + 501 * kWord}});
};

TEST_F(LoanTest, BorrowsWhereThereIsARoute) {
  const std::vector<memory::DeviceRoute> routes = {{3, 2}};

  const auto borrower = planOn(0, routes);
  const auto owner = planOn(1, routes);

  ASSERT_EQ(borrower->borrowings.size(), 1U);
  EXPECT_EQ(borrower->borrowings[0].owner, 3);
  EXPECT_EQ(borrower->borrowings[0].device, 0);
  EXPECT_EQ(borrower->borrowings[0].ranges, bytes_);
  ASSERT_EQ(owner->loans.size(), 1U);
  EXPECT_EQ(owner->loans[0].device, 0);
  EXPECT_EQ(owner->loans[0].borrower, 2);
  EXPECT_EQ(owner->loans[0].ranges, bytes_);
  for (const auto &plan : {borrower, owner}) {
    EXPECT_TRUE(plan->links.empty() && plan->copies.empty());
  }
}

TEST_F(LoanTest, GoesThroughTheHostsWhereThereIsNone) {
  for (const auto &routes : {std::vector<memory::DeviceRoute>(), {{2, 3}}}) {
    const auto reader = planOn(0, routes);
    const auto owner = planOn(1, routes);

    EXPECT_TRUE(reader->borrowings.empty() && owner->loans.empty());
    EXPECT_EQ(reader->links.size(), 1U);
    EXPECT_EQ(reader->copies.size(), 1U);
    EXPECT_EQ(owner->links.size(), 1U);
    EXPECT_EQ(owner->copies.size(), 1U);
  }
}

/// Why the only launch of a region stays home.
std::string reasonOf(Launch &launch) { return plannerOf(0, 2).plan(launch).plan->reasonHome; }

std::string reasonOf(const Accesses &accesses) {
  Loop loop(2, 10, accesses);
  return reasonOf(loop.launch);
}

TEST_F(PlannerTest, KeepsLaunchesHomeWhosePartsWriteTheSameByte) {
  EXPECT_EQ(reasonOf([](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
              add(sink, TUTTI_WRITE, kHeapBase, lower, upper + 1);
            }),
            "iterations of different parts may write the same memory");
}

TEST_F(PlannerTest, DistributesPartsThatWriteLongColumnsBetweenEachOthers) {
  // 5 of 10 columns each: 40 bytes of each row, and a gap of 40.
  EXPECT_EQ(reasonOf([](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
              const std::array<tutti_dim, 2> dims{
                  {{10 * kWord, 4 * memory::AccessRanges::kManyRuns}, {kWord, upper - lower}}};
              sink.add(TUTTI_WRITE, kHeapBase,
                       kHeapBase + kWord * static_cast<std::uint64_t>(lower), kWord, 2,
                       dims.data());
            }),
            "");
}

TEST_F(PlannerTest, KeepsLaunchesHomeThatLeaveTheWindow) {
  EXPECT_EQ(reasonOf([](tutti_sink &sink, std::int64_t, std::int64_t) {
              add(sink, TUTTI_READ, window().heap().end - 8, 0, 2);
            }),
            "it touches memory outside of unified memory");
}

TEST_F(PlannerTest, KeepsLaunchesHomeWhoseFormDoesNotHold) {
  EXPECT_EQ(reasonOf([](tutti_sink &sink, std::int64_t, std::int64_t) {
              sink.add(TUTTI_READ | TUTTI_ANYWHERE, kHeapBase, kHeapBase, kWord, 0, nullptr);
            }),
            "its index arithmetic may wrap around");
}

TEST_F(PlannerTest, KeepsLaunchesHomeThatReadAllocationsNobodyKnows) {
  const Accesses accesses = [](tutti_sink &sink, std::int64_t, std::int64_t) {
    sink.add(TUTTI_READ | TUTTI_ALLOCATION | TUTTI_AT_MOST, kHeapBase, kHeapBase + 80, kWord, 0,
             nullptr);
  };
  EXPECT_EQ(reasonOf(accesses), "it follows a pointer to memory of unknown extent");

  Loop loop(2, 10, accesses);
  loop.launch.allocations = {{kHeapBase + 80, {kHeapBase, kHeapBase + 100}}};
  EXPECT_EQ(reasonOf(loop.launch), "");
}

TEST_F(PlannerTest, GivesWhatMayWriteAllOfAnObjectToOnePlaceOnly) {
  Loop loop(2, 10, [](tutti_sink &sink, std::int64_t, std::int64_t) {
    sink.add(TUTTI_WRITE | TUTTI_ALLOCATION | TUTTI_AT_MOST, kHeapBase, kHeapBase, 1, 0, nullptr);
  });
  const Range object{kHeapBase, kHeapBase + 8 * kPageBytes};
  loop.launch.allocations = {{kHeapBase, object}};
  EXPECT_EQ(reasonOf(loop.launch), "iterations of different parts may write the same memory");

  loop.launch.shares = {{1, 1}};
  Planner planner = plannerOf(1, 2);
  const auto plan = planner.plan(loop.launch).plan;

  EXPECT_EQ(plan->reasonHome, "");
  ASSERT_EQ(plan->links.size(), 1U) << "what is not written is needed";
  EXPECT_EQ(plan->links[0].ranges, RangeSet::of({object}));
  planner.commit(*plan);
  EXPECT_EQ(planner.directory().missing(0, RangeSet::of({object})), RangeSet::of({object}));
}

TEST_F(PlannerTest, MergesWhatSeveralPlacesMayWriteAnywhereAtRankZero) {
  Loop loop(3, 10, [](tutti_sink &sink, std::int64_t, std::int64_t) {
    sink.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_ALLOCATION, kHeapBase, kHeapBase,
             1, 0, nullptr);
  });
  const RangeSet object = RangeSet::of({{kHeapBase, kHeapBase + 8 * kPageBytes}});
  loop.launch.allocations = {{kHeapBase, object.hull()}};
  loop.launch.shares = {{1, 1}, {2, 1}};

  Planner planner = plannerOf(0, 3);
  const auto plan = planner.plan(loop.launch).plan;

  EXPECT_EQ(plan->reasonHome, "");
  EXPECT_EQ(plan->merged, object);
  EXPECT_EQ(plan->contributors, (std::vector<Rank>{0, 1, 2}));
  EXPECT_EQ(plan->bytesToMerge, 4 * object.bytes());
  planner.commit(*plan);
  for (const memory::Place place : {1, 2}) {
    EXPECT_EQ(planner.directory().missing(place, object), object);
  }
  const auto other = plannerOf(2, 3).plan(loop.launch).plan;
  EXPECT_EQ(other->merged, object);
  EXPECT_TRUE(other->overwritten.overlaps(object)) << "sends must have ended before it runs";
}

TEST_F(PlannerTest, GivesPartsWhatTheyAloneMayScatterInto) {
  const Loop loop(3, 9, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    // A page for each iteration, and the one after it.
    const std::uint64_t begin = kHeapBase + static_cast<std::uint64_t>(lower) * kPageBytes;
    sink.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED, begin, begin,
             static_cast<std::uint64_t>(upper - lower + 1) * kPageBytes, 0, nullptr);
  });
  const auto pages = [](std::uint64_t first, std::uint64_t last) {
    return RangeSet::of({{kHeapBase + first * kPageBytes, kHeapBase + last * kPageBytes}});
  };

  Planner planner = plannerOf(0, 3);
  const auto plan = planner.plan(loop.launch).plan;

  EXPECT_EQ(plan->reasonHome, "");
  EXPECT_EQ(plan->merged, pages(3, 4).unite(pages(6, 7)));
  planner.commit(*plan);
  EXPECT_EQ(planner.directory().missing(1, pages(3, 7)), pages(3, 4).unite(pages(6, 7)));
  EXPECT_TRUE(planner.directory().missing(2, pages(7, 10)).empty());
  EXPECT_EQ(planner.directory().missing(0, pages(0, 10)), pages(4, 6).unite(pages(7, 10)));
}

/// Updates any of the elements in two pages and reads `read`.
Accesses updating(Range read, std::uint32_t other) {
  return [read, other](tutti_sink &sink, std::int64_t, std::int64_t) {
    constexpr std::uint32_t kSum = TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_UPDATED;
    const auto kindOf = [](std::uint32_t update) { return kSum | update << TUTTI_UPDATE_SHIFT; };
    sink.add(kindOf(std::uint32_t{TUTTI_UPDATE_ADD} | TUTTI_UPDATE_F64), kHeapBase, kHeapBase,
             2 * kPageBytes, 0, nullptr);
    sink.add(kindOf(other), kHeapBase, kHeapBase + kPageBytes, kPageBytes, 0, nullptr);
    sink.add(TUTTI_READ, read.begin, read.begin, read.size(), 0, nullptr);
  };
}

constexpr std::uint32_t kSumOfDoubles = std::uint32_t{TUTTI_UPDATE_ADD} | TUTTI_UPDATE_F64;
constexpr Range kElsewhere{kHeapBase + 4 * kPageBytes, kHeapBase + 5 * kPageBytes};

TEST_F(PlannerTest, MergesUpdatesOfElements) {
  const RangeSet elements = RangeSet::of({{kHeapBase, kHeapBase + 2 * kPageBytes}});
  const Loop loop(2, 10, updating(kElsewhere, kSumOfDoubles));

  const auto plan = plannerOf(1, 2).plan(loop.launch).plan;

  EXPECT_EQ(plan->reasonHome, "");
  EXPECT_EQ(plan->merged, elements);
  ASSERT_EQ(plan->updates.size(), 1U);
  EXPECT_EQ(plan->updates[0].bytes, elements);
  EXPECT_EQ(plan->updates[0].update, memory::Update::ofFlags(kSumOfDoubles << TUTTI_UPDATE_SHIFT));
}

TEST_F(PlannerTest, WritesUpdatesOfOnePlaceAlone) {
  Loop loop(2, 10, updating(kElsewhere, kSumOfDoubles));
  loop.launch.shares = {{1, 1}};

  const auto plan = plannerOf(1, 2).plan(loop.launch).plan;

  EXPECT_EQ(plan->reasonHome, "");
  EXPECT_TRUE(plan->merged.empty());
  EXPECT_TRUE(plan->updates.empty());
}

TEST_F(PlannerTest, KeepsUpdatesHomeOfWhatIsTouchedInOtherWays) {
  const Range element{kHeapBase + kPageBytes, kHeapBase + kPageBytes + 8};
  for (const Accesses &accesses :
       {updating(element, kSumOfDoubles),
        updating(kElsewhere, std::uint32_t{TUTTI_UPDATE_ADD} | TUTTI_UPDATE_I64),
        updating(kElsewhere, std::uint32_t{TUTTI_UPDATE_MAX} | TUTTI_UPDATE_I64)}) {
    const Loop loop(2, 10, accesses);
    EXPECT_NE(plannerOf(0, 2).plan(loop.launch).plan->reasonHome, "");
  }
}

/// Where the regions below say that they have strayed, and what they may read.
constexpr Range kReach{kHeapBase, kHeapBase + sizeof(tutti_reach)};
constexpr std::uint64_t kChasedArray = kHeapBase + 16 * kPageBytes;
constexpr Range kAlive{kHeapBase + 32 * kPageBytes, kHeapBase + 40 * kPageBytes};

/// Each iteration reads everywhere and writes its element of an array.
void chase(tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
  sink.add(TUTTI_EVERYWHERE, kReach.begin, kReach.begin, 1, 0, nullptr);
  add(sink, TUTTI_WRITE, kChasedArray, lower, upper);
}

TEST_F(PlannerTest, BringsAllThatIsAliveToThoseWhoFollowPointers) {
  Loop loop(3, 30, chase);
  loop.launch.everywhere = {kAlive};
  loop.launch.shares = {{0, 1}, {2, 1}};

  Planner planner = plannerOf(0, 3);
  const auto plan = planner.plan(loop.launch).plan;
  planner.commit(*plan);

  EXPECT_EQ(plan->reasonHome, "");
  const RangeSet alive = RangeSet::of({kAlive});
  EXPECT_TRUE(planner.directory().missing(2, alive).empty());
  EXPECT_EQ(planner.directory().missing(1, alive), alive) << "it has no part";
  EXPECT_EQ(plan->readOnlyPages.intersect(alive), alive) << "allocations fill these pages";

  Launch other = loop.launch;
  other.everywhere = {{kAlive.begin, kAlive.end + kPageBytes}};
  Planner another = plannerOf(0, 3);
  static_cast<void>(another.plan(loop.launch));
  EXPECT_FALSE(another.plan(other).isKnown);
}

TEST_F(PlannerTest, HoldsBackWhatThoseWriteWhoFollowPointers) {
  Loop loop(2, 30, chase);
  loop.launch.shares = {{1, 1}};
  const Range array{kChasedArray, kChasedArray + 30 * kWord};
  const RangeSet held = RangeSet::of({kReach, array});

  Planner planner = plannerOf(0, 2);
  const auto plan = planner.plan(loop.launch).plan;
  EXPECT_EQ(plan->reach, kReach.begin);
  EXPECT_EQ(plan->merged, held) << "although only one place writes";
  planner.commit(*plan);
  EXPECT_TRUE(planner.directory().missing(0, held).empty());

  loop.launch.shares = {{0, 1}, {1, 1}};
  const Range second{kChasedArray + 15 * kWord, array.end};
  EXPECT_EQ(plannerOf(0, 2).plan(loop.launch).plan->merged, held);
  EXPECT_EQ(plannerOf(1, 2).plan(loop.launch).plan->merged, RangeSet::of({kReach, second}))
      << "what a rank writes in closed form is known";
}

TEST_F(PlannerTest, SeesThatPartsOfALoopThatFollowsPointersWriteTheSame) {
  const auto chaseTooFar = [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    chase(sink, lower, upper + 1);
  };
  EXPECT_EQ(reasonOf(chaseTooFar), "iterations of different parts may write the same memory");
  EXPECT_EQ(reasonOf(chase), "");
}

TEST_F(PlannerTest, TakesNothingForDisjointThatFollowsPointers) {
  Loop loop(1, 10, chase);
  EXPECT_FALSE(plannerOf(0, 1).plan(loop.launch).plan->isDisjoint);
}

TEST_F(PlannerTest, KeepsALaunchHomeThatReducesIntoWhatItMayWriteAnywhere) {
  Loop loop(2, 10, [](tutti_sink &sink, std::int64_t, std::int64_t) {
    sink.add(TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED, kHeapBase, kHeapBase, 80, 0, nullptr);
    sink.add(TUTTI_WRITE | TUTTI_REDUCED, kHeapBase + 8, kHeapBase + 8, 8, 0, nullptr);
  });

  EXPECT_EQ(reasonOf(loop.launch), "iterations of different parts may write the same memory");
}

TEST_F(PlannerTest, TellsObjectsApartThatAreTouchedAsAWhole) {
  constexpr std::uint64_t kOther = kHeapBase + 4 * kPageBytes;
  const auto isDisjoint = [](std::uint32_t first, std::uint32_t second, Range other) {
    Loop loop(1, 10, [=](tutti_sink &sink, std::int64_t, std::int64_t) {
      sink.add(first | TUTTI_ALLOCATION, kHeapBase, kHeapBase, 1, 0, nullptr);
      sink.add(second | TUTTI_ALLOCATION, kOther, kOther, 1, 0, nullptr);
    });
    loop.launch.allocations = {{kHeapBase, {kHeapBase, kOther}}, {kOther, other}};
    return plannerOf(0, 1).plan(loop.launch).plan->isDisjoint;
  };
  constexpr Range kApart{kOther, kOther + kPageBytes};
  constexpr Range kTouching{kOther - 8, kOther + kPageBytes};

  EXPECT_TRUE(isDisjoint(TUTTI_WRITE, TUTTI_READ, kApart));
  EXPECT_FALSE(isDisjoint(TUTTI_WRITE, TUTTI_READ, kTouching));
  EXPECT_FALSE(isDisjoint(TUTTI_READ, TUTTI_WRITE, kTouching));
  EXPECT_TRUE(isDisjoint(TUTTI_READ, TUTTI_READ, kTouching));
}

TEST_F(PlannerTest, KeepsLaunchesHomeThatWriteWhatTheirAddressesDependOn) {
  Loop loop(2, 10, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, kHeapBase, lower, upper);
  });
  loop.launch.blocks = {{kHeapBase + 40, 7, 4}};
  EXPECT_EQ(reasonOf(loop.launch), "it writes a variable that its addresses depend on");

  loop.launch.blocks = {{kHeapBase + 80, 7, 4}};
  EXPECT_EQ(reasonOf(loop.launch), "");
}

/// Rows of a table, as a launch follows them; iteration i is row i.
class RowsTest : public PlannerTest {
protected:
  static constexpr std::uint64_t kTable = kHeapBase + (512 << 10);
  static constexpr std::uint64_t kRowBytes = 1000; ///< Of slots of 1024.

  void SetUp() override { asked_ = 0; }

  /// A table of so many rows, the first of which is at `first`, one every `distance` bytes.
  static Followed::Content tableOf(std::int64_t rows, std::uint64_t first,
                                   std::uint64_t distance = 1024) {
    std::vector<BlockValue> words;
    for (std::uint64_t index = 0; index < static_cast<std::uint64_t>(rows); ++index) {
      words.push_back({kTable + 8 * index, first + index * distance, 8});
    }
    return contentOf(std::move(words));
  }

  static std::uint64_t rowOf(tutti_sink &sink, std::int64_t index) {
    ++asked_;
    return sink.follow(kTable + 8 * static_cast<std::uint64_t>(index), 8);
  }

  /// Of each row, `offset` bytes behind its begin.
  static Accesses rows(std::uint32_t flags, std::uint64_t offset = 0,
                       std::uint64_t bytes = kRowBytes) {
    return [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
      for (std::int64_t index = lower; index < upper; ++index) {
        const std::uint64_t row = rowOf(sink, index);
        sink.add(flags, row, row + offset, bytes, 0, nullptr);
      }
    };
  }

  static void follow(Loop &loop, std::uint64_t id, Followed::Content content) {
    loop.launch.followed = std::make_shared<const Followed>(id, std::move(content));
  }

  static inline std::int64_t asked_; ///< Iterations that regions were asked about.
};

constexpr std::uint64_t kRows = kHeapBase + (1 << 20);

TEST_F(RowsTest, PlansAnewOnlyForOtherContents) {
  Loop loop(2, 100, rows(TUTTI_READ));
  Planner planner = plannerOf(1, 2);
  follow(loop, 1, tableOf(100, kRows));
  const auto first = planner.plan(loop.launch).plan;

  EXPECT_TRUE(planner.plan(loop.launch).isKnown);
  follow(loop, 2, tableOf(100, kRows + (1 << 20)));
  const auto [second, isKnown] = planner.plan(loop.launch);

  EXPECT_FALSE(isKnown);
  ASSERT_EQ(second->links.size(), 1U);
  EXPECT_EQ(second->links[0].ranges.hull(),
            (Range{kRows + (1 << 20) + 50 * 1024, kRows + (1 << 20) + 99 * 1024 + kRowBytes}));
  EXPECT_EQ(first->links[0].ranges.bytes(), 50 * kRowBytes);
}

TEST_F(RowsTest, KeepsLaunchesHomeThatWriteWhatTheyFollow) {
  Loop loop(2, 100, rows(TUTTI_WRITE));
  follow(loop, 1, tableOf(100, kRows));
  EXPECT_EQ(reasonOf(loop.launch), "");

  // The last row is the table's last word.
  follow(loop, 2, tableOf(100, kTable + 99 * 8 - 99 * 1024));
  EXPECT_EQ(reasonOf(loop.launch), "it writes pointers that it follows");
}

TEST_F(RowsTest, KeepsLaunchesHomeWhosePartsFollowWhatTheWholeDoesNot) {
  Loop loop(2, 100, [](tutti_sink &sink, std::int64_t, std::int64_t upper) {
    const std::uint64_t row = rowOf(sink, upper - 1);
    sink.add(TUTTI_READ, row, row, kRowBytes, 0, nullptr);
  });
  follow(loop, 1, contentOf({{kTable + 99 * 8, kRows, 8}}));

  EXPECT_EQ(reasonOf(loop.launch), "it follows a pointer to memory of unknown extent");
}

/// Structures of a pointer and a number, which is written `offset` bytes behind the pointer. So
/// many records of one number, or a single one, which is taken with its gaps.
std::string reasonToWriteBesidePointers(std::int64_t count, bool isOneRecord,
                                        std::uint64_t offset) {
  constexpr std::uint64_t kBytes = 16;
  Loop loop(2, count, [=](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    const tutti_dim dim{kBytes, upper - lower};
    const std::uint64_t first = kHeapBase + kBytes * static_cast<std::uint64_t>(lower);
    if (isOneRecord) {
      sink.add(TUTTI_WRITE, kHeapBase, first + offset, 8, 1, &dim);
    }
    for (std::uint64_t at = first; at < first + kBytes * static_cast<std::uint64_t>(dim.count);
         at += kBytes) {
      const std::uint64_t row = sink.follow(at, 8);
      sink.add(TUTTI_READ, row, row, 8, 0, nullptr);
      if (!isOneRecord) {
        sink.add(TUTTI_WRITE, kHeapBase, at + offset, 8, 0, nullptr);
      }
    }
  });
  std::vector<BlockValue> words;
  for (std::uint64_t index = 0; index < static_cast<std::uint64_t>(count); ++index) {
    words.push_back({kHeapBase + kBytes * index, kRows + 1024 * index, 8});
  }
  loop.launch.followed = std::make_shared<const Followed>(1, contentOf(std::move(words)));
  return reasonOf(loop.launch);
}

TEST_F(RowsTest, LetsLaunchesWriteBetweenTheWordsThatTheyFollow) {
  constexpr std::int64_t kMany = 4 * memory::AccessRanges::kManyRuns;
  for (const bool isOneRecord : {false, true}) {
    for (const std::int64_t count : {std::int64_t{100}, kMany}) {
      EXPECT_EQ(reasonToWriteBesidePointers(count, isOneRecord, 8), "");
      EXPECT_EQ(reasonToWriteBesidePointers(count, isOneRecord, 4),
                "it writes pointers that it follows");
    }
  }
}

TEST_F(RowsTest, ReadsWholeRowsWhereColumnsAreComputed) {
  constexpr std::int64_t kCount = 1000;
  Loop loop(2, kCount, rows(TUTTI_READ | TUTTI_ALLOCATION | TUTTI_AT_MOST));
  Followed::Content content = tableOf(kCount, kRows);
  for (std::uint64_t index = 0; index < kCount; ++index) {
    const std::uint64_t row = kRows + 1024 * index;
    content.allocations.push_back({row, {row, row + 1024}});
  }
  follow(loop, 1, content);

  const auto plan = plannerOf(1, 2).plan(loop.launch).plan;

  EXPECT_EQ(plan->reasonHome, "");
  ASSERT_EQ(plan->links.size(), 1U);
  EXPECT_EQ(plan->links[0].ranges,
            RangeSet::of({{kRows + kCount / 2 * 1024, kRows + kCount * 1024}}));
  content.allocations.pop_back();
  follow(loop, 2, std::move(content));
  EXPECT_EQ(reasonOf(loop.launch), "it follows a pointer to memory of unknown extent");
}

/// Bytes of rank 1's half of 1000 rows that return to rank 0 because their pages cannot be
/// protected there.
std::uint64_t bytesReturned(Loop &loop) {
  const auto plan = plannerOf(0, 2).plan(loop.launch).plan;
  std::uint64_t bytes = 0;
  for (const Return &returned : plan->returns) {
    bytes += returned.ranges.bytes();
  }
  return bytes;
}

TEST_F(RowsTest, ReturnsNothingOfRowsWithNothingBetweenThem) {
  Loop loop(2, 1000, rows(TUTTI_WRITE));
  follow(loop, 1, tableOf(1000, kRows));

  EXPECT_LT(bytesReturned(loop), memory::kPageBytes) << "the end of the last page";
}

TEST_F(RowsTest, ReturnsRowsWithOtherObjectsBetweenThem) {
  Loop loop(2, 1000, rows(TUTTI_WRITE));
  follow(loop, 1, tableOf(1000, kRows, 2048));

  EXPECT_EQ(bytesReturned(loop), 500 * kRowBytes);
}

TEST_F(RowsTest, ReturnsNothingOfPartsOfObjectsThatAreKnownToBeAlone) {
  Loop loop(2, 1000, rows(TUTTI_WRITE, 500, 8));
  Followed::Content content = tableOf(1000, kRows);
  follow(loop, 1, content);
  EXPECT_EQ(bytesReturned(loop), 500U * 8);

  content.objects = RangeSet::of({{kRows, kRows + 1000 * 1024}});
  follow(loop, 2, std::move(content));
  EXPECT_EQ(bytesReturned(loop), 0U);
}

/// Rows with heap allocations of their own, as many as one would not want to compare with one
/// another.
TEST_F(RowsTest, AsksForNoIterationMuchMoreThanOnceWhateverTheirNumber) {
  static const auto kCount = static_cast<std::int64_t>(casesOf(100000));
  const std::int64_t claimedRows = kCount / 10 * 3;
  const Accesses accesses = [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    for (std::int64_t index = lower; index < upper; ++index) {
      const std::int64_t above = std::max<std::int64_t>(index - 1, 0);
      const std::int64_t below = std::min(index + 1, kCount - 1);
      for (const std::int64_t other : {above, index, below}) {
        const std::uint64_t row = rowOf(sink, other);
        sink.add(TUTTI_READ, row, row, kRowBytes, 0, nullptr);
      }
      const std::uint64_t row = rowOf(sink, index) + (std::uint64_t{256} << 20);
      sink.add(TUTTI_WRITE, row, row + 8, kRowBytes - 16, 0, nullptr);
    }
  };
  Loop there(4, kCount, accesses);
  Planner planner = plannerOf(1, 4);
  follow(there, 1, tableOf(kCount, kRows));

  planner.commit(*planner.plan(there.launch).plan);
  const Event claimed{Event::Kind::Claimed,
                      {kRows, kRows + static_cast<std::uint64_t>(claimedRows) * 1024}};
  planner.apply({&claimed, 1});
  asked_ = 0;

  const auto plan = planner.plan(there.launch).plan;

  EXPECT_EQ(plan->reasonHome, "");
  EXPECT_TRUE(plan->isDisjoint);
  EXPECT_EQ(plan->interior, (balance::Chunk{claimedRows + 1, kCount / 2}));
  // Four rows each: for who touches what, for the objects, and for the interior of this part.
  EXPECT_LE(asked_, 4 * 3 * kCount);
}

TEST_F(RowsTest, TellsObjectsApartAsPairsOfThemAre) {
  std::mt19937_64 random(3);
  int disjoint = 0;
  for (int trial = 0; trial < 500; ++trial) {
    struct Touched {
      std::uint64_t object;
      Range range;
      bool isWritten;
    };

    std::vector<Touched> all;
    for (std::uint64_t count = 2 + random() % 6; count > 0; --count) {
      const std::uint64_t begin = kHeapBase + random() % 400;
      all.push_back({random() % 5, {begin, begin + 1 + random() % 40}, random() % 2 == 0});
    }
    Loop loop(1, 10, [&](tutti_sink &sink, std::int64_t, std::int64_t) {
      for (const Touched &one : all) {
        sink.add(one.isWritten ? TUTTI_WRITE : TUTTI_READ, one.object, one.range.begin,
                 one.range.size(), 0, nullptr);
      }
    });
    std::map<std::uint64_t, Touched> objects;
    for (const Touched &one : all) {
      Touched &known = objects.try_emplace(one.object, one).first->second;
      known.range = {std::min(known.range.begin, one.range.begin),
                     std::max(known.range.end, one.range.end)};
      known.isWritten = known.isWritten || one.isWritten;
    }
    bool expected = true;
    for (const auto &[object, one] : objects) {
      for (const auto &[otherObject, other] : objects) {
        expected = expected &&
                   (object == otherObject || !one.isWritten || !one.range.overlaps(other.range));
      }
    }

    const bool found = objectsOf(loop.launch, window(), allocationsOf(loop.launch)).areDisjoint;

    ASSERT_EQ(found, expected) << "trial " << trial;
    disjoint += expected ? 1 : 0;
  }
  EXPECT_GT(disjoint, 50);
  EXPECT_LT(disjoint, 450);
}

/// Bytes that places share are watched: the next writer is seen, by whatever way it writes.
TEST_F(PlannerTest, SeesWhoWritesWatchedBytes) {
  constexpr std::uint64_t kWatched = kHeapBase;
  constexpr std::uint64_t kOther = kHeapBase + 64 * kPageBytes;
  const Range bytes{kWatched, kWatched + 100 * kWord};
  Loop readAll(2, 100, [](tutti_sink &sink, std::int64_t, std::int64_t) {
    add(sink, TUTTI_READ, kWatched, 0, 100);
  });
  Loop writeOther(2, 100, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_READ, kWatched, lower, upper);
    add(sink, TUTTI_WRITE, kOther, lower, upper);
  });
  Loop writeIt(2, 100, [](tutti_sink &sink, std::int64_t lower, std::int64_t upper) {
    add(sink, TUTTI_WRITE, kWatched, lower, upper);
  });
  Planner planner = plannerOf(0, 2);
  const auto run = [&](const Loop &loop) { planner.commit(*planner.plan(loop.launch).plan); };
  const auto watched = [&] {
    auto watched = std::make_shared<Watched>(RangeSet::of({bytes}));
    EXPECT_TRUE(planner.watch(watched));
    return watched;
  };
  EXPECT_FALSE(planner.watch(std::make_shared<Watched>(RangeSet::of({bytes}))))
      << "rank 0 alone has them, and may write them";
  // Loops that go round lead to states that the directory never gets to.
  for (int round = 0; round < 4; ++round) {
    run(readAll);
    const auto index = watched();
    run(writeOther);
    run(writeOther);
    EXPECT_FALSE(index->hasChanged);
    run(writeIt);
    EXPECT_TRUE(index->hasChanged);
  }
  run(readAll);
  const auto index = watched();
  planner.apply(std::array{Event{Event::Kind::Claimed, {kOther, kOther + 8}}});
  EXPECT_FALSE(index->hasChanged);
  planner.apply(std::array{Event{Event::Kind::Claimed, {kWatched + 792, kWatched + 4096}}});
  EXPECT_TRUE(index->hasChanged);
}

/// Of an object whose pages are listed a part reads those of its iterations, and all of the index.
TEST_F(PlannerTest, MovesListedPages) {
  constexpr Range kObject{kHeapBase, kHeapBase + 16 * kPageBytes};
  constexpr Range kIndex{kHeapBase + 64 * kPageBytes, kHeapBase + 64 * kPageBytes + 40};
  const auto page = [](std::uint64_t number) {
    return Range{kHeapBase + number * kPageBytes, kHeapBase + (number + 1) * kPageBytes};
  };
  Loop loop(2, 2, [&](tutti_sink &sink, std::int64_t, std::int64_t) {
    sink.add(TUTTI_READ | TUTTI_AT_MOST | TUTTI_ALLOCATION | TUTTI_LISTED, kObject.begin,
             kObject.begin, 1, 0, nullptr);
  });
  const std::vector<Allocation> allocations{{kObject.begin, kObject}};
  Followed::Content content;
  content.allocations = allocations;
  content.lists = {2,
                   RangeSet::of({kIndex}),
                   {{kObject, {RangeSet::of({page(1)}), RangeSet::of({page(3), page(7)})}, {}}}};
  const auto listed = std::make_shared<const Followed>(0, std::move(content));
  Planner planner = plannerOf(0, 2);
  for (int round = 0; round < 2; ++round) {
    loop.launch.followed = nullptr;
    loop.launch.allocations = allocations;
    EXPECT_EQ(planner.plan(loop.launch).plan->exchanged, RangeSet::of({kObject}));
    loop.launch.followed = listed;
    EXPECT_EQ(planner.plan(loop.launch).plan->exchanged, RangeSet::of({page(3), page(7), kIndex}));
  }
}

} // namespace

} // namespace tutti::exec
