// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a failure of the world means where nobody can do anything about it.
#pragma once

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

template <typename T> T orDie(Result<T> result) {
  if (!result) {
    orDie(Status(result.error()));
  }
  return *std::move(result);
}

} // namespace tutti::exec
