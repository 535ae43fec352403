// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sums of the numbers of groups and of work-items, which kernels make addresses and conditions of,
/// and the bytes at which they store.
#pragma once

#include "base/range.h"
#include "runtime/device/device.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::device::cuda {

using Wide = __int128; ///< Products of what fits into 64 bits fit.

/// Whole numbers [first, last].
struct Span {
  Wide first;
  Wide last;

  bool isEmpty() const { return first > last; }

  bool contains(const Span &other) const { return first <= other.first && other.last <= last; }
};

/// Of a value, as instructions name it: "s32", "f64".
struct Type {
  char kind = 0;
  std::uint32_t bits = 0; ///< 0 for what is no number.

  static Type of(std::string_view word);

  /// Whether it is a whole number of 32 or 64 bits.
  bool isWhole() const;

  /// Of whole numbers.
  Span values() const;
};

/// What each work-item has: a number, and for each dimension one for each group before its own and
/// one for each work-item before it in its group.
struct Sum {
  Wide constant = 0;
  std::array<Wide, 3> group{};
  std::array<Wide, 3> item{};

  bool isConstant() const;

  /// Whether sums and products with numbers of 64 bits can be made of it.
  bool isSmall() const;

  Sum &add(const Sum &other, Wide times);

  /// Of all work-items.
  Span values(const Grid &grid) const;
};

/// What a register has as a value of the type, where its bits are the last ones of the sum; nothing
/// if the value begins again at the other end of the type among the work-items.
std::optional<Sum> asType(std::optional<Sum> sum, Type type, const Grid &grid);

enum class Comparison { Less, LessOrEqual, Greater, GreaterOrEqual, Equal, Different };

std::optional<Comparison> comparisonOf(std::string_view word);

/// What the difference of two values is if they compare so; nothing if that is no span.
std::optional<Span> wantedBy(Comparison comparison, bool isTrue);

/// `count` times, `step` apart.
struct Axis {
  Wide step;
  Wide count;

  friend bool operator==(const Axis &, const Axis &) = default;
};

/// The bytes, and those of all combinations of steps behind them; the least step first.
struct Boxes {
  std::vector<Axis> axes;
  Range bytes;
};

/// Work-items that conditions let through.
class Limits {
public:
  explicit Limits(const Grid &grid);

  /// Only those for which the sum is in `wanted`. False if those are no span of one dimension.
  bool require(const Sum &sum, const Span &wanted);

  /// What they store, each `bytes` bytes at an address; nothing if that is not known, or nowhere.
  std::optional<Boxes> boxes(Sum address, std::uint64_t bytes) const;

private:
  /// Whether only the number among the work-items of all groups counts.
  bool isJoined(const Sum &sum, std::size_t dimension) const;

  const Grid &grid_;
  std::array<Span, 3> groups_{};
  std::array<Span, 3> items_{};
  std::array<Span, 3> both_{};
  std::array<bool, 3> isJoint_{}; ///< It has been asked for the number among all,
  std::array<bool, 3> isApart_{}; ///< or for the one of a group, or in it.
};

/// What is beside one another. Those with equal axes are parts of one element, and go together.
std::vector<Range> contiguousIn(std::vector<Boxes> boxes);

} // namespace tutti::device::cuda
