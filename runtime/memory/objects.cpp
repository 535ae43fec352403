// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/objects.h"

#include "runtime/memory/window.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::memory {

namespace {

/// Allocations no further apart than this are announced as one.
constexpr std::uint64_t kHeapGap = 64 << 10;

} // namespace

Objects::Objects(Range stack, const Heap &heap, std::vector<Range> variables)
    : stack_(stack), heap_(heap), variables_(std::move(variables)) {
  std::sort(variables_.begin(), variables_.end(), [](const Range &a, const Range &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  const auto sameBegin = [](const Range &a, const Range &b) { return a.begin == b.begin; };
  variables_.erase(std::unique(variables_.begin(), variables_.end(), sameBegin), variables_.end());
}

Range Objects::at(std::uint64_t address, std::uint64_t frame) const {
  if (stack_.contains({address, address + 1})) {
    return address >= frame ? Range{frame, stack_.end} : Range{};
  }
  // The heap keeps a byte between its allocations for pointers one past the end.
  const Range allocation = heap_.allocationOf(address);
  return allocation.empty() ? variableAt(address) : allocation;
}

std::vector<Range> Objects::all(std::uint64_t frame, std::span<const Range> globals) const {
  std::vector<Range> ranges = heap_.live(kHeapGap);
  for (const Range &section : globals) {
    addVariables(section, ranges);
  }
  if (frame < stack_.end && stack_.contains({frame, stack_.end})) {
    ranges.push_back({frame, stack_.end});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  return ranges;
}

/// Arrays, and between them pieces of less than a page: some variables are not known.
void Objects::addVariables(Range globals, std::vector<Range> &ranges) const {
  constexpr std::uint64_t kMost = kPageBytes - 1;
  std::uint64_t at = globals.begin;
  const auto addUpTo = [&](std::uint64_t end) {
    while (at < end) {
      ranges.push_back({at, std::min(end, at + kMost)});
      at = ranges.back().end;
    }
  };
  for (const Range &variable : variables_) {
    if (variable.size() > kMost && variable.begin >= at && globals.contains(variable)) {
      addUpTo(variable.begin);
      ranges.push_back(variable);
      at = variable.end;
    }
  }
  addUpTo(globals.end);
}

Range Objects::variableAt(std::uint64_t address) const {
  const auto next =
      std::upper_bound(variables_.begin(), variables_.end(), address,
                       [](std::uint64_t value, const Range &range) { return value < range.begin; });
  if (next == variables_.begin()) {
    return {};
  }
  const auto found = std::prev(next);
  const bool hasNeighbour =
      found->begin == address && found != variables_.begin() && std::prev(found)->end == address;
  const std::uint64_t begin = hasNeighbour ? std::prev(found)->begin : found->begin;
  return address <= found->end ? Range{begin, found->end} : Range{};
}

} // namespace tutti::memory
