// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/sums.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace tutti::device::cuda {

namespace {

constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();

Wide floored(Wide number, Wide by) { return number / by - (number % by < 0 ? 1 : 0); }

/// Narrows to those for which `constant` and so many steps are in `wanted`.
void narrow(Span &span, Wide step, Wide constant, const Span &wanted) {
  Span own{wanted.first - constant, wanted.last - constant};
  if (step < 0) {
    own = {-own.last, -own.first};
    step = -step;
  }
  span.first = std::max(span.first, -floored(-own.first, step));
  span.last = std::min(span.last, floored(own.last, step));
}

/// Adds the steps that an address takes, whose constant then is that of the least one.
void addAxis(Sum &address, Wide step, const Span &span, std::vector<Axis> &to) {
  address.constant += step * (step < 0 ? span.last : span.first);
  if (step != 0 && span.last > span.first) {
    to.push_back({step < 0 ? -step : step, span.last - span.first + 1});
  }
}

/// All bytes of the boxes, if they are beside one another.
std::optional<Range> joined(const std::vector<Axis> &axes, Range bytes) {
  for (const Axis &axis : axes) {
    if (axis.step > static_cast<Wide>(bytes.size())) {
      return std::nullopt;
    }
    bytes.end += static_cast<std::uint64_t>(axis.step * (axis.count - 1));
  }
  return bytes;
}

} // namespace

Type Type::of(std::string_view word) {
  Type type;
  if (word.size() > 1) {
    const char *const end = word.data() + word.size();
    const auto [last, error] = std::from_chars(word.data() + 1, end, type.bits);
    type.bits = error == std::errc() && last == end ? type.bits : 0;
    type.kind = word[0];
  }
  return type;
}

bool Type::isWhole() const {
  return (kind == 's' || kind == 'u' || kind == 'b') && (bits == 32 || bits == 64);
}

Span Type::values() const {
  return kind == 's' ? Span{-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1}
                     : Span{0, (Wide{1} << bits) - 1};
}

bool Sum::isConstant() const {
  constexpr std::array<Wide, 3> kNone{};
  return group == kNone && item == kNone;
}

bool Sum::isSmall() const {
  const auto small = [](Wide value) { return -kMost <= value && value <= kMost; };
  return small(constant) && std::ranges::all_of(group, small) && std::ranges::all_of(item, small);
}

Sum &Sum::add(const Sum &other, Wide times) {
  constant += other.constant * times;
  for (std::size_t i = 0; i < group.size(); ++i) {
    group[i] += other.group[i] * times;
    item[i] += other.item[i] * times;
  }
  return *this;
}

Span Sum::values(const Grid &grid) const {
  Span span{constant, constant};
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (const Wide most : {group[i] * (static_cast<Wide>(grid.groups[i]) - 1),
                            item[i] * (static_cast<Wide>(grid.group[i]) - 1)}) {
      (most < 0 ? span.first : span.last) += most;
    }
  }
  return span;
}

std::optional<Sum> asType(std::optional<Sum> sum, Type type, const Grid &grid) {
  if (!sum || !type.isWhole()) {
    return std::nullopt;
  }
  const Span all = type.values();
  const Wide size = all.last - all.first + 1;
  sum->constant -= floored(sum->values(grid).first - all.first, size) * size;
  return all.contains(sum->values(grid)) ? sum : std::nullopt;
}

std::optional<Comparison> comparisonOf(std::string_view word) {
  struct Name {
    std::string_view word;
    Comparison comparison;
  };

  static constexpr Name kNames[] = {
      {"lt", Comparison::Less},           {"lo", Comparison::Less},
      {"le", Comparison::LessOrEqual},    {"ls", Comparison::LessOrEqual},
      {"gt", Comparison::Greater},        {"hi", Comparison::Greater},
      {"ge", Comparison::GreaterOrEqual}, {"hs", Comparison::GreaterOrEqual},
      {"eq", Comparison::Equal},          {"ne", Comparison::Different}};
  const auto *const found = std::ranges::find(kNames, word, &Name::word);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->comparison);
}

