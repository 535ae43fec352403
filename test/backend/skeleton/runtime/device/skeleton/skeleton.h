// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The least that a backend consists of: it has one device, which does not open.
#pragma once

#include "runtime/device/backend.h"

namespace tutti::device::skeleton {

extern const Backend kBackend;

} // namespace tutti::device::skeleton
