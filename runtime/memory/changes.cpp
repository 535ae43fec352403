// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/changes.h"

#include "base/check.h"

#include <algorithm>
#include <cstring>

namespace tutti::memory {

namespace {

using Word = std::uint64_t;

Word wordAt(const std::byte *address) {
  Word word = 0;
  std::memcpy(&word, address, sizeof word);
  return word;
}

/// Whether one of the bytes of `word` is zero.
bool hasZeroByte(Word word) {
  return ((word - 0x0101010101010101U) & ~word & 0x8080808080808080U) != 0;
}

/// A distance either way as a number that is small if it is short, and back.
std::uint64_t folded(std::uint64_t distance) { return distance << 1 ^ (0 - (distance >> 63)); }

std::uint64_t unfolded(std::uint64_t number) { return number >> 1 ^ (0 - (number & 1)); }

constexpr std::size_t kMostOfElement = 8;

constexpr unsigned kGroupBits = 7;
constexpr std::uint64_t kMoreGroups = 1U << kGroupBits;

std::uint64_t takeNumber(std::span<const std::byte> &message) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += kGroupBits) {
    TUTTI_CHECK(!message.empty(), "read a message of changes that is long enough");
    const auto group = static_cast<std::uint64_t>(message.front());
    message = message.subspan(1);
    number |= (group & (kMoreGroups - 1)) << shift;
    if ((group & kMoreGroups) == 0) {
      break;
    }
  }
  return number;
}

/// How many of `size` bytes at `address` to put where there is room for `room`: about as many, and
/// all or up to a whole element.
std::size_t roomFor(std::uint64_t address, std::size_t size, std::size_t room) {
  if (size <= room) {
    return size;
  }
  const std::uint64_t end = (address + room + kMostOfElement - 1) / kMostOfElement * kMostOfElement;
  return std::min<std::size_t>(size, end - address);
}

} // namespace

void forEachDifference(std::span<const std::byte> before, std::span<const std::byte> now,
                       const VisitDifference &visit) {
  const std::size_t size = now.size();
  std::size_t at = 0;
  while (at < size) {
    while (at + sizeof(Word) <= size && wordAt(&before[at]) == wordAt(&now[at])) {
      at += sizeof(Word);
    }
    while (at < size && before[at] == now[at]) {
      ++at;
    }
    const std::size_t begin = at;
    while (at + sizeof(Word) <= size && !hasZeroByte(wordAt(&before[at]) ^ wordAt(&now[at]))) {
      at += sizeof(Word);
    }
    while (at < size && before[at] != now[at]) {
      ++at;
    }
    if (at > begin) {
      visit(begin, at - begin);
    }
  }
}

Base::Base(const Window &window, RangeSet bytes) : bytes_(std::move(bytes)) {
  copy_.reserve(bytes_.bytes());
  for (const Range &range : bytes_.ranges()) {
    const std::byte *from = window.view(range.begin);
    copy_.insert(copy_.end(), from, from + range.size());
  }
}

void ChangeWriter::addNumber(std::uint64_t number) {
  for (; number >= kMoreGroups; number >>= kGroupBits) {
    message_.push_back(static_cast<std::byte>(number | kMoreGroups));
  }
  message_.push_back(static_cast<std::byte>(number));
}

void ChangeWriter::add(std::uint64_t address, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (message_.size() >= kMessageBytes) {
      send_(message_);
      message_.clear();
      end_ = 0;
    }
    const auto part = bytes.first(roomFor(address, bytes.size(), kMessageBytes - message_.size()));
    addNumber(folded(address - end_));
    addNumber(part.size());
    message_.insert(message_.end(), part.begin(), part.end());
    address += part.size();
    end_ = address;
    bytes = bytes.subspan(part.size());
  }
}

UpdateMap::UpdateMap(std::span<const UpdatedBytes> updates) {
  for (const UpdatedBytes &updated : updates) {
    for (const Range &range : updated.bytes.ranges()) {
      pieces_.push_back({range, updated.update});
    }
  }
  std::ranges::sort(pieces_, {}, [](const Piece &piece) { return piece.bytes.begin; });
}

void forEachChange(std::uint64_t address, std::span<const std::byte> before,
                   std::span<const std::byte> now, const UpdateMap &updates,
                   const std::function<void(std::uint64_t, std::span<const std::byte>)> &visit) {
  std::vector<std::byte> change;
  const auto at = [address](std::span<const std::byte> bytes, Range range) {
    return bytes.subspan(range.begin - address, range.size());
  };
  updates.forEachPart({address, address + now.size()}, [&](Range part, const Update *update) {
    const std::uint64_t element = update ? update->elementBytes() : 1;
    std::uint64_t done = part.begin;
    forEachDifference(at(before, part), at(now, part), [&](std::size_t offset, std::size_t bytes) {
      const std::uint64_t first = part.begin + offset;
      const Range run{std::max(done, first / element * element),
                      std::min(part.end, (first + bytes + element - 1) / element * element)};
      done = run.end;
      if (run.empty()) {
        return; // It is of an element that differs in several runs of bytes.
      }
      if (!update) {
        visit(run.begin, at(now, run));
        return;
      }
      change.resize(run.size());
      update->findChange(at(before, run), at(now, run), change);
      visit(run.begin, change);
    });
  });
}

void applyChanges(const Window &window, std::span<const std::byte> message,
                  const UpdateMap &updates) {
  std::uint64_t end = 0;
  while (!message.empty()) {
    const std::uint64_t begin = end + unfolded(takeNumber(message));
    const std::uint64_t size = takeNumber(message);
    end = begin + size;
    TUTTI_CHECK(size <= message.size() && window.contains({begin, end}),
                "apply {} changed bytes at {:#x}", size, begin);
    updates.forEachPart({begin, end}, [&](Range part, const Update *update) {
      const auto bytes = message.subspan(part.begin - begin, part.size());
      const std::span<std::byte> there(window.view(part.begin), part.size());
      if (update) {
        update->apply(bytes, there);
      } else {
        std::ranges::copy(bytes, there.begin());
      }
    });
    message = message.subspan(size);
  }
}

} // namespace tutti::memory
