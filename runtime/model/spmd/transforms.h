// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The transformational functions of the library: whole arrays of any mappings. All nodes of the
/// executing set call them.
#pragma once

#include "base/result.h"
#include "runtime/model/spmd/descriptors.h"
#include "runtime/model/spmd/world.h"

#include <span>

namespace tutti::model::spmd {

// Errors of all: InvalidArgument  shapes or types do not fit.

/// x[i][j] = a[j][i].
Status transpose(World &world, Array &x, Array &a);

/// x = a b. Each node gets the rows of `a` and the columns of `b` that its part of `x` needs.
Status multiply(World &world, Array &x, Array &a, Array &b);

/// x[i] = a[index0[i]][index1[i]]..., of as many dimensions as `a` has.
Status gather(World &world, Array &x, Array &a, std::span<Array *const> indices);

/// x[index0[i]][index1[i]]... = a[i], of as many as `x` has. Of several for one element the last
/// counts.
Status scatter(World &world, Array &x, Array &a, std::span<Array *const> indices);

/// The elements of `a` for which the mask is not 0, one behind the other. No mask: all.
Status packInto(World &world, Array &vector, Array &a, Array *mask);

/// The other way; elements of `a` without mask stay.
Status unpackFrom(World &world, Array &a, Array &vector, Array *mask);

/// `to` becomes the elements of `from` in order.
Status sort(World &world, Array &from, Array &to, bool isDown);

} // namespace tutti::model::spmd
