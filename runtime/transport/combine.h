// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Types of elements, and how two of them become one.
#pragma once

#include "base/check.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::transport {

enum class Element : std::uint8_t {
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float,
  Double,
  LongDouble,
  ComplexFloat,
  ComplexDouble,
  ComplexLongDouble,
};

enum class Combination : std::uint8_t { Sum, Product, Max, Min, BitAnd, BitOr, BitXor, And, Or };

/// Stands for a type.
template <typename T> struct Tag {
  using Type = T;
};

/// Calls `body` with the tag of the type.
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

std::size_t sizeOf(Element type);

/// Whether elements of this type are combined so: bits and truth only of integers, order of all but
/// complex numbers.
bool canCombine(Element type, Combination operation);

/// Makes `into` what it and `from` give, element by element. The operation is one of the type.
void combine(Element type, Combination operation, std::span<std::byte> into,
             std::span<const std::byte> from);

} // namespace tutti::transport
