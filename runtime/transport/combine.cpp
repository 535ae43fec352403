// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/combine.h"

#include "base/check.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

namespace tutti::transport {

namespace {

template <typename T> struct Tag {
  using Type = T;
};

template <typename Body> auto visit(Element type, Body &&body) {
  switch (type) {
  case Element::Int8:
    return body(Tag<std::int8_t>());
  case Element::UInt8:
    return body(Tag<std::uint8_t>());
  case Element::Int16:
    return body(Tag<std::int16_t>());
  case Element::UInt16:
    return body(Tag<std::uint16_t>());
  case Element::Int32:
    return body(Tag<std::int32_t>());
  case Element::UInt32:
    return body(Tag<std::uint32_t>());
  case Element::Int64:
    return body(Tag<std::int64_t>());
  case Element::UInt64:
    return body(Tag<std::uint64_t>());
  case Element::Float:
    return body(Tag<float>());
  case Element::Double:
    return body(Tag<double>());
  case Element::LongDouble:
    return body(Tag<long double>());
  case Element::ComplexFloat:
    return body(Tag<std::complex<float>>());
  case Element::ComplexDouble:
    return body(Tag<std::complex<double>>());
  case Element::ComplexLongDouble:
    return body(Tag<std::complex<long double>>());
  }
  TUTTI_CHECK(false, "no type of elements: {}", static_cast<int>(type));
  return body(Tag<std::int8_t>());
}

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
