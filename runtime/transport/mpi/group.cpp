// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/mpi/group.h"

#include "base/hash.h"
#include "runtime/transport/mpi/status.h"

#include <algorithm>
#include <cstring>

namespace tutti::transport::mpi {

namespace {

/// Below 2^31, MPI's counts, and a multiple of every element's size.
constexpr std::size_t kPiece = std::size_t{1} << 30;

MPI_Datatype datatypeOf(Element type) {
  switch (type) {
  case Element::Int8:
    return MPI_INT8_T;
  case Element::UInt8:
    return MPI_UINT8_T;
  case Element::Int16:
    return MPI_INT16_T;
  case Element::UInt16:
    return MPI_UINT16_T;
  case Element::Int32:
    return MPI_INT32_T;
  case Element::UInt32:
    return MPI_UINT32_T;
  case Element::Int64:
    return MPI_INT64_T;
  case Element::UInt64:
    return MPI_UINT64_T;
  case Element::Float:
    return MPI_FLOAT;
  case Element::Double:
    return MPI_DOUBLE;
  case Element::LongDouble:
    return MPI_LONG_DOUBLE;
  case Element::ComplexFloat:
    return MPI_C_FLOAT_COMPLEX;
  case Element::ComplexDouble:
    return MPI_C_DOUBLE_COMPLEX;
  case Element::ComplexLongDouble:
    return MPI_C_LONG_DOUBLE_COMPLEX;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Op operationOf(Combination operation) {
  switch (operation) {
  case Combination::Sum:
    return MPI_SUM;
  case Combination::Product:
    return MPI_PROD;
  case Combination::Max:
    return MPI_MAX;
  case Combination::Min:
    return MPI_MIN;
  case Combination::BitAnd:
    return MPI_BAND;
  case Combination::BitOr:
    return MPI_BOR;
  case Combination::BitXor:
    return MPI_BXOR;
  case Combination::And:
    return MPI_LAND;
  case Combination::Or:
    return MPI_LOR;
  }
  return MPI_OP_NULL;
}

/// Begins an operation for each piece of `bytes`: `start(offset, bytes, request)`.
template <typename Start>
Result<std::vector<MPI_Request>> inPieces(std::size_t bytes, const char *call, Start &&start) {
  std::vector<MPI_Request> requests;
  for (std::size_t offset = 0; offset < bytes; offset += kPiece) {
    MPI_Request request = MPI_REQUEST_NULL;
    TUTTI_TRY(statusOf(start(offset, std::min(bytes - offset, kPiece), &request), call));
    requests.push_back(request);
  }
  return requests;
}

} // namespace

Result<std::unique_ptr<Group>> MpiGroup::create(MPI_Comm parent, std::span<const Rank> members) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  TUTTI_TRY(statusOf(MPI_Comm_group(parent, &all), "MPI_Comm_group"));
  TUTTI_TRY(statusOf(MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some),
                     "MPI_Group_incl"));
  // Groups that share ranks may be made at the same time: the tag tells them apart.
  constexpr std::uint64_t kTags = 32768;
  const int tag = static_cast<int>(Hash().add(std::as_bytes(members)).value() % kTags);
  TUTTI_TRY(statusOf(MPI_Comm_create_group(parent, some, tag, &comm), "MPI_Comm_create_group"));
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  TUTTI_TRY(statusOf(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"));
  int rank = 0;
  int size = 0;
  TUTTI_TRY(statusOf(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank"));
  TUTTI_TRY(statusOf(MPI_Comm_size(comm, &size), "MPI_Comm_size"));
  return std::unique_ptr<Group>(new MpiGroup(comm, rank, size));
}

MpiGroup::~MpiGroup() {
  if (users_ != MPI_COMM_NULL) {
    MPI_Comm_free(&users_);
  }
  MPI_Comm_free(&comm_);
}

Result<Request> MpiGroup::begin(std::vector<MPI_Request> pieces, Exchange exchange) {
  underWay_.emplace(++last_, UnderWay{std::move(pieces), std::move(exchange)});
  return Request{last_};
}

/// Both messages are on their way at the same time. MPI's non-blocking reductions send the values
/// of one member, and then the result back. Members begin operations in the same order, and nothing
/// else sends from one member to another, so messages need no tags.
Result<Request> MpiGroup::exchange(Element type, Combination operation,
                                   std::span<std::byte> values) {
  const int other = 1 - rank_;
  Exchange exchange{type, operation, values, std::vector<std::byte>(values.size())};
  std::vector<MPI_Request> pieces;
  TUTTI_ASSIGN(pieces, inPieces(values.size(), "MPI_Irecv",
                                [&](std::size_t offset, std::size_t count, MPI_Request *request) {
                                  return MPI_Irecv(exchange.others.data() + offset,
                                                   static_cast<int>(count), MPI_BYTE, other, 0,
                                                   comm_, request);
                                }));
  std::vector<MPI_Request> sent;
  TUTTI_ASSIGN(sent, inPieces(values.size(), "MPI_Isend",
                              [&](std::size_t offset, std::size_t count, MPI_Request *request) {
                                return MPI_Isend(values.data() + offset, static_cast<int>(count),
                                                 MPI_BYTE, other, 0, comm_, request);
                              }));
  pieces.insert(pieces.end(), sent.begin(), sent.end());
  return begin(std::move(pieces), std::move(exchange));
}

/// In the same order on both.
void MpiGroup::combine(Exchange &exchange) const {
  if (rank_ == 0) {
    transport::combine(exchange.type, exchange.operation, exchange.own, exchange.others);
    return;
  }
  transport::combine(exchange.type, exchange.operation, exchange.others, exchange.own);
  std::ranges::copy(exchange.others, exchange.own.begin());
}

Result<Request> MpiGroup::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_TRY(statusOf(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier"));
  return begin({request});
}

Result<Request> MpiGroup::broadcast(Rank root, std::span<std::byte> bytes) {
  std::vector<MPI_Request> pieces;
  TUTTI_ASSIGN(pieces, inPieces(bytes.size(), "MPI_Ibcast",
                                [&](std::size_t offset, std::size_t count, MPI_Request *request) {
                                  return MPI_Ibcast(bytes.data() + offset, static_cast<int>(count),
                                                    MPI_BYTE, root, comm_, request);
                                }));
  return begin(std::move(pieces));
}

Result<Request> MpiGroup::allReduce(Element type, Combination operation,
                                    std::span<std::byte> values) {
  if (!canCombine(type, operation)) {
    return failure(ErrorCode::InvalidArgument, "a reduction that this type does not have");
  }
  if (size_ == 2) {
    return exchange(type, operation, values);
  }
  std::vector<MPI_Request> pieces;
  TUTTI_ASSIGN(pieces, inPieces(values.size(), "MPI_Iallreduce",
                                [&](std::size_t offset, std::size_t count, MPI_Request *request) {
                                  return MPI_Iallreduce(MPI_IN_PLACE, values.data() + offset,
                                                        static_cast<int>(count / sizeOf(type)),
                                                        datatypeOf(type), operationOf(operation),
                                                        comm_, request);
                                }));
  return begin(std::move(pieces));
}

Result<Request> MpiGroup::allGather(std::span<const std::byte> own, std::span<std::byte> all) {
  if (own.size() <= kPiece) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = static_cast<int>(own.size());
    TUTTI_TRY(statusOf(
        MPI_Iallgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, comm_, &request),
        "MPI_Iallgather"));
    return begin({request});
  }
  // Beyond the counts of MPI every member broadcasts its own.
  std::memcpy(all.data() + static_cast<std::size_t>(rank_) * own.size(), own.data(), own.size());
  std::vector<MPI_Request> pieces;
  for (int root = 0; root < size_; ++root) {
    std::byte *part = all.data() + static_cast<std::size_t>(root) * own.size();
    std::vector<MPI_Request> more;
    TUTTI_ASSIGN(more, inPieces(own.size(), "MPI_Ibcast",
                                [&](std::size_t offset, std::size_t count, MPI_Request *request) {
                                  return MPI_Ibcast(part + offset, static_cast<int>(count),
                                                    MPI_BYTE, root, comm_, request);
                                }));
    pieces.insert(pieces.end(), more.begin(), more.end());
  }
  return begin(std::move(pieces));
}

Result<bool> MpiGroup::test(Request request) {
  const auto found = underWay_.find(static_cast<std::uint64_t>(request));
  if (found == underWay_.end()) {
    return failure(ErrorCode::InvalidArgument, "request {} is not under way",
                   static_cast<std::uint64_t>(request));
  }
  auto &pieces = found->second.pieces;
  int done = 0;
  const Status status = statusOf(
      MPI_Testall(static_cast<int>(pieces.size()), pieces.data(), &done, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  if (status && !done) {
    return false;
  }
  Exchange exchange = std::move(found->second.exchange);
  underWay_.erase(found);
  TUTTI_TRY(status);
  if (!exchange.own.empty()) {
    combine(exchange);
  }
  return true;
}

Result<std::uintptr_t> MpiGroup::native() {
  if (users_ == MPI_COMM_NULL) {
    TUTTI_TRY(statusOf(MPI_Comm_dup(comm_, &users_), "MPI_Comm_dup"));
    // What the program does with it is the program's: errors end it, as with any communicator.
    TUTTI_TRY(
        statusOf(MPI_Comm_set_errhandler(users_, MPI_ERRORS_ARE_FATAL), "MPI_Comm_set_errhandler"));
  }
  static_assert(sizeof(MPI_Comm) <= sizeof(std::uintptr_t));
  std::uintptr_t bits = 0;
  std::memcpy(&bits, &users_, sizeof users_);
  return bits;
}

} // namespace tutti::transport::mpi
