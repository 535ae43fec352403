// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/directory.h"

#include <bit>
#include <cstddef>
#include <utility>

namespace tutti::memory {

namespace {

bool holds(const Holders &holders, Rank rank) {
  return std::binary_search(holders.begin(), holders.end(), rank);
}

/// The rank of sorted `holders` that is nearest to `reader`, the lower of two: neighbours in rank
/// are neighbours in the machine, and rank 0 is spared when it holds everything.
Rank nearest(const Holders &holders, Rank reader) {
  const auto above = std::lower_bound(holders.begin(), holders.end(), reader);
  if (above == holders.begin()) {
    return *above;
  }
  const Rank below = *std::prev(above);
  return above != holders.end() && *above - reader < reader - below ? *above : below;
}

/// One border of a rank's missing bytes.
struct Border {
  std::uint64_t address;
  Rank rank;
  bool begins;
};

/// Bytes that the same ranks lack.
struct Segment {
  Range range;
  std::vector<Rank> readers; ///< Sorted.
};

std::vector<Segment> segmentsOf(const std::vector<RangeSet> &missing) {
  std::vector<Border> borders;
  for (std::size_t rank = 0; rank < missing.size(); ++rank) {
    for (const Range &range : missing[rank].ranges()) {
      borders.push_back({range.begin, static_cast<Rank>(rank), true});
      borders.push_back({range.end, static_cast<Rank>(rank), false});
    }
  }
  std::sort(borders.begin(), borders.end(),
            [](const Border &a, const Border &b) { return a.address < b.address; });

  std::vector<Segment> segments;
  std::vector<Rank> readers;
  std::uint64_t at = 0;
  for (const Border &border : borders) {
    if (border.address > at && !readers.empty()) {
      segments.push_back({{at, border.address}, readers});
    }
    at = border.address;
    const auto place = std::lower_bound(readers.begin(), readers.end(), border.rank);
    if (border.begins) {
      readers.insert(place, border.rank);
    } else {
      readers.erase(place);
    }
  }
  return segments;
}

/// What one source sends to one set of readers; the order of the keys numbers the pieces.
using Pieces = std::map<Rank, std::map<std::vector<Rank>, std::vector<Range>>>;

/// Appends the links of a binomial tree over the source and the readers behind it.
void appendTree(std::vector<Transfer> &transfers, std::uint32_t piece, Rank source,
                const std::vector<Rank> &readers, const RangeSet &ranges) {
  const std::size_t count = readers.size() + 1;
  const auto member = [&](std::size_t index) { return index == 0 ? source : readers[index - 1]; };
  // The parent of a member is its index without the lowest set bit. Large steps first: a parent
  // comes before its children, and starts the largest subtree first.
  for (std::size_t step = std::bit_floor(readers.size()); step > 0; step /= 2) {
    for (std::size_t index = step; index < count; index += 2 * step) {
      transfers.push_back({piece, member(index - step), member(index), ranges});
    }
  }
}

} // namespace

void Directory::apply(const Event &event) {
  if (event.range.empty()) {
    return;
  }
  if (event.kind == Event::Kind::Claimed) {
    set(event.range, {0});
    return;
  }
  std::vector<std::pair<Range, Holders>> changed;
  forEach(event.range, [&](Range run, const Holders &holders) {
    if (holders.front() != 0) {
      Holders more = {0};
      more.insert(more.end(), holders.begin(), holders.end());
      changed.emplace_back(run, std::move(more));
    }
  });
  for (const auto &[range, holders] : changed) {
    set(range, holders);
  }
}

std::vector<Transfer> Directory::launch(const std::vector<ChunkAccess> &chunks) {
  std::vector<RangeSet> lacking;
  for (std::size_t rank = 0; rank < chunks.size(); ++rank) {
    lacking.push_back(missing(static_cast<Rank>(rank), chunks[rank].reads));
  }

  Pieces pieces;
  std::vector<std::pair<Range, Holders>> readable;
  for (const Segment &segment : segmentsOf(lacking)) {
    forEach(segment.range, [&](Range run, const Holders &holders) {
      const Rank source = nearest(holders, segment.readers.front());
      pieces[source][segment.readers].push_back(run);
      Holders more;
      std::set_union(holders.begin(), holders.end(), segment.readers.begin(), segment.readers.end(),
                     std::back_inserter(more));
      readable.emplace_back(run, std::move(more));
    });
  }
  for (const auto &[range, holders] : readable) {
    set(range, holders);
  }
  for (std::size_t rank = 0; rank < chunks.size(); ++rank) {
    for (const Range &range : chunks[rank].writes.ranges()) {
      set(range, {static_cast<Rank>(rank)});
    }
  }

  std::vector<Transfer> transfers;
  std::uint32_t number = 0;
  for (auto &[source, groups] : pieces) {
    for (auto &[readers, ranges] : groups) {
      appendTree(transfers, number++, source, readers, RangeSet::of(std::move(ranges)));
    }
  }
  return transfers;
}

RangeSet Directory::missing(Rank rank, const RangeSet &within) const {
  std::vector<Range> result;
  for (const Range &range : within.ranges()) {
    forEach(range, [&](Range run, const Holders &holders) {
      if (!holds(holders, rank)) {
        result.push_back(run);
      }
    });
  }
  return RangeSet::of(std::move(result));
}

RangeSet Directory::sharedBeyond(Rank rank, const RangeSet &within) const {
  std::vector<Range> result;
  for (const Range &range : within.ranges()) {
    forEach(range, [&](Range run, const Holders &holders) {
      if (holders.size() > 1 || holders.front() != rank) {
        result.push_back(run);
      }
    });
  }
  return RangeSet::of(std::move(result));
}

void Directory::splitAt(std::uint64_t address) {
  auto run = runs_.lower_bound(address);
  if (run == runs_.begin()) {
    return;
  }
  --run;
  if (run->second.end > address) {
    runs_.emplace_hint(std::next(run), address, Run{run->second.end, run->second.holders});
    run->second.end = address;
  }
}

void Directory::set(Range range, const Holders &holders) {
  if (range.empty()) {
    return;
  }
  if (auto run = runs_.upper_bound(range.begin); run != runs_.begin()) {
    --run;
    if (run->second.end >= range.end && run->second.holders == holders) {
      return; // The steady case.
    }
  }
  splitAt(range.begin);
  splitAt(range.end);
  auto next = runs_.erase(runs_.lower_bound(range.begin), runs_.lower_bound(range.end));
  if (holders.size() == 1 && holders.front() == 0) {
    return;
  }
  Run run{range.end, holders};
  if (next != runs_.end() && next->first == range.end && next->second.holders == holders) {
    run.end = next->second.end;
    next = runs_.erase(next);
  }
  if (next != runs_.begin()) {
    const auto before = std::prev(next);
    if (before->second.end == range.begin && before->second.holders == holders) {
      before->second.end = run.end;
      return;
    }
  }
  runs_.emplace_hint(next, range.begin, std::move(run));
}

} // namespace tutti::memory
