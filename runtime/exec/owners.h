// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the data that a loop writes lies, told in its iterations: a loop whose bounds move from
/// launch to launch is cut where its data is, and not in equal parts that move it each time.
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/memory/directory.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::exec {

/// How many iterations write what each share's place alone has.
struct Owned {
  /// By share; all of the loop together. What lies elsewhere counts for the share before it.
  std::vector<std::uint32_t> iterations;
  std::int64_t elsewhere; ///< Iterations that count for another share than has their data.
  std::size_t most;       ///< The share whose place has the data of most.
  std::uint64_t stride;   ///< Bytes from what one iteration writes to the next,
  std::uint64_t bytes;    ///< and what it writes there.
};

/// Nothing if that is not known: if more than a little of the data lies at no place of the launch,
/// or not in the order of the shares, or if an iteration's writes do not begin a fixed number of
/// bytes after those of the one before.
///
/// Cost: three evaluations of the access function, of one iteration each, and the runs of the
///       directory there.
std::optional<Owned> ownedBy(const Launch &launch, const memory::Window &window,
                             const memory::Directory &directory);

} // namespace tutti::exec
