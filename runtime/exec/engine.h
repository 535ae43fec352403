// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a rank computes and moves bytes with while a job runs: its memories, its plans, what is
/// under way, and the thread that moves it on. Knows no protocol.
#pragma once

#include "runtime/exec/devices.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/planner.h"
#include "runtime/exec/progress.h"
#include "runtime/exec/rooms.h"
#include "runtime/exec/streams.h"
#include "runtime/memory/faults.h"
#include "runtime/memory/topology.h"
#include "runtime/memory/window.h"
#include "runtime/trace/counters.h"
#include "runtime/transport/transport.h"

#include <vector>

namespace tutti::exec {

/// What an engine is made of.
struct EngineSetup {
  transport::Endpoint &endpoint;
  const memory::Window &window;
  memory::Topology topology;       ///< Of all ranks.
  std::vector<Room> rooms;         ///< Of all devices, in the order of places.
  std::vector<OpenDevice> devices; ///< This rank's, in the order of the topology.
  bool isCrowded;                  ///< More threads than cores on this host.
  bool keepsTime;                  ///< Somebody is going to read what took how long.
  Pace pace = Pace::Ahead;         ///< Of bytes between ranks; the same on all of them.
};

/// Threading: all but `progress` and `queue` are guarded by the lock of `progress`.
class Engine {
public:
  explicit Engine(EngineSetup setup);

  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  /// Something that has to be moved on while the rank computes or waits.
  struct Served {
    Progress::Poll poll;     ///< May be empty.
    Progress::IsBusy isBusy; ///< The same.
  };

  /// Polls `served`, behind what is polled already. Order: before `start`.
  void serve(Served served) { served_.push_back(std::move(served)); }

  /// Starts the thread.
  void start();

  Rank rank() const { return rank_; }

  Rank size() const { return size_; }

  /// Who has which bytes: before the launch that this rank is in, or now.
  const memory::Directory &directoryNow() TUTTI_IN_TURN {
    return running ? planner.directoryBefore() : planner.directory();
  }

  transport::Endpoint &endpoint;
  const memory::Window &window;
  const memory::Topology topology;
  const Rooms rooms;
  const bool keepsTime;
  const Pace pace;
  trace::Counters counters TUTTI_GUARDED_BY(kTurn);
  memory::TouchQueue queue;
  Progress progress;
  Streams streams TUTTI_GUARDED_BY(kTurn);
  Devices devices TUTTI_GUARDED_BY(kTurn);
  Planner planner TUTTI_GUARDED_BY(kTurn);
  bool timesDevices TUTTI_GUARDED_BY(kTurn) =
      false; ///< Somebody wants to know when they end while they run.
  /// The launch that this rank is in; null between launches.
  const Plan *running TUTTI_GUARDED_BY(kTurn) = nullptr;
  /// This rank's devices have been given the parts that `running` has for them, and its host has
  /// what it gets of others. Before, the directory already says that they have what they are going
  /// to get and to write.
  bool haveDevicesStarted TUTTI_GUARDED_BY(kTurn) = false;
  Sequence finished TUTTI_GUARDED_BY(kTurn) = 0; ///< The latest launch that this rank has finished.

private:
  bool poll();
  bool isBusy() TUTTI_IN_TURN;

  Rank rank_;
  Rank size_;
  std::vector<Served> served_;
};

} // namespace tutti::exec
