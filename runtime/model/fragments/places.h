// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where data fragments live and calls run: every rank finds the same, and asks nobody.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"

#include <cstdint>

namespace tutti::model::fragments {

class Evaluator;
class Ropes;

/// Where something is, or runs.
struct Spot {
  std::int32_t rank = -1;
  double position = -1;     ///< Within the rank's segment of a rope.
  std::int32_t bucket = -1; ///< Of the rope.
};

/// Where data fragments live and calls run: every rank finds the same, and asks nobody.
///
/// Threading: externally synchronised.
class Places {
public:
  Places(const Program &program, const StateSettings &settings, Evaluator &evaluator, Ropes &ropes)
      : program_(program), settings_(settings), evaluator_(evaluator), ropes_(ropes) {}

  Places(const Places &) = delete;
  Places &operator=(const Places &) = delete;

  /// False if a value is missing from which it follows.
  bool findHome(Entry &entry, Ask &ask);

  /// Where it runs; false if a value is missing.
  bool findPlace(Call &call, Ask &ask);

  /// False if a value that the rule uses is missing. `cut`: the borders of the rope, if they move.
  bool rankOf(const Rule &rule, Frame *frame, const Tuple &pattern, Ask &ask, const Cut *cut,
              Spot &out);

  bool homeOf(const Base &base, const Tuple &tuple, Ask &ask, std::int32_t &home);

  /// Where a call runs that names no data fragment.
  std::int32_t rankWithoutData(const FrameId &frame, std::int32_t statement) const;

private:
  void findSpot(std::int64_t inside, std::int64_t length, const Cut *cut, Spot &out) const;
  bool spotOf(const Base &base, const Tuple &tuple, Ask &ask, Spot &out);
  bool findDevice(Call &call, Ask &ask);
  bool placeByData(Call &call, Ask &ask);

  const Program &program_;
  const StateSettings &settings_;
  Evaluator &evaluator_;
  Ropes &ropes_;
};

} // namespace tutti::model::fragments
