// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Managed memory of vendors' runtime libraries that lies in the heap instead.
#pragma once

namespace tutti::entry {

/// From now on. Order: before user code runs.
void putManagedIntoHeap();

} // namespace tutti::entry
