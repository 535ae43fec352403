// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/followed.h"

#include "base/check.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::exec {

namespace {

Range rangeOf(const BlockValue &word) { return {word.address, word.address + word.bytes}; }

bool isSame(const std::byte *known, const void *now, std::uint64_t size) {
  if (size != sizeof(std::uint64_t)) {
    return std::memcmp(known, now, size) == 0;
  }
  // Single pointers are the usual case, and a call for each takes longer than the comparison.
  std::uint64_t one;
  std::uint64_t other;
  std::memcpy(&one, known, sizeof one);
  std::memcpy(&other, now, sizeof other);
  return one == other;
}

} // namespace

Followed::Followed(std::uint64_t id, Content content) : id_(id), content_(std::move(content)) {
  offsets_.reserve(content_.words.ranges().size());
  std::size_t offset = 0;
  for (const Range &range : content_.words.ranges()) {
    offsets_.push_back(offset);
    offset += range.size();
  }
  TUTTI_CHECK(offset == content_.bytes.size(), "find {} bytes of words, not {}", offset,
              content_.bytes.size());
}

std::size_t Followed::bytes() const {
  return content_.bytes.size() +
         content_.words.ranges().size() * (sizeof(Range) + sizeof offsets_[0]) +
         content_.allocations.size() * sizeof(Allocation) +
         (content_.objects.ranges().size() + content_.lists.size()) * sizeof(Range);
}

bool Followed::isUnchanged() const {
  const std::byte *known = content_.bytes.data();
  for (const Range &range : content_.words.ranges()) {
    if (!isSame(known, reinterpret_cast<const void *>(range.begin), range.size())) {
      return false;
    }
    known += range.size();
  }
  return true;
}

/// Whether the word is in the range of the word before it, or in one of its neighbours.
bool Followed::Reader::findNear(Range word) {
  const std::vector<Range> &ranges = followed_->content_.words.ranges();
  const std::size_t last = std::min(at_ + 2, ranges.size());
  for (std::size_t near = at_ - std::min<std::size_t>(at_, 1); near < last; ++near) {
    if (ranges[near].contains(word)) {
      at_ = near;
      return true;
    }
  }
  return false;
}

std::optional<std::uint64_t> Followed::Reader::read(std::uint64_t address, std::uint32_t size) {
  const Range word{address, address + size};
  std::uint64_t value = 0;
  TUTTI_CHECK(followed_ && size <= sizeof value, "follow {} bytes at {:#x}", size, address);
  const std::vector<Range> &ranges = followed_->content_.words.ranges();
  if (!findNear(word)) {
    const auto next =
        std::upper_bound(ranges.begin(), ranges.end(), address,
                         [](std::uint64_t at, const Range &range) { return at < range.begin; });
    if (next == ranges.begin() || !std::prev(next)->contains(word)) {
      return std::nullopt;
    }
    at_ = static_cast<std::size_t>(std::prev(next) - ranges.begin());
  }
  const std::size_t offset = followed_->offsets_[at_] + (address - ranges[at_].begin);
  std::memcpy(&value, followed_->content_.bytes.data() + offset, size);
  return value;
}

Followed::Content contentOf(std::vector<BlockValue> words) {
  const auto isBefore = [](const BlockValue &a, const BlockValue &b) {
    return a.address < b.address;
  };
  if (!std::is_sorted(words.begin(), words.end(), isBefore)) {
    std::sort(words.begin(), words.end(), isBefore);
  }
  std::vector<Range> ranges;
  ranges.reserve(words.size());
  for (const BlockValue &word : words) {
    ranges.push_back(rangeOf(word));
  }
  Followed::Content content;
  content.words = RangeSet::of(std::move(ranges));
  content.bytes.resize(content.words.bytes());
  std::size_t offset = 0; // Of the range that the words have come to.
  auto range = content.words.ranges().begin();
  for (const BlockValue &word : words) {
    while (word.address >= range->end) {
      offset += range++->size();
    }
    std::memcpy(content.bytes.data() + offset + (word.address - range->begin), &word.value,
                word.bytes);
  }
  return content;
}

RecentlyFollowed::Pointer RecentlyFollowed::find(std::uint64_t id) const {
  const auto known = std::ranges::find(latest_, id, [](const Pointer &one) { return one->id(); });
  return known == latest_.end() ? nullptr : *known;
}

void RecentlyFollowed::use(Pointer followed) {
  const auto known =
      std::ranges::find(latest_, followed->id(), [](const Pointer &one) { return one->id(); });
  if (known != latest_.end()) {
    std::rotate(latest_.begin(), known, std::next(known));
    return;
  }
  bytes_ += followed->bytes();
  latest_.push_front(std::move(followed));
  while (latest_.size() > kMost || (latest_.size() > 1 && bytes_ > kMostBytes)) {
    bytes_ -= latest_.back()->bytes();
    latest_.pop_back();
  }
}

} // namespace tutti::exec
