// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that do not come to life: once all calls of a loop have become one on a device, those of
/// the next step become one without having been calls.
///
/// That is done where it makes no difference but time: on one rank, where the loop has this one
/// call, nothing that it names or evaluates asks for a data fragment but what it reads, and for
/// all that it makes it is known how often that will be read. Anything else unfolds as ever.
#include "runtime/model/fragments/row_calls.h"

#include "base/format.h"
#include "runtime/model/fragments/calls.h"
#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/gatherings.h"
#include "runtime/model/fragments/merged.h"
#include "runtime/model/fragments/rows.h"
#include "runtime/model/fragments/unfolding.h"
#include "runtime/model/fragments/waiters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

namespace {

void forgetWaiter(Entry &entry, const Waiter &waiter) {
  const auto waiters = std::exchange(entry.waiters, {});
  for (Waiter *each : waiters) {
    if (each != &waiter) {
      entry.waiters.push_back(each);
    }
  }
}

} // namespace

bool RowCalls::beginRows(Activity &activity) {
  const tutti_luna_block &body =
      program_.unit().blocks[program_.statement(activity.statement).body];
  if (settings_.ranks > 1 || !settings_.merges || settings_.checksMerges ||
      body.statements.count != 1 || body.slotCount != 1 || activity.next >= activity.last) {
    return false;
  }
  const std::int32_t statement = program_.list(body.statements).front();
  if (!canBeRows(activity, statement)) {
    return false;
  }
  const auto turns = static_cast<std::int32_t>(std::int64_t{activity.last} - activity.next + 1);
  Call *call = &calls_.newCall(
      statement, frames_.makeFrame(activity.frame, program_.statement(activity.statement).body,
                                   FrameId(), activity.frame->chain));
  call->frame->slots[0].value = Value(activity.next);
  call->rows = std::make_unique<RowCall>();
  call->arguments.resize(static_cast<std::size_t>(program_.statement(statement).arguments.count));
  if (!planRows(*call, turns)) {
    frames_.release(call->frame);
    calls_.discard(*call);
    return false;
  }
  const KnownRuns &known = *gatherings_.knownRuns(statement);
  call->rank = settings_.rank;
  call->position = known.position;
  call->device = known.device;
  call->readsData = true;
  calls_.begin(*call, activity.scope, activity.late, call->rows->sizes.size());
  ++counts_.rowCalls;
  bindRows(*call);
  return true;
}

/// What the statement and what is known of its calls before say.
bool RowCalls::canBeRows(const Activity &activity, std::int32_t index) {
  const KnownRuns *known = gatherings_.knownRuns(index);
  if (program_.mergeLoop(index) != activity.statement || !gatherings_.isMerged(index) ||
      rowless_.contains(index) || !known) {
    return false;
  }
  const auto turns = static_cast<std::size_t>(std::int64_t{activity.last} - activity.next + 1);
  const Runs whole{{0, turns}};
  const tutti_luna_statement &statement = program_.statement(index);
  return known->first == activity.next && known->parts.size() == turns && known->runs == whole &&
         statement.signals.count == 0 &&
         std::ranges::none_of(program_.list(statement.rules), [this](std::int32_t each) {
           return program_.unit().rules[each].kind == TUTTI_LUNA_REQ_COUNT;
         });
}

