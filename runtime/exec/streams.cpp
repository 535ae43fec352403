// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/streams.h"

#include <algorithm>
#include <cstring>

namespace tutti::exec {

namespace {

/// Segments of one stream under way at a time.
std::size_t windowOf(Pace pace) { return pace == Pace::Ahead ? 4 : 1; }

std::uint64_t segmentBytesOf(Pace pace) {
  return pace == Pace::Ahead ? Packing::kSegmentBytes : memory::kPageBytes;
}

/// Tags are counted modulo this: far more messages than can be under way between two ranks.
constexpr std::uint32_t kTagCount = 1 << 14;

constexpr std::uint32_t kLanes = 2;

} // namespace

Packing::Packing(RangeSet ranges, std::uint64_t segmentBytes)
    : ranges_(std::move(ranges)), segmentBytes_(segmentBytes) {
  starts_.reserve(ranges_.ranges().size());
  for (const Range &range : ranges_.ranges()) {
    starts_.push_back(bytes_);
    bytes_ += range.size();
  }
}

std::uint64_t Packing::segmentBytes(std::uint64_t segment) const {
  return std::min(segmentBytes_, bytes_ - segment * segmentBytes_);
}

std::byte *Packing::place(const memory::Window &window, std::uint64_t segment) const {
  return window.view(ranges_.ranges().front().begin + segment * segmentBytes_);
}

template <typename Visit> void Packing::visit(std::uint64_t segment, Visit &&visit) const {
  const std::uint64_t begin = segment * segmentBytes_;
  const std::uint64_t end = begin + segmentBytes(segment);
  const auto first = std::upper_bound(starts_.begin(), starts_.end(), begin) - 1;
  for (auto index = static_cast<std::size_t>(first - starts_.begin());
       index < starts_.size() && starts_[index] < end; ++index) {
    const Range &range = ranges_.ranges()[index];
    const std::uint64_t from = std::max(begin, starts_[index]);
    const std::uint64_t to = std::min(end, starts_[index] + range.size());
    visit(range.begin + (from - starts_[index]), from - begin, to - from);
  }
}

void Packing::pack(const memory::Window &window, std::uint64_t segment, std::byte *out) const {
  visit(segment, [&](std::uint64_t address, std::uint64_t offset, std::uint64_t bytes) {
    std::memcpy(out + offset, window.view(address), bytes);
  });
}

void Packing::unpack(const memory::Window &window, std::uint64_t segment,
                     const std::byte *in) const {
  visit(segment, [&](std::uint64_t address, std::uint64_t offset, std::uint64_t bytes) {
    std::memcpy(window.view(address), in + offset, bytes);
  });
}

Streams::Streams(transport::Endpoint &endpoint, const memory::Window &window, Pace pace)
    : endpoint_(endpoint), window_(window), pace_(pace) {
  for (auto *counts : {sent_, received_}) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      counts[lane].resize(static_cast<std::size_t>(endpoint.size()));
    }
  }
}

Streams::Id Streams::add(std::list<Stream> &list, std::vector<std::uint32_t> &counts, Lane lane,
                         Rank peer, const RangeSet &ranges, std::optional<Id> after) {
  std::uint32_t &count = counts[static_cast<std::size_t>(peer)];
  const Id id = nextId_++;
  list.push_back({id, peer, count, Packing(ranges, segmentBytesOf(pace_)), after, 0, 0, {}, {}});
  const std::uint64_t segments = list.back().packing.segments();
  list.back().tag |= static_cast<std::uint32_t>(lane) * kTagCount;
  count = static_cast<std::uint32_t>((count + segments) % kTagCount);
  return id;
}

Streams::Id Streams::receive(Lane lane, Rank from, const RangeSet &ranges) {
  return add(incoming_, received_[static_cast<std::size_t>(lane)], lane, from, ranges, {});
}

Streams::Id Streams::send(Lane lane, Rank to, const RangeSet &ranges, std::optional<Id> after) {
  return add(outgoing_, sent_[static_cast<std::size_t>(lane)], lane, to, ranges, after);
}

std::uint64_t Streams::messagesFor(const RangeSet &ranges) const {
  const std::uint64_t most = segmentBytesOf(pace_);
  return (ranges.bytes() + most - 1) / most * (pace_ == Pace::Ahead ? 1 : 2);
}

namespace {

std::uint32_t tagOf(std::uint32_t first, std::uint64_t segment) {
  const std::uint32_t lane = first / kTagCount;
  return lane * kTagCount + static_cast<std::uint32_t>((first % kTagCount + segment) % kTagCount);
}

std::uint32_t askTagOf(std::uint32_t first, std::uint64_t segment) {
  return kLanes * kTagCount + tagOf(first, segment);
}

} // namespace

/// Asks for the segment that is next.
Status Streams::ask(Stream &stream) {
  const auto request =
      endpoint_.send(stream.peer, askTagOf(stream.tag, stream.posted), {&stream.word, 1});
  if (!request) {
    return std::move(request).error();
  }
  stream.asking = *request;
  return {};
}

/// Whether the segment that is next has been asked for. Order: once it has, it is sent.
Result<bool> Streams::hasAsked(Stream &stream) {
  if (pace_ == Pace::Ahead) {
    return true;
  }
  if (!stream.asking) {
    const auto request =
        endpoint_.receive(stream.peer, askTagOf(stream.tag, stream.posted), {&stream.word, 1});
    if (!request) {
      return std::move(request).error();
    }
    stream.asking = *request;
  }
  Result<bool> isThere = endpoint_.test(*stream.asking);
  if (isThere && *isThere) {
    stream.asking.reset();
  }
  return isThere;
}

