// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/rows_by_name.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::model::fragments {

bool RowsByName::Order::operator()(const Tuple &a, const Tuple &b) const {
  if (a.count() != b.count()) {
    return a.count() < b.count();
  }
  for (std::size_t index = 0; index < a.count(); ++index) {
    if (index != position && a[index] != b[index]) {
      return a[index] < b[index];
    }
  }
  return position < a.count() && a[position] < b[position];
}

RowsByName::Sorted::const_iterator RowsByName::atOrBefore(const Sorted &rows, const Tuple &tuple) {
  const auto behind = rows.upper_bound(tuple);
  return behind == rows.begin() ? behind : std::prev(behind);
}

Row *RowsByName::find(const Tuple &tuple) const {
  for (const Sorted &rows : sorted_) {
    const auto at = atOrBefore(rows, tuple);
    if (at != rows.end() && at->second->find(tuple)) {
      return at->second.get();
    }
  }
  return nullptr;
}

std::vector<Row *> RowsByName::overlapping(const Neighbours &names) const {
  std::vector<Row *> found;
  for (const Sorted &rows : sorted_) {
    const bool isAlong = rows.key_comp().position == names.position;
    const Tuple last = names.at(names.count - 1);
    auto at = isAlong ? atOrBefore(rows, names.first) : rows.begin();
    for (; at != rows.end() && !(isAlong && rows.key_comp()(last, at->first)); ++at) {
      if (at->second->overlaps(names)) {
        found.push_back(at->second.get());
      }
    }
  }
  return found;
}

Row *RowsByName::any() const {
  const auto some = std::ranges::find_if(sorted_, [](const Sorted &each) { return !each.empty(); });
  return some == sorted_.end() ? nullptr : some->begin()->second.get();
}

void RowsByName::add(std::unique_ptr<Row> row) {
  auto along = std::ranges::find_if(
      sorted_, [&](const Sorted &each) { return each.key_comp().position == row->position; });
  if (along == sorted_.end()) {
    along = sorted_.insert(along, Sorted(Order{row->position}));
  }
  const Tuple first = row->first;
  along->emplace(first, std::move(row));
}

std::unique_ptr<Row> RowsByName::take(const Row &row) {
  const auto along = std::ranges::find_if(
      sorted_, [&](const Sorted &each) { return each.key_comp().position == row.position; });
  const auto found = along->find(row.first);
  std::unique_ptr<Row> own = std::move(found->second);
  along->erase(found);
  return own;
}

} // namespace tutti::model::fragments
