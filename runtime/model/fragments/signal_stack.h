// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A stack on which signal handlers of the calling thread run, so that a procedure that has used up
/// its own can still be named.
#pragma once

namespace tutti::model::fragments {

/// Gives the calling thread one that lasts as long as the thread, unless it has one.
void ensureSignalStack();

} // namespace tutti::model::fragments
