// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A group over a communicator of its own.
#pragma once

#include "runtime/transport/transport.h"

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace tutti::transport::mpi {

/// A reduction of two members, whose values each sends to the other one.
struct Exchange {
  Element type = Element::Int8;
  Combination operation = Combination::Sum;
  std::span<std::byte> own;
  std::vector<std::byte> others;
};

/// Ownership: frees its communicators, which is collective over the members.
class MpiGroup final : public Group {
public:
  /// Of ranks of `parent`; collective over them. Source: MPI_Comm_create_group.
  static Result<std::unique_ptr<Group>> create(MPI_Comm parent, std::span<const Rank> members);

  ~MpiGroup() override;

  Result<Request> barrier() override;
  Result<Request> broadcast(Rank root, std::span<std::byte> bytes) override;
  Result<Request> allReduce(Element type, Combination operation,
                            std::span<std::byte> values) override;
  Result<Request> allGather(std::span<const std::byte> own, std::span<std::byte> all) override;
  Result<bool> test(Request request) override;
  Result<std::uintptr_t> native() override;

private:
  MpiGroup(MPI_Comm comm, int rank, int size) : comm_(comm), rank_(rank), size_(size) {}

  /// What is begun in pieces ends with the last.
  struct UnderWay {
    std::vector<MPI_Request> pieces;
    Exchange exchange; ///< Of nothing, if it is something else.
  };

  Result<Request> begin(std::vector<MPI_Request> pieces, Exchange exchange = {});
  Result<Request> exchange(Element type, Combination operation, std::span<std::byte> values);
  void combine(Exchange &exchange) const;

  MPI_Comm comm_;
  int rank_;
  int size_;
  MPI_Comm users_ = MPI_COMM_NULL;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, UnderWay> underWay_;
};

} // namespace tutti::transport::mpi
