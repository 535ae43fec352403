// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Elements that several places update, each its own copy, by an operation for which order and
/// grouping do not matter (abi/updates.h): what a place did to an element, and doing that to
/// another copy.
///
///   before 10, a place adds 3 and 4: change 7; another place's copy 15 becomes 22
#pragma once

#include "abi/updates.h"
#include "base/range.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::memory {

/// An operation on elements of one type.
///
/// Threading: immutable.
class Update {
public:
  /// `flags`: those of an access record that is TUTTI_UPDATED.
  static Update ofFlags(std::uint32_t flags) { return Update(flags >> TUTTI_UPDATE_SHIFT); }

  /// Bytes of an element: 1, 2, 4 or 8.
  std::size_t elementBytes() const;

  /// Writes what made `now` of `before`, element by element.
  ///
  /// Shape: whole elements; all spans are as long.
  void findChange(std::span<const std::byte> before, std::span<const std::byte> now,
                  std::span<std::byte> change) const;

  /// Does to `elements` what `change` says.
  void apply(std::span<const std::byte> change, std::span<std::byte> elements) const;

  friend bool operator==(const Update &, const Update &) = default;

private:
  explicit Update(std::uint32_t code) : code_(code) {}

  std::uint32_t code_;
};

/// Bytes of which every element is updated in one way, or not at all.
struct UpdatedBytes {
  Update update;
  RangeSet bytes;
};

} // namespace tutti::memory
