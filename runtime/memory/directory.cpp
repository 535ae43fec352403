// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/directory.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace tutti::memory {

namespace {

bool holds(const Holders &holders, Place place) {
  return std::binary_search(holders.begin(), holders.end(), place);
}

/// How far `from` is from `to`, to be compared: another rank's memory is further than any of the
/// same rank, unless there is a route further than what has one; neighbours in rank are neighbours
/// in the machine. On the same rank a device gets at another device more directly than at the host,
/// and so on.
std::tuple<bool, std::int32_t, bool> distance(const Topology &topology, Place from, Place to) {
  const std::int32_t ranks = std::abs(topology.rankOf(from) - topology.rankOf(to));
  const bool isSameKind = topology.isHost(from) == topology.isHost(to);
  return {ranks != 0 && !topology.hasRoute(from, to), ranks,
          ranks == 0 ? !isSameKind : !topology.isHost(from)};
}

/// The place of sorted `holders` that is nearest to `reader`, the lower of two.
Place nearest(const Topology &topology, const Holders &holders, Place reader) {
  return *std::min_element(holders.begin(), holders.end(), [&](Place a, Place b) {
    return distance(topology, a, reader) < distance(topology, b, reader);
  });
}

/// One border of a place's missing bytes.
struct Border {
  std::uint64_t address;
  Place place;
  bool begins;
};

/// Bytes that the same places lack.
struct Segment {
  Range range;
  std::vector<Place> readers; ///< Sorted.
};

std::vector<Segment> segmentsOf(const std::vector<RangeSet> &missing) {
  std::vector<Border> borders;
  for (std::size_t place = 0; place < missing.size(); ++place) {
    for (const Range &range : missing[place].ranges()) {
      borders.push_back({range.begin, static_cast<Place>(place), true});
      borders.push_back({range.end, static_cast<Place>(place), false});
    }
  }
  std::sort(borders.begin(), borders.end(),
            [](const Border &a, const Border &b) { return a.address < b.address; });

  std::vector<Segment> segments;
  std::vector<Place> readers;
  std::uint64_t at = 0;
  for (const Border &border : borders) {
    if (border.address > at && !readers.empty()) {
      segments.push_back({{at, border.address}, readers});
    }
    at = border.address;
    const auto known = std::lower_bound(readers.begin(), readers.end(), border.place);
    if (border.begins) {
      readers.insert(known, border.place);
    } else {
      readers.erase(known);
    }
  }
  return segments;
}

/// What one source sends to one set of readers; the order of the keys numbers the pieces.
using Pieces = std::map<Place, std::map<std::vector<Place>, std::vector<Range>>>;

/// Deals the readers of a run among its holders.
void addToPieces(Pieces &pieces, const Topology &topology, Range run, const Holders &holders,
                 const std::vector<Place> &readers) {
  std::map<Place, std::vector<Place>> served;
  std::vector<Place> others;
  for (const Place reader : readers) {
    const Place source = nearest(topology, holders, reader);
    if (topology.rankOf(source) == topology.rankOf(reader) || topology.hasRoute(source, reader)) {
      served[source].push_back(reader);
    } else {
      others.push_back(reader);
    }
  }
  if (!others.empty()) {
    // Together with readers of the source's own rank, so that its host receives the bytes once.
    std::vector<Place> &same = served[nearest(topology, holders, others.front())];
    same.insert(same.end(), others.begin(), others.end());
    std::sort(same.begin(), same.end());
  }
  for (auto &[source, some] : served) {
    pieces[source][some].push_back(run);
  }
}

/// Appends the links that bring a piece from its source to its readers.
class Route {
public:
  Route(std::vector<Transfer> &transfers, const Topology &topology, std::uint32_t piece,
        const RangeSet &ranges)
      : transfers_(transfers), topology_(topology), piece_(piece), ranges_(ranges) {}

