// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A call from when it unfolds until it has ended: first all ranks find what it names and where it
/// runs, then that rank waits for what it reads.
#include "runtime/model/fragments/calls.h"

#include "base/format.h"
#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/gatherings.h"
#include "runtime/model/fragments/inbox.h"
#include "runtime/model/fragments/places.h"
#include "runtime/model/fragments/request_limits.h"
#include "runtime/model/fragments/ropes.h"
#include "runtime/model/fragments/row_calls.h"
#include "runtime/model/fragments/scopes.h"
#include "runtime/model/fragments/waiters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

Call &Calls::newCall(std::int32_t statement, Frame *frame) {
  Call &call = *pool_.make();
  call.isCall = true;
  call.statement = statement;
  call.frame = frame;
  return call;
}

void Calls::begin(Call &call, Scope *scope, const Late *late, std::size_t count) {
  call.scope = scope;
  Scopes::enter(scope);
  waiters_.link(call);
  unfinished_ += count;
  counts_.unfoldedPeak = std::max(counts_.unfoldedPeak, unfinished_);
  held_.begin(call, late);
}

void Calls::makeCall(std::int32_t index, Frame *frame, Scope *scope, const Late *late) {
  Call *call = &newCall(index, Frames::retain(frame));
  if (!spareLists_.empty()) {
    call->arguments = std::move(spareLists_.back().first);
    call->outputs = std::move(spareLists_.back().second);
    spareLists_.pop_back();
  }
  call->arguments.resize(static_cast<std::size_t>(program_.statement(index).arguments.count));
  begin(*call, scope, late, 1);
  for (const std::int32_t each : program_.list(program_.statement(index).rules)) {
    if (program_.unit().rules[each].kind == TUTTI_LUNA_REQ_COUNT) {
      limits_.startLimit(index, each, frame);
    }
  }
  advance(*call);
}

void Calls::advance(Call &call) {
  if (failures_.hasFailed()) {
    return;
  }
  if (call.rows) {
    rowCalls_.makeRowsReady(call);
    return;
  }
  if (call.rank < 0) {
    if (!place(call)) {
      return;
    }
    gatherings_.gatherPlace(call);
  }
  if (call.rank != settings_.rank) {
    dismiss(call);
  } else if (bind(call)) {
    if (!gatherings_.gather(call) && !hold(call)) {
      makeReady(call);
    }
  } else if (isHolding()) {
    demand(call);
  }
}

/// Whether the call is held back: it reads nothing, many calls are older, and nobody lacks only
/// what it makes.
bool Calls::hold(Call &call) {
  const char *types = program_.unit().procedures[program_.statement(call.statement).callee].types;
  bool hasOutput = false;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    const Entry *entry = call.arguments[at].entry;
    if (entry && types[at] == TUTTI_LUNA_TYPE_NAME) {
      hasOutput = true;
      const auto asks = [](const Waiter *waiter) { return Waiters::isStructure(*waiter); };
      if (entry->isForAll || std::ranges::any_of(entry->waiters, asks)) {
        return false;
      }
    }
  }
  if (!hasOutput || call.readsData || !call.signals.empty() || !held_.tryHold(call)) {
    return false;
  }
  std::vector<Waiter *> readers;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    if (Entry *entry = call.arguments[at].entry; types[at] == TUTTI_LUNA_TYPE_NAME) {
      entry->maker = &call;
      readers.insert(readers.end(), entry->waiters.begin(), entry->waiters.end());
    }
  }
  for (Waiter *reader : readers) {
    ++reader->held;
  }
  for (Waiter *reader : readers) {
    demand(*reader);
  }
  return true;
}

/// The call is held back no longer.
void Calls::release(Call &call) {
  for (const Argument &argument : call.arguments) {
    if (argument.entry && argument.entry->maker == &call) {
      argument.entry->maker = nullptr;
      for (Waiter *waiter : argument.entry->waiters) {
        --waiter->held;
      }
    }
  }
  makeReady(call);
}

void Calls::releaseDue() {
  while (Call *due = held_.takeDue()) {
    release(*due);
  }
}

void Calls::leave(Late &late) {
  held_.leave(late);
  releaseDue();
}

void Calls::makeNow(Call &call) {
  held_.release(call);
  release(call);
}

void Calls::demand(Waiter &waiter) {
  if (!waiter.isCall || waiter.held == 0 || waiter.held < waiter.missing || failures_.hasFailed()) {
    return;
  }
  const auto &call = static_cast<const Call &>(waiter);
  const auto nodes = program_.list(program_.statement(call.statement).arguments);
  const auto take = [this](Entry *entry) {
    if (entry && entry->maker) {
      makeNow(*entry->maker);
    }
  };
  if (call.rows) {
    for (const RowCall::Input &input : call.rows->inputs) {
      std::ranges::for_each(input.entries, take);
    }
    return;
  }
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (call.arguments[at].entry || call.arguments[at].isEvaluated) {
      take(call.arguments[at].entry);
      continue;
    }
    program_.forData(nodes[at], 0, [&](std::int32_t node, std::int32_t up) {
      if (Frame *frame = above(call.frame, up); evaluator_.isData(node, frame)) {
        Ask ask{call.statement};
        take(evaluator_.resolve(node, frame, ask));
      }
    });
  }
}

