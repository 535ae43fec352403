// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Devices that are lost: what becomes of the bytes that they held, and the line about each.
#pragma once

#include "runtime/model/forkjoin/sequential_view.h"
#include "runtime/protocol/job.h"

#include <string>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using exec::Place;

/// Threading: confined to the program's main thread, which holds the lock of the job's progress but
///            for `hasLines`.
class LostDevices {
public:
  LostDevices(Job &job, SequentialView &view) : job_(job), view_(view) {}

  /// Whether devices were lost that nobody has retired.
  bool isAny() const TUTTI_IN_TURN { return !job_.losses.isEmpty(); }

  /// Records that the ranks' hosts have what the lost devices held, unless it is gone. Order: all
  /// else that has happened is recorded. The devices: no later launch may use them.
  std::vector<Place> retire(Sequence latest) TUTTI_IN_TURN;

  /// Writes the lines about devices all of whose launches are among those up to `finished`: if one
  /// of these cannot be finished, there is a line about that.
  void say(Sequence finished) {
    if (!lines_.empty()) {
      sayFinished(finished);
    }
  }

  /// Whether there is something to say.
  bool hasLines() const { return !lines_.empty(); }

private:
  void sayFinished(Sequence finished);

  Job &job_;
  SequentialView &view_;
  /// Lines that are not yet written, and the launches at which they were known.
  std::vector<std::pair<Sequence, std::string>> lines_;
};

} // namespace tutti::model::forkjoin
