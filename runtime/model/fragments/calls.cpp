// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A call from when it unfolds until it has ended: first all ranks find what it names and where it
/// runs, then that rank waits for what it reads.
#include "base/format.h"
#include "runtime/model/fragments/state.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::model::fragments {

void State::link(Waiter &waiter) {
  waiter.before = all_.before;
  waiter.behind = &all_;
  all_.before->behind = &waiter;
  all_.before = &waiter;
}

void State::unlink(Waiter &waiter) {
  waiter.before->behind = waiter.behind;
  waiter.behind->before = waiter.before;
}

void State::makeCall(std::int32_t index, Frame *frame, Scope *scope) {
  Call *call = calls_.make();
  call->isCall = true;
  call->statement = index;
  call->frame = retain(frame);
  call->scope = scope;
  if (!spareLists_.empty()) {
    call->arguments = std::move(spareLists_.back().first);
    call->outputs = std::move(spareLists_.back().second);
    spareLists_.pop_back();
  }
  call->arguments.resize(static_cast<std::size_t>(program_.statement(index).arguments.count));
  enter(scope);
  link(*call);
  ++unfinished_;
  call->number = held_.begin();
  counts_.unfoldedPeak = std::max(counts_.unfoldedPeak, unfinished_);
  for (const std::int32_t each : program_.list(program_.statement(index).rules)) {
    if (program_.unit().rules[each].kind == TUTTI_LUNA_REQ_COUNT) {
      startLimit(index, each, frame);
    }
  }
  advance(*call);
}

void State::advance(Call &call) {
  if (failure_) {
    return;
  }
  if (call.rows) {
    makeRowsReady(call);
    return;
  }
  if (call.rank < 0) {
    if (!place(call)) {
      return;
    }
    gatherPlace(call);
  }
  if (call.rank != settings_.rank) {
    dismiss(call);
  } else if (bind(call)) {
    if (!gather(call) && !hold(call)) {
      makeReady(call);
    }
  } else if (isHolding()) {
    demand(call);
  }
}