void Calls::letGo() {
  if (Call *call = held_.force()) {
    release(*call);
  }
}

/// Finds all data fragments that the call names; what is an expression stays one, unless all ranks
/// have to know its value.
bool Calls::nameArguments(Call &call, Ask &ask) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const char *types = program_.unit().procedures[statement.callee].types;
  const auto nodes = program_.list(statement.arguments);
  for (std::size_t at = 0; at < nodes.size() && !ask.hasFailed; ++at) {
    Argument &argument = call.arguments[at];
    if (argument.entry || argument.isEvaluated) {
      continue;
    }
    const bool isWhole = types[at] == TUTTI_LUNA_TYPE_NAME || types[at] == TUTTI_LUNA_TYPE_VALUE;
    if (isWhole && evaluator_.isData(nodes[at], call.frame)) {
      if (Entry *entry = evaluator_.resolve(nodes[at], call.frame, ask)) {
        Data::use(argument.entry, entry);
      }
      continue;
    }
    if (settings_.ranks == 1) {
      continue;
    }
    if (program_.isShared(nodes[at])) {
      const bool wasShared = std::exchange(ask.isShared, true);
      call.readsData = true;
      argument.isEvaluated =
          evaluator_.evaluate(nodes[at], call.frame, ask, argument.value) &&
          evaluator_.convert(argument.value, types[at], call.statement, at, nodes[at], call.frame);
      ask.isShared = wasShared;
      continue;
    }
    const std::size_t known = ask.read.size();
    program_.forData(nodes[at], 0, [&](std::int32_t node, std::int32_t up) {
      if (Frame *frame = above(call.frame, up); evaluator_.isData(node, frame)) {
        evaluator_.resolve(node, frame, ask);
      }
    });
    ask.read.truncate(known); // Whoever evaluates it makes the requests.
  }
  return ask.missing.empty() && !ask.hasFailed;
}

bool Calls::nameOthers(Call &call, Ask &ask) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const bool hasNone = statement.signals.count == 0 && statement.deletes.count == 0;
  if (hasNone || !call.signals.empty() || !call.deletes.empty()) {
    return true;
  }
  std::vector<Entry *> signals;
  std::vector<Entry *> deletes;
  for (const std::int32_t node : program_.list(statement.signals)) {
    signals.push_back(evaluator_.resolve(node, call.frame, ask));
  }
  for (const std::int32_t node : program_.list(statement.deletes)) {
    deletes.push_back(evaluator_.resolve(node, call.frame, ask));
  }
  if (!ask.missing.empty() || ask.hasFailed) {
    return false;
  }
  call.signals.reserve(signals.size());
  for (Entry *entry : signals) {
    Data::use(call.signals.emplace_back(), entry);
  }
  call.deletes.reserve(deletes.size());
  for (Entry *entry : deletes) {
    Data::use(call.deletes.emplace_back(), entry);
  }
  return true;
}

bool Calls::place(Call &call) {
  Ask ask{call.statement};
  const bool isNamed =
      nameArguments(call, ask) && nameOthers(call, ask) && places_.findPlace(call, ask);
  if (isNamed && !ask.hasFailed) {
    ask.isShared = true; // All ranks have asked for what it has read.
    return data_.settle(ask);
  }
  call.rank = -1;
  if (!ask.hasFailed && !failures_.hasFailed()) {
    waiters_.park(call, ask);
  }
  return false;
}

/// Asks for what the call reads; whether all of it is there.
bool Calls::bind(Call &call) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const char *types = program_.unit().procedures[statement.callee].types;
  const auto nodes = program_.list(statement.arguments);
  Ask missing{call.statement};
  for (std::size_t at = 0; at < nodes.size() && !missing.hasFailed; ++at) {
    Argument &argument = call.arguments[at];
    if (argument.isEvaluated || types[at] == TUTTI_LUNA_TYPE_NAME) {
      continue;
    }
    if (Entry *entry = argument.entry) {
      argument.isEvaluated = true;
      call.readsData = true;
      if ((data_.isHome(*entry) || entry->isDeleted) &&
          !data_.countRequest(*entry, call.statement)) {
        return false;
      }
      ++entry->waitingReaders;
      if (!data_.isHome(*entry)) {
        data_.noteRequest(*entry);
      }
      if (!entry->value.isSet()) {
        missing.missing.push_back(entry);
      }
      continue;
    }
    Ask ask{call.statement};
    if (evaluator_.evaluate(nodes[at], call.frame, ask, argument.value)) {
      call.readsData = call.readsData || !ask.read.empty();
      if (!data_.settle(ask) || !evaluator_.convert(argument.value, types[at], call.statement, at,
                                                    nodes[at], call.frame)) {
        return false;
      }
      argument.isEvaluated = true;
    }
    missing.hasFailed = ask.hasFailed;
    std::ranges::copy(ask.missing, std::back_inserter(missing.missing));
  }
  return !missing.hasFailed && !failures_.hasFailed() && !waiters_.park(call, missing);
}

