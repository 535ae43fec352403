// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What other ranks have said.
#pragma once

#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tutti::model::fragments {

class Data;
class Failures;
class Frames;
class Ropes;
class Scopes;
class Waiters;

/// What other ranks have said.
///
/// Threading: externally synchronised.
class Inbox {
public:
  Inbox(const StateSettings &settings, Failures &failures, Data &data, Frames &frames,
        Waiters &waiters, Ropes &ropes, Scopes &scopes)
      : settings_(settings), failures_(failures), data_(data), frames_(frames), waiters_(waiters),
        ropes_(ropes), scopes_(scopes) {}

  Inbox(const Inbox &) = delete;
  Inbox &operator=(const Inbox &) = delete;

  void receive(std::int32_t from, std::span<const std::byte> bytes);

  /// A frame has come to life: hands over what came before it did.
  void announce(Frame &frame);

  void forgetFrame(const Frame &frame) { byId_.erase(frame.id); }

  /// Another rank will say something about it: until then its frame lives.
  static void expect(Entry &entry) { ++entry.base->frame->expected; }

private:
  struct Letter {
    std::uint8_t kind;
    std::int32_t slot;
    Tuple tuple;
    Value value;
    std::int32_t statement;
    std::int32_t from;
  };

  void handle(Frame &frame, Letter letter);

  const StateSettings &settings_;
  Failures &failures_;
  Data &data_;
  Frames &frames_;
  Waiters &waiters_;
  Ropes &ropes_;
  Scopes &scopes_;
  std::unordered_map<FrameId, Frame *, FrameIdHash> byId_;
  std::unordered_map<FrameId, std::vector<Letter>, FrameIdHash> early_; ///< For frames to come.
};

} // namespace tutti::model::fragments
