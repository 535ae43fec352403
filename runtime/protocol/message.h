// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Control messages as bytes. Sender and receiver run the same build on the same kind of machine.
#pragma once

#include "base/check.h"
#include "base/range.h"
#include "base/result.h"
#include "runtime/exec/followed.h"
#include "runtime/exec/launch.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tutti::protocol {

using exec::Launch;
using exec::RecentlyFollowed;
using exec::Sequence;

enum class MessageKind : std::uint32_t {
  /// Down the tree: `Launch`, with the region's id in place of its address, and without the
  /// contents of what was followed if they have been sent before.
  Launch,
  Fetch,       ///< Rank 0 to an owner: `FetchRequest`.
  Partial,     ///< Up the tree: sequence, bytes of a partial result; none if a part has strayed.
  Changes,     ///< To rank 0: `Changes`.
  Acknowledge, ///< Up the tree: a whole subtree has finished that launch.
  Reserve,     ///< Rank 0 to another: `Reservation`.
  Reserved,    ///< To rank 0: `Answer`.
  Lost,        ///< To rank 0: `Loss`.
  Blocks,      ///< To a borrower: units of a device, whose handles are on the socket.
  Lent,        ///< To a borrower: what that launch copies from the sender's devices is there.
  Returned,    ///< To an owner: has been copied.
  Recall,      ///< To a borrower: units of a device are about to go.
  Recalled,    ///< To an owner: has let go of them.
  LentByHost,  ///< To a borrower: bytes that a lost device was to lend, with their sequence.
  Salvage,     ///< To whoever has a valid copy of bytes that are gone with a lost device.
  Salvaged,    ///< The answer: bytes; behind the last an empty range.
  Probe,       ///< Rank 0 to another and back: measures the latency.
  Shutdown,    ///< Down the tree.
};

/// Puts plain values behind one another.
class Writer {
public:
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  Writer &add(const T &value) {
    return addBytes(std::as_bytes(std::span(&value, 1)));
  }

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  Writer &add(const std::vector<T> &values) {
    add(static_cast<std::uint64_t>(values.size()));
    return addBytes(std::as_bytes(std::span(values)));
  }

  Writer &addBytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  const std::vector<std::byte> &bytes() const { return bytes_; }

private:
  std::vector<std::byte> bytes_;
};

/// Takes them out again, in the same order.
class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T take() {
    TUTTI_CHECK(rest_.size() >= sizeof(T), "read a control message that is long enough");
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  std::vector<T> takeVector() {
    const auto count = take<std::uint64_t>();
    TUTTI_CHECK(rest_.size() / sizeof(T) >= count, "read a control message that is long enough");
    std::vector<T> values(count);
    if (count > 0) {
      std::memcpy(values.data(), rest_.data(), count * sizeof(T));
    }
    rest_ = rest_.subspan(count * sizeof(T));
    return values;
  }

  std::span<const std::byte> rest() const { return rest_; }

private:
  std::span<const std::byte> rest_;
};

/// Rank 0 asks for bytes as they are after launch `sequence`.
struct FetchRequest {
  Sequence sequence;
  RangeSet ranges;
};

/// What a rank changed in bytes that several places may write, or some of it.
struct Changes {
  Sequence sequence;
  std::uint32_t isLast;         ///< Of this rank, in this launch.
  std::vector<std::byte> bytes; ///< As `memory::ChangeWriter` makes them.
};

/// A kernel as all ranks know it; each device takes the one of its format.
struct KernelName {
  std::uint64_t region;  ///< Its id.
  std::uint32_t mapping; ///< Index among the region's.

  auto operator<=>(const KernelName &) const = default;
};

/// Rank 0 asks a device for what it needs before its part of the next launch, behind launch
/// `sequence`.
struct Reservation {
  Sequence sequence;
  memory::Place place;
  RangeSet leaving; ///< Units that it gives back,
  RangeSet rescued; ///< what of these its host is to have,
  RangeSet units;   ///< and units that it takes then.
  std::vector<KernelName> kernels;
};

std::vector<std::byte> encode(const Reservation &reservation);
Reservation decodeReservation(Reader &reader);

/// What came of a reservation: of kernels that are refused the memory stays.
struct Answer {
  memory::Place place;
  Status status;
};

/// A device is lost.
struct Loss {
  memory::Place place;
  RangeSet gone; ///< What it held and its rank's host did not.
  std::string why;
};

std::vector<std::byte> encode(const Loss &loss);
Loss decodeLoss(Reader &reader);

std::vector<std::byte> encode(const Answer &answer);
Answer decodeAnswer(Reader &reader);

/// For all ranks; uses what is followed in `recent`, the sender's.
std::vector<std::byte> encode(const Launch &launch, RecentlyFollowed &recent);

/// Finds a region by its id; null if there is none.
using RegionOf = const tutti_region *(*)(std::uint64_t id);

/// As above, the receiver's. Every launch of the job has to be decoded, in order.
Launch decodeLaunch(Reader &reader, RegionOf regionOf, RecentlyFollowed &recent);

std::vector<std::byte> encode(const FetchRequest &request);
FetchRequest decodeFetch(Reader &reader);

std::vector<std::byte> encodeChanges(Sequence sequence, bool isLast,
                                     std::span<const std::byte> bytes);
Changes decodeChanges(Reader &reader);

} // namespace tutti::protocol