void Calls::takeValues(Call &call) {
  const char *types = program_.unit().procedures[program_.statement(call.statement).callee].types;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    Argument &argument = call.arguments[at];
    if (argument.entry && types[at] != TUTTI_LUNA_TYPE_NAME) {
      argument.value = argument.entry->value;
      --argument.entry->waitingReaders;
      data_.exhaust(*argument.entry);
    }
  }
  call.isReady = true;
}

void Calls::makeReady(Call &call) {
  takeValues(call);
  ready_.push_back(&call);
}

Call *Calls::takeReady() {
  if (ready_.empty() || failures_.hasFailed()) {
    return nullptr;
  }
  Call *call = ready_.front();
  ready_.pop_front();
  ++running_;
  return call;
}

/// The call runs on another rank: what is at home here, it gets or brings.
void Calls::dismiss(Call &call) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const char *types = program_.unit().procedures[statement.callee].types;
  const auto nodes = program_.list(statement.arguments);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    Argument &argument = call.arguments[at];
    if (Entry *entry = argument.entry) {
      if (data_.isHome(*entry) && types[at] == TUTTI_LUNA_TYPE_NAME) {
        Inbox::expect(*entry);
      } else if (types[at] != TUTTI_LUNA_TYPE_NAME) {
        data_.want(*entry, call.rank, call.statement);
      }
      continue;
    }
    if (argument.isEvaluated) {
      continue;
    }
    program_.forData(nodes[at], 0, [&](std::int32_t node, std::int32_t up) {
      Frame *frame = above(call.frame, up);
      if (!evaluator_.isData(node, frame)) {
        return;
      }
      Ask ask{call.statement};
      Entry *entry = evaluator_.resolve(node, frame, ask);
      if (entry) {
        data_.want(*entry, call.rank, call.statement);
      }
    });
  }
  for (const std::vector<Entry *> *entries : {&call.signals, &call.deletes}) {
    for (Entry *entry : *entries) {
      if (data_.isHome(*entry)) {
        Inbox::expect(*entry);
      }
    }
  }
  endCall(call);
}

void Calls::finish(Call &call, std::span<Value> outputs, double seconds) {
  --running_;
  if (call.rows) {
    rowCalls_.finishRows(call, outputs);
    return;
  }
  if (!call.members.empty()) {
    gatherings_.finishMembers(call, outputs);
    return;
  }
  Ropes::noteSeconds(call, seconds);
  gatherings_.noteTrial(call);
  conclude(call, outputs);
}

void Calls::conclude(Call &call, std::span<Value> outputs) {
  ++counts_.calls;
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  std::size_t output = 0;
  for (std::size_t at = 0; at < call.arguments.size() && !failures_.hasFailed(); ++at) {
    if (procedure.types[at] != TUTTI_LUNA_TYPE_NAME) {
      continue;
    }
    Entry &entry = *call.arguments[at].entry;
    Value value = std::move(outputs[output++]);
    if (!value.isSet()) {
      failures_.fail(call,
                     fmt::format("'{}' returned without a value for its output '{}'",
                                 procedure.name, failures_.nameOf(entry)),
                     "E-UNSET");
      break;
    }
    data_.produce(entry, std::move(value), call.statement);
  }
  for (std::size_t at = 0; at < call.signals.size() && !failures_.hasFailed(); ++at) {
    data_.produce(*call.signals[at], Value(1), call.statement);
  }
  for (std::size_t at = 0; at < call.deletes.size() && !failures_.hasFailed(); ++at) {
    data_.deleteData(*call.deletes[at], call.statement);
  }
  endCall(call);
}

void Calls::endCall(Call &call) {
  for (Argument &argument : call.arguments) {
    data_.unuse(argument.entry);
  }
  for (std::vector<Entry *> *entries : {&call.signals, &call.deletes}) {
    for (Entry *&entry : *entries) {
      data_.unuse(entry);
    }
  }
  if (call.rows) {
    for (RowCall::Input &input : call.rows->inputs) {
      std::ranges::for_each(input.entries, [this](Entry *&entry) { data_.unuse(entry); });
    }
  }
  Waiters::unlink(call);
  unfinished_ -= call.rows ? call.rows->sizes.size() : 1;
  held_.end(call);
  Frame *frame = call.frame;
  Scope *scope = call.scope;
  call.arguments.clear();
  call.outputs.clear();
  spareLists_.emplace_back(std::move(call.arguments), std::move(call.outputs));
  pool_.free(&call);
  frames_.release(frame);
  scopes_.leave(scope);
  releaseDue();
}

} // namespace tutti::model::fragments
