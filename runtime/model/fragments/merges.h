// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which calls of a loop may become one: those of a procedure whose import says how (`merge`),
/// where that leaves nothing out that somebody reads.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

class Program;

/// For each statement of the unit the loop whose calls of it may be merged, or -1; those that are
/// missing at the end may not.
///
/// A run of merged calls makes the left border of its first one and the right border of its last
/// one. So the others' must be read by nobody but the calls beside them, which are merged in the
/// same way at every step: where a call runs must depend on the counter of the loop alone.
std::vector<std::int32_t> findMerges(const Program &program);

} // namespace tutti::model::fragments
