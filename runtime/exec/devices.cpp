// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/devices.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::exec {

namespace {

/// A run of bytes to be compared with a snapshot of it: whole grains around some of what is kept.
struct Compared {
  Range bytes;
  Range grains;
  std::uint64_t offset; ///< Of the grains in the snapshot.
};

/// `kept` in pieces that can be compared at once.
std::vector<Compared> piecesOf(const RangeSet &kept) {
  constexpr std::uint64_t kMask = device::Change::kGrain - 1;
  std::vector<Compared> pieces;
  std::uint64_t offset = 0;
  for (const Range &range : kept.ranges()) {
    for (std::uint64_t begin = range.begin & ~kMask; begin < range.end;) {
      const std::uint64_t end = std::min(begin + device::Queue::kMostCompared, range.end);
      const Range grains{begin, (end + kMask) & ~kMask};
      pieces.push_back({{std::max(begin, range.begin), end}, grains, offset});
      offset += grains.size();
      begin = grains.end;
    }
  }
  return pieces;
}

/// The bits of those bytes of a grain at `address` that lie in `bytes`.
std::uint32_t maskFor(std::uint64_t address, Range bytes) {
  std::uint32_t mask = ~std::uint32_t{0};
  if (address < bytes.begin) {
    mask &= ~std::uint32_t{0} << (bytes.begin - address);
  }
  if (address + device::Change::kGrain > bytes.end) {
    mask &= ~std::uint32_t{0} >> (address + device::Change::kGrain - bytes.end);
  }
  return mask;
}

/// What a lost device reports as well: whatever was under way there has not come to its end. Nor
/// has what launches count on and there is no memory for.
bool endsDevice(const Error &error) {
  return error.code == ErrorCode::DeviceLost || error.code == ErrorCode::KernelFault ||
         error.code == ErrorCode::OutOfMemory;
}

} // namespace

Devices::Devices(std::vector<OpenDevice> opened, const memory::Window &window, const Rooms &rooms,
                 trace::Counters &counters)
    : window_(window), rooms_(rooms), counters_(counters) {
  for (OpenDevice &open : opened) {
    Lane lane;
    lane.device = std::move(open.device);
    lane.backend = open.backend;
    lane.capacity = open.room.capacity;
    lane.behind.resize(opened.size());
    lane.readers.resize(opened.size());
    lane.isCutOff.resize(opened.size());
    lanes_.push_back(std::move(lane));
  }
}

Status Devices::outlive(std::int32_t index, Status status) {
  Lane &lane = this->lane(index);
  if (status || !endsDevice(status.error())) {
    return status;
  }
  if (lane.loss) {
    return {};
  }
  if (lane.queue) {
    // Nothing of it counts, but it must neither arrive later nor need memory that goes before.
    lane.queue->finish().ignore("the device is lost in any case");
  }
  if (lane.borders) {
    lane.borders->finish().ignore("the same");
  }
  if (lane.copies) {
    lane.copies->finish().ignore("the same");
  }
  if (lane.tasks) {
    lane.tasks->finish().ignore("the same");
  }
  // Nobody knows what of that has reached the host.
  lane.gone = atLoss_(index, status.error()).unite(std::exchange(lane.leaving, {}));
  lane.loss = std::move(status).error();
  lane.event.reset();
  lane.isApart = false;
  lane.borders.reset();
  lane.copies.reset();
  lane.tasks.reset();
  lane.snapshot.reset();
  lane.done = lane.given;
  return {};
}

Status Devices::requireAlive(std::int32_t index) const {
  const Lane &lane = this->lane(index);
  return lane.loss ? Status(*lane.loss) : Status();
}

Status Devices::require(std::int32_t index, const RangeSet &bytes) const {
  const Lane &lane = this->lane(index);
  if (lane.gone.overlaps(bytes)) {
    return failure(ErrorCode::DeviceLost, "{}; it had the only copy of data that is needed",
                   lane.loss->message);
  }
  return {};
}

void Devices::wroteInPlaceOf(std::int32_t index, const RangeSet &bytes) {
  lane(index).gone = lane(index).gone.subtract(bytes);
}

/// The main queue of a device, when it is first needed.
Status Devices::openQueue(Lane &lane) {
  if (!lane.queue) {
    TUTTI_ASSIGN(lane.queue, lane.device->makeQueue());
  }
  return {};
}

Status Devices::commit(std::int32_t index, const RangeSet &units) {
  return request(index, [&](Lane &lane) -> Status {
    TUTTI_TRY(openQueue(lane));
    const RangeSet missing = units.subtract(lane.committed);
    // One by one, as they will be given back.
    for (const Range &unit : rooms_.single(missing)) {
      if (Status status = lane.device->commit(unit); !status) {
        release(index, missing).ignore("the first failure is reported");
        return status;
      }
      lane.committed = lane.committed.unite(RangeSet::of({unit}));
    }
    return {};
  });
}

