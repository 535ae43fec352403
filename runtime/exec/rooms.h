// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much of the window each device of the job can hold, and the units in which it takes memory
/// and gives it back.
#pragma once

#include "base/range.h"
#include "runtime/device/device.h"
#include "runtime/memory/window.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::exec {

/// So many portions of a loop that streams through a device are there at once: one comes, one runs,
/// one goes, one waits to go. A power of two, as their number is.
inline constexpr std::uint64_t kPortionsAtOnce = 4;

/// The window as devices see it.
device::Segments segmentsOf(const memory::Window &window);

/// One device's; sent as it is.
struct Room {
  std::uint64_t capacity; ///< Bytes of the window that it may hold.
  std::uint64_t granule;  ///< `device::Device::granule`
};

/// Threading: immutable. The same on every rank.
class Rooms {
public:
  /// `rooms`: of the devices, in the order of their places.
  Rooms(const memory::Window &window, std::vector<Room> rooms);

  std::size_t devices() const { return rooms_.size(); }

  std::uint64_t capacity(std::size_t device) const { return rooms_[device].capacity; }

  /// A power of two. Small beside the smallest device, so that rounding wastes little of it, and
  /// no smaller, because each unit is one allocation.
  std::uint64_t unit() const { return unit_; }

  /// The units that hold `bytes`: aligned blocks, cut off at the ends of the window.
  RangeSet around(const RangeSet &bytes) const { return around(std::span(bytes.ranges())); }

  /// The same of ranges in any order.
  RangeSet around(std::span<const Range> bytes) const;

  /// `units`, which are whole, one by one. Cost: allocates one entry for each.
  std::vector<Range> single(const RangeSet &units) const;

private:
  device::Segments window_;
  std::vector<Room> rooms_;
  std::uint64_t unit_;
};

} // namespace tutti::exec
