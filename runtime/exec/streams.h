// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sets of bytes on their way between the memories of two ranks.
///
/// A single range travels from and into user memory directly; several are packed. Long streams go
/// in segments, a few at a time, and a rank forwards a segment as soon as it has it.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/memory/window.h"
#include "runtime/transport/transport.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::exec {

using transport::Rank;

/// Messages of different lanes between two ranks never match.
enum class Lane : std::uint32_t { Launch, Fetch };

/// The bytes of a set as one sequence, cut into segments.
class Packing {
public:
  static constexpr std::uint64_t kSegmentBytes = std::uint64_t{8} << 20;

  explicit Packing(RangeSet ranges, std::uint64_t segmentBytes = kSegmentBytes);

  std::uint64_t segments() const { return (bytes_ + segmentBytes_ - 1) / segmentBytes_; }

  std::uint64_t segmentBytes(std::uint64_t segment) const;

  bool isContiguous() const { return ranges_.ranges().size() == 1; }

  const RangeSet &ranges() const { return ranges_; }

  std::uint64_t bytes() const { return bytes_; }

  /// Where a segment of a contiguous set lies.
  std::byte *place(const memory::Window &window, std::uint64_t segment) const;

  void pack(const memory::Window &window, std::uint64_t segment, std::byte *out) const;
  void unpack(const memory::Window &window, std::uint64_t segment, const std::byte *in) const;

private:
  template <typename Visit> void visit(std::uint64_t segment, Visit &&visit) const;

  RangeSet ranges_;
  std::uint64_t segmentBytes_;
  std::vector<std::uint64_t> starts_; ///< Of each range in the sequence.
  std::uint64_t bytes_ = 0;
};

/// Who begins: whoever has the bytes, as soon as he can; or whoever needs them, who asks for a page
/// when the one before it is there, as one would whose touches of absent pages bring them.
enum class Pace { Ahead, PageByPage };

/// Streams of one rank that have not ended.
///
/// Threading: externally synchronised.
/// Order:     the n-th stream from rank a to rank b in a lane is the n-th that b receives from a:
///            both must add them in the same order.
class Streams {
public:
  /// `pace`: the same on all ranks.
  Streams(transport::Endpoint &endpoint, const memory::Window &window, Pace pace = Pace::Ahead);

  /// A stream that was added; names it until it has ended.
  using Id = std::uint64_t;

  /// Starts receiving `ranges`.
  Id receive(Lane lane, Rank from, const RangeSet &ranges);

  /// Starts sending `ranges`; each segment not before stream `after`, which carries the same
  /// ranges, has brought it.
  Id send(Lane lane, Rank to, const RangeSet &ranges, std::optional<Id> after = {});

  /// Moves things on; whether anything moved.
  Result<bool> progress();

  bool hasEnded(Id id) const;

  /// Whether the first `bytes` of what is received are there.
  bool hasBrought(Id id, std::uint64_t bytes) const;

  bool isIdle() const { return incoming_.empty() && outgoing_.empty(); }

  bool isSending() const { return !outgoing_.empty(); }

  /// Whether user memory in `ranges` is still to be read by a send.
  bool isReading(const RangeSet &ranges) const;

  /// Messages that a stream of `ranges` takes, in both directions.
  std::uint64_t messagesFor(const RangeSet &ranges) const;

private:
  struct InFlight {
    transport::Request request;
    std::vector<std::byte> buffer; ///< Empty if user memory is used directly.
  };

  struct Stream {
    Id id;
    Rank peer;
    std::uint32_t tag;
    Packing packing;
    std::optional<Id> after;
    std::uint64_t posted = 0;
    std::uint64_t done = 0;
    std::deque<InFlight> inFlight;
    std::optional<transport::Request> asking; ///< Under way, for the segment that is next.
    std::byte word{};                         ///< What asks.
  };

  Id add(std::list<Stream> &list, std::vector<std::uint32_t> &counts, Lane lane, Rank peer,
         const RangeSet &ranges, std::optional<Id> after);
  Result<bool> advanceIncoming(Stream &stream);
  Result<bool> advanceOutgoing(Stream &stream);
  Status ask(Stream &stream);
  Result<bool> hasAsked(Stream &stream);
  bool hasTurn(const std::list<Stream> &list, const Stream &stream) const;
  std::uint64_t available(const Stream &stream) const;

  transport::Endpoint &endpoint_;
  const memory::Window &window_;
  Pace pace_;
  Id nextId_ = 0;
  std::list<Stream> incoming_;
  std::list<Stream> outgoing_;
  std::vector<std::uint32_t> sent_[2];     ///< Messages so far, by lane and peer.
  std::vector<std::uint32_t> received_[2]; ///< Messages so far, by lane and peer.
};

} // namespace tutti::exec
