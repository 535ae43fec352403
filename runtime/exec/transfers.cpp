// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/transfers.h"

#include "runtime/exec/protectable.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::exec {

namespace {

using memory::Directory;

/// Bytes that are copied to or from a device in the time that it takes to start another copy.
constexpr std::uint64_t kCopyGap = 64 << 10;

/// `ranges` with the gaps between them that `source` has a valid copy of, too: wherever the bytes
/// go, these have the same value or none that counts. A gap smaller than a unit lies in units that
/// one of the ranges is in, too: there is memory for it.
RangeSet joined(const RangeSet &ranges, Place source, const Directory &directory,
                const Site &site) {
  const std::uint64_t most = std::min(kCopyGap, site.rooms.unit() - 1);
  std::vector<Range> joined;
  for (const Range &range : ranges.ranges()) {
    const bool isNear = !joined.empty() && range.begin - joined.back().end <= most &&
                        site.window.contains({joined.back().begin, range.end});
    if (isNear &&
        directory.missing(source, RangeSet::of({{joined.back().end, range.begin}})).empty()) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  return RangeSet::of(std::move(joined));
}

} // namespace

void joinRuns(std::vector<memory::Transfer> &transfers, const Directory &directory,
              const Site &site) {
  const auto isOfHosts = [&](const memory::Transfer &transfer) {
    return site.topology.isHost(transfer.from) && site.topology.isHost(transfer.to);
  };
  for (auto first = transfers.begin(); first != transfers.end();) {
    const auto last = std::find_if(first, transfers.end(), [&](const memory::Transfer &transfer) {
      return transfer.piece != first->piece;
    });
    if (!std::all_of(first, last, isOfHosts)) {
      const RangeSet ranges = joined(first->ranges, first->from, directory, site);
      std::for_each(first, last, [&](memory::Transfer &transfer) { transfer.ranges = ranges; });
    }
    first = last;
  }
}

/// The pages around the gaps are those of what is written: no more of them are closed.
void joinWrites(memory::Assignments &assignments, const Survey &survey, const Directory &directory,
                const RangeSet &protectable, const Site &site) {
  const auto works = [](const balance::Chunk &chunk) { return !chunk.empty(); };
  if (std::ranges::count_if(survey.chunks, works) != 1 || !survey.merged.empty()) {
    return;
  }
  const auto place =
      static_cast<Place>(std::ranges::find_if(survey.chunks, works) - survey.chunks.begin());
  const auto written =
      std::ranges::find(assignments, memory::Holders{place}, &memory::Assignment::holders);
  if (site.topology.isHost(place) || written == assignments.end()) {
    return;
  }
  const auto joins = [&](Range gap) {
    const RangeSet bytes = RangeSet::of({gap});
    return bytes.subtract(protectable).empty() && !bytes.overlaps(survey.reduced) &&
           directory.missing(place, bytes).empty();
  };
  std::vector<Range> joined;
  for (const Range &range : RangeSet::of(std::move(written->ranges)).ranges()) {
    const Range gap{joined.empty() ? 0 : joined.back().end, range.begin};
    if (!joined.empty() && memory::pagesInside(gap).empty() && joins(gap)) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  written->ranges = std::move(joined);
}

void addLinks(Plan &plan, const std::vector<memory::Transfer> &transfers, const Site &site) {
  std::map<std::uint32_t, std::size_t> received; // By piece.
  for (const memory::Transfer &transfer : transfers) {
    if (site.topology.rankOf(transfer.from) == site.topology.rankOf(transfer.to)) {
      continue;
    }
    if (transfer.to == site.self) {
      received[transfer.piece] = plan.links.size();
      plan.links.push_back({false, transfer.from, transfer.ranges, std::nullopt});
      plan.overwritten = plan.overwritten.unite(transfer.ranges);
    } else if (transfer.from == site.self) {
      const auto first = received.find(transfer.piece);
      plan.links.push_back({true, transfer.to, transfer.ranges,
                            first == received.end() ? std::nullopt : std::optional(first->second)});
    }
  }
}

void addCopies(Plan &plan, const std::vector<memory::Transfer> &transfers, const Survey &survey,
               const Site &site) {
  std::set<std::uint32_t> received; // Pieces.
  std::vector<Copy> late;
  for (const memory::Transfer &transfer : transfers) {
    if (transfer.to == site.self && site.topology.rankOf(transfer.from) != site.self) {
      received.insert(transfer.piece);
    } else if (site.topology.rankOf(transfer.from) == site.self &&
               site.topology.rankOf(transfer.to) == site.self) {
      const bool isLate = transfer.from == site.self && received.contains(transfer.piece);
      const RangeSet &writes = survey.accesses[static_cast<std::size_t>(transfer.from)].writes;
      (isLate ? late : plan.copies)
          .push_back({transfer.from, transfer.to, transfer.ranges, isLate,
                      writes.overlaps(transfer.ranges)});
      if (transfer.to == site.self) {
        plan.overwritten = plan.overwritten.unite(transfer.ranges);
      }
    }
  }
  // What one device gets is given to it at once. Nothing that is passed on is among these.
  std::sort(plan.copies.begin(), plan.copies.end(), [](const Copy &a, const Copy &b) {
    return std::tuple(a.to, a.from, a.ranges.hull().begin) <
           std::tuple(b.to, b.from, b.ranges.hull().begin);
  });
  plan.copies.insert(plan.copies.end(), late.begin(), late.end());
}

void addLoans(Plan &plan, const std::vector<memory::Transfer> &transfers, const Site &site) {
  for (const memory::Transfer &transfer : transfers) {
    const Rank owner = site.topology.rankOf(transfer.from);
    const Rank borrower = site.topology.rankOf(transfer.to);
    if (owner == borrower || site.topology.isHost(transfer.from)) {
      continue;
    }
    if (owner == site.self) {
      plan.loans.push_back({site.topology.indexOf(transfer.from), transfer.to, transfer.ranges});
    } else if (borrower == site.self) {
      plan.borrowings.push_back(
          {transfer.from, site.topology.indexOf(transfer.to), transfer.ranges});
    }
  }
  std::sort(plan.borrowings.begin(), plan.borrowings.end(),
            [](const Borrowing &a, const Borrowing &b) {
              return std::tuple(a.device, a.owner, a.ranges.hull().begin) <
                     std::tuple(b.device, b.owner, b.ranges.hull().begin);
            });
}

void addReturns(Plan &plan, memory::Assignments &assignments, const Survey &survey,
                const RangeSet &protectable, const Site &site) {
  for (Place place = 1; place < site.topology.places(); ++place) {
    const RangeSet &writes = survey.accesses[static_cast<std::size_t>(place)].writes;
    RangeSet returned = writes.intersect(pagesAround(writes).subtract(protectable));
    if (returned.empty()) {
      continue;
    }
    assignments.push_back({returned.ranges(), {0, place}});
    if (site.self == 0 || site.self == site.topology.rankOf(place)) {
      plan.returns.push_back({place, std::move(returned)});
    }
  }
}

void addPages(Plan &plan, const Directory &after, const RangeSet &transferred,
              const RangeSet &writtenElsewhere, const RangeSet &protectable) {
  const RangeSet absent = pagesAround(after.missing(0, writtenElsewhere));
  const RangeSet shared = pagesAround(after.sharedBeyond(0, transferred.unite(writtenElsewhere)));
  // Pages that are not protectable have no missing bytes that they had not before: all that other
  // ranks write there returns.
  plan.absentPages = absent.intersect(protectable);
  plan.readOnlyPages = shared.intersect(protectable).subtract(plan.absentPages);
  plan.twinPages = shared.subtract(protectable);
}

} // namespace tutti::exec
