// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Numbers launches and tells all ranks of them.
#pragma once

#include "runtime/model/forkjoin/sequential_view.h"
#include "runtime/protocol/job.h"

namespace tutti::model::forkjoin {

using exec::Launch;

/// Threading: confined to the program's main thread, which holds the lock of the job's progress but
///            for `latest`.
class Announcer {
public:
  explicit Announcer(Job &job) : job_(job) {}

  /// The latest launch; 0 if there was none.
  Sequence latest() const { return latest_; }

  /// Whether the other ranks are near enough for one more launch.
  bool mayAnnounce() const TUTTI_IN_TURN {
    return latest_ < job_.acknowledgements.bySubtree() + protocol::Acknowledgements::kAhead;
  }

  /// Gives `launch` its number and the events of `view`, and tells all ranks.
  void announce(Launch &launch, SequentialView &view) TUTTI_IN_TURN;

private:
  Job &job_;
  Sequence latest_ = 0;
};

} // namespace tutti::model::forkjoin
