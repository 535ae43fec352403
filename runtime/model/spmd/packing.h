// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies the elements of boxes. `elementBytes` is the size of each; boxes count elements from
/// `memory` on. Nothing that is read may overlap with what is written.
#pragma once

#include "runtime/distribution/box.h"
#include "runtime/transport/combine.h"

#include <cstddef>

namespace tutti::model::spmd {

/// Puts the elements one behind the other at `bytes`, or takes as many from there as the box has.
void pack(const distribution::Box &box, const std::byte *memory, std::size_t elementBytes,
          std::byte *bytes);
void unpack(const distribution::Box &box, std::byte *memory, std::size_t elementBytes,
            const std::byte *bytes);

/// The elements of `from` in `source` become those of `to` in `target`, which are as many.
void copyElements(const distribution::Box &from, const std::byte *source,
                  const distribution::Box &to, std::byte *target, std::size_t elementBytes);

/// All elements of the box become this one.
void fill(const distribution::Box &box, std::byte *memory, std::size_t elementBytes,
          const std::byte *element);

/// Adds what lies one behind the other at `bytes` to the elements.
void add(const distribution::Box &box, std::byte *memory, transport::Element type,
         const std::byte *bytes);

} // namespace tutti::model::spmd
