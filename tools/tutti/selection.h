// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which devices a rank would use, by the rule of runtime/device/selection.h.
#pragma once

#include "base/result.h"
#include "runtime/device/selection.h"

#include <vector>

#include "tools/tutti/machine.h"

namespace tutti::tools {

using device::Choice;

/// What TUTTI_DEVICE wants.
///
/// Errors: InvalidArgument.
Result<device::Wish> wantedDevices();

/// All devices that the ranks of this host share; empty: cores only.
std::vector<Choice> sharedDevices(const std::vector<Backend> &backends, const device::Wish &wish);

/// Those of them that fall to one rank: dealt in turn; a device is shared if there are more ranks.
std::vector<Choice> ownDevices(const std::vector<Choice> &shared, const Place &place);

} // namespace tutti::tools
