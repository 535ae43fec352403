// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data fragments that merged calls make and read all at once: as long as nobody else asks for one
/// of them, they have no entries.
#include "runtime/model/fragments/rows.h"

#include "runtime/model/fragments/calls.h"
#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/merged.h"
#include "runtime/model/fragments/row_calls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

void Rows::forgetRow(const Row &row) {
  counts_.live -= row.live;
  counts_.liveBytes -= row.liveBytes;
  static_cast<void>(row.base->rows.take(row));
}

void Rows::spread(Row &row) {
  const std::unique_ptr<Row> own = row.base->rows.take(row);
  counts_.live -= own->live;
  counts_.liveBytes -= own->liveBytes;
  std::vector<Value> values(own->count);
  if (own->maker) {
    for (RowCall::Output &output : own->maker->rows->outputs) {
      output.row = output.row == &row ? nullptr : output.row;
    }
  } else {
    values = splitValue(own->value, own->letter, own->sizes);
  }
  for (std::size_t place = 0; place < own->count; ++place) {
    Entry &entry = *data_.lookUp(*own->base, own->at(place));
    entry.uses = own->uses[place];
    if (own->maker) {
      continue;
    }
    entry.isAssigned = true;
    entry.producer = own->statement;
    if (entry.uses == 0) {
      entry.isDeleted = true;
      data_.tryBury(entry);
    } else {
      data_.keep(entry, std::move(values[place]));
    }
  }
  for (Call *reader : own->readers) {
    spreadFor(*own, *reader);
  }
}

/// A call that waits for a row which has entries now.
void Rows::spreadFor(Row &row, Call &reader) {
  for (RowCall::Input &input : reader.rows->inputs) {
    if (input.row != &row) {
      continue;
    }
    input.row = nullptr;
    reader.missing -= row.maker ? 1 : 0;
    for (std::size_t place = 0; place < input.count; ++place) {
      if (!row.find(input.at(place))) {
        continue;
      }
      Entry *entry = data_.lookUp(*input.base, input.at(place));
      Data::use(input.entries[place], entry);
      ++entry->requests;
      ++entry->waitingReaders;
      if (row.maker) {
        entry->waiters.push_back(&reader);
        ++reader.missing;
      }
    }
  }
}

void Rows::readRow(Row &row, const Neighbours &read) {
  const auto [from, to] = row.commonWith(read);
  for (std::size_t place = from; place < to; ++place) {
    --row.uses[place];
    --row.left;
  }
  if (row.left == 0) {
    row.base->graves.addRow(row.first, row.position, row.count, {row.statement, -1});
    forgetRow(row);
  }
}

void Rows::fillRow(Row &row, Value value) {
  row.maker = nullptr;
  row.live = static_cast<std::uint64_t>(
      std::ranges::count_if(row.uses, [](std::int32_t uses) { return uses > 0; }));
  row.liveBytes = row.live > 0 ? value.size() : 0;
  row.value = std::move(value);
  counts_.made += row.count;
  counts_.live += row.live;
  counts_.liveBytes += row.liveBytes;
  counts_.peak = std::max(counts_.peak, counts_.live);
  counts_.peakBytes = std::max(counts_.peakBytes, counts_.liveBytes);
  const std::vector<Call *> readers = row.readers;
  if (row.left == 0 && readers.empty()) {
    row.base->graves.addRow(row.first, row.position, row.count, {row.statement, -1});
    forgetRow(row);
  }
  for (Call *reader : readers) {
    if (--reader->missing == 0) {
      rowCalls_.makeRowsReady(*reader);
    } else if (calls_.isHolding()) {
      calls_.demand(*reader);
    }
  }
}

} // namespace tutti::model::fragments
