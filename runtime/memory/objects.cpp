// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/objects.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::memory {

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
