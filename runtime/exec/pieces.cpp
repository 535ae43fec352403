// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/pieces.h"

#include "runtime/exec/region_view.h"
#include "runtime/exec/streams.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

/// Iterations that wait are divided into so many pieces at most, and none for less than so many
/// bytes that are received.
constexpr std::int64_t kMostPieces = 8;

constexpr std::uint64_t kBytesOfAPiece = 2 * Packing::kSegmentBytes;

/// A launch that touches less is over before it is known which of its iterations need not wait.
/// That is worth finding out where it comes again.
constexpr std::uint64_t kLeastToDivide = 64 << 10;

/// Bytes: a device that touches less of them is done before copies between devices and the further
/// kernels of a part in pieces have been given to them.
constexpr double kLeastApart = 40 << 20;

/// Those of `ranges` behind their first bytes.
RangeSet behind(const RangeSet &ranges, std::uint64_t bytes) {
  std::vector<Range> rest;
  for (const Range &range : ranges.ranges()) {
    const std::uint64_t skipped = std::min(bytes, range.size());
    bytes -= skipped;
    if (skipped < range.size()) {
      rest.push_back({range.begin + skipped, range.end});
    }
  }
  return RangeSet::of(std::move(rest));
}

/// How many first bytes of `received`, in whole segments, hold all of it that is touched.
std::uint64_t neededOf(const RangeSet &received, const memory::AccessRecords &touched) {
  const std::uint64_t all = received.bytes();
  if (touched.wrapsAround || touched.unresolved) {
    return all;
  }
  const auto isTouched = [&](const RangeSet &bytes) {
    return std::ranges::any_of(touched.records, [&](const memory::AccessRecord &record) {
      return record.overlaps(bytes);
    });
  };
  std::uint64_t needed = 0; // Units: segments.
  std::uint64_t enough = Packing(received).segments();
  while (needed < enough) {
    const std::uint64_t middle = needed + (enough - needed) / 2;
    if (isTouched(behind(received, middle * Packing::kSegmentBytes))) {
      needed = middle + 1;
    } else {
      enough = middle;
    }
  }
  return std::min(needed * Packing::kSegmentBytes, all);
}

/// Adds iterations that wait for all that is received.
void addWaiting(Plan &plan, const balance::Chunk &chunk) {
  if (chunk.empty()) {
    return;
  }
  Piece piece{chunk, {}};
  for (std::size_t link = 0; link < plan.links.size(); ++link) {
    if (!plan.links[link].isSend) {
      piece.needs.push_back({link, plan.links[link].ranges.bytes()});
    }
  }
  plan.waiting.push_back(std::move(piece));
}

/// Iterations of `chunk` that touch nothing of `moving`. Grows from a free one to both sides, by
/// halving: what more iterations touch includes what fewer do.
balance::Chunk interiorOf(const Launch &launch, const memory::Window &window,
                          const balance::Chunk &chunk, const RangeSet &moving) {
  const AllocationOf allocationOf = allocationsOf(launch);
  // Of what is known to be free no more is asked: a loop over rows has records for each of them.
  const auto isFree = [&](std::int64_t lower, std::int64_t upper) {
    const memory::AccessRecords records =
        recordsOf(launch, window, lower, upper, allocationOf).touched;
    return !records.wrapsAround && !records.unresolved &&
           std::none_of(
               records.records.begin(), records.records.end(),
               [&](const memory::AccessRecord &record) { return record.overlaps(moving); });
  };
  const std::int64_t count = chunk.upper - chunk.lower;
  const std::array<std::int64_t, 3> seeds{chunk.lower + count / 2, chunk.lower + count / 4,
                                          chunk.upper - 1 - count / 4};
  const auto *const seed =
      std::ranges::find_if(seeds, [&](std::int64_t each) { return isFree(each, each + 1); });
  if (seed == seeds.end()) {
    return {chunk.lower, chunk.lower};
  }
  std::int64_t blocked = chunk.lower - 1;
  std::int64_t lower = *seed;
  while (lower - blocked > 1) {
    const std::int64_t probe = blocked + (lower - blocked) / 2;
    (isFree(probe, lower) ? lower : blocked) = probe;
  }
  blocked = chunk.upper + 1;
  std::int64_t upper = *seed + 1;
  while (blocked - upper > 1) {
    const std::int64_t probe = upper + (blocked - upper) / 2;
    (isFree(upper, probe) ? upper : blocked) = probe;
  }
  return {lower, upper};
}

