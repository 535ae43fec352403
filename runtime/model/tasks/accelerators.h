// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What tasks know of devices: who runs them there is somebody else's affair.
#pragma once

#include "abi/tasks.h"
#include "base/result.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/checked_task.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace tutti::model::tasks {

/// What a task construct for devices says.
struct DeviceRequest {
  const tutti_task_kernel *kernel = nullptr; ///< Null for tasks of the host.
  std::uint32_t shape = 0;                   ///< One of tutti_task_shapes; 0 for host code.
  std::uint32_t dimensions = 0;
  std::array<std::int64_t, 3> sizes{1, 1, 1};
  std::array<std::int64_t, 3> groups{1, 1, 1};
  std::int64_t localBytes = 0;
  CheckedTask task; ///< Set when the kernel is launched.

  bool isKernel() const { return kernel && kernel->name; }
};

/// An argument of a kernel, as it lies in the task's memory.
struct KernelArgument {
  const void *value;
  std::size_t bytes;
  bool isPointer;
};

/// The devices of a process.
///
/// Threading: from any thread.
class Accelerators {
public:
  Accelerators() = default;
  Accelerators(const Accelerators &) = delete;
  Accelerators &operator=(const Accelerators &) = delete;
  virtual ~Accelerators() = default;

  /// Something that a device has been given.
  using Handle = std::shared_ptr<void>;

  /// A kernel that a device has been given.
  struct Launched {
    Handle handle;
    /// What comes after it in the graph waits for `conclude`: the kernel uses copies of what the
    /// task names.
    bool isApart = false;
  };

  /// Gives a kernel to a device of the kind that it asks for, after all that it has been given
  /// before and that names the same memory, as `accesses` do. Nothing of the arguments is needed
  /// when it returns.
  ///
  /// Errors: in words for the user.
  virtual Result<Launched> launch(const DeviceRequest &request,
                                  std::span<const graph::Access> accesses,
                                  std::span<const KernelArgument> arguments) = 0;

  /// As many kernels given are enough for all devices to be busy: where one more goes is better
  /// decided later. Nothing if there is nothing to decide.
  virtual std::optional<std::size_t> enough() { return std::nullopt; }

  /// Whether the device that a kernel would go to has less to do than is enough for it alone.
  virtual bool hasRoomFor(const DeviceRequest &, std::span<const graph::Access>) { return false; }

  /// Brings home what a kernel has written that is apart and has ended. Once for each. Cost:
  /// blocks.
  virtual void conclude(void *handle) = 0;

  /// Calls `body`, which gives work to a queue of its own. The handle stands for that work.
  ///
  /// Errors: as of `launch`, before `body` is called.
  virtual Result<Handle> callWithQueue(const DeviceRequest &request,
                                       std::span<const graph::Access> accesses,
                                       const std::function<void()> &body) = 0;

  /// Whether it is done. Never blocks.
  ///
  /// Errors: it has failed, or the device is lost.
  virtual Result<bool> hasEnded(void *handle) = 0;
};

} // namespace tutti::model::tasks
