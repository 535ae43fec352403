// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which values carry a reduction through the iterations of a loop and of the loops inside it.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace tutti::compiler {

/// The phi in a loop's header, phis and selections that hand it on, and the operations that
/// combine it with other values.
using Accumulator = llvm::SmallPtrSet<llvm::Instruction *, 8>;

/// The accumulator that begins with `phi`, a phi in the header of `loop`.
///
/// It starts from the identity of one associative and commutative operation (floating-point ones
/// count: OpenMP's reductions may be reordered), is changed by that operation alone, and inside of
/// the loop nothing else depends on it. Loops inside combine the terms of all their iterations. So
/// work-items may each begin from the identity and combine any part of the terms.
std::optional<Accumulator> findAccumulator(llvm::PHINode &phi, const llvm::Loop &loop,
                                           const llvm::LoopInfo &loops);

} // namespace tutti::compiler
