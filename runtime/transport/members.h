// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What every transport asks of a list of members.
#pragma once

#include "base/result.h"
#include "runtime/transport/transport.h"

#include <span>

namespace tutti::transport {

/// The position of `own` in the list.
///
/// Errors: InvalidArgument  a member is no rank of a job of `size`, or `own` is none of them.
Result<Rank> positionAmong(std::span<const Rank> members, Rank own, Rank size);

} // namespace tutti::transport
