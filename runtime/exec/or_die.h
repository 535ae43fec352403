// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a failure of the world means where nobody can do anything about it.
#pragma once

#include "abi/abi.h"
#include "base/log.h"
#include "base/result.h"

#include <utility>

namespace tutti::exec {

/// Ends the job with one line if the world failed us.
inline void orDie(const Status &status) {
  if (!status) {
    log::fatal("{}", status.error().message);
  }
}

/// The same with a line that names the loop.
inline void orDie(const Status &status, const tutti_region &region) {
  if (!status) {
    log::fatal("{} (loop at {})", status.error().message, region.source);
  }
}

template <typename T> T orDie(Result<T> result) {
  if (!result) {
    orDie(Status(result.error()));
  }
  return *std::move(result);
}

} // namespace tutti::exec
