// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels as a program brings them: in the language of each kind of device, and as functions for
/// the mock.
///
///   scaled    (n, factor, x)         x[i] *= factor for i below n: words of 64 bits
///   mixed     (a, b, f, p, in, out)  *out = the sum of *in and all others, of several sizes
///   turned    (x)                    turns the words of each group round, through local memory
///   that
///                                    the launch gives
///   reversed  (x)                    the same, through local memory that it declares, for 64 words
#pragma once

#include "runtime/device/device.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::device::conformance {

/// A parameter of `mixed`.
struct Pair {
  std::int32_t i;
  std::int64_t l;
};

/// For what a device is: that of Info::format, or a mock's. Never null for the names above, and for
/// `nothing`, which is in no program.
const tutti_task_kernel *nativeNamed(std::string_view name, const Info &info);

/// A text that is no program, as all of a program has; only for kernels that come as text.
const tutti_task_kernel *nativeOfWrongText();

/// Whether the vendor's compiler gets a text. Such kernels name the local memory that a launch
/// gives as a parameter, whose argument means nothing.
///
/// Of them there are more: `fixed_` (x) has groups of 32, `looked_up` (table, x) reads constant
/// memory, `absent` (x, value, maybe) asks whether a pointer is null, `rows`
/// (x) has a pointer to arrays of 4 words, `pictured` takes an image.
bool comesAsText(const Info &info);

} // namespace tutti::device::conformance