/// Adds iterations that wait for what they touch, in several pieces if that comes in many messages:
/// some run while bytes of others come.
void addPiecesThatWait(Plan &plan, const Launch &launch, const memory::Window &window,
                       const balance::Chunk &chunk) {
  if (chunk.empty()) {
    return;
  }
  const AllocationOf allocationOf = allocationsOf(launch);
  const std::int64_t count = chunk.upper - chunk.lower;
  const auto pieces =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(plan.overwritten.bytes() / kBytesOfAPiece),
                               1, std::min(kMostPieces, count));
  for (std::int64_t index = 0; index < pieces; ++index) {
    Piece piece{{chunk.lower + count * index / pieces, chunk.lower + count * (index + 1) / pieces},
                {}};
    const memory::AccessRecords touched =
        recordsOf(launch, window, piece.chunk.lower, piece.chunk.upper, allocationOf).touched;
    for (std::size_t link = 0; link < plan.links.size(); ++link) {
      const std::uint64_t bytes =
          plan.links[link].isSend ? 0 : neededOf(plan.links[link].ranges, touched);
      if (bytes > 0) {
        piece.needs.push_back({link, bytes});
      }
    }
    plan.waiting.push_back(std::move(piece));
  }
}

} // namespace

void addPieces(Plan &plan, const Launch &launch, const Survey &survey, const Site &site) {
  const balance::Chunk chunk = plan.chunk;
  const RangeSet &pending = plan.overwritten; // Only what is received, so far.
  // All begin with the same bytes where they are merged; and the last piece combines: it must not
  // be one that waits for nothing.
  const bool waitsForAll =
      !survey.merged.empty() || (site.self == 0 && pending.overlaps(survey.reduced));
  if (waitsForAll && !chunk.empty()) {
    plan.interior = {chunk.lower, chunk.lower};
    addWaiting(plan, chunk);
    return;
  }
  if (pending.empty() || chunk.empty()) {
    plan.interior = chunk;
    return;
  }
  if (launch.piece > 1 || (launch.takesHulls && survey.bytesTouched() < kLeastToDivide)) {
    plan.interior = {chunk.lower, chunk.lower};
    addWaiting(plan, chunk);
    return;
  }
  plan.interior = interiorOf(launch, site.window, chunk, plan.overwritten);
  const balance::Chunk lower{chunk.lower, plan.interior.lower};
  const balance::Chunk upper{plan.interior.upper, chunk.upper};
  const bool isOneWait =
      std::ranges::count(plan.links, false, &Link::isSend) == 1 || lower.empty() || upper.empty();
  for (const balance::Chunk &border : {lower, upper}) {
    if (isOneWait && pending.bytes() < 2 * kBytesOfAPiece) {
      addWaiting(plan, border); // There is nothing to tell apart.
    } else {
      addPiecesThatWait(plan, launch, site.window, border);
    }
  }
}

bool mayHaveInteriors(const Plan &plan, const Launch &launch, const Survey &survey,
                      const Site &site) {
  const auto isAcross = [&](const Copy &copy) {
    return !copy.isLate && !site.topology.isHost(copy.from) && !site.topology.isHost(copy.to);
  };
  const double bytes =
      static_cast<double>(survey.bytesTouched()) / static_cast<double>(launch.total);
  const auto isWorthIt = [&](const DevicePart &part) { // What it touches about.
    return static_cast<double>(part.chunk.upper - part.chunk.lower) * bytes >= kLeastApart;
  };
  return !plan.copies.empty() && std::ranges::all_of(plan.copies, isAcross) && plan.links.empty() &&
         plan.loans.empty() && plan.borrowings.empty() && plan.merged.empty() && plan.reach == 0 &&
         !plan.isPortion && !launch.task && std::ranges::all_of(plan.devices, isWorthIt);
}

std::shared_ptr<const Plan> withInteriors(const Plan &plan, const Launch &launch,
                                          const Site &site) {
  auto made = std::make_shared<Plan>(plan);
  made->mayHaveInteriors = false;
  made->hasInteriors = true;
  std::size_t found = 0; // Copies to devices with an interior.
  for (DevicePart &part : made->devices) {
    const Place place = site.topology.deviceOf(site.self, part.device);
    RangeSet moving;
    for (const Copy &copy : plan.copies) {
      if (copy.to == place || (copy.from == place && copy.isOverwritten)) {
        moving = moving.unite(copy.ranges);
      }
      found += copy.to == place ? 1 : 0;
    }
    part.interior =
        moving.empty() ? part.chunk : interiorOf(launch, site.window, part.chunk, moving);
    made->hasInteriors = made->hasInteriors && !part.interior.empty();
  }
  made->hasInteriors = made->hasInteriors && found == plan.copies.size();
  return made;
}

} // namespace tutti::exec
