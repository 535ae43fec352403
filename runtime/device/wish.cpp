// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/wish.h"

#include <algorithm>
#include <bit>
#include <cctype>

namespace tutti::device {

namespace {

constexpr std::uint32_t kCores = kindBit(TUTTI_DEVICE_CPU);
constexpr std::uint32_t kHybrid = kindBit(TUTTI_DEVICE_HYBRID);

std::string lower(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(),
                         [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return word;
}

/// Null if there is no such kind.
const abi::DeviceKind *kindOf(const std::string &word) {
  const auto found = std::ranges::find(abi::kDeviceKinds, word, &abi::DeviceKind::name);
  return found == abi::kDeviceKinds.end() ? nullptr : &*found;
}

} // namespace

std::string namesOf(std::uint32_t kinds, std::string_view between) {
  std::string names;
  for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
    if ((kinds & kindBit(kind.number)) != 0) {
      names.append(names.empty() ? "" : between).append(kind.name);
    }
  }
  return names;
}

Result<Wish> parseWish(std::string_view text) {
  std::uint32_t kinds = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = lower(text.substr(begin, end - begin));
    const abi::DeviceKind *kind = kindOf(word);
    if (!kind) {
      return failure(ErrorCode::InvalidArgument,
                     "TUTTI_DEVICE={}: expected one of {}, or several with commas between{}", text,
                     namesOf(~std::uint32_t{0}),
                     word == text ? std::string() : fmt::format("; '{}' is none of them", word));
    }
    kinds |= kindBit(kind->number);
    begin = end + 1;
  }
  if (std::has_single_bit(kinds)) {
    return Wish{static_cast<std::uint32_t>(std::countr_zero(kinds)), 0};
  }
  if ((kinds & kindBit(TUTTI_DEVICE_AUTO)) != 0) {
    return failure(ErrorCode::InvalidArgument, "TUTTI_DEVICE={}: auto stands alone", text);
  }
  const bool hasCores = (kinds & (kCores | kHybrid)) != 0;
  return Wish{std::uint32_t{hasCores ? TUTTI_DEVICE_HYBRID : TUTTI_DEVICE_GPU}, kinds & ~kCores};
}

std::string textOf(const Wish &wish) {
  if (wish.listed == 0) {
    return std::string(abi::deviceKindName(wish.kind));
  }
  const bool addsCores = wish.kind == TUTTI_DEVICE_HYBRID && (wish.listed & kHybrid) == 0;
  return namesOf(wish.listed | (addsCores ? kCores : 0), ",");
}

} // namespace tutti::device
