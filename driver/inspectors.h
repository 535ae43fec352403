// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs that run the user's program and look into it, gdb and valgrind: what they have to know
/// of the runtime.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::driver {

/// A command line under gdb or valgrind, or another one as it was.
struct Inspected {
  std::vector<std::string> program;
  bool isInspected = false;
  std::string heap; ///< Value for TUTTI_HEAP, unless the user has set it; empty leaves it as it is.
};

/// Puts what gdb or valgrind needs behind its name, which stands first in `program` or behind
/// `xterm -e`, in front of what the user says:
///
/// * gdb lets faults pass, which are how the runtime hears of accesses, and stops where one has
///   turned out to be a crash (`tutti_at_crash`).
/// * valgrind keeps registers exact where memory is accessed, since programs go on behind faults,
/// leaves the runtime's own allocation alone, is told what the runtime does with stacks
///   (`suppressions`, if such a file exists), and on several ranks searches no leaks, since it
///   would read all of the heap's addresses for that, of which there are fewer then.
Inspected inspected(std::vector<std::string> program, int ranks, std::string_view suppressions);

} // namespace tutti::driver
