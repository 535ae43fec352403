// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which part of the rank a call belongs to.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/parts.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"

#include <atomic>

namespace tutti::model::fragments {

/// Which part of the rank a call belongs to.
///
/// Threading: `partOf` from any thread, the rest externally synchronised.
class PartChoice {
public:
  PartChoice(const Program &program, const StateSettings &settings, Counts &counts)
      : program_(program), settings_(settings), counts_(counts), coresShare_(settings.parts.cores),
        dragShare_(settings.parts.drag) {}

  PartChoice(const PartChoice &) = delete;
  PartChoice &operator=(const PartChoice &) = delete;

  /// Which part of the rank a call belongs to, if there are devices. Threading: from any thread.
  Part partOf(const Call &call) const;

  /// From now on so much of the rank's segment is the cores', and so much is dragged. Order: calls
  /// are not merged.
  void setShares(double cores, double drag);

private:
  const Program &program_;
  const StateSettings &settings_;
  Counts &counts_;
  std::atomic<double> coresShare_; ///< Of the rank's segment; see `setShares`.
  std::atomic<double> dragShare_;
};

} // namespace tutti::model::fragments
