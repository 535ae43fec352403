// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/rests.h"

#include "runtime/memory/window.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace tutti::exec {

namespace {

using memory::AccessRecord;
using memory::Directory;
using memory::Holders;
using memory::Place;

/// More than this at once takes longer to move than a message that says nothing.
constexpr std::uint64_t kMostAtOnce = 64 << 10;
/// Who gets bytes at more places than this moves to other rows, and keeps none of them for long.
constexpr std::size_t kMostGot = 8;

constexpr std::size_t kNoTaker = ~std::size_t{0};

/// What a place may take, from one of its ends on.
struct Rest {
  Range range;
  bool isAbove;      ///< It is taken from its begin on; else from its end downwards.
  std::size_t taker; ///< Index.
};

/// A run of the directory, or a part of one.
struct Piece {
  Range range;
  Holders holders;
};

std::optional<Piece> first(const Directory &directory, Range within) {
  std::optional<Piece> piece;
  directory.forEach(within, [&](Range range, const Holders &holders) {
    piece = {range, holders};
    return false;
  });
  return piece;
}

std::optional<Piece> last(const Directory &directory, Range within) {
  std::optional<Piece> piece;
  directory.forEach(within, [&](Range range, const Holders &holders) { piece = {range, holders}; });
  return piece;
}

/// Of the records, one that writes some of `bytes` as part of runs that are long, and all of those;
/// null if there is none.
const AccessRecord *writerOf(const memory::AccessRecords &records, Range bytes) {
  const auto writer = std::ranges::find_if(records.records, [&](const AccessRecord &record) {
    return record.isWritten() && !record.isAtMost() && !record.isScattered() &&
           !record.isUpdated() && record.runs(false).length >= kLeastRun &&
           record.overlaps(RangeSet::of({bytes}));
  });
  return writer == records.records.end() ? nullptr : &*writer;
}

/// The rows of `array` that `got` lies in, as far as `writer` tells how long they are. Beyond them
/// lies what other places keep, if they have the next rows.
Range rowsOf(const AccessRecord &writer, Range got, Range array) {
  const memory::Dims dims = writer.runs(false).dims;
  if (dims.empty()) {
    return array;
  }
  const std::uint64_t pitch = dims.front().stride;
  const std::uint64_t before = (got.begin - array.begin) / pitch * pitch;
  const std::uint64_t until = ((got.end - 1 - array.begin) / pitch + 1) * pitch;
  return {array.begin + before, std::min(array.end, array.begin + until)};
}

/// What is taken with `got` of what lies on one side of it, if the taker alone has the other side.
///
/// `own`, `next`: what touches `got` there; `source`: who has that end of `got`.
std::uint64_t lengthOfRest(Place taker, Range got, const std::optional<Piece> &own,
                           const std::optional<Piece> &next, const std::optional<Piece> &source) {
  if (!own || !next || !memory::holdsAlone(own->holders, taker) ||
      next->holders != source->holders) {
    return 0;
  }
  return std::min({next->range.size(), own->range.size() + got.size(), kMostAtOnce});
}

/// What the taker of an index, which is `place`, may take of `rows` with `got`.
void addRest(std::vector<Rest> &rests, std::size_t taker, Place place, Range got, Range rows,
             const Directory &directory) {
  const std::uint64_t below = std::min(got.begin - rows.begin, kMostAtOnce);
  const std::uint64_t above = std::min(rows.end - got.end, kMostAtOnce);
  const auto before = last(directory, {got.begin - below, got.begin});
  const auto behind = first(directory, {got.end, got.end + above});
  if (const std::uint64_t length = lengthOfRest(place, got, before, behind, last(directory, got))) {
    rests.push_back({{got.end, got.end + length}, true, taker});
  } else if (const std::uint64_t length =
                 lengthOfRest(place, got, behind, before, first(directory, got))) {
    rests.push_back({{got.begin - length, got.begin}, false, taker});
  }
}

/// All that places may take, in order and apart from one another.
std::vector<Rest> restsOf(std::span<const Taker> takers, const RangeSet &arrays,
                          const Directory &directory) {
  std::vector<Rest> rests;
  for (std::size_t index = 0; index < takers.size(); ++index) {
    const Taker &taker = takers[index];
    const std::vector<Range> &all = taker.access.writes.ranges();
    if (all.size() > kMostGot) {
      continue;
    }
    for (const Range &got : all) {
      const auto array = std::ranges::upper_bound(arrays.ranges(), got.begin, {}, &Range::end);
      if (array == arrays.ranges().end() || !array->contains(got)) {
        continue;
      }
      // Where a page holds other variables, too, it may not be protected: a thread of the program
      // may write there meanwhile, and nobody would know.
      const Range pages = memory::pagesInside(*array);
      if (!pages.contains(got)) {
        continue;
      }
      if (const AccessRecord *writer = writerOf(taker.records, got)) {
        const Range rows = rowsOf(*writer, got, *array);
        addRest(rests, index, taker.place, got,
                {std::max(rows.begin, pages.begin), std::min(rows.end, pages.end)}, directory);
      }
    }
  }
  std::ranges::sort(rests, {}, [](const Rest &rest) { return rest.range.begin; });
  std::uint64_t end = 0;
  std::erase_if(rests, [&](const Rest &rest) {
    const bool isTaken = rest.range.begin < end;
    end = isTaken ? end : rest.range.end;
    return isTaken;
  });
  return rests;
}

/// Leaves of what others than `taker` may take what that touches, and all beyond it.
void leave(std::vector<Rest> &rests, std::size_t taker, const std::vector<Range> &touched) {
  for (const Range &range : touched) {
    auto rest = std::ranges::upper_bound(rests, range.begin, {},
                                         [](const Rest &other) { return other.range.end; });
    for (; rest != rests.end() && rest->range.begin < range.end; ++rest) {
      if (rest->taker == taker) {
        continue;
      }
      if (rest->isAbove) {
        rest->range.end = std::clamp(range.begin, rest->range.begin, rest->range.end);
      } else {
        rest->range.begin = std::clamp(range.end, rest->range.begin, rest->range.end);
      }
    }
  }
}

} // namespace

RangeSet takeRests(std::span<const Taker> takers, const memory::ChunkAccess &reduced,
                   const RangeSet &arrays, const Directory &directory) {
  std::vector<Rest> rests = restsOf(takers, arrays, directory);
  if (rests.empty()) {
    return {};
  }
  leave(rests, kNoTaker, reduced.reads.ranges());
  leave(rests, kNoTaker, reduced.writes.ranges());
  for (std::size_t index = 0; index < takers.size(); ++index) {
    const Taker &taker = takers[index];
    leave(rests, index, taker.access.reads.ranges());
    leave(rests, index, taker.access.writes.ranges());
    leave(rests, index, taker.ownWrites.ranges());
    leave(rests, index, taker.readInPlace);
  }
  std::vector<Range> taken;
  for (const Rest &rest : rests) {
    if (!rest.range.empty()) {
      taken.push_back(rest.range);
      memory::ChunkAccess &access = takers[rest.taker].access;
      const RangeSet more = RangeSet::of({rest.range});
      access.reads = access.reads.unite(more);
      access.writes = access.writes.unite(more);
    }
  }
  return RangeSet::of(std::move(taken));
}

} // namespace tutti::exec
