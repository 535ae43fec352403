// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/copies.h"

#include "base/check.h"

#include <algorithm>
#include <cstring>

namespace tutti::model::spmd {

namespace {

/// As arrays have: programs store one element outside of what they have.
std::size_t spareOf(const Array *array) {
  constexpr std::size_t kLine = 64;
  return array ? (array->elementBytes + kLine - 1) / kLine * kLine : 0;
}

std::size_t bytesOf(const Array &array) {
  return static_cast<std::size_t>(array.layout.elements) * array.elementBytes;
}

} // namespace

const Copies::Copy *Copies::find(const Array &array) const {
  const auto found = std::find_if(copies_.begin(), copies_.end(),
                                  [&](const auto &entry) { return entry.second.array == &array; });
  return found == copies_.end() ? nullptr : &found->second;
}

/// Errors: InvalidArgument  its size has changed.
Result<std::byte *> Copies::variableOf(const Copy &copy) const {
  if (!copy.array) {
    return copy.variable;
  }
  TUTTI_TRY(mapOf(*copy.array));
  if (bytesOf(*copy.array) != copy.bytes) {
    return failure(ErrorCode::InvalidArgument,
                   "the array has {} bytes here, and had {} when it was replicated",
                   bytesOf(*copy.array), copy.bytes);
  }
  return copy.array->base();
}

Result<void *> Copies::add(const Array *array, void *variable, std::size_t bytes) {
  if (array) {
    TUTTI_TRY(mapOf(*array));
    variable = array->base();
    bytes = bytesOf(*array);
  }
  for (const auto &[place, other] : copies_) {
    const std::byte *theirs = other.array ? other.array->base() : other.variable;
    if ((array && other.array == array) || (bytes > 0 && other.bytes > 0 && theirs == variable)) {
      return failure(ErrorCode::InvalidArgument, "the variable is replicated already");
    }
  }
  const std::size_t spare = spareOf(array);
  void *memory = world_.host().allocate(bytes + 2 * spare);
  if (!memory) {
    return failure(ErrorCode::OutOfMemory, "no memory for a copy of {} bytes", bytes);
  }
  void *place = static_cast<std::byte *>(memory) + spare;
  copies_[place] = {array, static_cast<std::byte *>(variable), bytes, memory, {}};
  return place;
}

Status Copies::remove(void *place) {
  const auto found = copies_.find(place);
  if (found == copies_.end()) {
    return {};
  }
  for (const std::int64_t async : found->second.asyncs) {
    TUTTI_TRY(world_.finish(async));
  }
  world_.host().release(found->second.memory);
  copies_.erase(found);
  return {};
}

Status Copies::sync(void *place, CopyDirection direction) {
  const auto found = copies_.find(place);
  TUTTI_CHECK(found != copies_.end());
  const Copy &copy = found->second;
  std::byte *variable = nullptr;
  TUTTI_ASSIGN(variable, variableOf(copy));
  trace::Counters &counters = world_.counters();
  ++counters.syncCopies;
  counters.syncBytes += copy.bytes;
  if (copy.bytes == 0) {
    return {};
  }
  auto *const target = direction == CopyDirection::In ? static_cast<std::byte *>(place) : variable;
  const auto *const source = direction == CopyDirection::In ? variable : place;
  const Host &host = world_.host();
  host.renew(target, copy.bytes);
  host.open(source, copy.bytes, false);
  host.open(target, copy.bytes, true);
  std::memcpy(target, source, copy.bytes);
  return {};
}

Result<std::byte *> Copies::of(const Array &array) {
  const Copy *copy = find(array);
  if (!copy) {
    return failure(ErrorCode::InvalidArgument, "the array is not replicated");
  }
  TUTTI_TRY(variableOf(*copy));
  return static_cast<std::byte *>(copy->memory) + spareOf(copy->array);
}

void Copies::noteAsync(const Array &array, std::int64_t async) {
  for (auto &[place, copy] : copies_) {
    if (copy.array == &array && std::ranges::find(copy.asyncs, async) == copy.asyncs.end()) {
      copy.asyncs.push_back(async);
    }
  }
}

} // namespace tutti::model::spmd
