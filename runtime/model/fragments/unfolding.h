// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Statements come to life.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/pool.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"

#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

class Calculator;
class Calls;
class Data;
class Evaluator;
class Failures;
class Frames;
class Gatherings;
class Inbox;
class RequestLimits;
class Ropes;
class RowCalls;
class Scopes;
class Skipper;
class Waiters;

/// Statements come to life.
///
/// Threading: externally synchronised.
class Unfolding {
public:
  Unfolding(const Program &program, const StateSettings &settings, Failures &failures,
            Calculator &calculator, Evaluator &evaluator, Data &data, Frames &frames,
            Waiters &waiters, RequestLimits &limits, Ropes &ropes, Skipper &skipper, Scopes &scopes,
            Calls &calls, Gatherings &gatherings, RowCalls &rowCalls, Inbox &inbox)
      : program_(program), settings_(settings), failures_(failures), calculator_(calculator),
        evaluator_(evaluator), data_(data), frames_(frames), waiters_(waiters), limits_(limits),
        ropes_(ropes), skipper_(skipper), scopes_(scopes), calls_(calls), gatherings_(gatherings),
        rowCalls_(rowCalls), inbox_(inbox) {}

  Unfolding(const Unfolding &) = delete;
  Unfolding &operator=(const Unfolding &) = delete;

  bool isEmpty() const { return stack_.empty(); }

  /// @name Of a program that has failed.
  /// @{
  void discard(Activity &activity) { activities_.free(&activity); }

  void clear();
  /// @}

  /// Whether `unfold` would do something.
  bool canUnfold() const;

  /// Unfolds for so many steps at most. Whether it could go on.
  bool unfold(int steps);

  /// Takes over the reference to the frame. `late`: what it is part of, if that has waited.
  void pushList(Frame *frame, std::int32_t block, Scope *scope, Late *late);

  /// A statement of a list.
  void start(std::int32_t statement, Frame *frame, Scope *scope, Late *late);

  /// Something unfolds next.
  Activity &push(std::int32_t statement, Frame *frame, Scope *scope, Late *late);

  /// What the activity on top lacks: it leaves the stack until that is there.
  bool suspend(Activity &activity, Ask &ask);

  void endActivity(Activity &activity);

  /// It waits.
  void setAside(Activity &activity);

  /// It waits no longer.
  void goOn(Activity &activity);

private:
  Frame *bringToLife(Frame *around, std::int32_t block, std::int32_t statement, std::int32_t turn);
  std::uint64_t enough() const;
  void step();
  void stepList(Activity &activity);
  void stepFor(Activity &activity);
  void stepWhile(Activity &activity);
  void stepIf(Activity &activity);
  void stepSub(Activity &activity);
  void replace(Activity &activity, Frame *frame, std::int32_t block, Scope *scope);
  void takeOff(Activity &activity);

  const Program &program_;
  const StateSettings &settings_;
  Failures &failures_;
  Calculator &calculator_;
  Evaluator &evaluator_;
  Data &data_;
  Frames &frames_;
  Waiters &waiters_;
  RequestLimits &limits_;
  Ropes &ropes_;
  Skipper &skipper_;
  Scopes &scopes_;
  Calls &calls_;
  Gatherings &gatherings_;
  RowCalls &rowCalls_;
  Inbox &inbox_;
  std::vector<Activity *> stack_;
  Pool<Activity> activities_;
  bool isFull_ = false; ///< So many that nothing has come to life since.
};

} // namespace tutti::model::fragments
