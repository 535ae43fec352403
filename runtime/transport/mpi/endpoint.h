// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One rank's end over MPI: data messages, collectives, start and end of MPI. Control messages are
/// in control.h.
#pragma once

#include "base/result.h"
#include "runtime/transport/mpi/control.h"
#include "runtime/transport/transport.h"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tutti::transport::mpi {

/// Always: its communicators are duplicates of MPI_COMM_WORLD, so that its messages never meet
///         those of the user's program or libraries.
class MpiEndpoint final : public Endpoint {
public:
  /// Source: MPI_Init_thread.
  static Result<std::unique_ptr<Endpoint>> create();

  Rank rank() const override { return rank_; }

  Rank size() const override { return size_; }

  /// Errors: InvalidArgument  `to` is no rank of the job, or this MPI has too few tags for `tag`.
  Result<Request> send(Rank to, std::uint32_t tag, std::span<const std::byte> bytes) override;
  Result<Request> receive(Rank from, std::uint32_t tag, std::span<std::byte> bytes) override;
  Result<bool> test(Request request) override;
  Status sendControl(Rank to, std::span<const std::byte> bytes) override;
  Status pollControl(std::vector<Control> &out) override;
  Status sum(std::span<std::uint64_t> values) override;
  Result<std::vector<std::byte>> allGather(std::span<const std::byte> bytes) override;
  Result<std::unique_ptr<Group>> group(std::span<const Rank> members) override;
  Status close() override;
  [[noreturn]] void abort(int status) override;

private:
  /// A message under way, in pieces that fit MPI's counts.
  struct Slot {
    struct Piece {
      MPI_Request request;
      int count; ///< Bytes a receive expects; -1 for a send.
    };

    std::vector<Piece> pieces;
    std::size_t done = 0;         ///< Pieces completed; they complete in order.
    std::uint32_t generation = 0; ///< Tells requests apart that used the same slot.
    bool sizeMismatch = false;
  };

  /// Where a tag of 32 bits goes: MPI promises fewer, so large ones use another communicator.
  struct Lane {
    MPI_Comm comm;
    int tag;
  };

  MpiEndpoint(bool ownsMpi) : ownsMpi_(ownsMpi) {}

  Status join();
  Result<Lane> laneOf(Rank peer, std::uint32_t tag) const;
  std::uint32_t newSlot();
  Request requestOf(std::uint32_t slot) const;
  Result<bool> finish(std::uint32_t slot, Result<bool> outcome);

  bool ownsMpi_;
  Rank rank_ = 0;
  Rank size_ = 0;
  std::uint64_t tagsPerComm_ = 0;
  std::vector<MPI_Comm> dataComms_;
  MPI_Comm collectiveComm_ = MPI_COMM_NULL;
  MPI_Comm controlComm_ = MPI_COMM_NULL;
  std::optional<ControlChannel> control_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> freeSlots_;
};

} // namespace tutti::transport::mpi
