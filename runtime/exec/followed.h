// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What rank 0 found in memory when it followed the pointers of a launch, and where they lead, or
/// when it looked for what iterations read at computed addresses.
/// Every other rank is told, so that all of them see the same launch.
#pragma once

#include "base/range.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/touched.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::exec {

/// Threading: immutable.
class Followed {
public:
  struct Content {
    RangeSet words;                      ///< Where they stand; nothing else in between,
    std::vector<std::byte> bytes;        ///< and what stands there, without the gaps.
    std::vector<Allocation> allocations; ///< That the records ask for, by address.
    /// Parts of the heap that hold nothing but objects that the records name.
    RangeSet objects;
    TouchLists lists; ///< Of a region that follows no pointers, if they are known.

    friend bool operator==(const Content &, const Content &) = default;
  };

  /// Contents with the same id are equal.
  Followed(std::uint64_t id, Content content);

  std::uint64_t id() const { return id_; }

  const Content &content() const { return content_; }

  /// What keeping it costs, about.
  std::size_t bytes() const;

  /// Whether memory still holds the words. Reads it through the window: it may fault.
  bool isUnchanged() const;

  /// Looks words up. Near the one before it costs little, whatever the number of words.
  class Reader {
  public:
    explicit Reader(const Followed *followed) : followed_(followed) {}

    /// `size` bytes at `address` as a zero-extended integer, if they are among the words.
    std::optional<std::uint64_t> read(std::uint64_t address, std::uint32_t size);

  private:
    bool findNear(Range word);

    const Followed *followed_;
    std::size_t at_ = 0; ///< The range of the word before.
  };

private:
  std::uint64_t id_;
  Content content_;
  std::vector<std::size_t> offsets_; ///< Of each range among the bytes.
};

/// Puts words in order; the same ones may come several times.
///
/// Shape: the words' sizes are 1, 2, 4 or 8.
Followed::Content contentOf(std::vector<BlockValue> words);

/// The latest contents that were announced. All ranks keep the same ones, because they use the same
/// in the same order: what one knows, the others do.
///
/// Threading: externally synchronised.
class RecentlyFollowed {
public:
  using Pointer = std::shared_ptr<const Followed>; ///< Shared with launches and what finds them.

  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20; ///< Unless there is only one.

  /// Null if it is not known.
  Pointer find(std::uint64_t id) const;

  /// Makes it the latest, and forgets the oldest ones if there are too many.
  void use(Pointer followed);

private:
  std::deque<Pointer> latest_; ///< The latest first.
  std::size_t bytes_ = 0;
};

} // namespace tutti::exec
