// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of a loop that wait for one another, to become one.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/merging.h"
#include "runtime/model/fragments/parts.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

class Calls;
class Failures;
class Frames;
class PartChoice;
class RowCalls;
class Unfolding;

/// How calls of a statement were merged.
struct KnownRuns {
  std::int32_t first = 0;
  std::vector<std::optional<Part>> parts;
  Runs runs;
  double position = -1;    ///< Of the first call,
  std::int8_t device = -1; ///< and what advice says of it.
};

/// Calls of a loop that wait for one another, to become one.
///
/// Threading: externally synchronised.
class Gatherings {
public:
  Gatherings(const Program &program, const StateSettings &settings, Failures &failures,
             Frames &frames, Unfolding &unfolding, Calls &calls, PartChoice &partChoice,
             RowCalls &rowCalls)
      : program_(program), settings_(settings), failures_(failures), frames_(frames),
        unfolding_(unfolding), calls_(calls), partChoice_(partChoice), rowCalls_(rowCalls) {}

  Gatherings(const Gatherings &) = delete;
  Gatherings &operator=(const Gatherings &) = delete;

  /// Whether calls of the statement are gathered here; then its loop's iterations are.
  bool isMerged(std::int32_t statement) const;

  /// A loop begins whose calls may be merged.
  void beginGathering(const Activity &activity);

  /// Null if it is of none.
  Gathering *gatheringOf(const Call &call);

  /// It is known where the call runs.
  void gatherPlace(const Call &call);

  /// The call has what it reads. Whether it waits for others now.
  bool gather(Call &call);

  /// False, and said, if merged calls have left it out.
  bool isWholeBorder(Call &call, const Value &value, const std::string &name);

  /// How calls of the statement were merged the last time; null if they never were.
  const KnownRuns *knownRuns(std::int32_t statement) const;

  /// Before calls of a statement are merged, they show whether devices take them: what cores have
  /// to do is better done by many.
  void noteTrial(const Call &call);

  /// The calls of the first step show whether devices take them, those of the second one are the
  /// first to be merged. If later loops came to life before that, they could not stay folded.
  bool awaitTrial(Activity &activity);

  /// Calls wait for others to be merged with them for the first time, so that what cannot go on may
  /// only seem so.
  bool isGathering() const;

  /// Nothing goes on anywhere, and no call is held back: what is gathered runs one by one.
  void dissolve();

  /// Ends the members of a run; `outputs` are theirs, one member's behind another's.
  void finishMembers(Call &call, std::span<Value> outputs);

private:
  void endTrial(std::int32_t statement);
  static std::size_t placeIn(const Gathering &gathering, const Call &call);
  void release(const Gathering &gathering);
  void forgetGathering(const Gathering &gathering);
  static std::uint64_t slabBytesOf(const Call &call, const tutti_luna_procedure &procedure);
  const Runs &runsOf(const Gathering &gathering);
  bool isTried(std::int32_t statement) const;
  void merge(Gathering &gathering);
  bool hasBorders(Call &first, Call &last);
  bool canDissolve(const Gathering &gathering) const;

  const Program &program_;
  const StateSettings &settings_;
  Failures &failures_;
  Frames &frames_;
  Unfolding &unfolding_;
  Calls &calls_;
  PartChoice &partChoice_;
  RowCalls &rowCalls_;
  /// By the frame in which the loop stands, and the statement.
  std::map<std::pair<const Frame *, std::int32_t>, Gathering> all_;
  std::vector<std::unique_ptr<Call>> merged_; ///< That are ready or run.
  std::unordered_set<std::int32_t> separate_; ///< Statements whose calls wait for one another.
  std::unordered_map<std::int32_t, KnownRuns> knownRuns_; ///< By statement.
  /// Whether devices have taken all calls of a statement so far, of which none has been merged.
  std::unordered_map<std::int32_t, bool> trials_;
  /// How many loops have gathered calls of a statement of which none has been merged,
  std::unordered_map<std::int32_t, int> gathered_;
  /// and those that wait until some are, the youngest last.
  std::unordered_map<std::int32_t, std::vector<Activity *>> awaiting_;
  std::uint64_t merges_ = 0;
};

} // namespace tutti::model::fragments
