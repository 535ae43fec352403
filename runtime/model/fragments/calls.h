// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls, each from when it unfolds until it has ended.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/held.h"
#include "runtime/model/fragments/pool.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

class Data;
class Evaluator;
class Failures;
class Frames;
class Gatherings;
class Places;
class RequestLimits;
class RowCalls;
class Scopes;
class Waiters;

/// Calls, each from when it unfolds until it has ended.
///
/// Threading: externally synchronised.
class Calls {
public:
  Calls(const Program &program, const StateSettings &settings, Counts &counts, Failures &failures,
        Evaluator &evaluator, Data &data, Frames &frames, Waiters &waiters, RequestLimits &limits,
        Places &places, Scopes &scopes, Gatherings &gatherings, RowCalls &rowCalls)
      : program_(program), settings_(settings), counts_(counts), failures_(failures),
        evaluator_(evaluator), data_(data), frames_(frames), waiters_(waiters), limits_(limits),
        places_(places), scopes_(scopes), gatherings_(gatherings), rowCalls_(rowCalls),
        held_(settings.ahead) {}

  Calls(const Calls &) = delete;
  Calls &operator=(const Calls &) = delete;

  /// A call unfolds.
  void makeCall(std::int32_t statement, Frame *frame, Scope *scope, const Late *late);

  /// Takes over the reference to the frame.
  Call &newCall(std::int32_t statement, Frame *frame);

  /// It never began.
  void discard(Call &call) { pool_.free(&call); }

  /// It has become part of what is going on, as so many calls.
  void begin(Call &call, Scope *scope, const Late *late, std::size_t count);

  /// A call that is to be run here; null if none is ready.
  Call *takeReady();

  /// A call that was taken has run; a value for each of its outputs, in their order; for each of
  /// its members', if it has some. `seconds`: that it took, if it has a bucket.
  void finish(Call &call, std::span<Value> outputs, double seconds = 0);

  /// It has made its outputs.
  void conclude(Call &call, std::span<Value> outputs);

  void endCall(Call &call);

  /// What it waited for is there.
  void advance(Call &call);

  void addReady(Call &call) { ready_.push_back(&call); }

  /// From here on the call has what it reads, whatever becomes of the data fragments.
  void takeValues(Call &call);

  /// One that is held back is held back no longer.
  void makeNow(Call &call);

  /// If all that a call lacks is held back, that is held back no longer.
  void demand(Waiter &waiter);

  /// Nothing goes on anywhere: one call is held back no longer.
  void letGo();

  /// A statement waits, so that calls behind it are held back.
  Late *await(Late *within) { return held_.await(within); }

  /// One is over that has waited, or something that it led to.
  void leave(Late &late);

  /// Calls are held back, so that what cannot go on may only seem so.
  bool isHolding() const { return !held_.isEmpty(); }

  /// Some can run, or do.
  bool isBusy() const { return !ready_.empty() || running_ > 0; }

  /// That have unfolded and are not over.
  std::uint64_t unfinished() const { return unfinished_; }

private:
  void makeReady(Call &call);
  bool place(Call &call);
  bool nameArguments(Call &call, Ask &ask);
  bool nameOthers(Call &call, Ask &ask);
  bool bind(Call &call);
  void dismiss(Call &call);
  bool hold(Call &call);
  void release(Call &call);
  void releaseDue();

  const Program &program_;
  const StateSettings &settings_;
  Counts &counts_;
  Failures &failures_;
  Evaluator &evaluator_;
  Data &data_;
  Frames &frames_;
  Waiters &waiters_;
  RequestLimits &limits_;
  Places &places_;
  Scopes &scopes_;
  Gatherings &gatherings_;
  RowCalls &rowCalls_;
  Pool<Call> pool_;
  /// Lists of arguments and outputs: empty; for their memory.
  std::vector<std::pair<std::vector<Argument>, std::vector<Value>>> spareLists_;
  std::deque<Call *> ready_;
  std::uint64_t running_ = 0;
  std::uint64_t unfinished_ = 0;
  Held held_;
};

} // namespace tutti::model::fragments
