// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Types of elements, and how two of them become one.
#pragma once

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

std::size_t sizeOf(Element type);

/// Whether elements of this type are combined so: bits and truth only of integers, order of all but
/// complex numbers.
bool canCombine(Element type, Combination operation);

/// Makes `into` what it and `from` give, element by element. The operation is one of the type.
void combine(Element type, Combination operation, std::span<std::byte> into,
             std::span<const std::byte> from);

} // namespace tutti::transport