/// Whether the call is held back: it reads nothing, many calls are older, and nobody lacks only
/// what it makes.
bool State::hold(Call &call) {
  const char *types = program_.unit().procedures[program_.statement(call.statement).callee].types;
  bool hasOutput = false;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    const Entry *entry = call.arguments[at].entry;
    if (entry && types[at] == TUTTI_LUNA_TYPE_NAME) {
      hasOutput = true;
      const auto asks = [](const Waiter *waiter) { return isStructure(*waiter); };
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
void State::release(Call &call) {
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

/// If all that a call lacks is held back, that is held back no longer.
void State::demand(Waiter &waiter) {
  if (!waiter.isCall || waiter.held == 0 || waiter.held < waiter.missing || failure_) {
    return;
  }
  const auto &call = static_cast<const Call &>(waiter);
  const auto nodes = program_.list(program_.statement(call.statement).arguments);
  const auto take = [this](Entry *entry) {
    if (entry && entry->maker) {
      Call &maker = *entry->maker;
      held_.release(maker);
      release(maker);
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
      if (Frame *frame = above(call.frame, up); isData(node, frame)) {
        Ask ask{call.statement};
        take(resolve(node, frame, ask));
      }
    });
  }
}

void State::letGo() {
  if (Call *call = held_.force()) {
    release(*call);
  }
}

/// Finds all data fragments that the call names; what is an expression stays one, unless all ranks
/// have to know its value.
bool State::nameArguments(Call &call, Ask &ask) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const char *types = program_.unit().procedures[statement.callee].types;
  const auto nodes = program_.list(statement.arguments);
  for (std::size_t at = 0; at < nodes.size() && !ask.hasFailed; ++at) {
    Argument &argument = call.arguments[at];
    if (argument.entry || argument.isEvaluated) {
      continue;
    }
    const bool isWhole = types[at] == TUTTI_LUNA_TYPE_NAME || types[at] == TUTTI_LUNA_TYPE_VALUE;
    if (isWhole && isData(nodes[at], call.frame)) {
      if (Entry *entry = resolve(nodes[at], call.frame, ask)) {
        use(argument.entry, entry);
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
          evaluate(nodes[at], call.frame, ask, argument.value) &&
          convert(argument.value, types[at], call.statement, at, nodes[at], call.frame);
      ask.isShared = wasShared;
      continue;
    }
    const std::size_t known = ask.read.size();
    program_.forData(nodes[at], 0, [&](std::int32_t node, std::int32_t up) {
      if (Frame *frame = above(call.frame, up); isData(node, frame)) {
        resolve(node, frame, ask);
      }
    });
    ask.read.truncate(known); // Whoever evaluates it makes the requests.
  }
  return ask.missing.empty() && !ask.hasFailed;
}

bool State::nameOthers(Call &call, Ask &ask) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const bool hasNone = statement.signals.count == 0 && statement.deletes.count == 0;
  if (hasNone || !call.signals.empty() || !call.deletes.empty()) {
    return true;
  }
  std::vector<Entry *> signals;
  std::vector<Entry *> deletes;
  for (const std::int32_t node : program_.list(statement.signals)) {
    signals.push_back(resolve(node, call.frame, ask));
  }
  for (const std::int32_t node : program_.list(statement.deletes)) {
    deletes.push_back(resolve(node, call.frame, ask));
  }
  if (!ask.missing.empty() || ask.hasFailed) {
    return false;
  }
  call.signals.reserve(signals.size());
  for (Entry *entry : signals) {
    use(call.signals.emplace_back(), entry);
  }
  call.deletes.reserve(deletes.size());
  for (Entry *entry : deletes) {
    use(call.deletes.emplace_back(), entry);
  }
  return true;
}

bool State::place(Call &call) {
  Ask ask{call.statement};
  const bool isNamed = nameArguments(call, ask) && nameOthers(call, ask) && findPlace(call, ask);
  if (isNamed && !ask.hasFailed) {
    ask.isShared = true; // All ranks have asked for what it has read.
    return settle(ask);
  }
  call.rank = -1;
  if (!ask.hasFailed && !failure_) {
    park(call, ask);
  }
  return false;
}

/// Asks for what the call reads; whether all of it is there.
bool State::bind(Call &call) {
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
      if ((isHome(*entry) || entry->isDeleted) && !countRequest(*entry, call.statement)) {
        return false;
      }
      ++entry->waitingReaders;
      if (!isHome(*entry)) {
        noteRequest(*entry);
      }
      if (!entry->value.isSet()) {
        missing.missing.push_back(entry);
      }
      continue;
    }
    Ask ask{call.statement};
    if (evaluate(nodes[at], call.frame, ask, argument.value)) {
      call.readsData = call.readsData || !ask.read.empty();
      if (!settle(ask) ||
          !convert(argument.value, types[at], call.statement, at, nodes[at], call.frame)) {
        return false;
      }
      argument.isEvaluated = true;
    }
    missing.hasFailed = ask.hasFailed;
    std::ranges::copy(ask.missing, std::back_inserter(missing.missing));
  }
  return !missing.hasFailed && !failure_ && !park(call, missing);
}

/// From here on the call has what it reads, whatever becomes of the data fragments.
void State::takeValues(Call &call) {
  const char *types = program_.unit().procedures[program_.statement(call.statement).callee].types;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    Argument &argument = call.arguments[at];
    if (argument.entry && types[at] != TUTTI_LUNA_TYPE_NAME) {
      argument.value = argument.entry->value;
      --argument.entry->waitingReaders;
      exhaust(*argument.entry);
    }
  }
  call.isReady = true;
}

void State::makeReady(Call &call) {
  takeValues(call);
  ready_.push_back(&call);
}

Call *State::takeReady() {
  if (ready_.empty() || failure_) {
    return nullptr;
  }
  Call *call = ready_.front();
  ready_.pop_front();
  ++running_;
  return call;
}

