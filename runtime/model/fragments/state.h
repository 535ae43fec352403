// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One rank's part of a program that unfolds: which data fragments there are, who waits for them,
/// which calls are ready. Pure data: runs no procedure, knows neither threads nor transports.
///
/// Every rank unfolds all of the program's structure and knows where each call runs, without
/// messages: bases have the same identity everywhere, homes follow from advice and indices alone,
/// and values that the structure depends on go to all. So the home of a data fragment knows its
/// readers and sends the value without having been asked.
#pragma once

#include "runtime/model/fragments/calculator.h"
#include "runtime/model/fragments/calls.h"
#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/gatherings.h"
#include "runtime/model/fragments/inbox.h"
#include "runtime/model/fragments/outbox.h"
#include "runtime/model/fragments/part_choice.h"
#include "runtime/model/fragments/places.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/request_limits.h"
#include "runtime/model/fragments/ropes.h"
#include "runtime/model/fragments/row_calls.h"
#include "runtime/model/fragments/rows.h"
#include "runtime/model/fragments/scopes.h"
#include "runtime/model/fragments/skipper.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/unfolding.h"
#include "runtime/model/fragments/waiters.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::model::fragments {

/// Of parts, each with data of its own, that ask each other.
///
/// Threading: externally synchronised.
class State {
public:
  State(const Program &program, const StateSettings &settings);
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();

  /// Starts `main`, a sub, with values for its parameters.
  void begin(std::vector<Value> arguments);

  /// Unfolds for so many steps at most. Whether it could go on.
  bool unfold(int steps) { return unfolding_.unfold(steps); }

  /// Whether `unfold` would do something.
  bool canUnfold() const { return unfolding_.canUnfold(); }

  /// A call that is to be run here; null if none is ready.
  Call *takeReady() { return calls_.takeReady(); }

  /// A call that was taken has run; a value for each of its outputs, in their order; for each of
  /// its members', if it has some. `seconds`: that it took, if it has a bucket.
  void finish(Call &call, std::span<Value> outputs, double seconds = 0) {
    calls_.finish(call, outputs, seconds);
  }

  /// Which part of the rank a call belongs to, if there are devices. Threading: from any thread.
  Part partOf(const Call &call) const { return partChoice_.partOf(call); }

  /// From now on so much of the rank's segment is the cores', and so much is dragged. Order: calls
  /// are not merged.
  void setShares(double cores, double drag) { partChoice_.setShares(cores, drag); }

  /// Nothing can happen here before a message arrives.
  bool isIdle() const { return unfolding_.isEmpty() && !calls_.isBusy(); }

  /// Calls are held back, so that what cannot go on may only seem so.
  bool isHolding() const { return calls_.isHolding(); }

  /// Calls wait for others to be merged with them for the first time, so that what cannot go on may
  /// only seem so.
  bool isGathering() const { return gatherings_.isGathering(); }

  /// Nothing goes on anywhere, and no call is held back: what is gathered runs one by one.
  void dissolve() { gatherings_.dissolve(); }

  /// Nothing goes on anywhere: one call is held back no longer.
  void letGo() { calls_.letGo(); }

  /// Something waits for borders of a later round, which rank 0 knows once earlier ones are over.
  bool isGated() const { return ropes_.isGated(); }

  /// On rank 0: nothing goes on anywhere, though no call is held back. So earlier rounds need later
  /// ones, and borders move no more.
  void freeze() { ropes_.freeze(); }

  /// Nothing waits here.
  bool isDone() const { return isIdle() && !waiters_.first(); }

  const std::optional<Failure> &failure() const { return failures_.failure(); }

  /// The program is wrong, as found from outside.
  void fail(Call &call, std::string_view text, std::string_view code) {
    failures_.fail(call, text, code);
  }

  const Counts &counts() const { return counts_; }

  const Program &program() const { return program_; }

  std::int32_t rank() const { return settings_.rank; }

  std::string nameOf(const Entry &entry) const { return failures_.nameOf(entry); }

  /// @name Messages.
  /// @{

  /// What is to be sent to a rank; empties it.
  std::vector<std::byte> takeOutgoing(std::int32_t rank) { return outbox_.takeOutgoing(rank); }

  bool hasOutgoing() const { return outbox_.hasOutgoing(); }

  void receive(std::int32_t from, std::span<const std::byte> bytes) { inbox_.receive(from, bytes); }

  /// @}

  /// What waits here and for what, for whoever looks for the reason why nothing goes on.
  std::vector<std::byte> describeWaiting();

private:
  const Program &program_;
  const StateSettings settings_;
  Counts counts_;
  Failures failures_;
  Calculator calculator_;
  Evaluator evaluator_;
  Data data_;
  Frames frames_;
  Waiters waiters_;
  RequestLimits limits_;
  Ropes ropes_;
  Places places_;
  Skipper skipper_;
  Scopes scopes_;
  Unfolding unfolding_;
  Calls calls_;
  Gatherings gatherings_;
  PartChoice partChoice_;
  Rows rows_;
  RowCalls rowCalls_;
  Outbox outbox_;
  Inbox inbox_;
};

/// Whether messages of several ranks' waiting work say why nothing goes on, and what they say.
std::string explainHang(const Program &program, std::span<const std::vector<std::byte>> waiting);

} // namespace tutti::model::fragments
