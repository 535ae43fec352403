// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which pages of the window can be protected while their bytes are elsewhere: those that hold what
/// launches touch, and nothing that sequential code needs at every step.
#pragma once

#include "base/range.h"
#include "runtime/exec/launch.h"
#include "runtime/memory/window.h"

#include <vector>

namespace tutti::exec {

/// Pages that hold some of `bytes`.
RangeSet pagesAround(const RangeSet &bytes);

/// Those of `objects` that are arrays among the variables of the program, whose places never
/// change.
RangeSet arraysAmong(const std::vector<Range> &objects, const memory::Window &window);

/// Pages that hold objects of the user that `launch` touches, and so no live stack frame.
///
/// Shape: `objects` are parts of one object each.
RangeSet protectableIn(const Launch &launch, const std::vector<Range> &objects,
                       const memory::Window &window);

} // namespace tutti::exec
