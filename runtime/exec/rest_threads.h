// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Threads of OpenMP that have run a loop look for the next one for a while before they sleep.
#pragma once

#include <cstdint>

namespace tutti::exec {

/// Lets the threads of the calling one sleep at once: no loop is expected to run on them soon, and
/// meanwhile they would take the cores from the threads that give devices their work. Not where
/// the user lets them look forever. `wanted`: how many threads the loop that they ran asks for, the
/// calling one included; 0: as many as any loop gets. There are no more of them afterwards than
/// that, or than there were.
///
/// Cost: a parallel region that does nothing.
void restThreads(std::int32_t wanted = 0);

} // namespace tutti::exec
