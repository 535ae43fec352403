// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data fragments: found by name, assigned once, gone when advice or the end of their scope says
/// so.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/entry_table.h"
#include "runtime/model/fragments/names.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"
#include "runtime/model/fragments/value.h"

#include <cstdint>
#include <utility>

namespace tutti::model::fragments {

class Failures;
class Outbox;
class Rows;
class Waiters;

/// Data fragments: found by name, assigned once, gone when advice or the end of their scope says
/// so.
///
/// Threading: externally synchronised.
class Data {
public:
  Data(const Program &program, const StateSettings &settings, Counts &counts, Failures &failures,
       Waiters &waiters, Rows &rows, Outbox &outbox)
      : program_(program), settings_(settings), counts_(counts), failures_(failures),
        waiters_(waiters), rows_(rows), outbox_(outbox) {}

  Data(const Data &) = delete;
  Data &operator=(const Data &) = delete;

  /// Makes an entry if there is none.
  Entry *lookUp(Base &base, const Tuple &tuple);

  /// Whether there is one.
  bool hasEntry(const Base &base, const Tuple &tuple) const { return table_.has(base, tuple); }

  void remove(Entry &entry);

  /// Remembers one in a place, until `unuse`.
  static void use(Entry *&place, Entry *entry) {
    place = entry;
    ++entry->users;
  }

  void unuse(Entry *&place) {
    if (Entry *entry = std::exchange(place, nullptr)) {
      --entry->users;
      tryBury(*entry);
    }
  }

  /// What is over leaves a bit behind, so that a second assignment is still found.
  void tryBury(Entry &entry);

  /// The value is here from now on.
  void keep(Entry &entry, Value value);

  /// A value for a data fragment that is at home here, made by `statement` on rank `from`.
  void assign(Entry &entry, Value value, std::int32_t statement, std::int32_t from);

  /// A value that was made on this rank.
  void produce(Entry &entry, Value value, std::int32_t statement);

  /// Somebody asks for a data fragment that is at home here.
  bool countRequest(Entry &entry, std::int32_t statement, bool isByAll = false);

  /// The attempt has succeeded: what it read has been asked for.
  bool settle(Ask &ask);

  /// Somebody asks for a data fragment whose home is elsewhere.
  void noteRequest(Entry &entry);

  /// All that `req_count` lets ask have asked, or as many as loops say will: it is deleted, on each
  /// rank once that has seen the last reader.
  void exhaust(Entry &entry);

  /// A call on another rank reads a data fragment: if that is at home here, it is sent.
  void want(Entry &entry, std::int32_t rank, std::int32_t statement);

  void deleteData(Entry &entry, std::int32_t statement);

  void deleteAtHome(Entry &entry, std::int32_t statement);

  /// Its home says that it is deleted.
  void drop(Entry &entry, std::int32_t statement);

  bool isHome(const Entry &entry) const { return entry.home == settings_.rank; }

  /// Ranks do not get to a place of the program at the same time: what every one of them may ask
  /// for outlives its deletion, for those that come later.
  bool outlives(const Entry &entry) const {
    return settings_.ranks > 1 && program_.areForAll(entry.base->slot);
  }

private:
  void erase(Entry &entry);
  void forget(Entry &entry);
  std::int32_t usesOf(Entry &entry);

  const Program &program_;
  const StateSettings &settings_;
  Counts &counts_;
  Failures &failures_;
  Waiters &waiters_;
  Rows &rows_;
  Outbox &outbox_;
  EntryTable table_;
};

} // namespace tutti::model::fragments
