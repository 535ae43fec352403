// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/directory.h"

#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

namespace tutti::memory {

namespace {

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

using ByHolders = std::map<Holders, std::vector<Range>>;

Assignments assignmentsOf(ByHolders runs) {
  Assignments assignments;
  for (auto &[holders, ranges] : runs) {
    assignments.push_back({std::move(ranges), holders});
  }
  return assignments;
}

void append(Assignments &assignments, Range range, const Holders &holders) {
  if (assignments.empty() || assignments.back().holders != holders) {
    assignments.push_back({{}, holders});
  }
  assignments.back().ranges.push_back(range);
}

} // namespace

void Directory::apply(const Event &event, Assignments *undo) {
  if (event.range.empty()) {
    return;
  }
  if (event.kind == Event::Kind::Claimed) {
    assign({{{event.range}, {0}}}, undo);
    return;
  }
  Assignments changed;
  forEach(event.range, [&](Range run, const Holders &holders) {
    if (event.kind == Event::Kind::Evicted) {
      if (holds(holders, event.from)) {
        Holders others = holders;
        std::erase(others, event.from);
        append(changed, run, others.empty() ? Holders{event.to} : others);
      }
    } else if (holders.front() != 0) {
      Holders more = {0};
      more.insert(more.end(), holders.begin(), holders.end());
      append(changed, run, more);
    }
  });
  assign(changed, undo);
}

Step Directory::step(const std::vector<ChunkAccess> &chunks, const Topology &topology) const {
  std::vector<RangeSet> lacking;
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    lacking.push_back(missing(static_cast<Place>(place), chunks[place].reads));
  }

  Step step;
  Pieces pieces;
  ByHolders readable;
  for (const Segment &segment : segmentsOf(lacking)) {
    forEach(segment.range, [&](Range run, const Holders &holders) {
      addToPieces(pieces, topology, run, holders, segment.readers);
      Holders more;
      std::set_union(holders.begin(), holders.end(), segment.readers.begin(), segment.readers.end(),
                     std::back_inserter(more));
      readable[std::move(more)].push_back(run);
    });
  }
  step.assignments = assignmentsOf(std::move(readable));
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    if (!chunks[place].writes.empty()) {
      step.assignments.push_back({chunks[place].writes.ranges(), {static_cast<Place>(place)}});
    }
  }

  std::uint32_t number = 0;
  for (auto &[source, groups] : pieces) {
    for (auto &[readers, ranges] : groups) {
      const RangeSet bytes = RangeSet::of(std::move(ranges));
      Route(step.transfers, topology, number++, bytes).add(source, readers);
    }
  }
  return step;
}

std::vector<Transfer> Directory::launch(const std::vector<ChunkAccess> &chunks,
                                        const Topology &topology) {
  Step step = this->step(chunks, topology);
  assign(step.assignments);
  return std::move(step.transfers);
}

Directory::Standing Directory::standing(Place place, Range range) const {
  Standing standing{true, true, true, {}};
  const auto run = seek(runs_, runs_.end(), range.begin);
  if (run != runs_.end() && run->first <= range.begin) {
    standing.alike = {run->first, run->second.end};
  }
  visitFrom(run, range, [&](Range, const Holders &holders) {
    standing.isValid = holds(holders, place);
    standing.isAlone = standing.isAlone && holdsAlone(holders, place);
    standing.isHome = standing.isHome && holds(holders, 0);
    return standing.isValid;
  });
  if (!standing.alike.contains(range)) {
    standing.alike = {};
  }
  return standing;
}

RangeSet Directory::missing(Place place, const RangeSet &within) const {
  std::vector<Range> result;
  forEach(within, [&](Range run, const Holders &holders) {
    if (!holds(holders, place)) {
      result.push_back(run);
    }
  });
  return RangeSet::of(std::move(result));
}

RangeSet Directory::onlyAt(Place place, const RangeSet &within) const {
  std::vector<Range> result;
  forEach(within, [&](Range run, const Holders &holders) {
    if (holdsAlone(holders, place)) {
      result.push_back(run);
    }
  });
  return RangeSet::of(std::move(result));
}

