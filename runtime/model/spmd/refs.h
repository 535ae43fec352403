// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which nodes an `on` or `from` names, and which indices a subscript.
#pragma once

#include "abi/xmp.h"
#include "base/result.h"
#include "runtime/distribution/nodes.h"
#include "runtime/model/spmd/world.h"

#include <vector>

namespace tutti::model::spmd {

/// The members in their order; of owners in a template those of at least one element, but for `:`
/// also who owns nothing: a result of all is also that node's. Empty where it names this node's own
/// coordinates, and this node has none.
///
/// Errors: InvalidArgument  a subscript lies outside, or the template is not fixed.
Result<NodeSet> membersOf(const World &world, const tutti_xmp_ref &ref);

/// Of these, those that execute.
Result<NodeSet> executingOf(const World &world, const tutti_xmp_ref *ref);

/// Of a node array: its section, dimension by dimension; empty for a template or the executing set.
Result<std::vector<distribution::Triplet>> sectionOf(const World &world, const tutti_xmp_ref &ref);

/// The indices that a subscript names in [lower, lower + extent).
///
/// Errors: InvalidArgument  there are none, the step is 0, or one lies outside.
Result<distribution::Triplet> tripletOf(const tutti_xmp_subscript &subscript, Index lower,
                                        Index extent);

} // namespace tutti::model::spmd
