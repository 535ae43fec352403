// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of LuNA's procedures that are dragged through devices and not yet over.
///
/// What such a call reads and makes belongs to the host. On the device it lies in places that calls
/// take in turn, and the copies are part of the call's task:
///
///     queue 0   in | kernels | out
///     queue 1        in      | kernels | out
///     queue 2                  in      | kernels | out
#pragma once

#include "base/mutex.h"
#include "base/range.h"
#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace tutti::entry::luna {

/// One of them.
struct Portion {
  std::shared_ptr<device::Event> event;
  bool isStaged = false;           ///< As of `exec::TaskWork`.
  std::vector<Range> made;         ///< The host's memory that it writes.
  std::uint64_t placeBytes = 0;    ///< Of the device.
  std::vector<std::byte *> places; ///< For whoever comes behind it.
  /// What it reads and makes: the host's memory stays until it is over.
  std::vector<model::fragments::Value> kept;
};

/// Threading: internally synchronised.
class Portions {
public:
  /// Waits for an event, and is told which places are free again.
  struct Owner {
    std::function<Status(device::Event &event)> await;
    std::function<void(std::byte *place)> free;
  };

  explicit Portions(Owner owner) : owner_(std::move(owner)) {}

  /// Waits until another one may be given that takes so many bytes of a device that holds `most`.
  void makeRoom(std::uint64_t bytes, std::uint64_t most);

  /// The one that another one would have to wait for; null if there are few enough.
  std::shared_ptr<Portion> inTheWay();

  void add(std::shared_ptr<Portion> portion);

  /// The one that is going to write bytes of the host's memory; null if there is none.
  std::shared_ptr<Portion> writerOf(Range bytes);

  /// Waits until it is over. Ends the job if its device is lost: what it makes is gone.
  void await(const std::shared_ptr<Portion> &portion);

  /// Waits until all are, whatever becomes of what they make.
  void end();

private:
  void remove(const std::shared_ptr<Portion> &portion);
  std::shared_ptr<Portion> oldest();

  const Owner owner_;
  Mutex mutex_;
  std::deque<std::shared_ptr<Portion>> underway_ TUTTI_GUARDED_BY(mutex_); ///< The oldest first.
  std::uint64_t placeBytes_ TUTTI_GUARDED_BY(mutex_) = 0;                  ///< Of all of them.
};

} // namespace tutti::entry::luna
