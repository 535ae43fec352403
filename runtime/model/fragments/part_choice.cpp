// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/part_choice.h"

namespace tutti::model::fragments {

Part PartChoice::partOf(const Call &call) const {
  const bool hasProcedure =
      program_.unit().procedures[program_.statement(call.statement).callee].function != nullptr;
  constexpr double kMiddle = 0.5;
  Parts parts = settings_.parts;
  parts.cores = coresShare_.load(std::memory_order_relaxed);
  parts.drag = dragShare_.load(std::memory_order_relaxed);
  // Advice first, then the coordinate; what has none goes where most is.
  const Part wish = call.device == 0   ? Part::Cores
                    : call.device == 1 ? Part::Device
                                       : parts.at(call.position < 0 ? kMiddle : call.position);
  // What cores have no procedure for is dragged through a device where it would be theirs.
  return wish == Part::Cores && !hasProcedure ? Part::Drag : wish;
}

/// Whoever asks between the two stores gets parts that do not divide the whole: one call runs
/// somewhere else then.
void PartChoice::setShares(double cores, double drag) {
  coresShare_.store(cores, std::memory_order_relaxed);
  dragShare_.store(drag, std::memory_order_relaxed);
  ++counts_.shareMoves;
}

} // namespace tutti::model::fragments
