// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Frames, each of which lives while anything in it does.
#pragma once

#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/pool.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::model::fragments {

class Data;
class Inbox;
class Ropes;
class Rows;

/// Frames, each of which lives while anything in it does.
///
/// Threading: externally synchronised.
class Frames {
public:
  Frames(const Program &program, const StateSettings &settings, Data &data, Ropes &ropes,
         Rows &rows, Inbox &inbox)
      : program_(program), settings_(settings), data_(data), ropes_(ropes), rows_(rows),
        inbox_(inbox) {}

  Frames(const Frames &) = delete;
  Frames &operator=(const Frames &) = delete;

  template <typename Function> void forEach(const Function &function) const {
    for (const Frame *frame = first_; frame; frame = frame->behind) {
      function(*frame);
    }
  }

  /// All of a program that has failed.
  void clear();

  /// One reference to it is the caller's. A block without slots has none of its own.
  Frame *makeFrame(Frame *parent, std::int32_t block, const FrameId &id,
                   std::shared_ptr<const Chain> chain);

  static Frame *retain(Frame *frame) {
    ++frame->references;
    return frame;
  }

  /// The last reference takes all with it that is in it.
  void release(Frame *frame) {
    if (--frame->references == 0 && frame->expected <= 0) {
      remove(frame);
    }
  }

  /// Of what comes to life in a frame. On one rank nobody else has to find the same.
  FrameId idOf(const Frame &around, std::int32_t statement, std::int32_t turn) {
    return settings_.ranks == 1 ? FrameId{0, ++lastId_} : around.id.child(statement, turn);
  }

private:
  void remove(Frame *frame);
  void removeOne(Frame *frame, std::vector<Frame *> &open);

  const Program &program_;
  const StateSettings &settings_;
  Data &data_;
  Ropes &ropes_;
  Rows &rows_;
  Inbox &inbox_;
  Pool<Frame> pool_;
  Frame *first_ = nullptr;
  std::uint64_t lastId_ = 1; ///< Of one rank; that of `main` is the first.
};

} // namespace tutti::model::fragments
