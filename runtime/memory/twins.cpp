// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/twins.h"

#include <algorithm>
#include <cstring>

namespace tutti::memory {

void Twins::keepPage(std::uint64_t page) {
  std::unique_ptr<Page> &copy = pages_[page];
  if (!copy) {
    copy = std::make_unique<Page>();
    std::memcpy(copy->data(), window_.view(page), kPageBytes);
  }
}

bool Twins::read(std::uint64_t address, std::span<std::byte> target) const {
  const std::uint64_t offset = address % kPageBytes;
  const auto copy = pages_.find(address - offset);
  if (copy == pages_.end()) {
    return false;
  }
  std::memcpy(target.data(), copy->second->data() + offset, target.size());
  return true;
}

void Twins::refresh(const RangeSet &changed) {
  for (const Range &range : changed.ranges()) {
    for (auto at = pages_.lower_bound(pagesAround(range).begin);
         at != pages_.end() && at->first < range.end; ++at) {
      const std::uint64_t begin = std::max(range.begin, at->first);
      const std::uint64_t end = std::min(range.end, at->first + kPageBytes);
      std::memcpy(at->second->data() + (begin - at->first), window_.view(begin), end - begin);
    }
  }
}

void Twins::drop(const RangeSet &pages) {
  for (const Range &range : pages.ranges()) {
    pages_.erase(pages_.lower_bound(range.begin), pages_.lower_bound(range.end));
  }
}

bool Twins::haveChanged() const {
  return std::any_of(pages_.begin(), pages_.end(), [this](const auto &page) {
    return std::memcmp(window_.view(page.first), page.second->data(), kPageBytes) != 0;
  });
}

void Twins::collect(const Directory &directory, std::vector<Event> &events) {
  for (auto at = pages_.begin(); at != pages_.end();) {
    const std::uint64_t page = at->first;
    const std::byte *now = window_.view(page);
    std::byte *copy = at->second->data();
    if (std::memcmp(now, copy, kPageBytes) == 0) {
      ++at;
      continue;
    }
    const RangeSet shared = directory.sharedBeyond(0, RangeSet::of({{page, page + kPageBytes}}));
    if (shared.empty()) {
      at = pages_.erase(at);
      continue;
    }
    ++at;
    std::vector<Range> words;
    for (const Range &range : shared.ranges()) {
      const std::uint64_t first = range.begin & ~(kWordBytes - 1);
      for (std::uint64_t word = first; word < range.end; word += kWordBytes) {
        const std::uint64_t offset = word - page;
        if (std::memcmp(now + offset, copy + offset, kWordBytes) != 0) {
          words.push_back({word, word + kWordBytes});
        }
      }
    }
    const RangeSet differing = RangeSet::of(std::move(words));
    for (const Range &range : differing.ranges()) {
      std::memcpy(copy + (range.begin - page), now + (range.begin - page), range.size());
      events.push_back({Event::Kind::Claimed, range});
    }
  }
}

} // namespace tutti::memory
