// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Square roots and divisions in the forms that devices are fast at, where the flags of the
/// instructions permit them (-ffast-math). What is strict stays as it is.
///
///   a / sqrt(x)          a * rsqrt(x)
///   a / (x * sqrt(x))    a * rsqrt(x) * rsqrt(x)^2
///   a / (y * sqrt(x))    a * rsqrt(x) / y
///   sqrt(x), a / b       of floats: approximations
///
/// Doubles need no others: no device computes a root or a quotient of doubles, with about all of
/// its digits, faster than the exact one.
#pragma once

#include "llvm/IR/Function.h"

namespace tutti::compiler::target {

/// The functions that calls are put in for; each device has its own way to compute them. What the
/// program says of infinities and NaN is on the calls.
inline constexpr llvm::StringLiteral kFastRootReciprocal = "tutti.fast.rsqrt.f64";
inline constexpr llvm::StringLiteral kFastRootReciprocalF = "tutti.fast.rsqrt.f32";
inline constexpr llvm::StringLiteral kFastRootF = "tutti.fast.sqrt.f32";
inline constexpr llvm::StringLiteral kFastQuotientF = "tutti.fast.divide.f32";

void useFastMath(llvm::Function &function);

} // namespace tutti::compiler::target