Status Devices::release(std::int32_t index, const RangeSet &units) {
  return attempt(index, [&](Lane &lane) -> Status {
    const RangeSet given = units.intersect(lane.committed);
    lane.committed = lane.committed.subtract(given);
    lane.leaving = lane.leaving.subtract(given);
    changed(lane, given);
    for (const Range &range : given.ranges()) {
      TUTTI_TRY(lane.device->release(range));
    }
    return {};
  });
}

/// What `copy`, called with the lane, copies in is counted; the host has it for a lost device.
template <typename Copy>
Status Devices::bringIn(std::int32_t index, const RangeSet &bytes, Copy &&copy) {
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_TRY(copy(lane));
    counters_.deviceInBytes += bytes.bytes();
    counters_.deviceInCopies += bytes.ranges().size();
    return {};
  }));
  if (isLost(index)) {
    wroteInPlaceOf(index, bytes);
  }
  return {};
}

/// Has `copy`, called with the lane and what of `bytes` is not at home, copy that out.
template <typename Copy>
Status Devices::takeOut(std::int32_t index, const RangeSet &bytes, Copy &&copy) {
  return attempt(index, [&](Lane &lane) -> Status {
    const RangeSet left = lane.copies ? bytes.subtract(lane.copies->atHome()) : bytes;
    if (left.empty()) {
      return {};
    }
    lane.leaving = lane.leaving.unite(left);
    TUTTI_TRY(copy(lane, left));
    counters_.deviceOutBytes += left.bytes();
    counters_.deviceOutCopies += left.ranges().size();
    return {};
  });
}

Status Devices::copyIn(std::int32_t index, const RangeSet &bytes, Reading reading) {
  return bringIn(index, bytes, [&](Lane &lane) -> Status {
    TUTTI_TRY(give(lane, bytes));
    return lockedOf(lane).copyIn(*lane.queue, bytes, reading);
  });
}

Status Devices::copyOut(std::int32_t index, const RangeSet &bytes) {
  return takeOut(index, bytes, [this](Lane &lane, const RangeSet &left) -> Status {
    TUTTI_TRY(give(lane, left));
    return lockedOf(lane).copyOut(*lane.queue, left);
  });
}

Result<bool> Devices::hasArrived(std::int32_t index, const RangeSet &bytes, device::Event &event) {
  bool isDone = true;
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_ASSIGN(isDone, event.hasCompleted());
    if (isDone) {
      lane.leaving = lane.leaving.subtract(bytes);
    }
    return {};
  }));
  return isDone || isLost(index);
}

Status Devices::streamIn(std::int32_t index, const RangeSet &bytes) {
  return bringIn(index, bytes, [&](Lane &lane) -> Status {
    CopyLanes *copies = nullptr;
    TUTTI_ASSIGN(copies, copiesOf(lane));
    if (!std::exchange(lane.isAhead, true)) {
      TUTTI_TRY(copies->orderAfterMain());
    }
    return copies->copyIn(bytes);
  });
}

Status Devices::streamOut(std::int32_t index, const RangeSet &bytes) {
  return takeOut(index, bytes, [this](Lane &lane, const RangeSet &left) -> Status {
    CopyLanes *copies = nullptr;
    TUTTI_ASSIGN(copies, copiesOf(lane));
    return copies->copyOut(left);
  });
}

/// Whether `asks` says so of the copies of any device.
template <typename Asks> Result<bool> Devices::isAny(Asks &&asks) {
  bool isSo = false;
  for (std::int32_t index = 0; index < count() && !isSo; ++index) {
    if (!lane(index).copies) {
      continue;
    }
    TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
      TUTTI_ASSIGN(isSo, asks(*lane.copies));
      return {};
    }));
  }
  return isSo;
}

Result<bool> Devices::isReading() {
  return isAny([](CopyLanes &copies) { return copies.isReading(); });
}

Result<bool> Devices::isStreamingOut() {
  return isAny([](CopyLanes &copies) { return copies.isWriting(); });
}

Result<bool> Devices::isStreaming(const RangeSet &bytes) {
  return isAny([&](CopyLanes &copies) { return copies.isCopying(bytes); });
}

bool Devices::streams() const {
  return std::ranges::any_of(lanes_, [](const Lane &lane) { return lane.copies != nullptr; });
}

