// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is to happen when all below a call of a sub is over.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"

#include <cstdint>
#include <unordered_map>

namespace tutti::model::fragments {

class Data;
class Evaluator;
class Frames;
class Outbox;
class Ropes;

/// What is to happen when all below a call of a sub is over.
///
/// Threading: externally synchronised.
class Scopes {
public:
  Scopes(const Program &program, const StateSettings &settings, Evaluator &evaluator, Data &data,
         Frames &frames, Ropes &ropes, Outbox &outbox)
      : program_(program), settings_(settings), evaluator_(evaluator), data_(data), frames_(frames),
        ropes_(ropes), outbox_(outbox) {}

  Scopes(const Scopes &) = delete;
  Scopes &operator=(const Scopes &) = delete;

  /// Of a program that has failed.
  void clear();

  /// If something is to happen when all below the call is over, that is noted here; else it belongs
  /// to what it is in.
  Scope *openScope(std::int32_t statement, Frame *frame, Scope *outer, Ask &ask);

  static void enter(Scope *scope) {
    if (scope) {
      ++scope->open;
    }
  }

  /// One thing less is going on in it.
  void leave(Scope *scope) {
    if (scope && --scope->open == 0) {
      close(scope);
    }
  }

  /// On another rank all below the call is over.
  void hearOver(const FrameId &id);

private:
  void close(Scope *scope);
  void arrive(Scope &scope);
  void fire(Scope &scope);

  const Program &program_;
  const StateSettings &settings_;
  Evaluator &evaluator_;
  Data &data_;
  Frames &frames_;
  Ropes &ropes_;
  Outbox &outbox_;
  std::unordered_map<FrameId, Scope *, FrameIdHash> byId_;
  std::unordered_map<FrameId, std::int32_t, FrameIdHash> earlyOver_;
};

} // namespace tutti::model::fragments
