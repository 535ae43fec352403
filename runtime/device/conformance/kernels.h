// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernels of the suite: as text for each kind of device, and as functions for the mock.
///
///   scale  (x, factor)  x[i] *= factor: words of 64 bits
///   halve  (x)          x[i] = x[i] / 2 + 1: doubles
///   sum    (x)          reduces x[i], words of 64 bits; partial results of 16 bytes
///   add    ()           a combiner of `sum`'s partial results
///   place  (x, nx, ny)  x[(k * ny + j) * nx + i] = that index, for all work-items of 3 dimensions
#pragma once

#include "abi/abi.h"
#include "runtime/device/mock/mock.h"

#include <string_view>
#include <utility>
#include <vector>

namespace tutti::device::conformance {

/// As one of `sum`'s partial results is long.
inline constexpr std::uint32_t kPartialBytes = 16;

/// Never null: a name that is not there is a bug of the suite.
const tutti_kernel *kernelNamed(std::string_view name, tutti_kernel_format format);

std::vector<std::pair<std::string_view, mock::Function>> hostFunctions();

} // namespace tutti::device::conformance