/// Finds what the call reads and makes; false if that is not known without asking for something.
/// Nothing has changed then but what has entries.
bool RowCalls::planRows(Call &call, std::int32_t turns) {
  RowCall &rows = *call.rows;
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  const Rule &place = program_.placeOf(call.statement);
  if (!evaluator_.isPlain(place, call.frame) ||
      !std::ranges::all_of(program_.list(statement.labelIndices), [&](std::int32_t node) {
        return evaluator_.isPlain(node, call.frame);
      })) {
    return false;
  }
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    const char letter = procedure.merge[at];
    const bool isBorder = letter == TUTTI_LUNA_MERGE_LEFT || letter == TUTTI_LUNA_MERGE_RIGHT;
    if (letter != TUTTI_LUNA_MERGE_BULK && !isBorder) {
      if (!evaluatePlain(call, at, turns)) {
        return false;
      }
      continue;
    }
    Neighbours names;
    names.count = static_cast<std::size_t>(turns);
    if (!planNames(call, program_.list(statement.arguments)[at], names)) {
      return false;
    }
    if (procedure.types[at] == TUTTI_LUNA_TYPE_NAME) {
      rows.outputs.push_back({names, letter, nullptr});
    } else {
      rows.inputs.push_back({names, at, nullptr, std::vector<Entry *>(names.count), {}});
    }
  }
  if (rows.sizes.empty() || !planDeletes(call, turns)) {
    return false;
  }
  for (const RowCall::Output &output : rows.outputs) {
    const auto isOverlapping = [&](const Neighbours &other) { return other.overlaps(output); };
    if (std::ranges::any_of(rows.inputs, isOverlapping) ||
        std::ranges::count_if(rows.outputs, isOverlapping) != 1) {
      return false;
    }
  }
  std::vector<std::vector<std::int32_t>> uses(rows.outputs.size());
  for (std::size_t at = 0; at < uses.size(); ++at) {
    if (!planOutput(rows.outputs[at], uses[at])) {
      return false;
    }
  }
  for (std::size_t at = 0; at < uses.size(); ++at) {
    RowCall::Output &output = rows.outputs[at];
    auto row = std::make_unique<Row>();
    static_cast<Neighbours &>(*row) = output;
    row->statement = call.statement;
    row->letter = output.letter;
    row->maker = &call;
    row->sizes = rows.sizes;
    row->uses = std::move(uses[at]);
    for (const std::int32_t each : row->uses) {
      row->left += each;
    }
    output.row = row.get();
    output.base->rows.add(std::move(row));
  }
  return true;
}

/// Only what the call reads may be deleted, which nobody has deleted before then.
bool RowCalls::planDeletes(Call &call, std::int32_t turns) {
  for (const std::int32_t node : program_.list(program_.statement(call.statement).deletes)) {
    Neighbours names;
    names.count = static_cast<std::size_t>(turns);
    if (program_.node(node).kind != TUTTI_LUNA_SLOT || !planNames(call, node, names)) {
      return false;
    }
    const auto isIt = [&](const RowCall::Input &input) {
      return input.base == names.base && input.first == names.first &&
             input.position == names.position;
    };
    if (std::ranges::none_of(call.rows->inputs, isIt)) {
      return false;
    }
    call.rows->deletes.push_back(names);
  }
  return true;
}

/// What is part of no row, and has no entry, is gone already: it has been read as often as it will
/// be.
void RowCalls::deleteRows(const Call &call) {
  for (const Neighbours &names : call.rows->deletes) {
    const bool hasRows = !names.base->rows.overlapping(names).empty();
    for (std::size_t place = 0; place < names.count && !failures_.hasFailed(); ++place) {
      const Tuple name = names.at(place);
      if (data_.hasEntry(*names.base, name) || (hasRows && names.base->rows.find(name))) {
        Entry *entry = nullptr;
        Data::use(entry, data_.lookUp(*names.base, name));
        data_.deleteData(*entry, call.statement);
        data_.unuse(entry);
      }
    }
  }
}

/// An argument that is a number: the one of the first iteration, or the sum of sizes.
bool RowCalls::evaluatePlain(Call &call, std::size_t argument, std::int32_t turns) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  const std::int32_t node = program_.list(statement.arguments)[argument];
  const char type = procedure.types[argument];
  if (type == TUTTI_LUNA_TYPE_VALUE || type == TUTTI_LUNA_TYPE_NAME ||
      !evaluator_.isPlain(node, call.frame)) {
    return false;
  }
  Ask ask{call.statement};
  Value &value = call.arguments[argument].value;
  if (procedure.merge[argument] != TUTTI_LUNA_MERGE_SIZE) {
    return evaluator_.evaluate(node, call.frame, ask, value) &&
           evaluator_.convert(value, type, call.statement, argument, node, call.frame);
  }
  const std::int32_t first = call.frame->slots[0].value.integer();
  bool followsCounter = false;
  program_.forData(node, 0, [&](std::int32_t at, std::int32_t up) {
    followsCounter = followsCounter || up + program_.node(at).up == 0;
  });
  std::int64_t sum = 0;
  std::int32_t size = 0;
  bool isKnown = true;
  for (std::int32_t turn = 0; turn < turns && isKnown; ++turn) {
    call.frame->slots[0].value = Value(first + turn);
    isKnown = (turn > 0 && !followsCounter) || evaluator_.evaluateInt(node, call.frame, ask, size);
    isKnown = isKnown && size >= 0;
    call.rows->sizes.push_back(size);
    sum += size;
  }
  call.frame->slots[0].value = Value(first);
  value = Value(static_cast<std::int32_t>(sum));
  return isKnown && sum > 0 && sum <= std::numeric_limits<std::int32_t>::max();
}