  void add(Place source, const std::vector<Place> &readers) {
    const std::int32_t home = topology_.rankOf(source);
    std::vector<std::int32_t> ranks; // In the order of their lowest place.
    for (const Place reader : readers) {
      const std::int32_t rank = topology_.rankOf(reader);
      if (rank != home && !topology_.hasRoute(source, reader) &&
          std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
        ranks.push_back(rank);
      }
    }
    if (!topology_.isHost(source) && (!ranks.empty() || holds(readers, home))) {
      link(source, home);
    }
    addTree(home, ranks);
    for (const Place reader : readers) {
      if (!topology_.isHost(reader)) {
        const std::int32_t rank = topology_.rankOf(reader);
        const bool isDirect = rank == home || topology_.hasRoute(source, reader);
        link(isDirect ? source : rank, reader);
      }
    }
  }

private:
  void link(Place from, Place to) { transfers_.push_back({piece_, from, to, ranges_}); }

  /// A binomial tree over the hosts of `root` and the ranks behind it.
  void addTree(std::int32_t root, const std::vector<std::int32_t> &ranks) {
    const std::size_t count = ranks.size() + 1;
    const auto member = [&](std::size_t index) { return index == 0 ? root : ranks[index - 1]; };
    // The parent of a member is its index without the lowest set bit. Large steps first: a parent
    // comes before its children, and starts the largest subtree first.
    for (std::size_t step = std::bit_floor(ranks.size()); step > 0; step /= 2) {
      for (std::size_t index = step; index < count; index += 2 * step) {
        link(member(index - step), member(index));
      }
    }
  }

  std::vector<Transfer> &transfers_;
  const Topology &topology_;
  std::uint32_t piece_;
  const RangeSet &ranges_;
};

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
    if (event.kind == Event::Kind::Evicted) {
      if (holds(holders, event.from)) {
        Holders others = holders;
        std::erase(others, event.from);
        changed.emplace_back(run, others.empty() ? Holders{event.to} : std::move(others));
      }
    } else if (holders.front() != 0) {
      Holders more = {0};
      more.insert(more.end(), holders.begin(), holders.end());
      changed.emplace_back(run, std::move(more));
    }
  });
  for (const auto &[range, holders] : changed) {
    set(range, holders);
  }
}

std::vector<Transfer> Directory::launch(const std::vector<ChunkAccess> &chunks,
                                        const Topology &topology) {
  std::vector<RangeSet> lacking;
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    lacking.push_back(missing(static_cast<Place>(place), chunks[place].reads));
  }

  Pieces pieces;
  std::vector<std::pair<Range, Holders>> readable;
  for (const Segment &segment : segmentsOf(lacking)) {
    forEach(segment.range, [&](Range run, const Holders &holders) {
      addToPieces(pieces, topology, run, holders, segment.readers);
      Holders more;
      std::set_union(holders.begin(), holders.end(), segment.readers.begin(), segment.readers.end(),
                     std::back_inserter(more));
      readable.emplace_back(run, std::move(more));
    });
  }
  for (const auto &[range, holders] : readable) {
    set(range, holders);
  }
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    for (const Range &range : chunks[place].writes.ranges()) {
      set(range, {static_cast<Place>(place)});
    }
  }

  std::vector<Transfer> transfers;
  std::uint32_t number = 0;
  for (auto &[source, groups] : pieces) {
    for (auto &[readers, ranges] : groups) {
      const RangeSet bytes = RangeSet::of(std::move(ranges));
      Route(transfers, topology, number++, bytes).add(source, readers);
    }
  }
  return transfers;
}

RangeSet Directory::missing(Place place, const RangeSet &within) const {
  std::vector<Range> result;
  for (const Range &range : within.ranges()) {
    forEach(range, [&](Range run, const Holders &holders) {
      if (!holds(holders, place)) {
        result.push_back(run);
      }
    });
  }
  return RangeSet::of(std::move(result));
}

RangeSet Directory::onlyAt(Place place, const RangeSet &within) const {
  std::vector<Range> result;
  for (const Range &range : within.ranges()) {
    forEach(range, [&](Range run, const Holders &holders) {
      if (holders.size() == 1 && holders.front() == place) {
        result.push_back(run);
      }
    });
  }
  return RangeSet::of(std::move(result));
}

RangeSet Directory::sharedBeyond(Place place, const RangeSet &within) const {
  std::vector<Range> result;
  for (const Range &range : within.ranges()) {
    forEach(range, [&](Range run, const Holders &holders) {
      if (holders.size() > 1 || holders.front() != place) {
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
