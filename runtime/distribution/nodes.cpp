// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/nodes.h"

#include "base/check.h"

#include <functional>
#include <numeric>
#include <utility>

namespace tutti::distribution {

Nodes::Nodes(std::vector<Index> extents, std::vector<Node> ranks)
    : extents_(std::move(extents)), ranks_(std::move(ranks)) {
  const Index product =
      std::accumulate(extents_.begin(), extents_.end(), Index{1}, std::multiplies<>());
  TUTTI_CHECK(product == static_cast<Index>(ranks_.size()), "{} nodes for {} elements",
              ranks_.size(), product);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    positions_.emplace(ranks_[i], i);
  }
}

Nodes Nodes::listOf(std::vector<Node> ranks) {
  return {{static_cast<Index>(ranks.size())}, std::move(ranks)};
}

std::optional<std::size_t> Nodes::positionOf(Node rank) const {
  const auto found = positions_.find(rank);
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::vector<Index>> Nodes::coordinatesOf(Node rank) const {
  const auto position = positionOf(rank);
  if (!position) {
    return std::nullopt;
  }
  std::vector<Index> coordinates(extents_.size());
  auto rest = static_cast<Index>(*position);
  for (std::size_t d = extents_.size(); d-- > 0;) {
    coordinates[d] = rest % extents_[d];
    rest /= extents_[d];
  }
  return coordinates;
}

Node Nodes::at(std::span<const Index> coordinates) const {
  Index position = 0;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    position = position * extents_[d] + coordinates[d];
  }
  return ranks_[static_cast<std::size_t>(position)];
}

Result<std::vector<Node>> Nodes::section(std::span<const Triplet> section) const {
  TUTTI_CHECK(section.size() == extents_.size());
  for (std::size_t d = 0; d < section.size(); ++d) {
    const Triplet &part = section[d];
    if (part.count <= 0) {
      return failure(ErrorCode::InvalidArgument, "a section of no nodes");
    }
    if (part.step == 0) {
      return failure(ErrorCode::InvalidArgument, "a section of nodes with a step of 0");
    }
    for (const Index end : {part.first, part.at(part.count - 1)}) {
      if (end < 0 || end >= extents_[d]) {
        return failure(ErrorCode::InvalidArgument,
                       "subscript {} of a node array lies outside of 0 to {}", end,
                       extents_[d] - 1);
      }
    }
  }
  std::vector<std::vector<Index>> subscripts;
  for (const Triplet &part : section) {
    auto &list = subscripts.emplace_back();
    for (Index k = 0; k < part.count; ++k) {
      list.push_back(part.at(k));
    }
  }
  return select(subscripts);
}

std::vector<Node> Nodes::select(const std::vector<std::vector<Index>> &subscripts) const {
  TUTTI_CHECK(subscripts.size() == extents_.size());
  std::vector<Index> positions{0};
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    std::vector<Index> next;
    for (const Index position : positions) {
      for (const Index subscript : subscripts[d]) {
        next.push_back(position * extents_[d] + subscript);
      }
    }
    positions = std::move(next);
  }
  std::vector<Node> ranks;
  for (const Index position : positions) {
    ranks.push_back(ranks_[static_cast<std::size_t>(position)]);
  }
  return ranks;
}

void Nodes::describe(std::vector<Index> &words) const {
  words.push_back(static_cast<Index>(extents_.size()));
  words.insert(words.end(), extents_.begin(), extents_.end());
  words.insert(words.end(), ranks_.begin(), ranks_.end());
}

} // namespace tutti::distribution
