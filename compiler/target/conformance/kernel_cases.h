// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels for the tests of the targets: one work-item reads three words, computes with them in
/// every way that kernel IR has, and writes the results.
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tutti::compiler::target {

/// Words that each iteration reads and may write.
inline constexpr unsigned kInputs = 3;
inline constexpr unsigned kOutputs = 128;

/// A module with the entry point
///   run(arena, low, high, lower, upper, total, partials, in, out, n)
struct KernelCase {
  std::string name;
  std::string bitcode;
  /// Results are doubles that may differ by this much of their size; 0: bits that may not.
  double tolerance = 0;
};

inline void PrintTo(const KernelCase &kernel, std::ostream *stream) { *stream << kernel.name; }

/// Cases for each width of integers, each floating-point type, the math library, and memory.
std::vector<KernelCase> makeKernelCases();

} // namespace tutti::compiler::target