/// The names that a node has in all iterations.
bool RowCalls::planNames(Call &call, std::int32_t at, Neighbours &out) const {
  const tutti_luna_node &node = program_.node(at);
  Base *base = above(call.frame, node.up)->slots[static_cast<std::size_t>(node.slot)].own.get();
  if (node.kind != TUTTI_LUNA_SLOT || !base ||
      !evaluator_.isPlain(program_.homeOf(base->slot), base->frame)) {
    return false;
  }
  out.base = base;
  const Ask ask{call.statement};
  const auto indices = program_.list(node.indices);
  Tuple second;
  const std::int32_t first = call.frame->slots[0].value.integer();
  for (Tuple *tuple : {&out.first, &second}) {
    call.frame->slots[0].value = Value(tuple == &second ? first + 1 : first);
    for (const std::int32_t index : indices) {
      std::int32_t value = 0;
      if (!evaluator_.calculateIndex(index, call.frame, ask, value)) {
        return false;
      }
      tuple->add(value);
    }
  }
  call.frame->slots[0].value = Value(first);
  for (std::size_t index = 0; index < indices.size(); ++index) {
    out.position = out.first[index] != second[index] ? index : out.position;
  }
  return std::int64_t{out.first[out.position]} + static_cast<std::int64_t>(out.count) <=
         std::numeric_limits<std::int32_t>::max();
}

/// Whether nobody has heard of what is to be made, and how often each of it will be read.
bool RowCalls::planOutput(const RowCall::Output &output, std::vector<std::int32_t> &uses) {
  Base &base = *output.base;
  const Uses *known = program_.usesOf(base.slot);
  if (!known) {
    return false;
  }
  const bool mayBeBuried = base.graves.mayHave(output.first, output.position, output.count);
  for (std::size_t place = 0; place < output.count; ++place) {
    const Tuple name = output.at(place);
    if (data_.hasEntry(base, name) || (mayBeBuried && base.graves.find(name))) {
      return false;
    }
  }
  if (!base.rows.overlapping(output).empty()) {
    return false;
  }
  uses = base.uses.countRow(program_, *known, base.frame, output);
  return !uses.empty();
}

/// Asks for what the call reads.
void RowCalls::bindRows(Call &call) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  Ask ask{call.statement};
  for (RowCall::Input &input : call.rows->inputs) {
    findRow(*call.rows, input, procedure.merge[input.argument]);
  }
  for (RowCall::Input &input : call.rows->inputs) {
    if (input.row) {
      input.row->readers.push_back(&call);
      call.missing += input.row->maker ? 1 : 0;
    }
    const auto [from, to] = input.row ? input.commonWith(*input.row) : Neighbours::Places();
    for (std::size_t place = 0; place < input.count; ++place) {
      if (place >= from && place < to) {
        continue;
      }
      Entry *entry = data_.lookUp(*input.base, input.at(place));
      Data::use(input.entries[place], entry);
      if (!data_.countRequest(*entry, call.statement)) {
        return;
      }
      ++entry->waitingReaders;
      if (!entry->value.isSet()) {
        ask.missing.push_back(entry);
      }
    }
  }
  waiters_.park(call, ask);
  if (call.missing > 0) {
    waiting_.insert(&call);
    if (calls_.isHolding()) {
      calls_.demand(call);
    }
  } else {
    makeRowsReady(call);
  }
}

