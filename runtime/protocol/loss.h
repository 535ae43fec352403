// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Losses: a rank tells rank 0 that it has lost a device, and what is gone with it.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/exec/engine.h"
#include "runtime/protocol/mail.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::protocol {

using exec::Place;

/// To rank 0: `Loss`.
inline constexpr Kind kLost("lost");

/// A device is lost.
struct Loss {
  Place place;
  RangeSet gone; ///< What it held and its rank's host did not.
  std::string why;
};

std::vector<std::byte> encode(const Loss &loss);
Loss decodeLoss(Reader &reader);

/// Threading: guarded by the lock of the engine's progress.
class Losses {
public:
  /// From then on the engine's devices tell of their losses.
  Losses(exec::Engine &engine, Mail &mail);

  /// On rank 0: whether there are losses that nobody has taken.
  bool isEmpty() const TUTTI_IN_TURN { return known_.empty(); }

  std::vector<Loss> take() TUTTI_IN_TURN { return std::exchange(known_, {}); }

private:
  RangeSet note(std::int32_t device, const Error &why) TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  std::vector<Loss> known_ TUTTI_GUARDED_BY(exec::kTurn); ///< Of all ranks, on rank 0.
};

} // namespace tutti::protocol
