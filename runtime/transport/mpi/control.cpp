// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/mpi/control.h"

#include "runtime/transport/mpi/status.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tutti::transport::mpi {

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 20;

} // namespace

Status ControlChannel::send(Rank to, std::span<const std::byte> bytes) {
  TUTTI_TRY(reclaim());
  while (bytes.size() > kPiece) {
    TUTTI_TRY(sendPiece(to, More, bytes.first(kPiece)));
    bytes = bytes.subspan(kPiece);
  }
  return sendPiece(to, Last, bytes);
}

Status ControlChannel::sendPiece(Rank to, Tag tag, std::span<const std::byte> bytes) {
  Outgoing &out = outgoing_.emplace_back();
  out.bytes.assign(bytes.begin(), bytes.end());
  const int code = MPI_Isend(out.bytes.data(), static_cast<int>(out.bytes.size()), MPI_BYTE, to,
                             tag, comm_, &out.request);
  if (code != MPI_SUCCESS) {
    outgoing_.pop_back();
  }
  return statusOf(code, "MPI_Isend of a control message");
}

Result<bool> ControlChannel::reclaim() {
  for (auto out = outgoing_.begin(); out != outgoing_.end();) {
    int done = 0;
    TUTTI_TRY(statusOf(MPI_Test(&out->request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    out = done ? outgoing_.erase(out) : std::next(out);
  }
  return outgoing_.empty();
}

Status ControlChannel::match() {
  while (true) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    TUTTI_TRY(statusOf(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, &message, &status),
                       "MPI_Improbe"));
    if (!found) {
      return {};
    }
    int count = 0;
    TUTTI_TRY(statusOf(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count"));
    Incoming &in = incoming_.emplace_back();
    in.from = status.MPI_SOURCE;
    in.tag = status.MPI_TAG;
    in.bytes.resize(static_cast<std::size_t>(count));
    // Not MPI_Mrecv: it waits for the rest of a long message, whose sender may be computing.
    TUTTI_TRY(statusOf(MPI_Imrecv(in.bytes.data(), count, MPI_BYTE, &message, &in.request),
                       "MPI_Imrecv"));
  }
}

Status ControlChannel::poll(std::vector<Control> &out) {
  TUTTI_TRY(reclaim());
  TUTTI_TRY(match());
  std::set<Rank> waiting; // Nothing overtakes an unfinished message of the same sender.
  for (auto in = incoming_.begin(); in != incoming_.end();) {
    int done = 0;
    if (!waiting.contains(in->from)) {
      TUTTI_TRY(statusOf(MPI_Test(&in->request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    }
    if (!done) {
      waiting.insert(in->from);
      ++in;
      continue;
    }
    const auto partial = partial_.find(in->from);
    if (in->tag == Last && partial == partial_.end()) {
      out.push_back({in->from, std::move(in->bytes)});
    } else {
      auto &whole = partial_[in->from];
      whole.insert(whole.end(), in->bytes.begin(), in->bytes.end());
      if (in->tag == Last) {
        out.push_back({in->from, std::move(whole)});
        partial_.erase(in->from);
      }
    }
    in = incoming_.erase(in);
  }
  return {};
}

} // namespace tutti::transport::mpi
