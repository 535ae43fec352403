// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/mpi/endpoint.h"

#include "base/log.h"
#include "runtime/transport/members.h"
#include "runtime/transport/mpi/group.h"
#include "runtime/transport/mpi/library.h"
#include "runtime/transport/mpi/status.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tutti::transport::mpi {

namespace {

/// Below 2^31, MPI's counts; long enough for full bandwidth.
constexpr std::size_t kPiece = std::size_t{1} << 30;
/// Communicators for data at most; enough for 32-bit tags with every MPI that has 29 bits or more.
constexpr std::uint64_t kMaxDataComms = 8;

/// Splits [0, bytes) into pieces, at least one, and calls `start(offset, count)` for each.
template <typename Start> Status forEachPiece(std::size_t bytes, Start &&start) {
  std::size_t offset = 0;
  do {
    const std::size_t count = std::min(bytes - offset, kPiece);
    TUTTI_TRY(start(offset, static_cast<int>(count)));
    offset += count;
  } while (offset < bytes);
  return {};
}

/// All ranks have the same problem; rank 0 says it and leaves, upon which the launcher ends the
/// others. They wait for that: one that left by itself might be noticed before rank 0 has spoken.
void waitForRankZeroToSayIt() {
  int rank = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::_Exit(EXIT_FAILURE);
  }
}

/// What becomes of signals for crashes, as it was before; Open MPI prints where they came from, and
/// programs end as they do without it.
class KeptSignals {
public:
  KeptSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &kept_[i]);
    }
  }

  KeptSignals(const KeptSignals &) = delete;
  KeptSignals &operator=(const KeptSignals &) = delete;

  ~KeptSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], &kept_[i], nullptr);
    }
  }

private:
  static constexpr std::array<int, 4> kSignals{SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  std::array<struct sigaction, kSignals.size()> kept_{};
};

/// By the usual name first, for tools that watch MPI by definitions of their own. XcalableMP
/// programs have one of their own, too, which does nothing.
int startMpi(int &provided) {
  int status = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  int isStarted = 0;
  MPI_Initialized(&isStarted);
  if (!isStarted) {
    status = PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  }
  return status;
}

/// In the same way.
int endMpi() {
  int status = MPI_Finalize();
  int isEnded = 0;
  MPI_Finalized(&isEnded);
  if (!isEnded) {
    status = PMPI_Finalize();
  }
  return status;
}

/// Whether this process initialised MPI just now.
Result<bool> initialise() {
  int provided = MPI_THREAD_SINGLE;
  int initialised = 0;
  TUTTI_TRY(statusOf(MPI_Initialized(&initialised), "MPI_Initialized"));
  if (initialised) {
    TUTTI_TRY(statusOf(MPI_Query_thread(&provided), "MPI_Query_thread"));
  } else {
    const KeptSignals signals;
    TUTTI_TRY(statusOf(startMpi(provided), "MPI_Init_thread"));
  }
  if (provided < MPI_THREAD_MULTIPLE) {
    waitForRankZeroToSayIt();
    return failure(ErrorCode::NotSupported,
                   "rank 0: this MPI library provides thread level {} of 3 on every rank; "
                   "MPI_THREAD_MULTIPLE is needed",
                   provided);
  }
  return !initialised;
}

