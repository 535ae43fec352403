// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/eviction.h"

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

Status evict(Job &job, Progress::Lock &lock, const Leaving &leaving) {
  return evict(job, lock, leaving,
               [&] { return job.planner.directory().onlyAt(leaving.place, leaving.units); });
}

Status evict(Job &job, Progress::Lock &lock, const Leaving &leaving,
             const std::function<RangeSet()> &alone) {
  const std::int32_t device = job.topology.indexOf(leaving.place);
  // Sends of earlier launches may still read what the host had there before.
  job.progress.waitUntil(
      lock, [&] { return !job.streams.isSending() || !job.streams.isReading(alone()); });
  const RangeSet rescued = alone();
  job.salvage.hostGets(rescued);
  TUTTI_TRY(job.devices.copyOut(device, rescued));
  job.progress.waitUntil(lock, [&] { return orDie(job.devices.isIdle()); });
  TUTTI_TRY(job.salvage.bring(lock, device, rescued));
  job.loans.recall(job.progress, lock, device, leaving.units);
  orDie(job.devices.release(device, leaving.units));
  job.counters.evictedBytes += leaving.units.bytes();
  job.counters.evictedOutBytes += rescued.bytes();
  return {};
}

} // namespace tutti::protocol
