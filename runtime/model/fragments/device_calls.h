// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of procedures on devices: who makes them there is somebody else's affair.
#pragma once

#include "abi/luna.h"
#include "runtime/model/fragments/parts.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tutti::model::fragments {

/// Why bytes of data fragments go from one memory to the other.
enum class Cause : std::uint8_t {
  Border, ///< A call of another part, or of another rank, reads them.
  Drag,   ///< They belong to the part that is dragged through.
  Spill,  ///< A call that might have run on the device has no version for it.
};

/// Memory of the host that devices have, too: an address means one byte, which is where it was
/// written last.
///
/// Threading: internally synchronised.
class MirroredMemory {
public:
  /// Lets the host read bytes that a device may have written. Cost: waits for the device.
  virtual void open(const std::byte *bytes, std::size_t count, Cause cause) = 0;

  /// Gives memory back that `bytes` is the begin of. What devices have been given may still use it.
  virtual void free(std::byte *bytes) = 0;

protected:
  ~MirroredMemory() = default;
};

struct DeviceCounts {
  std::uint64_t calls = 0;   ///< That ran on devices,
  std::uint64_t repeats = 0; ///< or did not have to: one with the same numbers had before.
  std::uint64_t borderBytes = 0;
  std::uint64_t dragBytes = 0;
  std::uint64_t spillBytes = 0;
  std::uint64_t spills = 0;
};

/// Threading: from any thread.
class DeviceCalls {
public:
  DeviceCalls() = default;
  DeviceCalls(const DeviceCalls &) = delete;
  DeviceCalls &operator=(const DeviceCalls &) = delete;
  virtual ~DeviceCalls() = default;

  /// Gives one of the procedure's versions to a device, which need not have begun with it when this
  /// returns. The arguments are as for the procedure itself; outputs are set then. False with
  /// nothing done but to outputs, if the version cannot run, or is not worth it where nobody asks
  /// for it (`isAsked`). Throws what a version of the program's own throws.
  virtual bool call(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
                    Part part, bool isAsked) = 0;

  /// Whether a call would wait until others are over that devices have been given.
  virtual bool isFull() = 0;

  /// Waits until all that devices have been given so far is over, or they are lost.
  virtual void await() = 0;

  /// Whether there is a device for what the program itself brings for devices of this kind.
  virtual bool hasDevice(std::uint32_t kind) = 0;

  /// Bytes of a device's memory.
  struct Shortage {
    std::uint64_t needed = 0;  ///< By a call that `call` has refused, at least,
    std::uint64_t allowed = 0; ///< and what a device may hold.
  };

  /// Nothing if calls of the procedure have not been refused for good, or not for want of memory.
  virtual std::optional<Shortage> shortage(const tutti_luna_procedure &procedure) {
    static_cast<void>(procedure);
    return std::nullopt;
  }

  virtual DeviceCounts counts() = 0;
};

} // namespace tutti::model::fragments
