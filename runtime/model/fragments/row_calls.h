// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that do not come to life: all of their calls are one.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/row.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace tutti::model::fragments {

class Calls;
class Data;
class Evaluator;
class Failures;
class Frames;
class Gatherings;
class Rows;
class Unfolding;
class Waiters;

/// Loops that do not come to life: all of their calls are one.
///
/// Threading: externally synchronised.
class RowCalls {
public:
  RowCalls(const Program &program, const StateSettings &settings, Counts &counts,
           Failures &failures, Evaluator &evaluator, Data &data, Frames &frames, Waiters &waiters,
           Unfolding &unfolding, Calls &calls, Gatherings &gatherings, Rows &rows)
      : program_(program), settings_(settings), counts_(counts), failures_(failures),
        evaluator_(evaluator), data_(data), frames_(frames), waiters_(waiters),
        unfolding_(unfolding), calls_(calls), gatherings_(gatherings), rows_(rows) {}

  RowCalls(const RowCalls &) = delete;
  RowCalls &operator=(const RowCalls &) = delete;

  /// Whether the calls of a loop whose bounds are known become one now.
  bool beginRows(Activity &activity);

  /// The call has all that it reads.
  void makeRowsReady(Call &call);

  void finishRows(Call &call, std::span<Value> outputs);

  /// Nothing goes on anywhere: loops whose calls wait as one come to life, so that whatever can go
  /// on does, and what is said of the rest is the same as ever.
  void unfoldRows();

  bool mayFold(std::int32_t statement) const { return !rowless_.contains(statement); }

  /// Loops of its calls come to life from now on.
  void keepUnfolded(std::int32_t statement) { rowless_.insert(statement); }

  /// Whether one of them waits for something.
  bool isWaiting() const { return !waiting_.empty(); }

private:
  bool canBeRows(const Activity &activity, std::int32_t statement);
  bool planRows(Call &call, std::int32_t turns);
  bool planNames(Call &call, std::int32_t node, Neighbours &out) const;
  bool planDeletes(Call &call, std::int32_t turns);
  void deleteRows(const Call &call);
  bool evaluatePlain(Call &call, std::size_t argument, std::int32_t turns);
  bool planOutput(const RowCall::Output &output, std::vector<std::int32_t> &uses);
  void bindRows(Call &call);
  void findRow(RowCall &rows, RowCall::Input &input, char letter);
  void takeRow(Call &call, RowCall::Input &input, char letter);

  const Program &program_;
  const StateSettings &settings_;
  Counts &counts_;
  Failures &failures_;
  Evaluator &evaluator_;
  Data &data_;
  Frames &frames_;
  Waiters &waiters_;
  Unfolding &unfolding_;
  Calls &calls_;
  Gatherings &gatherings_;
  Rows &rows_;
  std::unordered_set<Call *> waiting_; ///< Of rows, that wait for something.
  /// Statements whose loops come to life though their calls might be one.
  std::unordered_set<std::int32_t> rowless_;
};

} // namespace tutti::model::fragments
