// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One rank's part of one launch: its transfers and its iterations.
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/part_output.h"
#include "runtime/exec/plan.h"
#include "runtime/model/forkjoin/merging.h"
#include "runtime/protocol/job.h"

#include <optional>
#include <vector>

namespace tutti::model::forkjoin {

using exec::Borrowing;
using exec::Copy;
using exec::DevicePart;
using exec::Launch;
using exec::Loan;
using exec::PartOutput;
using exec::Plan;
using exec::Printed;
using exec::Progress;
using exec::Reduction;
using exec::Streams;
using protocol::Job;

/// Takes one rank through one launch.
///
/// Threading: the thread that runs launches; `lock` is that of the job's progress.
class ChunkRun {
public:
  ChunkRun(Job &job, Progress::Lock &lock, const Launch &launch, const Plan &plan)
      : job_(job), lock_(lock), launch_(launch), plan_(plan), merging_(job, lock, launch, plan),
        isStreamed_(launch.portion.count > 1 && plan.merged.empty()) {}

  /// Runs the chunk. Sends may still be under way when it returns, and on rank 0 returns.
  ///
  /// `isKnown`: the plan was made for an earlier launch; for the counters. `waits`: for devices in
  /// any case; else kernels may still be running, too, if the host needs nothing of them: what is
  /// given to a device later comes behind them.
  void run(bool isKnown, bool waits) TUTTI_IN_TURN;

  /// Waits for everything of this launch that `run` has started.
  void finish() TUTTI_IN_TURN;

  /// On rank 0: some part has met a stray pointer. Nothing that the launch wrote is left, and
  /// nothing has been combined.
  bool hasStrayed() const { return merging_.isUndone(); }

  /// On rank 0: what the parts have printed, in their order.
  std::vector<Printed> takeOutput() { return std::move(printed_); }

  /// What the parts of this rank's places have taken.
  protocol::LaunchTimes times() const TUTTI_IN_TURN;

private:
  void waitForReaders() TUTTI_IN_TURN;
  void standInForBorrowers() TUTTI_IN_TURN;
  void storeBlocks();
  template <typename Visit> void forCrossings(Visit &&visit) TUTTI_IN_TURN;
  void orderDevices(bool isTimed) TUTTI_IN_TURN;
  bool canRunApart() TUTTI_IN_TURN;
  void startInteriors(bool isTimed) TUTTI_IN_TURN;
  void waitForCopies() TUTTI_IN_TURN;
  void streamOut() TUTTI_IN_TURN;
  void waitForBorrowers() TUTTI_IN_TURN;
  void lend() TUTTI_IN_TURN;
  void borrow(bool isKnown) TUTTI_IN_TURN;
  void copy(bool late, bool isKnown) TUTTI_IN_TURN;
  void copyAcross(std::int32_t from, std::int32_t to, const RangeSet &bytes) TUTTI_IN_TURN;
  void startTransfers(bool isKnown) TUTTI_IN_TURN;
  void waitForReceived() TUTTI_IN_TURN;
  void waitFor(const exec::Piece &piece) TUTTI_IN_TURN;
  void waitForDevices() TUTTI_IN_TURN;
  void runParts(bool isKnown, bool waits) TUTTI_IN_TURN;
  bool startDevices(bool isAskedFor, bool isTimed) TUTTI_IN_TURN;
  void standIn(Reduction *reduction) TUTTI_IN_TURN;
  bool hasLost(const DevicePart &part) const TUTTI_IN_TURN;
  void runPiece(const balance::Chunk &piece, Reduction *reduction) TUTTI_IN_TURN;
  void runBesideDevices(const balance::Chunk &piece, Reduction *reduction,
                        bool isTimed) TUTTI_IN_TURN;
  void addPartials(Reduction &reduction) TUTTI_IN_TURN;
  void waitForSent() TUTTI_IN_TURN;
  void returnBytes() TUTTI_IN_TURN;
  void gatherOutput() TUTTI_IN_TURN;

  /// A task for another rank's host: what it returns comes with its end.
  bool isParcel() const { return !launch_.parcel.empty(); }

  /// Whoever writes what a task names waits for its kernel, unless that is another rank, or runs
  /// fragments, whose memory goes to others.
  exec::Reading readingOfCopies() const {
    return launch_.task && !launch_.task->isExact && job_.size() == 1 ? exec::Reading::Later
                                                                      : exec::Reading::Done;
  }

  void check(const Status &status) const { exec::orDie(status, *launch_.region); }

  Job &job_;
  Progress::Lock &lock_;
  const Launch &launch_;
  const Plan &plan_;
  Merging merging_;
  std::vector<Streams::Id> links_;    ///< Those of the plan, in its order.
  std::vector<Streams::Id> received_; ///< What waits in the chunk needs them, and devices do.
  std::vector<Streams::Id> sent_;     ///< To ranks whose chunks need it.
  std::vector<Streams::Id> others_;
  std::vector<std::int32_t> stoodIn_; ///< Devices whose part the host has run.
  bool isStreamed_;                   ///< Copies in and out overlap with those of other portions.
  bool crosses_ = false;              ///< Devices of this rank copy from one another.
  bool isApart_ = false;              ///< Interiors of devices run beside what is copied so.
  double hostSeconds_ = 0;
  std::optional<PartOutput> output_; ///< Of a launch that prints.
  std::vector<Printed> printed_;
};

} // namespace tutti::model::forkjoin
