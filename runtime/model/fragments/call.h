// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One call of a procedure, from when it unfolds until it has ended.
#pragma once

#include "runtime/engine/work.h"
#include "runtime/model/fragments/frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::model::fragments {

/// Of one parameter. A data fragment that is read whole, or made, has an entry; what comes from an
/// expression has a value alone.
struct Argument {
  Value value;
  Entry *entry = nullptr;
  bool isEvaluated = false;
};

struct Stretch;

struct Call : Waiter, engine::Work {
  Scope *scope = nullptr;
  std::int32_t rank = -1; ///< Where it runs, once that is known.
  bool isBound = false;   ///< Asks for what it reads; before that for where it runs.
  bool isReady = false;
  std::int8_t device = -1; ///< 0 or 1 if advice says that it is to run on a core, or on a device.
  double position =
      -1; ///< How far into the segment of its rank its coordinate is; -1: it has none.
  std::int32_t bucket = -1;   ///< Of the rope whose rounds it is part of; -1 if of none.
  bool readsData = false;     ///< Has asked for some.
  Stretch *stretch = nullptr; ///< Of the order in which all unfolds.
  std::vector<Argument> arguments;
  std::vector<Value> outputs; ///< Of who runs it.
  std::vector<Entry *> signals;
  std::vector<Entry *> deletes;
  /// Of several calls that have become one: these, in the order of their counters. It is none of
  /// the program's itself, and has no entries of its own.
  std::vector<Call *> members;
  std::unique_ptr<RowCall> rows; ///< Of a merged one whose members never came to life.
  bool ranOnDevice = false;      ///< Says who has run it.
  bool isGivers = false;         ///< Who runs it gives devices their calls: see `Runner`.
  bool isChecked = false;        ///< The members run, too, and have to make the same.
};

} // namespace tutti::model::fragments
