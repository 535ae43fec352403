// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What parts of a launch print: every rank with a part sends it to rank 0 when the part has ended.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/exec/part_output.h"
#include "runtime/protocol/mail.h"

#include <cstdint>
#include <map>
#include <utility>

namespace tutti::protocol {

using exec::Printed;
using exec::Progress;
using exec::Sequence;

/// To rank 0: sequence, whether it is the last message of this rank for this launch, whether an
/// iteration has called `exit`, with which status, text.
inline constexpr Kind kOutput("output");

/// Threading: guarded by the lock of the engine's progress.
class Outputs {
public:
  Outputs(exec::Engine &engine, Mail &mail);

  /// Sends what this rank's part of launch `sequence` printed to rank 0.
  void send(Sequence sequence, const Printed &printed) TUTTI_IN_TURN;

  /// On rank 0: waits for what the part of `from` printed.
  Printed await(Progress::Lock &lock, Sequence sequence, Rank from) TUTTI_IN_TURN;

private:
  struct Arrived {
    Printed printed;
    bool isComplete = false;
  };

  exec::Engine &engine_;
  Mail &mail_;
  std::map<std::pair<Sequence, Rank>, Arrived> arrived_ TUTTI_GUARDED_BY(exec::kTurn);
};

} // namespace tutti::protocol
