// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Control messages of any size over a communicator of their own, without blocking.
#pragma once

#include "base/result.h"
#include "runtime/transport/transport.h"

#include <mpi.h>

#include <cstddef>
#include <list>
#include <map>
#include <span>
#include <vector>

namespace tutti::transport::mpi {

/// Long messages travel in pieces; the tag says whether another follows. MPI keeps the order of
/// the pieces of one sender, and pieces of different senders are put together apart.
///
/// Threading: externally synchronised.
/// Ownership: borrows the communicator, which nothing else uses.
class ControlChannel {
public:
  explicit ControlChannel(MPI_Comm comm) : comm_(comm) {}

  Status send(Rank to, std::span<const std::byte> bytes);

  /// Appends what has arrived. Never blocks.
  Status poll(std::vector<Control> &out);

  /// Frees the buffers of sends that have completed; whether none is left.
  Result<bool> reclaim();

private:
  enum Tag { Last = 0, More = 1 };

  struct Outgoing {
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  struct Incoming {
    Rank from;
    int tag;
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  Status sendPiece(Rank to, Tag tag, std::span<const std::byte> bytes);

  /// Starts receiving every message that MPI can match now.
  Status match();

  MPI_Comm comm_;
  std::list<Outgoing> outgoing_;
  std::list<Incoming> incoming_; ///< In matching order, so in sending order for each sender.
  std::map<Rank, std::vector<std::byte>> partial_;
};

} // namespace tutti::transport::mpi
