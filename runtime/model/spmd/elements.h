// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Values of elements whose type is known only at run time.
#pragma once

#include "runtime/transport/combine.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::model::spmd {

/// Below 0, 0 or above 0. Shape: a type with an order.
int compare(transport::Element type, const std::byte *a, const std::byte *b);

void fillWithOnes(transport::Element type, std::span<std::byte> bytes);

/// Of each element whether it is not 0.
std::vector<std::int32_t> truthOf(transport::Element type, std::span<const std::byte> bytes);

/// Elements of 0 and 1.
void fromTruth(transport::Element type, std::span<const std::int32_t> truth,
               std::span<std::byte> bytes);

/// Shape: a type of integers; of others the truth of each element, 0 or 1.
std::vector<std::int64_t> integersOf(transport::Element type, std::span<const std::byte> bytes);

/// Shape: a type with an order.
void sortElements(transport::Element type, std::span<std::byte> bytes, bool isDown);

/// Element `i * columns + j` of the product of `rows` (of `inner` elements each) and of `inner`
/// rows of `columns` elements goes to that target.
void multiplyRows(transport::Element type, std::span<const std::byte> rows,
                  std::span<const std::byte> others, std::size_t inner, std::size_t columns,
                  std::span<std::byte *const> targets);

} // namespace tutti::model::spmd