Result<MPI_Comm> duplicate() {
  MPI_Comm comm = MPI_COMM_NULL;
  TUTTI_TRY(statusOf(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup"));
  TUTTI_TRY(statusOf(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"));
  return comm;
}

} // namespace

Result<std::unique_ptr<Endpoint>> MpiEndpoint::create() {
  const Result<bool> owns = initialise();
  TUTTI_TRY(owns);
  std::unique_ptr<MpiEndpoint> endpoint(new MpiEndpoint(*owns));
  TUTTI_TRY(endpoint->join());
  return std::unique_ptr<Endpoint>(std::move(endpoint));
}

Status MpiEndpoint::join() {
  TUTTI_TRY(statusOf(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank"));
  TUTTI_TRY(statusOf(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size"));
  int *highestTag = nullptr;
  int found = 0;
  TUTTI_TRY(statusOf(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highestTag, &found),
                     "MPI_Comm_get_attr"));
  constexpr std::uint64_t kPromisedTag = 32767;
  tagsPerComm_ = (found ? static_cast<std::uint64_t>(*highestTag) : kPromisedTag) + 1;
  const std::uint64_t wanted = ((std::uint64_t{1} << 32) + tagsPerComm_ - 1) / tagsPerComm_;
  for (std::uint64_t i = 0; i < std::min(wanted, kMaxDataComms); ++i) {
    Result<MPI_Comm> comm = duplicate();
    TUTTI_TRY(comm);
    dataComms_.push_back(*comm);
  }
  Result<MPI_Comm> collective = duplicate();
  TUTTI_TRY(collective);
  collectiveComm_ = *collective;
  Result<MPI_Comm> control = duplicate();
  TUTTI_TRY(control);
  controlComm_ = *control;
  control_.emplace(controlComm_);
  return {};
}

Result<MpiEndpoint::Lane> MpiEndpoint::laneOf(Rank peer, std::uint32_t tag) const {
  if (peer < 0 || peer >= size_) {
    return failure(ErrorCode::InvalidArgument, "rank {} in a job of {}", peer, size_);
  }
  const std::uint64_t comm = tag / tagsPerComm_;
  if (comm >= dataComms_.size()) {
    return failure(ErrorCode::InvalidArgument, "tag {} with an MPI of {} tags", tag, tagsPerComm_);
  }
  return Lane{dataComms_[comm], static_cast<int>(tag % tagsPerComm_)};
}

std::uint32_t MpiEndpoint::newSlot() {
  if (freeSlots_.empty()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = freeSlots_.back();
  freeSlots_.pop_back();
  return slot;
}

Request MpiEndpoint::requestOf(std::uint32_t slot) const {
  return Request{std::uint64_t{slots_[slot].generation} << 32 | slot};
}

/// Ends the life of a slot's request with `outcome`.
Result<bool> MpiEndpoint::finish(std::uint32_t slot, Result<bool> outcome) {
  Slot &used = slots_[slot];
  used.pieces.clear();
  used.done = 0;
  used.sizeMismatch = false;
  ++used.generation;
  freeSlots_.push_back(slot);
  return outcome;
}

Result<Request> MpiEndpoint::send(Rank to, std::uint32_t tag, std::span<const std::byte> bytes) {
  const Result<Lane> lane = laneOf(to, tag);
  TUTTI_TRY(lane);
  const std::uint32_t slot = newSlot();
  TUTTI_TRY(forEachPiece(bytes.size(), [&](std::size_t offset, int count) {
    Slot::Piece piece{MPI_REQUEST_NULL, -1};
    const int code = MPI_Isend(bytes.data() + offset, count, MPI_BYTE, to, lane->tag, lane->comm,
                               &piece.request);
    slots_[slot].pieces.push_back(piece);
    return statusOf(code, "MPI_Isend");
  }));
  return requestOf(slot);
}

Result<Request> MpiEndpoint::receive(Rank from, std::uint32_t tag, std::span<std::byte> bytes) {
  const Result<Lane> lane = laneOf(from, tag);
  TUTTI_TRY(lane);
  const std::uint32_t slot = newSlot();
  TUTTI_TRY(forEachPiece(bytes.size(), [&](std::size_t offset, int count) {
    Slot::Piece piece{MPI_REQUEST_NULL, count};
    const int code = MPI_Irecv(bytes.data() + offset, count, MPI_BYTE, from, lane->tag, lane->comm,
                               &piece.request);
    slots_[slot].pieces.push_back(piece);
    return statusOf(code, "MPI_Irecv");
  }));
  return requestOf(slot);
}

Result<bool> MpiEndpoint::test(Request request) {
  const auto token = static_cast<std::uint64_t>(request);
  const auto index = static_cast<std::uint32_t>(token);
  if (index >= slots_.size() || slots_[index].generation != token >> 32 ||
      slots_[index].pieces.empty()) {
    return failure(ErrorCode::InvalidArgument, "request {} is not under way", token);
  }
  Slot &slot = slots_[index];
  for (; slot.done < slot.pieces.size(); ++slot.done) {
    Slot::Piece &piece = slot.pieces[slot.done];
    int done = 0;
    MPI_Status status;
    const int code = MPI_Test(&piece.request, &done, &status);
    if (code == MPI_SUCCESS && !done) {
      return false;
    }
    if (Status outcome = statusOf(code, "MPI_Test"); !outcome) {
      if (outcome.error().code != ErrorCode::SizeMismatch) {
        return finish(index, std::move(outcome).error());
      }
      slot.sizeMismatch = true; // The other pieces still have to complete.
    } else if (piece.count >= 0) {
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      slot.sizeMismatch = slot.sizeMismatch || count != piece.count;
    }
  }
  if (slot.sizeMismatch) {
    return finish(index,
                  failure(ErrorCode::SizeMismatch, "a message differs in size from its receive"));
  }
  return finish(index, true);
}

Status MpiEndpoint::sendControl(Rank to, std::span<const std::byte> bytes) {
  if (to < 0 || to >= size_) {
    return failure(ErrorCode::InvalidArgument, "rank {} in a job of {}", to, size_);
  }
  return control_->send(to, bytes);
}

Status MpiEndpoint::pollControl(std::vector<Control> &out) { return control_->poll(out); }

Status MpiEndpoint::sum(std::span<std::uint64_t> values) {
  return forEachPiece(values.size(), [&](std::size_t offset, int count) {
    std::uint64_t *mine = values.data() + offset;
    const void *source = rank_ == 0 ? MPI_IN_PLACE : mine;
    return statusOf(MPI_Reduce(source, mine, count, MPI_UINT64_T, MPI_SUM, 0, collectiveComm_),
                    "MPI_Reduce");
  });
}

Result<std::vector<std::byte>> MpiEndpoint::allGather(std::span<const std::byte> bytes) {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<std::byte> result(bytes.size() * ranks);
  if (bytes.empty()) {
    // MPI_Allgather of nothing may return before the others have called it.
    TUTTI_TRY(statusOf(MPI_Barrier(collectiveComm_), "MPI_Barrier"));
    return result;
  }
  if (bytes.size() <= kPiece) {
    TUTTI_TRY(statusOf(MPI_Allgather(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                     result.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                     collectiveComm_),
                       "MPI_Allgather"));
    return result;
  }
  std::vector<std::byte> parts(kPiece * ranks);
  TUTTI_TRY(forEachPiece(bytes.size(), [&](std::size_t offset, int count) {
    const int code = MPI_Allgather(bytes.data() + offset, count, MPI_BYTE, parts.data(), count,
                                   MPI_BYTE, collectiveComm_);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto length = static_cast<std::size_t>(count);
      std::memcpy(result.data() + rank * bytes.size() + offset, parts.data() + rank * length,
                  length);
    }
    return statusOf(code, "MPI_Allgather");
  }));
  return result;
}

Result<std::unique_ptr<Group>> MpiEndpoint::group(std::span<const Rank> members) {
  TUTTI_TRY(positionAmong(members, rank_, size_));
  return MpiGroup::create(collectiveComm_, members);
}

Status MpiEndpoint::close() {
  // Long control messages complete only if their receivers take them, so all ranks go on
  // receiving until all have sent everything.
  std::vector<Control> late;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (int done = 0; !done;) {
    TUTTI_TRY(control_->poll(late));
    late.clear();
    const Result<bool> sent = control_->reclaim();
    TUTTI_TRY(sent);
    if (*sent && barrier == MPI_REQUEST_NULL) {
      TUTTI_TRY(statusOf(MPI_Ibarrier(collectiveComm_, &barrier), "MPI_Ibarrier"));
    }
    if (barrier != MPI_REQUEST_NULL) {
      TUTTI_TRY(statusOf(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    }
  }
  for (MPI_Comm &comm : dataComms_) {
    TUTTI_TRY(statusOf(MPI_Comm_free(&comm), "MPI_Comm_free"));
  }
  TUTTI_TRY(statusOf(MPI_Comm_free(&collectiveComm_), "MPI_Comm_free"));
  TUTTI_TRY(statusOf(MPI_Comm_free(&controlComm_), "MPI_Comm_free"));
  return ownsMpi_ ? statusOf(endMpi(), "MPI_Finalize") : Status();
}

void MpiEndpoint::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

} // namespace tutti::transport::mpi

void tutti_open_transport_mpi(tutti::transport::mpi::Opened *result) noexcept {
  *result = tutti::transport::mpi::MpiEndpoint::create();
  if (*result) {
    // This library has its own copy of base: a check that fails here has to find the way out too.
    tutti::log::setRank((**result)->rank());
    tutti::log::setFatalHandler(
        {[](void *, std::string_view) { MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE); }, nullptr});
  }
}
