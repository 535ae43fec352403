// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Devices inside the process, for tests: they record what they are asked to do, fail on demand,
/// and run host functions in place of kernels.
///
/// Operations of a queue happen no earlier than they must: when an event behind them is asked for
/// the given number of times, at `finish`, or when another queue waits for them. So who reads a
/// result too early gets the old bytes.
///
/// In programs (for tests of ours, not for users) the environment brings such devices:
///   TUTTI_MOCK_DEVICES=n      n of them, behind those of other backends
///   TUTTI_MOCK_FORMAT=name    the format that they take (else what all vendors' devices take)
///   TUTTI_MOCK_MEMORY=size    their memory each (else 1 GiB)
///   TUTTI_MOCK_DELAY=n        polls until an event completes (else 0)
///   TUTTI_MOCK_FAIL_COMMIT=n  from its n-th commit of new memory on, a device is full
///   TUTTI_MOCK_LOSE=n         at its n-th operation a device is lost
///   TUTTI_MOCK_REFUSE=1       images are refused
/// They have no functions to run for loops, so that a launch gives WrongImage. Kernels of tasks are
/// functions of the program (run.h).
#pragma once

#include "abi/backends.h"
#include "base/result.h"
#include "runtime/device/backend.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::device::mock {

/// Operations of devices and queues that can be made to fail.
enum class Operation : std::uint8_t {
  Open,
  Commit, ///< Of memory that was not there.
  Release,
  Load, ///< And `find`.
  MakeQueue,
  MakeHostBuffer,
  MakeSnapshot,
  Lock,
  CopyIn,
  CopyOut,
  CopyFrom,
  Prefetch,
  Keep,
  Changes,
  Launch, ///< And `launchNative`.
  Record,
  Wait,
  Finish,
  Run, ///< A kernel, when its turn comes: the failure belongs to the events behind it.
};

/// One operation as it was asked for, whatever came of it.
struct Entry {
  std::size_t device;
  Operation operation;
  Range bytes;      ///< Of the window; empty if it has none.
  std::string name; ///< Of the kernel; empty if there is none.

  friend bool operator==(const Entry &, const Entry &) = default;
};

/// What a function in place of a kernel sees.
class KernelRun {
public:
  virtual const KernelLaunch &launch() const = 0;

  /// The byte at `address` of the device's memory. What is behind it up to the next multiple of 64
  /// KiB may be used too. Throws `Fault` if it is not committed.
  virtual std::byte *at(std::uint64_t address) const = 0;

  /// Of a combiner: the partial result of a group of the kernel before it.
  virtual const std::byte *uncombined(std::uint64_t group) const = 0;

  /// The partial result of a group.
  std::byte *partial(std::uint64_t group) const {
    return launch().partials->bytes().data() + group * launch().partialBytes;
  }

  /// A naturally aligned value of the window.
  template <typename T> T &value(std::uint64_t address) const {
    return *reinterpret_cast<T *>(at(address));
  }

protected:
  ~KernelRun() = default;
};

/// Thrown inside a function that touches memory which is not there; ends in a KernelFault.
struct Fault {
  std::uint64_t address;
};

using Function = std::function<void(const KernelRun &run)>;

struct MachinePlan {
  std::size_t devices = 1;
  std::uint64_t memory = std::uint64_t{1} << 30; ///< Of each.
  tutti_kernel_format format = abi::generalFormat();
  bool isGpu = true;
  bool hasFp64 = true;
  bool hasRoutes = true;      ///< `copyFrom` works between them.
  bool refusesImages = false; ///< `load` gives WrongImage, as always for texts with "#error" first.
  std::uint32_t delay = 0;    ///< Polls until an event completes.
  std::uint64_t failCommit = 0; ///< From this commit of new memory on (of each): OutOfMemory.
  std::uint64_t lose = 0;       ///< At this operation (of each) the device is lost.
};

/// Some devices and what is known of them.
///
/// Threading: externally synchronised, together with its devices.
/// Ownership: drivers and devices share the state behind it and may outlive it.
class Machine {
public:
  explicit Machine(const MachinePlan &plan);
  ~Machine();
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  std::unique_ptr<Driver> makeDriver() const;

  /// What runs in place of the kernel `name`, once for a launch.
  void setFunction(std::string_view name, Function function);

  /// The next `operation` of `device`, or with `skip` a later one, fails with `error` and does
  /// nothing else. After a DeviceLost all do.
  void failNext(std::size_t device, Operation operation, Error error, std::uint32_t skip = 0);

  /// All operations so far, in order.
  const std::vector<Entry> &log() const;

  void clearLog();

private:
  class State;
  friend class MockDriver;
  friend class MockDevice;
  friend class MockQueue;
  friend class MockEvent;
  std::shared_ptr<State> state_; ///< Second owners: drivers and devices.
};

/// For whatever asks for GPUs.
extern const Backend kBackend;

/// The machine that the environment describes, as above; null if it wants none.
std::unique_ptr<Driver> makeDriver();

} // namespace tutti::device::mock
