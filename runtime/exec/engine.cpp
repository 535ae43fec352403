// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/engine.h"

#include "runtime/exec/or_die.h"

#include <algorithm>
#include <utility>

namespace tutti::exec {

Engine::Engine(EngineSetup setup)
    : endpoint(setup.endpoint), window(setup.window), topology(std::move(setup.topology)),
      rooms(window, std::move(setup.rooms)), keepsTime(setup.keepsTime), pace(setup.pace),
      progress(queue, setup.isCrowded), streams(endpoint, window, setup.pace),
      devices(std::move(setup.devices), window, rooms, counters),
      planner(endpoint.rank(), topology, window, rooms), rank_(endpoint.rank()),
      size_(endpoint.size()) {
  serve({[this]() TUTTI_IN_TURN { return orDie(streams.progress()); },
         [this]() TUTTI_IN_TURN { return !streams.isIdle(); }});
}

void Engine::start() {
  progress.start([this] { return poll(); }, [this]() TUTTI_IN_TURN { return isBusy(); },
                 // Whoever needs a device waits for it; but its failure should show some time.
                 [this]() TUTTI_IN_TURN { orDie(devices.isIdle()); });
}

bool Engine::poll() {
  bool moved = false;
  for (const Served &served : served_) {
    moved = (served.poll && served.poll()) || moved;
  }
  return moved;
}

bool Engine::isBusy() {
  // When devices end is noticed here alone, whatever else is under way.
  const bool areDevicesTimed = timesDevices && !orDie(devices.isIdle());
  return areDevicesTimed || std::ranges::any_of(served_, [](const Served &served) {
           return served.isBusy && served.isBusy();
         });
}

} // namespace tutti::exec