RangeSet Directory::sharedBeyond(Place place, const RangeSet &within) const {
  std::vector<Range> result;
  forEach(within, [&](Range run, const Holders &holders) {
    if (holders.size() > 1 || holders.front() != place) {
      result.push_back(run);
    }
  });
  return RangeSet::of(std::move(result));
}

void Directory::assign(const Assignments &assignments, Assignments *undo) {
  auto near = runs_.end();
  for (const Assignment &assignment : assignments) {
    for (const Range &range : assignment.ranges) {
      near = set(near, range, assignment.holders, undo);
    }
  }
}

void Directory::revert(const Assignments &undo) {
  auto near = runs_.end();
  for (auto assignment = undo.rbegin(); assignment != undo.rend(); ++assignment) {
    // The order of its ranges does not matter: all get the same.
    for (const Range &range : assignment->ranges) {
      near = set(near, range, assignment->holders, nullptr);
    }
  }
}

Assignments Directory::now(const Assignments &assignments) const {
  std::vector<Range> ranges;
  for (const Assignment &assignment : assignments) {
    ranges.insert(ranges.end(), assignment.ranges.begin(), assignment.ranges.end());
  }
  ByHolders runs;
  forEach(RangeSet::of(std::move(ranges)),
          [&](Range run, const Holders &holders) { runs[holders].push_back(run); });
  return assignmentsOf(std::move(runs));
}

/// The identity gets what comes and loses what goes: the order of runs does not matter to it.
void Directory::count(const Runs::value_type &run, bool comes) {
  ++visits_;
  const auto &[begin, rest] = run;
  const auto hashOf = [&](std::uint64_t salt) {
    const std::uint64_t hash = Hash()
                                   .add(salt)
                                   .add(begin)
                                   .add(rest.end)
                                   .add(std::as_bytes(std::span(rest.holders)))
                                   .value();
    return comes ? hash : 0 - hash;
  };
  identity_.low += hashOf(1);
  identity_.high += hashOf(2);
}

Directory::Runs::iterator Directory::add(Runs::iterator next, std::uint64_t begin, Run run) {
  const auto added = runs_.emplace_hint(next, begin, std::move(run));
  count(*added, true);
  return added;
}

Directory::Runs::iterator Directory::remove(Runs::iterator run) {
  count(*run, false);
  return runs_.erase(run);
}

/// Returns where it has ended.
Directory::Runs::iterator Directory::set(Runs::iterator near, Range range, const Holders &holders,
                                         Assignments *undo) {
  if (range.empty()) {
    return near;
  }
  auto run = seek(runs_, near, range.begin);
  if (run != runs_.end() && run->first <= range.begin && run->second.end >= range.end &&
      run->second.holders == holders) {
    return run; // The steady case.
  }
  if (undo) {
    visitFrom(run, range, [&](Range before, const Holders &had) {
      if (had != holders) {
        append(*undo, before, had);
      }
    });
  }
  if (run != runs_.begin() && std::prev(run)->second.end == range.begin &&
      std::prev(run)->second.holders == holders) {
    --run;
  }
  Range whole = range; // With neighbours of the same holders.
  while (run != runs_.end() && run->first <= range.end) {
    const Range bytes{run->first, run->second.end};
    if (run->second.holders == holders) {
      whole = {std::min(whole.begin, bytes.begin), std::max(whole.end, bytes.end)};
      run = remove(run);
      continue;
    }
    if (bytes.begin == range.end) {
      break;
    }
    const Holders others = run->second.holders;
    run = remove(run);
    if (bytes.begin < range.begin) {
      add(run, bytes.begin, {range.begin, others});
    }
    if (bytes.end > range.end) {
      run = add(run, range.end, {bytes.end, others});
    }
  }
  if (holders.size() == 1 && holders.front() == 0) {
    return run;
  }
  return add(run, whole.begin, {whole.end, holders});
}

} // namespace tutti::memory
