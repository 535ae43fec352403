// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/combine.h"

#include "base/check.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::transport {

namespace {

template <typename T> inline constexpr bool kHasOrder = std::is_arithmetic_v<T>;

template <typename T> T combined(Combination operation, T a, T b) {
  switch (operation) {
  case Combination::Sum:
    return static_cast<T>(a + b);
  case Combination::Product:
    return static_cast<T>(a * b);
  default:
    break;
  }
  if constexpr (kHasOrder<T>) {
    if (operation == Combination::Max) {
      return std::max(a, b);
    }
    if (operation == Combination::Min) {
      return std::min(a, b);
    }
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
    case Combination::BitAnd:
      return static_cast<T>(a & b);
    case Combination::BitOr:
      return static_cast<T>(a | b);
    case Combination::BitXor:
      return static_cast<T>(a ^ b);
    case Combination::And:
      return static_cast<T>(a != 0 && b != 0);
    case Combination::Or:
      return static_cast<T>(a != 0 || b != 0);
    default:
      break;
    }
  }
  TUTTI_CHECK(false, "a combination that the type does not have");
  return a;
}

} // namespace

std::size_t sizeOf(Element type) {
  return visit(type, [](auto tag) { return sizeof(typename decltype(tag)::Type); });
}

bool canCombine(Element type, Combination operation) {
  return visit(type, [operation](auto tag) {
    using T = typename decltype(tag)::Type;
    switch (operation) {
    case Combination::Sum:
    case Combination::Product:
      return true;
    case Combination::Max:
    case Combination::Min:
      return kHasOrder<T>;
    default:
      return std::is_integral_v<T>;
    }
  });
}

void combine(Element type, Combination operation, std::span<std::byte> into,
             std::span<const std::byte> from) {
  TUTTI_CHECK(into.size() == from.size());
  visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::size_t at = 0; at + sizeof(T) <= into.size(); at += sizeof(T)) {
      T a;
      T b;
      std::memcpy(&a, into.data() + at, sizeof(T));
      std::memcpy(&b, from.data() + at, sizeof(T));
      a = combined(operation, a, b);
      std::memcpy(into.data() + at, &a, sizeof(T));
    }
  });
}

} // namespace tutti::transport
