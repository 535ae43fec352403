// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which loop of a program goes through its steps, where data fragments lie on a rope: between two
/// steps the borders of the ranks' segments may move.
#pragma once

#include "abi/luna.h"

#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

class Program;

/// Data fragments of one slot are made in the iterations of a loop, and one of their indices says
/// in which: x[t + 1][i] in iteration t.
struct Steps {
  std::int32_t loop = -1; ///< The statement; -1 if there is none.
  std::size_t index = 0;  ///< Which of the indices.
  std::int32_t offset = 0;
};

/// A loop that makes data fragments which lie on a rope.
struct StepLoop {
  std::int32_t statement = -1;
  std::int32_t first = 0; ///< Of its iterations.
};

struct StepLoops {
  std::vector<Steps> ofSlots; ///< Of those of the unit that are missing there is no loop.
  std::vector<StepLoop> loops;
};

/// Understands loops that stand in the block of the data fragments, outside of all other loops, and
/// begin with a constant. The index must be the counter, perhaps plus or minus a constant, and have
/// nothing to do with the place on the rope.
StepLoops findSteps(const Program &program);

} // namespace tutti::model::fragments
