// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Some ranks of a job, which meet in collective operations of their own.
#pragma once

#include "base/result.h"
#include "runtime/transport/combine.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::transport {

using Rank = std::int32_t;

/// A send, receive or collective operation under way; a token of who gave it out.
enum class Request : std::uint64_t {};

/// One member's part. Every operation is begun here and has ended when `test` says so; its memory
/// is left alone until then.
///
/// Order:      all members begin the same operations in the same order.
/// Threading:  confined to one thread at a time; beside whatever else threads do with the endpoint.
/// Ownership:  does not outlive the endpoint, and is gone before that closes.
class Group {
public:
  Group(const Group &) = delete;
  Group &operator=(const Group &) = delete;
  virtual ~Group() = default;

  /// Ends on no member before all have begun it. Source: MPI_Ibarrier.
  virtual Result<Request> barrier() = 0;

  /// The bytes of the member at position `root`, on all. Equal sizes. Source: MPI_Ibcast.
  virtual Result<Request> broadcast(Rank root, std::span<std::byte> bytes) = 0;

  /// Values of all members combined one by one, on all. Equal shapes. Of floating point the same
  /// bits everywhere. Source: MPI_Iallreduce.
  /// Errors: InvalidArgument  the operation is none of this type.
  virtual Result<Request> allReduce(Element type, Combination operation,
                                    std::span<std::byte> values) = 0;

  /// The bytes of every member, in the order of positions, on all. Equal sizes.
  /// Shape: `all` has room for the bytes of each. Source: MPI_Iallgather.
  virtual Result<Request> allGather(std::span<const std::byte> own, std::span<std::byte> all) = 0;

  /// Whether the operation has ended; then it may not be asked about again. Source: MPI_Test.
  virtual Result<bool> test(Request request) = 0;

  /// The bits of an MPI_Comm of the same members, for the program's own use: made at the first
  /// call, which is collective, and the same from then on. 0 if there is no MPI.
  virtual Result<std::uintptr_t> native() = 0;

protected:
  Group() = default;
};

} // namespace tutti::transport