Status Devices::put(std::int32_t index, std::uint64_t address, std::span<const std::byte> bytes) {
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_TRY(give(lane));
    changed(lane, RangeSet::of({{address, address + bytes.size()}}));
    TUTTI_TRY(lane.queue->copyIn(bytes, address));
    counters_.deviceInBytes += bytes.size();
    ++counters_.deviceInCopies;
    return {};
  }));
  if (isLost(index)) {
    const Range range{address, address + bytes.size()};
    std::ranges::copy(bytes, bytesOf(range).begin());
    wroteInPlaceOf(index, RangeSet::of({range}));
  }
  return {};
}

Status Devices::read(std::int32_t index, std::uint64_t address, std::span<std::byte> target) {
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_TRY(give(lane));
    TUTTI_TRY(lane.queue->copyOut(address, target));
    counters_.deviceOutBytes += target.size();
    ++counters_.deviceOutCopies;
    return finish(lane);
  }));
  if (isLost(index)) {
    const Range range{address, address + target.size()};
    TUTTI_TRY(require(index, RangeSet::of({range})));
    std::ranges::copy(bytesOf(range), target.begin());
  }
  return {};
}

Result<bool> Devices::keep(std::int32_t index, const RangeSet &bytes) {
  bool isKept = false;
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_ASSIGN(isKept, keepOn(lane, bytes));
    return {};
  }));
  return isKept;
}

Result<bool> Devices::keepOn(Lane &lane, const RangeSet &bytes) {
  const std::vector<Compared> pieces = piecesOf(bytes);
  const std::uint64_t size = pieces.back().offset + pieces.back().grains.size();
  if (lane.committed.bytes() + size > lane.capacity) {
    return false;
  }
  auto made = lane.device->makeSnapshot(size);
  if (!made) {
    return made.error().code == ErrorCode::OutOfMemory ? Result<bool>(false) : made.error();
  }
  for (const Compared &piece : pieces) {
    TUTTI_TRY(give(lane));
    const Status status = lane.queue->keep(piece.grains, **made, piece.offset);
    if (!status && status.error().code == ErrorCode::OutOfMemory) {
      TUTTI_TRY(finish(lane));
      return false;
    }
    TUTTI_TRY(status);
  }
  lane.snapshot = std::move(*made);
  lane.kept = bytes;
  return true;
}

Status
Devices::takeChanges(std::int32_t index,
                     const std::function<void(std::uint64_t, std::span<const std::byte>)> &visit) {
  Lane &lane = this->lane(index);
  const std::unique_ptr<device::Snapshot> snapshot = std::move(lane.snapshot);
  for (const Compared &piece : piecesOf(lane.kept)) {
    std::span<const device::Change> changes;
    TUTTI_ASSIGN(changes, lane.queue->changes(piece.grains, *snapshot, piece.offset));
    counters_.deviceOutBytes += changes.size_bytes();
    ++counters_.deviceOutCopies;
    for (const device::Change &change : changes) {
      const std::uint64_t address = piece.grains.begin + change.grain * device::Change::kGrain;
      const std::span<const std::byte> now = change.now;
      for (std::uint32_t mask = change.mask & maskFor(address, piece.bytes); mask != 0;) {
        const int first = std::countr_zero(mask);
        const int count = std::countr_one(mask >> first);
        visit(address + first, now.subspan(first, count));
        mask = first + count < 32 ? mask >> (first + count) << (first + count) : 0;
      }
    }
  }
  return finish(lane);
}

/// What streams through a device.
Result<CopyLanes *> Devices::copiesOf(Lane &lane) {
  if (!lane.copies) {
    TUTTI_ASSIGN(lane.copies, CopyLanes::make(*lane.device, *lane.queue, window_, lockedOf(lane)));
  }
  return lane.copies.get();
}

LockedMemory &Devices::lockedOf(Lane &lane) {
  if (!lane.locked) {
    lane.locked = std::make_unique<LockedMemory>(*lane.device, window_);
  }
  return *lane.locked;
}

std::vector<LockedMemory *> Devices::lockedMemory() {
  std::vector<LockedMemory *> all;
  for (Lane &lane : lanes_) {
    all.push_back(&lockedOf(lane));
  }
  return all;
}

/// Counts an operation that the main queue is about to be given and that is not streamed: it comes
/// after all that was.
Status Devices::advance(Lane &lane) {
  lane.isAhead = false;
  lane.unstreamed = ++lane.given;
  return join(lane);
}

/// The same, after all tasks.
Status Devices::give(Lane &lane) {
  TUTTI_TRY(advance(lane));
  return lane.tasks ? lane.tasks->order(*lane.queue) : Status();
}

/// The same, after those tasks that touch `bytes`, which are all that the operation touches.
Status Devices::give(Lane &lane, const RangeSet &bytes) {
  TUTTI_TRY(advance(lane));
  return lane.tasks ? lane.tasks->order(bytes, *lane.queue) : Status();
}

