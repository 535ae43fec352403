// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/arrival.h"

#include "runtime/model/tasks/operation.h"

#include <memory>
#include <utility>

namespace tutti::model::tasks {

void Arrival::makeCopies() {
  std::size_t bytes = 0;
  for (const ParcelReduction &each : reductions) {
    bytes += ParcelReduction::padded(each.bytes);
  }
  copies.resize(bytes);
  std::byte *copy = copies.data();
  for (const ParcelReduction &each : reductions) {
    operationOf(each.key).initialize(copy, nullptr, each.bytes);
    copy += ParcelReduction::padded(each.bytes);
  }
}

void Arrival::end(Task &task) {
  const std::unique_ptr<Arrival> arrival(of(task));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - arrival->begin;
  arrival->whenOver(std::move(arrival->copies), took.count());
}

std::uint64_t Arrival::standInFor(const Task &task, std::uint64_t byte) {
  for (const Task *at = &task; at; at = at->parent()) {
    if ((at->flags & kArrived) == 0) {
      continue;
    }
    const Arrival &arrival = *of(*const_cast<Task *>(at));
    auto copy = reinterpret_cast<std::uint64_t>(arrival.copies.data());
    for (const ParcelReduction &each : arrival.reductions) {
      if (byte - each.begin < each.bytes) {
        return copy + (byte - each.begin);
      }
      copy += ParcelReduction::padded(each.bytes);
    }
    return byte;
  }
  return byte;
}

} // namespace tutti::model::tasks
