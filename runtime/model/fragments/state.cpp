// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/state.h"

#include <utility>

namespace tutti::model::fragments {

State::State(const Program &program, const StateSettings &settings)
    : program_(program), settings_(settings), failures_(program_), calculator_(program_, failures_),
      evaluator_(program_, failures_, calculator_, data_, places_, outbox_),
      data_(program_, settings_, counts_, failures_, waiters_, rows_, outbox_),
      frames_(program_, settings_, data_, ropes_, rows_, inbox_), waiters_(unfolding_, calls_),
      limits_(program_, failures_, evaluator_, data_, unfolding_),
      ropes_(program_, settings_, counts_, frames_, waiters_, scopes_, unfolding_, outbox_),
      places_(program_, settings_, evaluator_, ropes_),
      skipper_(program_, settings_, counts_, failures_, evaluator_, frames_, ropes_, places_),
      scopes_(program_, settings_, evaluator_, data_, frames_, ropes_, outbox_),
      unfolding_(program_, settings_, failures_, calculator_, evaluator_, data_, frames_, waiters_,
                 limits_, ropes_, skipper_, scopes_, calls_, gatherings_, rowCalls_, inbox_),
      calls_(program_, settings_, counts_, failures_, evaluator_, data_, frames_, waiters_, limits_,
             places_, scopes_, gatherings_, rowCalls_),
      gatherings_(program_, settings_, failures_, frames_, unfolding_, calls_, partChoice_,
                  rowCalls_),
      partChoice_(program_, settings_, counts_), rows_(counts_, data_, calls_, rowCalls_),
      rowCalls_(program_, settings_, counts_, failures_, evaluator_, data_, frames_, waiters_,
                unfolding_, calls_, gatherings_, rows_),
      outbox_(program_, settings_, counts_, failures_),
      inbox_(settings_, failures_, data_, frames_, waiters_, ropes_, scopes_) {}

/// Of a program that failed much is left.
State::~State() {
  while (Waiter *waiter = waiters_.first()) {
    Waiters::unlink(*waiter);
    if (waiter->isCall) {
      calls_.discard(static_cast<Call &>(*waiter));
    } else {
      unfolding_.discard(static_cast<Activity &>(*waiter));
    }
  }
  unfolding_.clear();
  scopes_.clear();
  frames_.clear();
}

void State::begin(std::vector<Value> arguments) {
  const tutti_luna_sub &sub = program_.unit().subs[program_.unit().mainSub];
  Frame *frame = frames_.makeFrame(nullptr, sub.body, FrameId{1, 1}, nullptr);
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    frame->slots[at].value = std::move(arguments[at]);
  }
  if (settings_.ranks > 1) {
    inbox_.announce(*frame);
  }
  unfolding_.pushList(frame, sub.body, nullptr, nullptr);
}

} // namespace tutti::model::fragments
