// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/eviction.h"

#include "runtime/exec/or_die.h"

namespace tutti::protocol {

using namespace exec;

std::vector<memory::Event> eventsOf(const Leaving &leaving, const memory::Topology &topology) {
  std::vector<memory::Event> events;
  for (const Range &range : leaving.units.ranges()) {
    events.push_back({memory::Event::Kind::Evicted, range, leaving.place,
                      static_cast<Place>(topology.rankOf(leaving.place))});
  }
  return events;
}

Status Evictions::evict(Progress::Lock &lock, const Leaving &leaving) {
  return evict(lock, leaving, [&]() TUTTI_IN_TURN {
    return engine_.planner.directory().onlyAt(leaving.place, leaving.units);
  });
}

Status Evictions::evict(Progress::Lock &lock, const Leaving &leaving,
                        const std::function<RangeSet()> &alone) {
  const std::int32_t device = engine_.topology.indexOf(leaving.place);
  // Sends of earlier launches may still read what the host had there before.
  engine_.progress.waitUntil(lock, [&]() TUTTI_IN_TURN {
    return !engine_.streams.isSending() || !engine_.streams.isReading(alone());
  });
  const RangeSet rescued = alone();
  salvage_.hostGets(rescued);
  TUTTI_TRY(engine_.devices.copyOut(device, rescued));
  engine_.progress.waitUntil(
      lock, [&]() TUTTI_IN_TURN { return orDie(engine_.devices.isIdle(device, leaving.units)); });
  TUTTI_TRY(salvage_.bring(lock, device, rescued));
  loans_.recall(lock, device, leaving.units);
  orDie(engine_.devices.release(device, leaving.units));
  engine_.counters.evictedBytes += leaving.units.bytes();
  engine_.counters.evictedOutBytes += rescued.bytes();
  return {};
}

} // namespace tutti::protocol
