// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Fetching: rank 0 asks the owner of bytes that its sequential code touches.
#pragma once

#include "base/range.h"
#include "runtime/exec/engine.h"
#include "runtime/protocol/host_tasks.h"
#include "runtime/protocol/mail.h"
#include "runtime/protocol/salvage.h"

#include <cstddef>
#include <deque>
#include <vector>

namespace tutti::protocol {

using exec::Progress;
using exec::Rank;
using exec::Sequence;
using exec::Streams;

/// Rank 0 to an owner: `FetchRequest`. The answer is a stream of `Lane::Fetch`.
inline constexpr Kind kFetch("fetch");

/// Rank 0 asks for bytes as they are after launch `sequence`.
struct FetchRequest {
  Sequence sequence;
  RangeSet ranges;
};

std::vector<std::byte> encode(const FetchRequest &request);
FetchRequest decodeFetch(Reader &reader);

/// Threading: guarded by the lock of the engine's progress.
class Fetches {
public:
  Fetches(exec::Engine &engine, Mail &mail, Salvage &salvage, const HostTasks &hostTasks);

  /// On rank 0: asks another rank; the stream that will bring the bytes to the host.
  Streams::Id ask(Rank owner, const FetchRequest &request) TUTTI_IN_TURN;

  /// On an owner: whether it has been asked for something that it can give now.
  bool isAsked() const TUTTI_IN_TURN;

  /// Answers what it can answer now. `rescued`: bytes that are on this host although the directory
  /// does not know that yet.
  void serve(Progress::Lock &lock, const RangeSet &rescued) TUTTI_IN_TURN;

private:
  void bringToHost(Progress::Lock &lock, const RangeSet &ranges,
                   const RangeSet &rescued) TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  Salvage &salvage_;
  const HostTasks &hostTasks_;
  std::deque<FetchRequest> requests_ TUTTI_GUARDED_BY(exec::kTurn); ///< Of rank 0, on an owner.
};

} // namespace tutti::protocol