/// The row that has what the call does not read as data fragments of their own: all slabs, or none
/// of the outer borders.
void RowCalls::findRow(RowCall &rows, RowCall::Input &input, char letter) {
  const auto fits = [&](const Row &row) {
    const std::size_t outer = letter == TUTTI_LUNA_MERGE_LEFT ? 0 : input.count - 1;
    return letter == TUTTI_LUNA_MERGE_BULK
               ? row.first == input.first && row.position == input.position &&
                     row.count == input.count && row.letter == letter
               : row.letter != TUTTI_LUNA_MERGE_BULK && row.position == input.position &&
                     !row.find(input.at(outer));
  };
  const std::vector<Row *> found = input.base->rows.overlapping(input);
  if (found.size() == 1 && fits(*found.front())) {
    input.row = found.front();
    return;
  }
  for (Row *row : found) {
    for (RowCall::Input &other : rows.inputs) {
      other.row = other.row == row ? nullptr : other.row;
    }
    rows_.spread(*row);
  }
}

void RowCalls::makeRowsReady(Call &call) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  waiting_.erase(&call);
  for (RowCall::Input &input : call.rows->inputs) {
    const char letter = procedure.merge[input.argument];
    takeRow(call, input, letter);
    if (letter == TUTTI_LUNA_MERGE_BULK) {
      continue;
    }
    const Entry *outer =
        letter == TUTTI_LUNA_MERGE_LEFT ? input.entries.front() : input.entries.back();
    if (!gatherings_.isWholeBorder(call, input.slabs.front(), failures_.nameOf(*outer))) {
      return;
    }
  }
  call.isReady = true;
  calls_.addReady(call);
}

/// From here on the call has the values, whatever becomes of the data fragments.
void RowCalls::takeRow(Call &call, RowCall::Input &input, char letter) {
  const std::size_t outer = letter == TUTTI_LUNA_MERGE_LEFT ? 0 : input.count - 1;
  for (std::size_t place = 0; place < input.count; ++place) {
    if (Entry *entry = input.entries[place]) {
      if (letter == TUTTI_LUNA_MERGE_BULK || place == outer) {
        input.slabs.push_back(entry->value);
      }
      --entry->waitingReaders;
      data_.exhaust(*entry);
    }
  }
  if (Row *row = std::exchange(input.row, nullptr)) {
    if (letter == TUTTI_LUNA_MERGE_BULK) {
      input.slabs.push_back(row->value);
    }
    row->readers.erase(std::ranges::find(row->readers, &call));
    rows_.readRow(*row, input);
  }
}

void RowCalls::finishRows(Call &call, std::span<Value> outputs) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  counts_.calls += call.rows->sizes.size();
  for (std::size_t at = 0; at < outputs.size() && !failures_.hasFailed(); ++at) {
    RowCall::Output &output = call.rows->outputs[at];
    if (!outputs[at].isSet()) {
      failures_.fail(call,
                     fmt::format("'{}' returned without a value for its output '{}'",
                                 procedure.name,
                                 failures_.nameOf(*data_.lookUp(*output.base, output.first))),
                     "E-UNSET");
      break;
    }
    if (output.row) {
      rows_.fillRow(*output.row, std::move(outputs[at]));
      continue;
    }
    std::vector<Value> values = splitValue(outputs[at], output.letter, call.rows->sizes);
    for (std::size_t place = 0; place < output.count && !failures_.hasFailed(); ++place) {
      data_.produce(*data_.lookUp(*output.base, output.at(place)), std::move(values[place]),
                    call.statement);
    }
  }
  deleteRows(call);
  calls_.endCall(call);
}

void RowCalls::unfoldRows() {
  const std::vector<Call *> calls(waiting_.begin(), waiting_.end());
  waiting_.clear();
  for (Call *call : calls) {
    for (RowCall::Input &input : call->rows->inputs) {
      if (input.row) {
        std::erase(input.row->readers, call);
        input.row = nullptr;
      }
      for (Entry *entry : input.entries) {
        if (entry) {
          --entry->requests;
          --entry->waitingReaders;
          forgetWaiter(*entry, *call);
        }
      }
    }
  }
  for (Call *call : calls) {
    for (RowCall::Output &output : call->rows->outputs) {
      if (output.row) {
        rows_.forgetRow(*output.row);
      }
    }
    rowless_.insert(call->statement);
    unfolding_.start(program_.mergeLoop(call->statement), call->frame->parent, call->scope,
                     nullptr);
    calls_.endCall(*call);
  }
}

} // namespace tutti::model::fragments
