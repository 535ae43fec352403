// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/updates.h"

#include "base/check.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>

namespace tutti::memory {

namespace {

template <typename T> T elementAt(const std::byte *address) {
  T element;
  std::memcpy(&element, address, sizeof element);
  return element;
}

/// Calls `visit` with a value of the type that `code` names.
template <typename Visit> auto withType(std::uint32_t code, Visit &&visit) {
  switch (code & TUTTI_UPDATE_TYPES) {
  case TUTTI_UPDATE_I8:
    return visit(std::int8_t{});
  case TUTTI_UPDATE_I16:
    return visit(std::int16_t{});
  case TUTTI_UPDATE_I32:
    return visit(std::int32_t{});
  case TUTTI_UPDATE_I64:
    return visit(std::int64_t{});
  case TUTTI_UPDATE_U8:
    return visit(std::uint8_t{});
  case TUTTI_UPDATE_U16:
    return visit(std::uint16_t{});
  case TUTTI_UPDATE_U32:
    return visit(std::uint32_t{});
  case TUTTI_UPDATE_U64:
    return visit(std::uint64_t{});
  case TUTTI_UPDATE_F32:
    return visit(float{});
  default:
    TUTTI_CHECK((code & TUTTI_UPDATE_TYPES) == TUTTI_UPDATE_F64, "know the type of update {:#x}",
                code);
    return visit(double{});
  }
}

/// Integers wrap around, as updates by the processor do.
template <typename T> T sum(T one, T other) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(
        static_cast<Unsigned>(static_cast<Unsigned>(one) + static_cast<Unsigned>(other)));
  } else {
    return one + other;
  }
}

template <typename T> T difference(T one, T other) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(
        static_cast<Unsigned>(static_cast<Unsigned>(one) - static_cast<Unsigned>(other)));
  } else {
    return one - other;
  }
}

/// Writes `of(one, other)` of each element into `into`, which may be one of them.
template <typename T, typename Of>
void forAll(std::span<const std::byte> ones, std::span<const std::byte> others,
            std::span<std::byte> into, Of of) {
  for (std::size_t at = 0; at < into.size(); at += sizeof(T)) {
    const T result = of(elementAt<T>(&ones[at]), elementAt<T>(&others[at]));
    std::memcpy(&into[at], &result, sizeof result);
  }
}

} // namespace

std::size_t Update::elementBytes() const {
  return withType(code_, [](auto element) { return sizeof element; });
}

void Update::findChange(std::span<const std::byte> before, std::span<const std::byte> now,
                        std::span<std::byte> change) const {
  withType(code_, [&](auto element) {
    using T = decltype(element);
    switch (code_ & TUTTI_UPDATE_OPERATIONS) {
    case TUTTI_UPDATE_ADD:
      forAll<T>(now, before, change, difference<T>);
      return;
    case TUTTI_UPDATE_XOR:
      if constexpr (std::is_integral_v<T>) {
        forAll<T>(now, before, change, [](T a, T b) { return static_cast<T>(a ^ b); });
      }
      return;
    default: // The others may be done again.
      std::ranges::copy(now, change.begin());
    }
  });
}

void Update::apply(std::span<const std::byte> change, std::span<std::byte> elements) const {
  withType(code_, [&](auto element) {
    using T = decltype(element);
    const std::uint32_t operation = code_ & TUTTI_UPDATE_OPERATIONS;
    if (operation == TUTTI_UPDATE_ADD) {
      forAll<T>(elements, change, elements, sum<T>);
      return;
    }
    if constexpr (std::is_integral_v<T>) {
      switch (operation) {
      case TUTTI_UPDATE_AND:
        forAll<T>(elements, change, elements, [](T a, T b) { return static_cast<T>(a & b); });
        return;
      case TUTTI_UPDATE_OR:
        forAll<T>(elements, change, elements, [](T a, T b) { return static_cast<T>(a | b); });
        return;
      case TUTTI_UPDATE_XOR:
        forAll<T>(elements, change, elements, [](T a, T b) { return static_cast<T>(a ^ b); });
        return;
      default:
        break;
      }
    }
    TUTTI_CHECK(operation == TUTTI_UPDATE_MIN || operation == TUTTI_UPDATE_MAX,
                "know the operation of update {:#x}", code_);
    const bool isLeast = operation == TUTTI_UPDATE_MIN;
    forAll<T>(elements, change, elements,
              [isLeast](T a, T b) { return isLeast == (b < a) ? b : a; });
  });
}

} // namespace tutti::memory
