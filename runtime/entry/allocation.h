// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What start-up has to do for allocation by user code.
#pragma once

namespace tutti::entry {

/// Leaves allocation to the program where it brings functions of its own, or a sanitizer does: what
/// they have not allocated they cannot free. Says so in one line. Once, before user code runs.
void respectAllocators();

} // namespace tutti::entry
