// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lets a kernel not write a number back that it has just read:
///
///   a[i] = sum < a[i] ? sum : a[i]   ->   if (sum < a[i]) a[i] = sum
///
/// The host's pipeline makes the first of the second, where it can: vectors of the host write all
/// or nothing. A work-item writes for itself, and where few numbers change half of the traffic
/// goes.
#pragma once

#include "llvm/IR/Module.h"

namespace tutti::compiler::target {

/// Order: after all optimisation; other passes would undo it.
void spareStores(llvm::Module &kernels);

} // namespace tutti::compiler::target
