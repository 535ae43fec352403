// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes out library functions that devices do not have, or that give results through pointers:
/// products, quotients, absolute values, arguments and exponentials of complex numbers, sincos,
/// modf, frexp, rand_r and nan("").
///
///   %z = call { double, double } @__muldc3(double %a, double %b, double %c, double %d)
///
/// becomes the C standard's product (annex G): that of the parts, mended where it is not a number
/// though an operand is infinite. What remains are functions of real numbers.
#pragma once

#include "llvm/IR/Function.h"

namespace tutti::compiler {

/// Replaces the calls in `function`, a kernel's body or combiner.
void expandLibraryCalls(llvm::Function &function);

} // namespace tutti::compiler
