// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What two devices of a rank have to do with each other: copies from one to the other, the order
/// in which these come with kernels, and interiors that run beside them.
#include "runtime/exec/devices.h"

#include <memory>
#include <utility>

namespace tutti::exec {

/// Lets the main queue of a device come after all that the device has been given.
Status Devices::gather(std::int32_t index) {
  const Lane &lane = this->lane(index);
  const bool hasTasks = lane.tasks && !lane.tasks->isEmpty();
  const bool isJoined = !hasTasks && (!lane.copies || lane.copies->isJoined());
  return isJoined ? Status() : attempt(index, [](Lane &lane) { return give(lane); });
}

Status Devices::order(std::int32_t earlier, std::int32_t later) {
  Lane &first = lane(earlier);
  Lane &second = lane(later);
  TUTTI_TRY(gather(earlier));
  second.isAhead = false;
  Step &behind = second.behind[static_cast<std::size_t>(earlier)];
  if (first.done == first.given || behind == first.given || second.loss) {
    return {};
  }
  if (first.backend != second.backend) {
    // They know nothing of each other's events.
    return attempt(earlier, [this](Lane &lane) { return finish(lane); });
  }
  TUTTI_TRY(mark(earlier));
  if (first.loss) {
    return {};
  }
  behind = first.given;
  if (second.tasks || second.borders) {
    second.unstreamed = ++second.given; // Tasks and borders come after the wait, too.
  }
  return attempt(later, [&](Lane &lane) { return lane.queue->wait(*first.event); });
}

/// Whether a device may still copy some of `bytes` of another one when that does what it is given
/// next.
bool Devices::mayRead(std::int32_t reader, std::int32_t read, const RangeSet &bytes) {
  const auto at = static_cast<std::size_t>(reader);
  Reader &known = lane(read).readers[at];
  if (known.latest <= lane(reader).done || known.latest <= lane(read).behind[at]) {
    known.latest = 0;
    return false;
  }
  return known.bytes.overlaps(bytes);
}

Status Devices::orderBehindReaders(std::int32_t index, const RangeSet &written) {
  const std::vector<Reader> &readers = lane(index).readers;
  for (std::size_t reader = 0; reader < readers.size(); ++reader) {
    const auto at = static_cast<std::int32_t>(reader);
    if (readers[reader].latest != 0 && mayRead(at, index, written)) {
      TUTTI_TRY(order(at, index));
    }
  }
  return {};
}

bool Devices::haveRoute(std::int32_t from, std::int32_t to) const {
  const Lane &source = lane(from);
  const Lane &target = lane(to);
  return source.backend == target.backend && !source.loss && !target.loss &&
         !target.isCutOff[static_cast<std::size_t>(from)];
}

Status Devices::copyAcross(std::int32_t from, std::int32_t to, const RangeSet &bytes) {
  Lane &source = lane(from);
  Lane &target = lane(to);
  const bool isBeside = target.isApart;
  bool hasRoute = haveRoute(from, to);
  if (hasRoute && !isBeside) {
    TUTTI_TRY(attempt(to, [](Lane &lane) { return give(lane); }));
    hasRoute = !target.loss;
  }
  for (std::size_t done = 0; done < bytes.ranges().size() && hasRoute; ++done) {
    device::Queue &queue = isBeside ? *target.borders : *target.queue;
    Status status = queue.copyFrom(*source.device, bytes.ranges()[done]);
    hasRoute = status || status.error().code != ErrorCode::NoRoute || done > 0;
    target.isCutOff[static_cast<std::size_t>(from)] = !hasRoute;
    if (hasRoute) {
      TUTTI_TRY(outlive(to, std::move(status)));
      hasRoute = !target.loss;
    }
  }
  if (!hasRoute) {
    TUTTI_TRY(copyOut(from, bytes));
    TUTTI_TRY(attempt(from, [this](Lane &lane) { return finish(lane); }));
    TUTTI_TRY(require(from, bytes));
    TUTTI_TRY(copyIn(to, bytes, Reading::Done));
    return target.isApart ? orderBorders(to, to) : Status();
  }
  if (isBeside) {
    TUTTI_TRY(orderBehindCopy(from, to));
  } else {
    Reader &reader = source.readers[static_cast<std::size_t>(to)];
    reader.bytes = mayRead(to, from, reader.bytes) ? reader.bytes.unite(bytes) : bytes;
    reader.latest = target.given;
  }
  changed(target, bytes);
  counters_.devicePeerBytes += bytes.bytes();
  counters_.devicePeerCopies += bytes.ranges().size();
  return {};
}

Status Devices::orderBorders(std::int32_t earlier, std::int32_t later) {
  TUTTI_TRY(attempt(later, [](Lane &lane) -> Status {
    if (!lane.borders) {
      TUTTI_ASSIGN(lane.borders, lane.device->makeUrgentQueue());
      TUTTI_TRY(advance(lane)); // So far nothing has told what the main queue waits for.
    }
    return {};
  }));
  TUTTI_TRY(gather(earlier));
  Lane &first = lane(earlier);
  if (first.done == first.given) {
    return {};
  }
  TUTTI_TRY(mark(earlier));
  return first.loss ? Status()
                    : attempt(later, [&](Lane &lane) { return lane.borders->wait(*first.event); });
}

Status Devices::runInterior(const DevicePart &part, const Launch &launch, bool isDisjoint) {
  return attempt(part.device, [&](Lane &lane) -> Status {
    TUTTI_TRY(give(lane));
    changed(lane, part.touched);
    lane.kernels = 0;
    lane.isApart = true;
    return runOn(lane, *lane.queue, launch, part.interior, isDisjoint);
  });
}

Status Devices::runBorders(Lane &lane, const DevicePart &part, const Launch &launch,
                           bool isDisjoint) {
  for (const balance::Chunk &border : {balance::Chunk{part.chunk.lower, part.interior.lower},
                                       balance::Chunk{part.interior.upper, part.chunk.upper}}) {
    if (!border.empty()) {
      TUTTI_TRY(runOn(lane, *lane.borders, launch, border, isDisjoint));
    }
  }
  return joinBorders(lane); // Copies for it, too, of which its iterations may touch nothing.
}

/// The main queue of a device goes on behind its borders.
Status Devices::joinBorders(Lane &lane) {
  std::unique_ptr<device::Event> event;
  TUTTI_ASSIGN(event, lane.borders->record());
  TUTTI_TRY(advance(lane));
  return lane.queue->wait(*event);
}

/// What `from` has still to be given, and may overwrite there, comes behind the copies that `to`
/// has made of its bytes beside an interior.
Status Devices::orderBehindCopy(std::int32_t from, std::int32_t to) {
  std::unique_ptr<device::Event> copied;
  TUTTI_TRY(attempt(to, [&](Lane &target) -> Status {
    TUTTI_ASSIGN(copied, target.borders->record());
    return {};
  }));
  return !copied ? Status() : attempt(from, [&](Lane &source) -> Status {
    if (source.isApart) {
      TUTTI_TRY(source.borders->wait(*copied));
    }
    TUTTI_TRY(advance(source));
    return source.queue->wait(*copied);
  });
}

} // namespace tutti::exec
