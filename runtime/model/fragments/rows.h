// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data fragments that merged calls make and read all at once.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/row.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

namespace tutti::model::fragments {

class Calls;
class Data;
class RowCalls;

/// Data fragments that merged calls make and read all at once.
///
/// Threading: externally synchronised.
class Rows {
public:
  Rows(Counts &counts, Data &data, Calls &calls, RowCalls &rowCalls)
      : counts_(counts), data_(data), calls_(calls), rowCalls_(rowCalls) {}

  Rows(const Rows &) = delete;
  Rows &operator=(const Rows &) = delete;

  /// Somebody asks for one of its data fragments: all of them get entries.
  void spread(Row &row);

  /// A call has taken what it reads of a row.
  void readRow(Row &row, const Neighbours &read);

  /// The value of a row is there.
  void fillRow(Row &row, Value value);

  /// Its frame goes, or nobody will ask for it any more.
  void forgetRow(const Row &row);

private:
  void spreadFor(Row &row, Call &reader);

  Counts &counts_;
  Data &data_;
  Calls &calls_;
  RowCalls &rowCalls_;
};

} // namespace tutti::model::fragments
