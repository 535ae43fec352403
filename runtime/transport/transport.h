// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Messages between the ranks of one job: what every transport implements.
///
/// To add one: copy `mock`, keep the file names, register an `open` function, run `conformance`.
#pragma once

#include "base/result.h"
#include "runtime/transport/group.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::transport {

struct Control {
  Rank from;
  std::vector<std::byte> bytes;
};

/// One rank's end of the job.
///
/// Order:     data messages with the same (sender, receiver, tag) match in posting order; control
/// messages from
///            one sender arrive in sending order. Nothing else is ordered.
/// Threading: externally synchronised, from any thread (the MPI backend asks for
///            MPI_THREAD_MULTIPLE because libraries of the user may call MPI too).
class Endpoint {
public:
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;
  virtual ~Endpoint() = default;

  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;

  /// Starts sending `bytes`, which stay unwritten until the request completes.
  /// Source: MPI_Isend.
  virtual Result<Request> send(Rank to, std::uint32_t tag, std::span<const std::byte> bytes) = 0;

  /// Starts receiving exactly `bytes.size()` bytes.
  /// Errors: SizeMismatch is reported by `test`. Source: MPI_Irecv.
  virtual Result<Request> receive(Rank from, std::uint32_t tag, std::span<std::byte> bytes) = 0;

  /// Whether `request` has completed; a completed request may not be asked about again.
  /// Source: MPI_Test.
  virtual Result<bool> test(Request request) = 0;

  /// Sends a control message of any size; the bytes are copied. Source: MPI_Isend.
  virtual Status sendControl(Rank to, std::span<const std::byte> bytes) = 0;

  /// Appends control messages that have arrived to `out`. Never blocks.
  /// Source: MPI_Improbe, MPI_Mrecv.
  virtual Status pollControl(std::vector<Control> &out) = 0;

  /// Element-wise sum of `values` over all ranks into rank 0's. Collective, blocking.
  /// Source: MPI_Reduce.
  virtual Status sum(std::span<std::uint64_t> values) = 0;

  /// Every rank's bytes, on every rank. Equal sizes. Collective, blocking: returns on no rank
  /// before all have called it, even for no bytes. Source: MPI_Allgather.
  virtual Result<std::vector<std::byte>> allGather(std::span<const std::byte> bytes) = 0;

  /// The ranks `members`, of which this is one, as a group; a rank's position in the list is that
  /// in the group. Collective over the members: all give the same list.
  ///
  /// Errors: InvalidArgument  a member is no rank of the job, or this rank is not a member.
  /// Source: MPI_Comm_create_group.
  virtual Result<std::unique_ptr<Group>> group(std::span<const Rank> members) = 0;

  /// Leaves the job in order. Collective. Source: MPI_Finalize.
  virtual Status close() = 0;

  /// Ends the whole job now with a non-zero status; does not return. Source: MPI_Abort.
  [[noreturn]] virtual void abort(int status) = 0;

protected:
  Endpoint() = default;
};

} // namespace tutti::transport