Result<bool> Streams::advanceIncoming(Stream &stream) {
  const Packing &packing = stream.packing;
  bool moved = false;
  while (true) {
    while (stream.inFlight.size() < windowOf(pace_) && stream.posted < packing.segments()) {
      if (pace_ == Pace::PageByPage) {
        TUTTI_TRY(ask(stream));
      }
      InFlight message;
      std::byte *at = nullptr;
      const std::uint64_t bytes = packing.segmentBytes(stream.posted);
      if (packing.isContiguous()) {
        at = packing.place(window_, stream.posted);
      } else {
        message.buffer.resize(bytes);
        at = message.buffer.data();
      }
      auto request = endpoint_.receive(stream.peer, tagOf(stream.tag, stream.posted), {at, bytes});
      if (!request) {
        return std::move(request).error();
      }
      message.request = *request;
      stream.inFlight.push_back(std::move(message));
      ++stream.posted;
      moved = true;
    }
    if (stream.inFlight.empty()) {
      return moved;
    }
    if (stream.asking) {
      const Result<bool> hasLeft = endpoint_.test(*stream.asking);
      if (!hasLeft || !*hasLeft) {
        return hasLeft ? Result<bool>(moved) : hasLeft;
      }
      stream.asking.reset();
    }
    const Result<bool> isDone = endpoint_.test(stream.inFlight.front().request);
    if (!isDone) {
      return isDone.error();
    }
    if (!*isDone) {
      return moved;
    }
    if (!packing.isContiguous()) {
      packing.unpack(window_, stream.done, stream.inFlight.front().buffer.data());
    }
    stream.inFlight.pop_front();
    ++stream.done;
    moved = true;
  }
}

std::uint64_t Streams::available(const Stream &stream) const {
  if (stream.after) {
    for (const Stream &incoming : incoming_) {
      if (incoming.id == *stream.after) {
        return incoming.done;
      }
    }
  }
  return stream.packing.segments();
}

Result<bool> Streams::advanceOutgoing(Stream &stream) {
  const Packing &packing = stream.packing;
  bool moved = false;
  while (true) {
    while (stream.inFlight.size() < windowOf(pace_) && stream.posted < available(stream)) {
      const Result<bool> isAskedFor = hasAsked(stream);
      if (!isAskedFor || !*isAskedFor) {
        return isAskedFor ? Result<bool>(moved) : isAskedFor;
      }
      InFlight message;
      const std::byte *at = nullptr;
      const std::uint64_t bytes = packing.segmentBytes(stream.posted);
      if (packing.isContiguous()) {
        at = packing.place(window_, stream.posted);
      } else {
        message.buffer.resize(bytes);
        packing.pack(window_, stream.posted, message.buffer.data());
        at = message.buffer.data();
      }
      auto request = endpoint_.send(stream.peer, tagOf(stream.tag, stream.posted), {at, bytes});
      if (!request) {
        return std::move(request).error();
      }
      message.request = *request;
      stream.inFlight.push_back(std::move(message));
      ++stream.posted;
      moved = true;
    }
    if (stream.inFlight.empty()) {
      return moved;
    }
    const Result<bool> isDone = endpoint_.test(stream.inFlight.front().request);
    if (!isDone) {
      return isDone.error();
    }
    if (!*isDone) {
      return moved;
    }
    stream.inFlight.pop_front();
    ++stream.done;
    moved = true;
  }
}

/// Page by page, streams of one peer come one after the other: pages are so many that tags of two
/// could be the same.
bool Streams::hasTurn(const std::list<Stream> &list, const Stream &stream) const {
  return pace_ == Pace::Ahead ||
         std::ranges::find_if(list, [&](const Stream &other) {
           return other.peer == stream.peer && other.tag / kTagCount == stream.tag / kTagCount;
         })->id == stream.id;
}

Result<bool> Streams::progress() {
  bool moved = false;
  const auto advance = [&](std::list<Stream> &list,
                           Result<bool> (Streams::*step)(Stream &)) -> Status {
    for (auto at = list.begin(); at != list.end();) {
      if (!hasTurn(list, *at)) {
        ++at;
        continue;
      }
      Result<bool> outcome = (this->*step)(*at);
      if (!outcome) {
        return std::move(outcome).error();
      }
      moved = moved || *outcome;
      at = at->done == at->packing.segments() ? list.erase(at) : std::next(at);
    }
    return {};
  };
  TUTTI_TRY(advance(incoming_, &Streams::advanceIncoming));
  TUTTI_TRY(advance(outgoing_, &Streams::advanceOutgoing));
  return moved;
}

bool Streams::hasEnded(Id id) const {
  const auto hasId = [&](const Stream &stream) { return stream.id == id; };
  return std::none_of(incoming_.begin(), incoming_.end(), hasId) &&
         std::none_of(outgoing_.begin(), outgoing_.end(), hasId);
}

bool Streams::hasBrought(Id id, std::uint64_t bytes) const {
  const auto stream = std::ranges::find(incoming_, id, &Stream::id);
  return stream == incoming_.end() || stream->done * segmentBytesOf(pace_) >= bytes;
}

bool Streams::isReading(const RangeSet &ranges) const {
  return std::any_of(outgoing_.begin(), outgoing_.end(), [&](const Stream &stream) {
    const bool isPacked =
        !stream.packing.isContiguous() && stream.posted == stream.packing.segments();
    return !isPacked && stream.packing.ranges().overlaps(ranges);
  });
}

} // namespace tutti::exec
