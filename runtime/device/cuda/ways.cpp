// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/ways.h"

namespace tutti::device::cuda::ptx {

Ways::Ways(const Kernel &kernel) : kernel_(kernel) {
  for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
    meetings_.push_back(meeting(block));
  }
}

std::optional<std::vector<Choice>> Ways::choicesTo(std::size_t place) const {
  std::vector<Choice> choices;
  std::size_t at = 0;
  for (std::size_t steps = 0; at != place; ++steps) {
    if (at == kEnd || steps > kernel_.blocks.size()) {
      return std::nullopt;
    }
    const std::size_t target = kernel_.blocks[at].target;
    const std::size_t behind = kernel_.blocks[at].behind;
    if (target == behind) {
      at = target;
      continue;
    }
    const bool byTarget = leads(target, place, kEnd);
    const bool byBehind = leads(behind, place, kEnd);
    if (byTarget != byBehind) {
      const Instruction &branch = kernel_.instructions[kernel_.blocks[at].end - 1];
      choices.push_back({branch.guard, branch.isNegated != byTarget});
      at = byTarget ? target : behind;
      continue;
    }
    const std::size_t later = meetings_[at];
    if (!byTarget || later == kEnd || leads(target, place, later) || leads(behind, place, later)) {
      return std::nullopt;
    }
    at = later;
  }
  return choices;
}

/// Blocks that come at `begin` or later, on ways that do not go through `without`.
std::vector<bool> Ways::reachedFrom(std::size_t begin, std::size_t without) const {
  std::vector<bool> reached(kernel_.blocks.size());
  std::vector<std::size_t> left{begin};
  while (!left.empty()) {
    const std::size_t at = left.back();
    left.pop_back();
    if (at == kEnd || at == without || reached[at]) {
      continue;
    }
    reached[at] = true;
    left.push_back(kernel_.blocks[at].target);
    left.push_back(kernel_.blocks[at].behind);
  }
  return reached;
}

bool Ways::leads(std::size_t from, std::size_t to, std::size_t without) const {
  return reachedFrom(from, without)[to];
}

/// Whether the kernel may end on a way from `from` that does not go through `without`.
bool Ways::mayEnd(std::size_t from, std::size_t without) const {
  const std::vector<bool> reached = reachedFrom(from, without);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] && (kernel_.blocks[i].target == kEnd || kernel_.blocks[i].behind == kEnd)) {
      return true;
    }
  }
  return from == kEnd;
}

/// The first block that both ways of a branch surely come to; kEnd if there is none.
std::size_t Ways::meeting(std::size_t branch) const {
  const Block &block = kernel_.blocks[branch];
  std::size_t first = kEnd;
  if (block.target == block.behind || block.target == kEnd || block.behind == kEnd) {
    return first;
  }
  for (std::size_t at = 0; at < kernel_.blocks.size(); ++at) {
    const bool isSure = at != branch && !mayEnd(block.target, at) && !mayEnd(block.behind, at);
    if (isSure && (first == kEnd || !leads(block.behind, first, at))) {
      first = at;
    }
  }
  return first;
}

} // namespace tutti::device::cuda::ptx
