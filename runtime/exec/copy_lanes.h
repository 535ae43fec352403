// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Two queues of a device beside the one for everything else: one for copies in, one for copies
/// out. Each operation waits for those that touch the same bytes, and for nothing more, so that
/// what comes in, what runs and what goes out overlap while a loop streams through a device.
///
///   in       | 3 | 4 | 5 |           each number is a portion of the loop
///   kernels      | 3 | 4 | 5 |
///   out              | 3 | 4 | 5 |
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/exec/locked_memory.h"
#include "runtime/memory/window.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace tutti::exec {

/// What a queue was given and is not known to have done, by the bytes that it touches.
///
/// Threading: externally synchronised.
class Underway {
public:
  void add(RangeSet bytes, std::unique_ptr<device::Event> event) {
    operations_.push_back({std::move(bytes), std::move(event)});
  }

  /// Forgets what is done. Never blocks.
  /// Errors: those of `device::Event`.
  Status poll();

  bool isEmpty() const { return operations_.empty(); }

  bool touches(const RangeSet &bytes) const;

  /// Lets what `later` is given from now on come after all of it that touches `bytes`.
  Status order(const RangeSet &bytes, device::Queue &later) const;

  /// The same for all of it.
  Status order(device::Queue &later) const;

private:
  struct Operation {
    RangeSet bytes;
    std::unique_ptr<device::Event> event;
  };

  std::deque<Operation> operations_; ///< In the order of the queue.
};

/// Copies go from and to locked memory of the host where that can be had: else they take the time
/// of the thread that asks for them.
///
/// Threading: externally synchronised.
/// Ownership: the device, its main queue and what it has locked outlive it.
/// Errors:    of all operations: those of `device::Queue`.
class CopyLanes {
public:
  static Result<std::unique_ptr<CopyLanes>> make(device::Device &device, device::Queue &main,
                                                 const memory::Window &window,
                                                 LockedMemory &locked);

  /// Lets what is copied in from now on come after all that the main queue has been given.
  Status orderAfterMain();

  /// Starts copying bytes of the window in, after kernels and copies out that touch them.
  Status copyIn(const RangeSet &bytes);

  /// Starts copying bytes of the window out, after kernels that touch them. What they hold on the
  /// device is what the host gets until somebody says that it is not (`changed`).
  Status copyOut(const RangeSet &bytes);

  /// Before a kernel is given to the main queue: lets it come after the copies in of what it
  /// touches, and the copies out of what it writes.
  Status beforeKernel(const RangeSet &touched, const RangeSet &written);

  /// After it.
  Status afterKernel(const RangeSet &touched);

  /// Lets what the main queue is given from now on come after all copies.
  Status join();

  bool isJoined() const { return isJoined_; }

  /// Bytes that have gone out, or are about to, and have not changed on the device since.
  const RangeSet &atHome() const { return atHome_; }

  /// Notes that bytes change on the device, or leave it.
  void changed(const RangeSet &bytes);

  /// Whether copies in may still read the host's memory. Never blocks.
  Result<bool> isReading();

  /// Whether copies out may still write it. Never blocks.
  Result<bool> isWriting();

  /// Whether copies may still read or write `bytes` of the host's memory. Never blocks.
  Result<bool> isCopying(const RangeSet &bytes);

  /// Whether nothing is under way, of kernels those that `afterKernel` was told of. Never blocks.
  Result<bool> isIdle();

  /// The same for what touches `bytes`.
  Result<bool> isIdle(const RangeSet &bytes);

  /// Waits until nothing is under way. Cost: blocks.
  Status finish();

private:
  CopyLanes(device::Queue &main, const memory::Window &window, LockedMemory &locked)
      : main_(main), window_(window), locked_(locked) {}

  Status poll();

  std::span<std::byte> bytesOf(Range range) const {
    return {window_.view(range.begin), static_cast<std::size_t>(range.size())};
  }

  device::Queue &main_;
  const memory::Window &window_;
  LockedMemory &locked_;
  std::unique_ptr<device::Queue> in_;
  std::unique_ptr<device::Queue> out_;
  Underway copiesIn_;
  Underway copiesOut_;
  Underway kernels_;
  bool isJoined_ = true; ///< The main queue comes after all copies.
  RangeSet atHome_;
};

} // namespace tutti::exec
