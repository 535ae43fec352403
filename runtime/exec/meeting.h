// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether two iterations of a loop may touch the same byte, from what records say in closed form.
#pragma once

#include "abi/abi.h"
#include "base/range.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace tutti::exec {

/// What an access touches in iterations [first, first + count): in iteration first + k `size` bytes
/// at `address + k * step + sum(i_d * dims[d].stride)`, 0 <= i_d < dims[d].count.
///
/// Always: `size`, `count` and all counts are positive, and nothing leaves the address space.
struct IterationBox {
  std::uint64_t address;
  std::uint64_t size;
  boost::container::small_vector<tutti_dim, 3> dims;
  std::int64_t first;
  std::int64_t count;
  std::int64_t step; ///< Bytes. 0: each of the iterations touches all.
  Range hull;        ///< Around all of it; nothing outside is touched.
};

/// Whether an iteration of `one` and another iteration of `other` may touch the same byte. May say
/// so although they do not, where telling takes too many steps.
///
/// Shape: their iterations are the same, or have none in common.
bool mayMeet(const IterationBox &one, const IterationBox &other);

} // namespace tutti::exec
