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

} // namespace tutti::model::spmd
