// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/fetch.h"

#include "runtime/exec/gaps.h"
#include "runtime/exec/or_die.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tutti::protocol {

using namespace exec;

std::vector<std::byte> encode(const FetchRequest &request) {
  return Writer(kFetch).add(request.sequence).add(request.ranges).bytes();
}

FetchRequest decodeFetch(Reader &reader) {
  const auto sequence = reader.take<Sequence>();
  return {sequence, reader.takeRanges()};
}

Fetches::Fetches(Engine &engine, Mail &mail, Salvage &salvage, const HostTasks &hostTasks)
    : engine_(engine), mail_(mail), salvage_(salvage), hostTasks_(hostTasks) {
  mail_.on(kFetch, [this](transport::Control &, Reader &reader)
                       TUTTI_IN_TURN { requests_.push_back(decodeFetch(reader)); });
}

Streams::Id Fetches::ask(Rank owner, const FetchRequest &request) {
  mail_.send(owner, encode(request));
  engine_.counters.fetchBytes += request.ranges.bytes();
  engine_.counters.fetchMessages += engine_.streams.messagesFor(request.ranges);
  return engine_.streams.receive(Lane::Fetch, owner, request.ranges);
}

bool Fetches::isAsked() const {
  // What a task is writing is whole when that has ended.
  return !requests_.empty() && requests_.front().sequence <= engine_.finished &&
         !hostTasks_.areWritten(requests_.front().ranges);
}

void Fetches::serve(Progress::Lock &lock, const RangeSet &rescued) {
  while (isAsked()) {
    const FetchRequest request = std::move(requests_.front());
    requests_.pop_front();
    bringToHost(lock, request.ranges, rescued);
    engine_.streams.send(Lane::Fetch, 0, request.ranges);
  }
}

/// What this rank's devices have and its host has not. What a device has between two runs, too,
/// comes with them, so that the rows of a grid are one copy: if the host has it as well, it has the
/// same. `rescued` is what the host alone has, whatever the directory says.
void Fetches::bringToHost(Progress::Lock &lock, const RangeSet &ranges, const RangeSet &rescued) {
  const memory::Directory &directory = engine_.planner.directory();
  std::map<memory::Place, std::vector<Range>> byDevice;
  const auto isGapOf = [&](memory::Place place, Range gap) {
    const RangeSet bytes = RangeSet::of({gap});
    return !rescued.overlaps(bytes) && directory.missing(place, bytes).empty();
  };
  const RangeSet wanted = ranges.subtract(rescued);
  for (const Range &range : wanted.ranges()) {
    directory.forEach(range, [&](Range run, const memory::Holders &holders) {
      const auto isOwn = [this](memory::Place place) {
        return engine_.topology.rankOf(place) == engine_.rank();
      };
      // The host comes before the devices.
      const auto own = std::find_if(holders.begin(), holders.end(), isOwn);
      if (own != holders.end() && !engine_.topology.isHost(*own)) {
        std::vector<Range> &runs = byDevice[*own];
        const Range gap{runs.empty() ? run.begin : runs.back().end, run.begin};
        if (!gap.empty() && mayComeAlong(gap, run) && isGapOf(*own, gap)) {
          runs.push_back(gap);
        }
        runs.push_back(run);
      }
    });
  }
  if (byDevice.empty()) {
    return;
  }
  for (const auto &[place, bytes] : byDevice) {
    salvage_.hostGets(RangeSet::of(bytes));
    orDie(engine_.devices.copyOut(engine_.topology.indexOf(place), RangeSet::of(bytes)));
  }
  engine_.progress.waitUntil(lock,
                             [this]() TUTTI_IN_TURN { return orDie(engine_.devices.isIdle()); });
  for (const auto &[place, bytes] : byDevice) {
    orDie(salvage_.bring(lock, engine_.topology.indexOf(place), RangeSet::of(bytes)));
  }
}

} // namespace tutti::protocol
