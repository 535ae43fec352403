// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether iterations of a launch keep apart as far as its records tell: none touches what another
/// one writes. Needs no look into memory.
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/exec/region_view.h"
#include "runtime/memory/window.h"

#include <cstddef>

namespace tutti::exec {

/// Whether they do, but for what they touch of objects that are TUTTI_LISTED and written, of which
/// records tell nothing. Updates are no writes to one another: their order is open.
///
/// Cost: a few calls of `accesses` where records hold for all iterations at once, some for each
///       iteration or row where they do not; false where that takes more than `most` records or
///       twice as many comparisons.
bool keepApartInRecords(const Launch &launch, const memory::Window &window,
                        const AllocationOf &allocationOf, std::size_t most = std::size_t{1} << 19);

} // namespace tutti::exec
