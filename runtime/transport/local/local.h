// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The transport of a job of one rank: messages to itself, no library.
#pragma once

#include "base/result.h"
#include "runtime/transport/transport.h"

#include <memory>

namespace tutti::transport::local {

/// Never fails; a `Result` because every transport opens with one.
Result<std::unique_ptr<Endpoint>> open();

} // namespace tutti::transport::local