std::optional<Span> wantedBy(Comparison comparison, bool isTrue) {
  constexpr Wide kFar = Wide{1} << 100;
  switch (comparison) {
  case Comparison::Less:
    return isTrue ? Span{-kFar, -1} : Span{0, kFar};
  case Comparison::LessOrEqual:
    return isTrue ? Span{-kFar, 0} : Span{1, kFar};
  case Comparison::Greater:
    return isTrue ? Span{1, kFar} : Span{-kFar, 0};
  case Comparison::GreaterOrEqual:
    return isTrue ? Span{0, kFar} : Span{-kFar, -1};
  case Comparison::Equal:
    return isTrue ? std::optional(Span{0, 0}) : std::nullopt;
  case Comparison::Different:
    return isTrue ? std::nullopt : std::optional(Span{0, 0});
  }
  return std::nullopt;
}

Limits::Limits(const Grid &grid) : grid_(grid) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto groups = static_cast<Wide>(grid.groups[i]);
    const auto items = static_cast<Wide>(grid.group[i]);
    groups_[i] = {0, groups - 1};
    items_[i] = {0, items - 1};
    both_[i] = {0, groups * items - 1};
  }
}

bool Limits::isJoined(const Sum &sum, std::size_t dimension) const {
  return sum.group[dimension] == sum.item[dimension] * static_cast<Wide>(grid_.group[dimension]);
}

bool Limits::require(const Sum &sum, const Span &wanted) {
  if (wanted.contains(sum.values(grid_))) {
    return true;
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    Sum rest = sum;
    rest.group[i] = 0;
    rest.item[i] = 0;
    if (!rest.isConstant() || sum.isConstant()) {
      continue;
    }
    if (isJoined(sum, i)) {
      isJoint_[i] = true;
      narrow(both_[i], sum.item[i], sum.constant, wanted);
      return true;
    }
    if (sum.item[i] == 0 || sum.group[i] == 0) {
      isApart_[i] = true;
      narrow(sum.item[i] == 0 ? groups_[i] : items_[i], sum.group[i] + sum.item[i], sum.constant,
             wanted);
      return true;
    }
  }
  return false;
}

std::optional<Boxes> Limits::boxes(Sum address, std::uint64_t bytes) const {
  const Span all = address.values(grid_);
  if (all.first < 0 || all.last + static_cast<Wide>(bytes) > kMost) {
    return std::nullopt;
  }
  Boxes boxes;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const bool isNone = both_[i].isEmpty() || groups_[i].isEmpty() || items_[i].isEmpty();
    if (isNone || (isJoint_[i] && (isApart_[i] || !isJoined(address, i)))) {
      return std::nullopt;
    }
    if (isJoined(address, i) && !isApart_[i]) {
      addAxis(address, address.item[i], both_[i], boxes.axes);
    } else {
      addAxis(address, address.group[i], groups_[i], boxes.axes);
      addAxis(address, address.item[i], items_[i], boxes.axes);
    }
  }
  std::ranges::sort(boxes.axes, {}, &Axis::step);
  boxes.bytes.begin = static_cast<std::uint64_t>(address.constant);
  boxes.bytes.end = boxes.bytes.begin + bytes;
  return boxes;
}

std::vector<Range> contiguousIn(std::vector<Boxes> boxes) {
  std::vector<Range> found;
  while (!boxes.empty()) {
    const std::vector<Axis> axes = boxes.back().axes;
    std::vector<Range> parts;
    std::erase_if(boxes, [&](const Boxes &each) {
      if (each.axes == axes) {
        parts.push_back(each.bytes);
      }
      return each.axes == axes;
    });
    for (const Range &part : RangeSet::of(std::move(parts)).ranges()) {
      if (const auto range = joined(axes, part)) {
        found.push_back(*range);
      }
    }
  }
  return found;
}

} // namespace tutti::device::cuda
