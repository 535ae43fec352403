// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/forkjoin/merging.h"

#include "base/check.h"
#include "runtime/exec/or_die.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;

void Merging::keep() {
  // Rank 0's own part needs a copy only where the launch may be undone.
  bool isNeeded = job_.rank() == 0 ? plan_.reach != 0 : !plan_.chunk.empty();
  for (const DevicePart &part : plan_.devices) {
    const Result<bool> isKept = job_.devices.keep(part.device, plan_.merged);
    check(isKept ? Status() : Status(isKept.error()));
    isNeeded = isNeeded || !*isKept;
  }
  if (isNeeded) {
    base_.emplace(job_.window, plan_.merged);
  }
}

void Merging::keepForStandIn() {
  // Rank 0 takes nothing from its own host; others have had no part so far.
  if (job_.rank() != 0 && isAny() && !base_) {
    base_.emplace(job_.window, plan_.merged);
  }
}

/// Calls `visit` for what this rank's devices changed. What the host did in place of lost ones is
/// in its own memory.
void Merging::takeDeviceChanges(const VisitChange &visit) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  std::vector<std::byte> buffer;
  TUTTI_CHECK(plan_.devices.empty() || plan_.updates.empty(), "update elements on hosts only");
  for (const DevicePart &part : plan_.devices) {
    if (job_.devices.isLost(part.device)) {
      continue;
    }
    if (job_.devices.keeps(part.device)) {
      check(job_.devices.takeChanges(part.device, visit));
      continue;
    }
    buffer.resize(std::min<std::size_t>(kPiece, plan_.merged.bytes()));
    const VisitChange compare = [&](std::uint64_t address, std::span<const std::byte> before)
                                    TUTTI_IN_TURN {
                                      const auto now = std::span(buffer).first(before.size());
                                      check(job_.devices.read(part.device, address, now));
                                      memory::forEachChange(address, before, now, updates_, visit);
                                    };
    base_->forEachPiece(kPiece, compare);
  }
}

/// The same for this rank's host.
void Merging::takeHostChanges(const VisitChange &visit) const {
  base_->forEachPiece(
      plan_.merged.bytes(), [&](std::uint64_t address, std::span<const std::byte> before) {
        const std::byte *now = job_.window.view(address);
        memory::forEachChange(address, before, {now, before.size()}, updates_, visit);
      });
}

/// Sends what this rank's devices and host changed to rank 0.
void Merging::sendChanges(bool hostHasWritten) {
  const auto send = [this](std::span<const std::byte> bytes, bool isLast)
                        TUTTI_IN_TURN { job_.merges.send(launch_.sequence, isLast, bytes); };
  memory::ChangeWriter changes([&](std::span<const std::byte> message)
                                   TUTTI_IN_TURN { send(message, false); });
  const auto add = [&](std::uint64_t address, std::span<const std::byte> bytes) {
    changes.add(address, bytes);
  };
  takeDeviceChanges(add);
  if (hostHasWritten) {
    takeHostChanges(add);
  }
  send(changes.rest(), true);
}

/// Takes over what the other ranks changed. Each of them writes bytes that nobody else does, or
/// updates elements.
void Merging::applyChanges() {
  for (std::size_t missing = plan_.contributors.size() - 1; missing > 0;) {
    const protocol::Changes changes = job_.merges.await(lock_, launch_.sequence);
    memory::applyChanges(job_.window, changes.bytes, updates_);
    missing -= changes.isLast;
  }
}

/// Rank 0's host gets what the places changed in bytes that several of them may write. What its
/// devices changed is taken before anything of another rank arrives there.
void Merging::merge(bool hostHasWritten) {
  if (job_.rank() != 0) {
    sendChanges(hostHasWritten);
    return;
  }
  takeDeviceChanges([this](std::uint64_t address, std::span<const std::byte> bytes) {
    std::memcpy(job_.window.view(address), bytes.data(), bytes.size());
  });
  applyChanges();
  if (plan_.reach != 0 && *strayed() != 0) {
    undo();
  }
}

/// Where this rank's host says that a part has strayed; null if none can.
std::uint64_t *Merging::strayed() const {
  return plan_.reach == 0 ? nullptr
                          : reinterpret_cast<std::uint64_t *>(job_.window.view(plan_.reach) +
                                                              offsetof(tutti_reach, strayed));
}

/// What devices add to a result counts only if none of them has strayed.
void Merging::noteDeviceStrays() {
  for (const DevicePart &part : plan_.devices) {
    if (plan_.reach == 0 || job_.devices.isLost(part.device)) {
      continue;
    }
    std::uint64_t there = 0;
    check(job_.devices.read(part.device, plan_.reach + offsetof(tutti_reach, strayed),
                            std::as_writable_bytes(std::span(&there, 1))));
    *strayed() |= there;
  }
}

/// As if the launch had never been, but for what it moved. The program runs the loop itself then.
void Merging::undo() {
  isUndone_ = true;
  base_->forEachPiece(plan_.merged.bytes(),
                      [&](std::uint64_t address, std::span<const std::byte> before) {
                        std::memcpy(job_.window.view(address), before.data(), before.size());
                      });
}

} // namespace tutti::model::forkjoin
