// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which of the window's host memory is locked for a device, so that it copies
/// from there and to there by itself, at the link's speed.
#pragma once

#include "base/mutex.h"
#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/memory/window.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

namespace tutti::exec {

/// Whether locked memory that is copied in has been read when the copy has been
/// asked for, so that anybody may write there, or may be read later: whoever
/// writes there waits for what needs it.
enum class Reading { Done, Later };

/// Shape:     memory is locked in aligned blocks of `kBlock` bytes, and stays
/// so until the device is
///            closed; half of the machine's memory at most.
/// Threading: externally synchronised, but for `lock` and `isSettled`.
/// Ownership: the device outlives it.
class LockedMemory {
public:
  static constexpr std::uint64_t kBlock = std::uint64_t{16} << 20;

  /// So much is on its way at most, as copies out come behind it.
  static constexpr std::uint64_t kMostAhead = 4 * kBlock;

  LockedMemory(device::Device &device, const memory::Window &window)
      : device_(device), window_(window) {}

  /// A run of bytes within one block, and whether that is locked.
  using Copy = std::function<Status(Range run, bool isLocked)>;

  /// Calls `copy` for pieces of `bytes`. Locks blocks of which much is copied
  /// at once.
  Status forPieces(const RangeSet &bytes, const Copy &copy);

  /// Has `queue` copy in, and locks blocks that are copied again and again,
  /// either way. Of small pieces it notes nothing: what they take is not the
  /// copying.
  ///
  /// Order:  all but locked memory has been read when it returns.
  /// Errors: those of `device::Queue`.
  /// Cost:   waits for all that the queue has been given: each time, or once as
  /// much as
  ///         `kMostAhead` may still be read.
  Status copyIn(device::Queue &queue, const RangeSet &bytes, Reading reading);

  /// The same out. The host has the bytes once the queue has finished.
  Status copyOut(device::Queue &queue, const RangeSet &bytes);

  /// Calls `copy` for pieces of `host`, memory of the host in the window or not, and notes them:
  /// all of a block is locked that is copied again and again, in pieces of whatever size.
  Status forRuns(Range host, const Copy &copy);

  /// Whether all of `host` is locked. It stays so.
  ///
  /// Threading: any thread.
  bool isLocked(Range host) const;

  /// Memory of the host, as this process reaches it beside all protection.
  std::span<std::byte> bytesOf(Range host) const {
    std::byte *bytes = window_.contains(host) ? window_.view(host.begin)
                                              : reinterpret_cast<std::byte *>(host.begin);
    return {bytes, static_cast<std::size_t>(host.size())};
  }

  /// Locks a block, beside whatever the device does; false if that cannot be,
  /// or is being done by another thread.
  ///
  /// Threading: any thread.
  bool lock(std::uint64_t number);

  /// Whether a block has been locked, or cannot be.
  ///
  /// Threading: any thread.
  bool isSettled(std::uint64_t number) const;

private:
  enum class State { Open, BeingLocked, Locked, Refused };

  struct Block {
    std::uint64_t copied = 0; ///< Bytes, while it was not locked.
    State state = State::Open;
  };

  static Range rangeOf(std::uint64_t number) { return {number * kBlock, (number + 1) * kBlock}; }

  void enlargePages(Range bytes);
  bool isLocked(std::uint64_t number, bool isWorthIt);
  bool isWorthLocking(std::uint64_t number, std::uint64_t copied);
  Status forOften(const RangeSet &bytes, const Copy &copy);

  device::Device &device_;
  const memory::Window &window_;
  mutable Mutex mutex_;
  std::unordered_map<std::uint64_t, Block> blocks_ TUTTI_GUARDED_BY(mutex_); ///< By number.
  std::uint64_t locked_ TUTTI_GUARDED_BY(mutex_) = 0;                        ///< Bytes.
  /// Pairs with nothing: who has not heard of it asks once more.
  std::atomic<bool> hasHugePages_ = true;
  std::uint64_t ahead_ = 0; ///< Bytes that may not have been read yet.
};

} // namespace tutti::exec
