// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What one place changed in bytes that several places may write: found by comparing with a copy of
/// what was there before, byte by byte, and carried to another rank as messages.
///
/// A byte that was written with the value that it had does not count as changed. No other place
/// writes it, so that is its value everywhere.
///
/// Source: hycomp.txt sections 3 to 5: twins and diffs.
#pragma once

#include "base/range.h"
#include "runtime/memory/updates.h"
#include "runtime/memory/window.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tutti::memory {

using VisitDifference = std::function<void(std::size_t offset, std::size_t bytes)>;

/// Calls `visit` for the runs that differ, in order.
///
/// Shape: both as long. Runs do not touch one another.
void forEachDifference(std::span<const std::byte> before, std::span<const std::byte> now,
                       const VisitDifference &visit);

/// This rank's copy of some bytes of the window.
///
/// Threading: externally synchronised.
class Base {
public:
  /// Copies `bytes` as the compute view has them.
  Base(const Window &window, RangeSet bytes);

  const RangeSet &bytes() const { return bytes_; }

  /// Calls `visit(address, copy)` for pieces of at most `most` bytes, in order.
  template <typename Visit> void forEachPiece(std::size_t most, Visit &&visit) const {
    std::span<const std::byte> rest = copy_;
    for (Range range : bytes_.ranges()) {
      while (!range.empty()) {
        const std::size_t size = std::min<std::size_t>(range.size(), most);
        visit(range.begin, rest.first(size));
        rest = rest.subspan(size);
        range.begin += size;
      }
    }
  }

private:
  RangeSet bytes_;
  std::vector<std::byte> copy_;
};

/// Changes as messages of moderate size. A run is divided at multiples of eight bytes only.
///
/// Shape: of a message: runs, each the distance from the end of the run before it (the first: from
///        0), its length, its bytes; numbers in groups of seven bits, the lowest first. Of a
///        distance the lowest bit says that it leads back; the others are inverted then.
class ChangeWriter {
public:
  static constexpr std::size_t kMessageBytes = std::size_t{1} << 20;

  using Send = std::function<void(std::span<const std::byte> message)>;

  explicit ChangeWriter(Send send) : send_(std::move(send)) {}

  /// Adds bytes that stand at `address`. Takes least space in the order of addresses.
  void add(std::uint64_t address, std::span<const std::byte> bytes);

  /// The message that has not been sent yet; may be empty.
  std::span<const std::byte> rest() const { return message_; }

private:
  void addNumber(std::uint64_t number);

  Send send_;
  std::vector<std::byte> message_;
  std::uint64_t end_ = 0; ///< Of the last run in the message.
};

/// Which bytes are updated, and how, by address.
///
/// Threading: immutable.
class UpdateMap {
public:
  /// Shape: no byte is in two of `updates`.
  explicit UpdateMap(std::span<const UpdatedBytes> updates);

  /// Calls `visit(part, update)` for the parts of `bytes`, in order: of those that are not updated
  /// `update` is null.
  template <typename Visit> void forEachPart(Range bytes, Visit &&visit) const {
    auto piece = std::ranges::upper_bound(pieces_, bytes.begin, {},
                                          [](const Piece &each) { return each.bytes.end; });
    while (!bytes.empty()) {
      const bool isLast = piece == pieces_.end();
      const bool isInside = !isLast && piece->bytes.begin <= bytes.begin;
      const std::uint64_t next = isLast     ? bytes.end
                                 : isInside ? piece->bytes.end
                                            : piece->bytes.begin;
      const Range part{bytes.begin, std::min(bytes.end, next)};
      visit(part, isInside ? &piece->update : nullptr);
      bytes.begin = part.end;
      piece += isInside ? 1 : 0;
    }
  }

private:
  struct Piece {
    Range bytes;
    Update update;
  };

  std::vector<Piece> pieces_; ///< In the order of addresses.
};

/// Calls `visit(address, bytes)` for what `now` changed in the bytes that were `before` at
/// `address`: runs that differ, with their new bytes or, of elements that are updated, with what
/// was done to them.
void forEachChange(std::uint64_t address, std::span<const std::byte> before,
                   std::span<const std::byte> now, const UpdateMap &updates,
                   const std::function<void(std::uint64_t, std::span<const std::byte>)> &visit);

/// Takes the changes of a message over into the compute view.
void applyChanges(const Window &window, std::span<const std::byte> message,
                  const UpdateMap &updates);

} // namespace tutti::memory
