// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What moves when shadows become what their elements' owners have.
#pragma once

#include "base/result.h"
#include "runtime/distribution/array_map.h"
#include "runtime/distribution/box.h"

#include <span>
#include <vector>

namespace tutti::distribution {

/// How much of the shadow of one dimension.
struct Width {
  Index below = 0;
  Index above = 0;
  bool isPeriodic = false; ///< In front of the first index lies the last one.

  friend bool operator==(const Width &, const Width &) = default;
};

/// All of every shadow.
std::vector<Width> fullWidths(const ArrayMap &map);

/// The part of node `me` in bringing shadows up to date. One dimension after the other, and what
/// has come for one is sent on for the next: so corners come in no messages of their own. With
/// `isOrthogonal` they stay as they are. For adding shadows to what owners have, take `reversed`.
///
/// Shape:  a width for each dimension. Of a full shadow it says only whether to do it: not 0.
/// Errors: InvalidArgument  a width is more than the shadow, or than the nearest node along the
///                          dimension owns; or a full shadow is periodic. On all nodes alike.
Result<Move> reflect(const ArrayMap &map, std::span<const Width> widths, bool isOrthogonal,
                     Node me);

} // namespace tutti::distribution
