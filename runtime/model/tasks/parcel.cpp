// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/parcel.h"

#include "runtime/engine/pool.h"
#include "runtime/graph/runs.h"
#include "runtime/model/tasks/task.h"

#include <cstring>

namespace tutti::model::tasks {

namespace {

/// In front of the bytes of a copied variable.
struct CopyHeader {
  const void *place; ///< Where it is for who made the task: captured words say so.
  std::uint64_t bytes;
  std::uint64_t isInitialised;
};

void append(std::vector<std::byte> &parcel, const void *from, std::size_t bytes) {
  const auto *begin = static_cast<const std::byte *>(from);
  parcel.insert(parcel.end(), begin, begin + bytes);
}

template <typename T> T take(std::span<const std::byte> &rest) {
  T value;
  std::memcpy(&value, rest.data(), sizeof value);
  rest = rest.subspan(sizeof value);
  return value;
}

} // namespace

std::vector<std::byte> pack(const Task &task) {
  const auto *block = reinterpret_cast<const std::byte *>(&task.block);
  const auto *shareds = static_cast<const std::byte *>(task.block.shareds);
  ParcelHeader header{};
  header.entry = task.block.entry;
  header.source = task.source;
  header.flags = task.flags & kFinal;
  header.priority = task.work.priority;
  header.blockBytes = engine::Pool::bytesOf(&task) - offsetof(Task, block);
  header.sharedsAt = shareds ? shareds - block : -1;
  header.sharedsBytes = task.sharedsBytes;
  task.variables.forEach([&](const void *, std::size_t, bool) { ++header.copies; });
  std::vector<ParcelReduction> reductions;
  for (const graph::Access &access : task.description->accesses()) {
    if (access.kind == graph::AccessKind::Reduction) {
      const Range hull = graph::Runs(access.region).hull();
      reductions.push_back({hull.begin, hull.size(), access.reduction});
    }
  }
  header.reductions = static_cast<std::uint32_t>(reductions.size());
  std::vector<std::byte> parcel;
  parcel.reserve(sizeof header + header.blockBytes);
  append(parcel, &header, sizeof header);
  append(parcel, block, header.blockBytes);
  task.variables.forEach([&](const void *data, std::size_t bytes, bool isInitialised) {
    const CopyHeader copy{data, bytes, isInitialised ? 1U : 0U};
    append(parcel, &copy, sizeof copy);
    append(parcel, data, isInitialised ? bytes : 0);
  });
  append(parcel, reductions.data(), reductions.size() * sizeof(ParcelReduction));
  return parcel;
}

ParcelHeader headerOf(std::span<const std::byte> parcel) { return take<ParcelHeader>(parcel); }

std::vector<ParcelReduction> unpack(std::span<const std::byte> parcel, Task &task) {
  const auto header = take<ParcelHeader>(parcel);
  std::memcpy(static_cast<void *>(&task.block), parcel.data(), header.blockBytes);
  parcel = parcel.subspan(header.blockBytes);
  task.block.entry = header.entry;
  task.block.shareds = header.sharedsAt < 0
                           ? nullptr
                           : reinterpret_cast<std::byte *>(&task.block) + header.sharedsAt;
  task.sharedsBytes = header.sharedsBytes;
  task.flags = header.flags;
  task.work.priority = header.priority;
  task.source = header.source;
  for (std::uint32_t copy = 0; copy < header.copies; ++copy) {
    const auto of = take<CopyHeader>(parcel);
    const std::size_t bytes = of.isInitialised != 0 ? of.bytes : 0;
    task.variables.addAs(task.block, task.sharedsBytes, of.place, of.bytes,
                         of.isInitialised != 0 ? parcel.data() : nullptr);
    parcel = parcel.subspan(bytes);
  }
  std::vector<ParcelReduction> reductions;
  for (std::uint32_t reduction = 0; reduction < header.reductions; ++reduction) {
    reductions.push_back(take<ParcelReduction>(parcel));
  }
  return reductions;
}

} // namespace tutti::model::tasks
