// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which iterations of a part need nothing that is still to arrive, and what the others wait for:
/// what a place has begins while the rest is under way.
///
///   chunk of a host     | waits | interior                          | waits | waits |
///   part of a device    | border | interior                            | border |
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/site.h"
#include "runtime/exec/survey.h"

#include <memory>

namespace tutti::exec {

/// Cuts the host's chunk of a plan, whose links are known.
///
/// Cost: where something is received, some evaluations of the access function.
void addPieces(Plan &plan, const Launch &launch, const Survey &survey, const Site &site);

/// Whether parts of this rank's devices may run apart (`DevicePart::interior`): nothing but what
/// they get from one another has to move before. Whoever is to receive something from elsewhere, or
/// to give it away, has it ordered around whole kernels.
bool mayHaveInteriors(const Plan &plan, const Launch &launch, const Survey &survey,
                      const Site &site);

/// A plan that comes again, with the interiors of its devices where each has one.
///
/// Cost: some evaluations of the access function for each device.
std::shared_ptr<const Plan> withInteriors(const Plan &plan, const Launch &launch, const Site &site);

} // namespace tutti::exec
