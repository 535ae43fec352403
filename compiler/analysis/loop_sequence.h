// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The worksharing loops of one parallel construct, one after the other:
///
///   #pragma omp parallel
///   {
///     const double scale = 2 * f;    // code on private variables: every thread executes it
///   #pragma omp for
///     for (...) a[i] = scale * i;
///   #pragma omp for
///     for (...) b[i] = a[n - i];
///   }
///
/// Each may become a construct of its own that executes the private code once more, if what that
/// code computes does not depend on the other loops.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// Attribute of an outlined function whose loops cannot be constructs of their own; says why.
inline constexpr const char *kWholeConstruct = "tutti-whole";

/// Attribute, for a while, of a function that holds worksharing loops, or calls such, and has a
/// conductor of its own: calls of it stay calls (transform/conduct_constructs).
inline constexpr const char *kOwnConductor = "tutti-own-conductor";

/// Attribute, with that, of a pointer that only code beside the loops reads and writes through.
inline constexpr const char *kBesideLoops = "tutti-beside-loops";

/// What it says of a construct around a loop over time, say.
inline constexpr const char *kRepeated = "one of its loops is executed repeatedly";

/// What it says, to follow another reason; empty if nothing has been said.
std::string whyWhole(const llvm::Function &outlined);

/// Why the loops of `outlined` cannot be constructs of their own, or an empty string. The function
/// must be a promoted copy (see promotedCopy) with more than one of them.
std::string whyNotApart(llvm::Function &outlined, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
