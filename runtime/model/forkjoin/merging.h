// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What several places of a launch may write in the same bytes: copies to compare with, what each
/// memory of this rank changed, and undoing all of it where a part has strayed.
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/exec/or_die.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/progress.h"
#include "runtime/memory/changes.h"
#include "runtime/protocol/job.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace tutti::model::forkjoin {

using exec::Launch;
using exec::Plan;
using exec::Progress;
using protocol::Job;

/// One rank's side of one launch. Nothing is merged in most launches; then only `isAny` is asked.
///
/// Threading: the thread that runs launches; `lock` is that of the job's progress.
class Merging {
public:
  Merging(Job &job, Progress::Lock &lock, const Launch &launch, const Plan &plan)
      : job_(job), lock_(lock), launch_(launch), plan_(plan), updates_(plan.updates) {}

  bool isAny() const { return !plan_.merged.empty(); }

  /// Keeps copies of the bytes: devices do so themselves; those that have no room for it are
  /// compared with one of the host's, as is the host.
  ///
  /// Order: all that is merged has arrived in this rank's memories, and nobody reads it any more.
  void keep() TUTTI_IN_TURN;

  /// Keeps the host's copy, if there is none, because the host is about to write in place of a lost
  /// device.
  void keepForStandIn();

  /// Where this rank's host says that a part has strayed; null if none can.
  std::uint64_t *strayed() const;

  /// Takes over what this rank's devices say about that: what they add to a result counts only if
  /// none has strayed. Order: they are idle.
  void noteDeviceStrays() TUTTI_IN_TURN;

  /// Gives rank 0's host what the places changed. Order: all parts of this rank have ended.
  ///
  /// `hostHasWritten`: the host has had a part, or stood in for a device.
  void merge(bool hostHasWritten) TUTTI_IN_TURN;

  /// On rank 0, once it has merged: some part has met a stray pointer, so nothing that the launch
  /// wrote is left.
  bool isUndone() const { return isUndone_; }

private:
  using VisitChange = std::function<void(std::uint64_t address, std::span<const std::byte> bytes)>;

  void takeDeviceChanges(const VisitChange &visit) TUTTI_IN_TURN;
  void takeHostChanges(const VisitChange &visit) const;
  void sendChanges(bool hostHasWritten) TUTTI_IN_TURN;
  void applyChanges() TUTTI_IN_TURN;
  void undo();

  void check(const Status &status) const { exec::orDie(status, *launch_.region); }

  Job &job_;
  Progress::Lock &lock_;
  const Launch &launch_;
  const Plan &plan_;
  const memory::UpdateMap updates_;
  std::optional<memory::Base> base_; ///< What host and devices are compared with, if they have to.
  bool isUndone_ = false;
};

} // namespace tutti::model::forkjoin
