// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What directives do, as abi/xmp.h says: each function is one of its entry points, and says what
/// is wrong in place of ending the job.
#pragma once

#include "abi/xmp.h"
#include "base/result.h"
#include "runtime/model/spmd/descriptors.h"
#include "runtime/model/spmd/world.h"

#include <optional>
#include <span>

namespace tutti::model::spmd {

/// An async id; none where the directive is synchronous.
using Async = std::optional<std::int64_t>;

// Executing sets: whether this node is in it.
Result<bool> enter(World &world, const tutti_xmp_ref &on);

// Loops.
Status share(World &world, const tutti_xmp_ref &on, std::span<tutti_xmp_index> indices);
/// Iteration `i` is element `i` of the subscript that `on` has there.
Status shareElements(World &world, const tutti_xmp_ref &on, std::span<tutti_xmp_index> indices);
Result<bool> nextShare(World &world, const tutti_xmp_ref &on, long margin, Async async, long n,
                       std::span<tutti_xmp_index> indices);

/// Whether all arrays of `list`, which counts those of `arrays`, have memory.
/// Errors: InvalidArgument  one is a pointer that has none yet.
Status checkMemory(tutti_xmp_array *const *arrays, std::span<const tutti_xmp_reach> list);

/// Of a share: whether this node stores all that its iterations touch.
/// Errors: InvalidArgument  it does not.
Status checkReach(std::span<const tutti_xmp_index> indices, tutti_xmp_array *const *arrays,
                  std::span<const tutti_xmp_reach> list);

// Collectives. All do nothing on nodes that are not in the set.
Status barrier(World &world, const tutti_xmp_ref *on);
Status broadcast(World &world, std::span<const tutti_xmp_section> items, const tutti_xmp_ref *from,
                 const tutti_xmp_ref *on, Async async);
Status beginReduction(World &world, const tutti_xmp_ref *on,
                      std::span<const tutti_xmp_reduced> items);
Status reduce(World &world, const tutti_xmp_ref *on, std::span<const tutti_xmp_reduced> items,
              Async async);

// Moves. No widths: all of the shadow.
Status reflect(World &world, Array &array, std::span<const tutti_xmp_width> widths,
               bool isOrthogonal, Async async);
/// The same of the array's device copy.
Status reflectCopy(World &world, Array &array, std::span<const tutti_xmp_width> widths,
                   bool isOrthogonal, Async async);
Status reduceShadow(World &world, Array &array, std::span<const tutti_xmp_width> widths,
                    bool isOrthogonal, Async async);
Status gmove(World &world, long mode, const tutti_xmp_section &left, const tutti_xmp_section &right,
             Async async);

/// The bits of an MPI_Comm of these nodes, for the program; 0 without MPI. Collective at first.
Result<std::uintptr_t> communicatorOf(World &world, const NodeSet &set);

/// The type that reductions know; none of structures.
std::optional<transport::Element> elementOf(long type);

} // namespace tutti::model::spmd
