// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What one attempt to evaluate something finds.
#pragma once

#include "base/few.h"
#include "runtime/model/fragments/frame.h"

#include <cstdint>

namespace tutti::model::fragments {

/// One attempt: what it found missing, and what it read.
struct Ask {
  std::int32_t statement; ///< Who asks.
  bool isShared = false;  ///< All ranks ask.
  const Tuple *pattern = nullptr;
  Few<Entry *, 4> missing = {};
  Few<Entry *, 4> read = {}; ///< Of those that are there.
  bool hasFailed = false;
};

} // namespace tutti::model::fragments