/// The call runs on another rank: what is at home here, it gets or brings.
void State::dismiss(Call &call) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const char *types = program_.unit().procedures[statement.callee].types;
  const auto nodes = program_.list(statement.arguments);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    Argument &argument = call.arguments[at];
    if (Entry *entry = argument.entry) {
      if (isHome(*entry) && types[at] == TUTTI_LUNA_TYPE_NAME) {
        expect(*entry);
      } else if (types[at] != TUTTI_LUNA_TYPE_NAME) {
        want(*entry, call.rank, call.statement);
      }
      continue;
    }
    if (argument.isEvaluated) {
      continue;
    }
    program_.forData(nodes[at], 0, [&](std::int32_t node, std::int32_t up) {
      Frame *frame = above(call.frame, up);
      if (!isData(node, frame)) {
        return;
      }
      Ask ask{call.statement};
      Entry *entry = resolve(node, frame, ask);
      if (entry) {
        want(*entry, call.rank, call.statement);
      }
    });
  }
  for (const std::vector<Entry *> *entries : {&call.signals, &call.deletes}) {
    for (Entry *entry : *entries) {
      if (isHome(*entry)) {
        expect(*entry);
      }
    }
  }
  endCall(call);
}

void State::finish(Call &call, std::span<Value> outputs, double seconds) {
  --running_;
  if (call.rows) {
    finishRows(call, outputs);
    return;
  }
  if (!call.members.empty()) {
    finishMembers(call, outputs);
    return;
  }
  noteSeconds(call, seconds);
  noteTrial(call);
  conclude(call, outputs);
}

void State::conclude(Call &call, std::span<Value> outputs) {
  ++counts_.calls;
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  std::size_t output = 0;
  for (std::size_t at = 0; at < call.arguments.size() && !failure_; ++at) {
    if (procedure.types[at] != TUTTI_LUNA_TYPE_NAME) {
      continue;
    }
    Entry &entry = *call.arguments[at].entry;
    Value value = std::move(outputs[output++]);
    if (!value.isSet()) {
      fail(call,
           fmt::format("'{}' returned without a value for its output '{}'", procedure.name,
                       nameOf(entry)),
           "E-UNSET");
      break;
    }
    produce(entry, std::move(value), call.statement);
  }
  for (std::size_t at = 0; at < call.signals.size() && !failure_; ++at) {
    produce(*call.signals[at], Value(1), call.statement);
  }
  for (std::size_t at = 0; at < call.deletes.size() && !failure_; ++at) {
    deleteData(*call.deletes[at], call.statement);
  }
  endCall(call);
}

/// A value that was made on this rank.
void State::produce(Entry &entry, Value value, std::int32_t statement) {
  if (isHome(entry)) {
    assign(entry, std::move(value), statement, settings_.rank);
    return;
  }
  ++counts_.made;
  send(entry.home, kAssign, entry, value, statement);
  if (!entry.isDeleted || outlives(entry)) {
    keep(entry, std::move(value));
    wake(entry);
    exhaust(entry);
  }
}

void State::endCall(Call &call) {
  for (Argument &argument : call.arguments) {
    unuse(argument.entry);
  }
  for (std::vector<Entry *> *entries : {&call.signals, &call.deletes}) {
    for (Entry *&entry : *entries) {
      unuse(entry);
    }
  }
  if (call.rows) {
    for (RowCall::Input &input : call.rows->inputs) {
      std::ranges::for_each(input.entries, [this](Entry *&entry) { unuse(entry); });
    }
  }
  unlink(call);
  unfinished_ -= call.rows ? call.rows->sizes.size() : 1;
  held_.end(call);
  Frame *frame = call.frame;
  Scope *scope = call.scope;
  call.arguments.clear();
  call.outputs.clear();
  spareLists_.emplace_back(std::move(call.arguments), std::move(call.outputs));
  calls_.free(&call);
  release(frame);
  leave(scope);
  while (Call *due = held_.takeDue()) {
    release(*due);
  }
}

} // namespace tutti::model::fragments
