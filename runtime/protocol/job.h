// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What every rank has while a job runs, and the messages between the ranks.
#pragma once

#include "base/result.h"
#include "runtime/exec/devices.h"
#include "runtime/exec/followed.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/planner.h"
#include "runtime/exec/progress.h"
#include "runtime/exec/reduction.h"
#include "runtime/exec/rooms.h"
#include "runtime/exec/streams.h"
#include "runtime/memory/faults.h"
#include "runtime/memory/window.h"
#include "runtime/protocol/loans.h"
#include "runtime/protocol/message.h"
#include "runtime/protocol/salvage.h"
#include "runtime/trace/counters.h"
#include "runtime/transport/transport.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace tutti::protocol {

using exec::Devices;
using exec::OpenDevice;
using exec::PartialResults;
using exec::Plan;
using exec::Planner;
using exec::Progress;
using exec::Rank;
using exec::Room;
using exec::Rooms;
using exec::Streams;

/// Messages that wait for the thread that runs launches.
struct Inbox {
  std::deque<std::vector<std::byte>> launches; ///< And the shutdown; with their kind.
  std::deque<FetchRequest> fetches;
  std::deque<Changes> changes; ///< Of the launch that rank 0 is in.
  std::deque<Reservation> reservations;
  std::map<memory::Place, Status> answers; ///< Of reservations, on rank 0.
  std::deque<Loss> losses;                 ///< Of all ranks, on rank 0.
  std::uint64_t probes = 0;                ///< That came back.
};

/// What a job is made of.
struct JobSetup {
  transport::Endpoint &endpoint;
  const memory::Window &window;
  memory::Topology topology;       ///< Of all ranks.
  std::vector<Room> rooms;         ///< Of all devices, in the order of places.
  std::vector<OpenDevice> devices; ///< This rank's, in the order of the topology.
  bool isCrowded;                  ///< More threads than cores on this host.
  HandleRoutes handles = {};       ///< Needed where the topology has routes.
  bool keepsTime = true;           ///< Somebody is going to read in the report what took how long.
};

/// Threading: all but `progress` and `queue` are guarded by the lock of `progress`.
class Job {
public:
  explicit Job(JobSetup setup);

  /// What is polled beside the job's own.
  struct Served {
    Progress::Poll poll;
    Progress::IsBusy isBusy;
  };

  /// Starts the thread.
  void start(Served more);

  Rank rank() const { return rank_; }

  Rank size() const { return size_; }

  void sendControl(Rank to, std::span<const std::byte> bytes);

  /// Sends to the children of this rank in the tree over all ranks.
  void passDown(std::span<const std::byte> bytes);

  /// Notes that this rank has finished a launch. Now and then tells the parent, so that rank 0 does
  /// not run ahead without end.
  void finished(Sequence sequence);

  /// Whether nothing is under way between this rank's memories or to and from others.
  bool isIdle();

  /// Leaves the memory of other ranks. Collective, when nothing is under way.
  void leaveRoutes();

  /// A launch that the whole subtree of this rank is known to have finished.
  Sequence acknowledged() const { return acknowledged_; }

  /// The latest launch that this rank has finished.
  Sequence finishedLaunch() const { return finished_; }

  /// Who has which bytes: before the launch that this rank is in, or now.
  const memory::Directory &directoryNow() {
    return running ? planner.directoryBefore() : planner.directory();
  }

  /// Launches that rank 0 may be ahead of `acknowledged`.
  static constexpr Sequence kAhead = 64;

  transport::Endpoint &endpoint;
  const memory::Window &window;
  const memory::Topology topology;
  const Rooms rooms;
  const bool keepsTime;
  trace::Counters counters;
  memory::TouchQueue queue;
  Progress progress;
  Streams streams;
  Devices devices;
  Loans loans;
  Planner planner;
  Salvage salvage;
  PartialResults partials;
  RecentlyFollowed recentlyFollowed; ///< The same on all ranks.
  Inbox inbox;
  bool timesDevices = false; ///< Somebody wants to know when they end while they run.
  /// The launch that this rank is in; null between launches.
  const Plan *running = nullptr;

private:
  bool poll();
  void dispatch(transport::Control &message);
  void acknowledge();
  RangeSet noteLoss(std::int32_t device, const Error &why);

  Rank rank_;
  Rank size_;
  Served more_;
  std::vector<transport::Control> arrived_;
  Sequence finished_ = 0;
  Sequence acknowledged_ = 0;
  std::map<Rank, Sequence> acknowledgedBy_; ///< The children.
};

/// Ends the job with one line if the world failed us.
void orDie(const Status &status);

template <typename T> T orDie(Result<T> result) {
  if (!result) {
    orDie(Status(result.error()));
  }
  return *std::move(result);
}

} // namespace tutti::protocol
