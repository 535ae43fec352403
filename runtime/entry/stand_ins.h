// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory that a kernel names and no device reaches: private copies of a task, the stack of a
/// worker, memory of a library. Copies in unified memory stand in for it.
///
///     stack of a worker        ....|  x[0;4]  |......|  y[2;2]  |....
///                                  copied in ones, and back what is written
///     unified memory           |  x[0;4]  |......|  y[2;2]  |
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/accelerators.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tutti::entry {

/// Threading: confined.
class StandIns {
public:
  using IsOutOfReach = std::function<bool(std::uint64_t address)>;

  /// Room for all that is named strongly and out of reach. What lies close together there does so
  /// here, so that an argument may point beside what is named. Nothing is copied yet.
  ///
  /// Errors: OutOfMemory; NotSupported  tasks beside one another may write it (`concurrent`).
  static Result<StandIns> of(std::span<const graph::Access> accesses,
                             std::span<const model::tasks::KernelArgument> arguments,
                             const IsOutOfReach &isOutOfReach);

  bool isEmpty() const { return places_.empty(); }

  /// The room, whole pages.
  std::vector<Range> room() const;

  /// Where the kernel finds what lies at an address.
  std::uint64_t at(std::uint64_t address) const;

  /// What the task names, as the kernel finds it.
  std::vector<graph::Access> moved(std::span<const graph::Access> accesses) const;

  /// Copies all that is named. Order: the room is writable.
  void fill() const;

  /// Copies back what may have been written. Order: the room is readable.
  void bringBack() const;

private:
  struct Release {
    void operator()(std::byte *memory) const;
  };

  /// A stretch of memory, and where its bytes are found.
  struct Place {
    Range range;
    std::unique_ptr<std::byte, Release> room;
  };

  std::vector<Place> places_; ///< In order of addresses.
  std::vector<Range> named_;
  std::vector<Range> written_;
};

} // namespace tutti::entry
