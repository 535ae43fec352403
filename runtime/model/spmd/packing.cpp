// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/packing.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::model::spmd {

namespace {

using distribution::Box;
using distribution::Index;
using distribution::Progression;

template <std::size_t bytes> using Size = std::integral_constant<std::size_t, bytes>;

/// Elements one behind the other, or equally far from each other. Units: bytes.
template <typename Byte> struct Place {
  Byte *at;
  Index stride;
};

template <typename ElementBytes>
void copyEach(Place<std::byte> to, Place<const std::byte> from, Index count, ElementBytes bytes) {
  for (Index k = 0; k < count; ++k) {
    std::memcpy(to.at + k * to.stride, from.at + k * from.stride, bytes);
  }
}

void copyRun(Place<std::byte> to, Place<const std::byte> from, Index count,
             std::size_t elementBytes) {
  const auto size = static_cast<Index>(elementBytes);
  if (count == 1 || (to.stride == size && from.stride == size)) {
    std::memcpy(to.at, from.at, static_cast<std::size_t>(count) * elementBytes);
    return;
  }
  // A copy of so many bytes is one or two instructions where the compiler knows the number.
  switch (elementBytes) {
  case 1:
    return copyEach(to, from, count, Size<1>());
  case 2:
    return copyEach(to, from, count, Size<2>());
  case 4:
    return copyEach(to, from, count, Size<4>());
  case 8:
    return copyEach(to, from, count, Size<8>());
  case 16:
    return copyEach(to, from, count, Size<16>());
  default:
    return copyEach(to, from, count, elementBytes);
  }
}

template <typename Byte>
Place<Byte> placeOf(Byte *memory, const Progression &run, std::size_t elementBytes) {
  const auto size = static_cast<Index>(elementBytes);
  return {memory + run.first * size, run.stride * size};
}

/// Calls `body(run)` for the elements of the box.
template <typename Body> void forEachRun(const Box &box, Body &&body) {
  box.forEachRun(
      [&](Index first, Index count, Index stride) { body(Progression{first, count, stride}); });
}

} // namespace

void pack(const Box &box, const std::byte *memory, std::size_t elementBytes, std::byte *bytes) {
  const auto size = static_cast<Index>(elementBytes);
  forEachRun(box, [&](const Progression &run) {
    copyRun({bytes, size}, placeOf(memory, run, elementBytes), run.count, elementBytes);
    bytes += run.count * size;
  });
}

void unpack(const Box &box, std::byte *memory, std::size_t elementBytes, const std::byte *bytes) {
  const auto size = static_cast<Index>(elementBytes);
  forEachRun(box, [&](const Progression &run) {
    copyRun(placeOf(memory, run, elementBytes), {bytes, size}, run.count, elementBytes);
    bytes += run.count * size;
  });
}

void copyElements(const Box &from, const std::byte *source, const Box &to, std::byte *target,
                  std::size_t elementBytes) {
  distribution::RunCursor read(from);
  distribution::RunCursor written(to);
  for (Index left = to.elements(); left > 0;) {
    const Index count = std::min(read.run().count, written.run().count);
    copyRun(placeOf(target, written.run(), elementBytes), placeOf(source, read.run(), elementBytes),
            count, elementBytes);
    read.take(count);
    written.take(count);
    left -= count;
  }
}

void fill(const Box &box, std::byte *memory, std::size_t elementBytes, const std::byte *element) {
  forEachRun(box, [&](const Progression &run) {
    copyRun(placeOf(memory, run, elementBytes), {element, 0}, run.count, elementBytes);
  });
}

void add(const Box &box, std::byte *memory, transport::Element type, const std::byte *bytes) {
  const std::size_t elementBytes = transport::sizeOf(type);
  forEachRun(box, [&](const Progression &run) {
    const Place<std::byte> to = placeOf(memory, run, elementBytes);
    for (Index k = 0; k < run.count; ++k, bytes += elementBytes) {
      transport::combine(type, transport::Combination::Sum, {to.at + k * to.stride, elementBytes},
                         {bytes, elementBytes});
    }
  });
}

} // namespace tutti::model::spmd
