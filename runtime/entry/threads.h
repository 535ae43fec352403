// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the program knows about the number of its threads.
#pragma once

namespace tutti::entry {

/// Whether the program has been told, or has said itself, that its teams have one thread, as those
/// of the calling thread still do. Then it may run a loop in parallel whose iterations depend on
/// one another: they come in order.
///
/// Threading: from any thread.
bool knowsOfOneThreadOnly();

/// Counts a launch that was distributed (`tutti_begin_spread`).
void noteDistributed();

} // namespace tutti::entry
