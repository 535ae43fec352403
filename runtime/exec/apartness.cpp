// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/apartness.h"

#include <algorithm>
#include <iterator>

namespace tutti::exec {

Apartness::Apartness(std::span<const Range> written) {
  for (const Range &range : written) {
    objects_.push_back({range, 0, nullptr});
  }
  std::ranges::sort(objects_, {}, [](const Object &object) { return object.range.begin; });
}

void Apartness::begin(std::int64_t iteration) {
  holds_ = holds_ && iteration < std::int64_t{kMany} - 1;
  current_ = static_cast<std::uint32_t>(iteration + 1);
}

/// The object that has some of `bytes`; null if nothing of it is written.
Apartness::Object *Apartness::find(Range bytes) {
  if (last_ && last_->range.contains(bytes)) {
    return last_;
  }
  const auto next = std::ranges::upper_bound(objects_, bytes.begin, {},
                                             [](const Object &object) { return object.range.end; });
  if (next == objects_.end() || !next->range.overlaps(bytes)) {
    return nullptr;
  }
  last_ = &*next;
  return last_;
}

/// Cuts `object` into pieces of what is touched first; whether there is room for all of them.
bool Apartness::prepare(Object &object, std::uint64_t bytes) {
  if (object.piece == 0) {
    const std::uint64_t count = (object.range.size() + bytes - 1) / bytes;
    if (count > (kMostBytes - taken_) / sizeof(Touchers)) {
      return false;
    }
    taken_ += count * sizeof(Touchers);
    object.piece = bytes;
    object.pieces.reset(static_cast<Touchers *>(std::calloc(count, sizeof(Touchers))));
  }
  return object.pieces != nullptr;
}

/// Whether the current iteration still keeps apart from all others there.
bool Apartness::note(Touchers &touchers, bool isWritten) const {
  const auto isOther = [this](std::uint32_t toucher) {
    return toucher != 0 && toucher != current_;
  };
  if (isOther(touchers.writer) || (isWritten && isOther(touchers.reader))) {
    return false;
  }
  if (isWritten) {
    touchers.writer = current_;
  } else {
    touchers.reader = isOther(touchers.reader) ? kMany : current_;
  }
  return true;
}

void Apartness::add(std::uint64_t address, std::uint64_t bytes, bool isWritten) {
  Object *object = holds_ && bytes > 0 ? find({address, address + bytes}) : nullptr;
  if (!object) {
    return;
  }
  holds_ = object->range.contains({address, address + bytes}) && prepare(*object, bytes);
  if (holds_) {
    const std::uint64_t first = (address - object->range.begin) / object->piece;
    const std::uint64_t last = (address + bytes - 1 - object->range.begin) / object->piece;
    for (std::uint64_t piece = first; piece <= last && holds_; ++piece) {
      holds_ = note(object->pieces[piece], isWritten);
    }
  }
}

} // namespace tutti::exec