/// Notes that bytes of a device change, or leave it.
void Devices::changed(Lane &lane, const RangeSet &bytes) {
  if (lane.copies) {
    lane.copies->changed(bytes);
  }
}

/// The main queue comes after all that streams.
Status Devices::join(Lane &lane) { return lane.copies ? lane.copies->join() : Status(); }

Status Devices::recordIn(Lane &lane) {
  if (lane.marked < lane.given) {
    TUTTI_ASSIGN(lane.event, lane.queue->record());
    lane.marked = lane.given;
  }
  return {};
}

Status Devices::mark(std::int32_t index) {
  return attempt(index, [this](Lane &lane) { return recordIn(lane); });
}

/// All that the lane was given up to now is done.
void Devices::ended(Lane &lane) {
  lane.event.reset();
  lane.done = lane.marked;
  if (lane.done < lane.given) {
    return;
  }
  if (!lane.copies) {
    lane.leaving = {};
  }
  if (lane.latest) {
    lane.latest->isTried = true;
  }
}

Status Devices::finish(Lane &lane) {
  TUTTI_TRY(lane.tasks ? lane.tasks->finish() : Status());
  TUTTI_TRY(lane.queue->finish());
  TUTTI_TRY(lane.copies ? lane.copies->finish() : Status());
  lane.marked = lane.given;
  ended(lane);
  return {};
}

Status Devices::copyForeign(device::ForeignMemory &from, std::int32_t to, const RangeSet &bytes) {
  TUTTI_TRY(attempt(to, [&](Lane &target) -> Status {
    TUTTI_TRY(give(target));
    changed(target, bytes);
    for (const Range &range : bytes.ranges()) {
      TUTTI_TRY(target.queue->copyForeign(from, range));
    }
    counters_.deviceForeignBytes += bytes.bytes();
    counters_.deviceForeignCopies += bytes.ranges().size();
    return {};
  }));
  if (Lane &target = lane(to); target.loss) {
    target.gone = target.gone.unite(bytes);
  }
  return {};
}

Result<std::unique_ptr<device::Event>> Devices::record(std::int32_t index) {
  std::unique_ptr<device::Event> event;
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_TRY(join(lane));
    TUTTI_ASSIGN(event, lane.queue->record());
    return {};
  }));
  return event;
}

double Devices::seconds(std::int32_t index) const {
  return std::chrono::duration<double>(lane(index).ended - lane(index).began).count();
}

Result<bool> Devices::isIdle() {
  bool isIdle = true;
  for (std::int32_t index = 0; index < count(); ++index) {
    bool isDone = false;
    TUTTI_ASSIGN(isDone, this->isIdle(index));
    isIdle = isIdle && isDone;
  }
  return isIdle;
}

Result<bool> Devices::isIdle(std::int32_t index) {
  bool isDone = false;
  TUTTI_ASSIGN(isDone, isMainIdle(index));
  if (isDone && lane(index).tasks) {
    TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
      TUTTI_ASSIGN(isDone, lane.tasks->isIdle());
      return {};
    }));
  }
  if (!isDone || !lane(index).copies) {
    return isDone;
  }
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_ASSIGN(isDone, lane.copies->isIdle());
    if (isDone) {
      lane.leaving = {};
    }
    return {};
  }));
  return isDone;
}

Result<bool> Devices::isIdle(std::int32_t index, const RangeSet &units) {
  for (std::int32_t reader = 0; reader < count(); ++reader) {
    bool hasRead = true;
    if (mayRead(reader, index, units)) {
      TUTTI_ASSIGN(hasRead, isMainIdle(reader));
    }
    if (!hasRead) {
      return false;
    }
  }
  const Lane &lane = this->lane(index);
  if (!lane.copies || lane.unstreamed > lane.done) {
    return isIdle(index);
  }
  bool isDone = true;
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    if (lane.tasks) {
      TUTTI_ASSIGN(isDone, lane.tasks->isIdle(units));
    }
    if (isDone) {
      TUTTI_ASSIGN(isDone, lane.copies->isIdle(units));
    }
    return {};
  }));
  return isDone;
}

/// Whether the queue for all but what is streamed has done what it was given.
Result<bool> Devices::isMainIdle(std::int32_t index) {
  if (lane(index).done == lane(index).given) {
    return true;
  }
  bool isDone = true;
  TUTTI_TRY(attempt(index, [&](Lane &lane) -> Status {
    TUTTI_TRY(recordIn(lane));
    const Result<bool> hasCompleted = lane.event->hasCompleted();
    TUTTI_TRY(hasCompleted);
    isDone = *hasCompleted;
    if (isDone) {
      ended(lane);
      lane.ended = Clock::now();
    }
    return {};
  }));
  return isDone;
}

} // namespace tutti::exec
