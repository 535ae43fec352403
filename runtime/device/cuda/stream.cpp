// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/stream.h"

#include "runtime/device/cuda/kernel.h"

#include <algorithm>
#include <utility>

namespace tutti::device::cuda {

namespace {

/// Waits for an event. Errors: what the driver says.
Status await(Context &context, CUevent event) {
  if (const CUresult result = context.cuda().cuEventSynchronize(event)) {
    return context.failed(result, "wait for a copy");
  }
  return {};
}

} // namespace

Result<std::unique_ptr<Stream>> Stream::open(Context &context, Copier &copier, Urgency urgency) {
  const int priority = urgency == Urgency::First ? -1 : 0; // The driver's own scale: less is more.
  std::unique_ptr<Stream> stream(new Stream(context, copier));
  TUTTI_TRY(context.enter());
  if (const CUresult result = context.cuda().cuStreamCreateWithPriority(
          &stream->handle_, kStreamNonBlocking, priority)) {
    return context.failed(result, "make a stream");
  }
  stream->launcher_.setStream(stream->handle_);
  return stream;
}

Stream::~Stream() {
  if (!handle_) {
    return;
  }
  const Library &cuda = context_.cuda();
  context_.enter().ignore("a lost device refuses what follows, which changes nothing");
  launcher_.drain().ignore("whoever wants to know has finished before");
  cuda.cuStreamSynchronize(handle_); // Staging memory must not go while copies are under way.
  for (const Batch &batch : batchesIn_) {
    cuda.cuEventDestroy_v2(batch.done);
  }
  for (const Batch &batch : batchesOut_) {
    cuda.cuEventDestroy_v2(batch.done);
  }
  for (CUevent event : idleEvents_) {
    cuda.cuEventDestroy_v2(event);
  }
  cuda.cuStreamDestroy_v2(handle_);
}

Status Stream::launch(KernelCall call, std::span<const std::uint64_t> parameters) {
  call.overlaps = call.kernel->waits() && endsInKernel_;
  endsInKernel_ = true;
  return launcher_.launch(call, parameters);
}

Result<CUevent> Stream::mark() {
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, handle());
  CUevent event = nullptr;
  if (!idleEvents_.empty()) {
    event = idleEvents_.back();
    idleEvents_.pop_back();
  } else if (const CUresult result = context_.cuda().cuEventCreate(&event, kEventDisableTiming)) {
    return context_.failed(result, "make an event");
  }
  if (const CUresult result = context_.cuda().cuEventRecord(event, stream)) {
    recycle(event);
    return context_.failed(result, "record an event");
  }
  return event;
}

Result<CUevent> Stream::record() {
  TUTTI_TRY(closeOut());
  return mark();
}

Status Stream::copyIn(std::span<const std::byte> source, CUdeviceptr target) {
  TUTTI_TRY(settle());
  while (!source.empty()) {
    const std::size_t bytes = std::min(source.size(), Staging::kPieceBytes);
    std::byte *piece = nullptr;
    TUTTI_ASSIGN(piece, takeIn(bytes));
    copier_.copy(piece, source.data(), bytes);
    CUstream stream = nullptr;
    TUTTI_ASSIGN(stream, handle());
    if (const CUresult result =
            context_.cuda().cuMemcpyHtoDAsync_v2(target, piece, bytes, stream)) {
      return context_.failed(result, "copy {} bytes in", bytes);
    }
    openIn_ += bytes;
    if (openIn_ >= Staging::kPieceBytes) {
      TUTTI_TRY(closeIn());
    }
    source = source.subspan(bytes);
    target += bytes;
  }
  return {};
}

/// Room for a piece; waits for the oldest ones if there is none.
Result<std::byte *> Stream::takeIn(std::size_t bytes) {
  while (true) {
    std::byte *piece = nullptr;
    TUTTI_ASSIGN(piece, in_.take(bytes));
    if (piece) {
      return piece;
    }
    if (batchesIn_.empty()) {
      TUTTI_TRY(closeIn());
    }
    const Batch &oldest = batchesIn_.front();
    TUTTI_TRY(await(context_, oldest.done));
    in_.giveBack(oldest.end);
    recycle(oldest.done);
    batchesIn_.pop_front();
  }
}

Status Stream::closeIn() {
  CUevent done = nullptr;
  TUTTI_ASSIGN(done, mark());
  batchesIn_.push_back({done, in_.front(), {}});
  openIn_ = 0;
  return {};
}

Result<std::uint64_t> Stream::copyOut(CUdeviceptr source, std::span<std::byte> target) {
  requests_.push_back({source, target.data(), target.size()});
  ++given_;
  TUTTI_TRY(advance());
  return given_;
}

Status Stream::copyInLocked(std::span<const std::byte> source, CUdeviceptr target) {
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, handle());
  if (const CUresult result =
          context_.cuda().cuMemcpyHtoDAsync_v2(target, source.data(), source.size(), stream)) {
    return context_.failed(result, "copy {} bytes in", source.size());
  }
  return {};
}

Status Stream::copyOutLocked(CUdeviceptr source, std::span<std::byte> target) {
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, handle());
  if (const CUresult result =
          context_.cuda().cuMemcpyDtoHAsync_v2(target.data(), source, target.size(), stream)) {
    return context_.failed(result, "copy {} bytes out", target.size());
  }
  return {};
}

/// Gives the device as much as there is room for.
Status Stream::issueOut() {
  while (!requests_.empty()) {
    Request &request = requests_.front();
    const std::size_t bytes = std::min(request.bytes, Staging::kPieceBytes);
    std::byte *piece = nullptr;
    TUTTI_ASSIGN(piece, out_.take(bytes));
    if (!piece) {
      // What is open has to end some time, and everybody may be waiting for it.
      return closeOut();
    }
    CUstream stream = nullptr;
    TUTTI_ASSIGN(stream, handle());
    if (const CUresult result =
            context_.cuda().cuMemcpyDtoHAsync_v2(piece, request.source, bytes, stream)) {
      return context_.failed(result, "copy {} bytes out", bytes);
    }
    open_.landings.push_back({request.target, piece, bytes, bytes == request.bytes});
    open_.end = out_.front();
    openOut_ += bytes;
    request.source += bytes;
    request.target += bytes;
    request.bytes -= bytes;
    if (request.bytes == 0) {
      requests_.pop_front();
    }
    if (openOut_ >= Staging::kPieceBytes) {
      TUTTI_TRY(closeOut());
    }
  }
  return {};
}

Status Stream::closeOut() {
  if (open_.landings.empty()) {
    return {};
  }
  TUTTI_ASSIGN(open_.done, mark());
  batchesOut_.push_back(std::exchange(open_, {}));
  openOut_ = 0;
  return {};
}

/// Empties the oldest batch. False if there is none, or it is under way and `blocks` is not set.
Result<bool> Stream::collectOut(bool blocks) {
  if (batchesOut_.empty()) {
    return false;
  }
  const Batch &oldest = batchesOut_.front();
  if (blocks) {
    TUTTI_TRY(await(context_, oldest.done));
  } else if (const CUresult result = context_.cuda().cuEventQuery(oldest.done)) {
    if (result == kNotReady) {
      return false;
    }
    return context_.failed(result, "poll a copy");
  }
  for (const Landing &landing : oldest.landings) {
    copier_.copy(landing.target, landing.staged, landing.bytes);
    landed_ += landing.isLast ? 1 : 0;
  }
  out_.giveBack(oldest.end);
  recycle(oldest.done);
  batchesOut_.pop_front();
  return true;
}

Status Stream::progress() {
  TUTTI_TRY(advance());
  // Somebody waits for the last piece.
  return isSettled() ? closeOut() : Status();
}

/// Empties what has arrived, and gives the device as much as there is room for.
Status Stream::advance() {
  // No more than is there now: pieces given below may arrive as fast as they are emptied.
  for (std::size_t count = batchesOut_.size(); count > 0; --count) {
    bool isEmptied = false;
    TUTTI_ASSIGN(isEmptied, collectOut(false));
    if (!isEmptied) {
      break;
    }
  }
  return issueOut();
}

Status Stream::settleSlowly() {
  TUTTI_TRY(issueOut());
  while (!isSettled()) {
    bool isEmptied = false;
    TUTTI_ASSIGN(isEmptied, collectOut(true));
    TUTTI_TRY(issueOut());
  }
  return {};
}

Status Stream::finish() {
  TUTTI_TRY(settle());
  TUTTI_TRY(closeOut());
  TUTTI_TRY(launcher_.drain());
  if (const CUresult result = context_.cuda().cuStreamSynchronize(handle_)) {
    return context_.failed(result, "finish");
  }
  TUTTI_TRY(land(given_));
  while (!dependences().empty()) {
    const Landings first = dependences_.front();
    TUTTI_TRY(first.stream->land(first.count));
  }
  return {};
}

Status Stream::land(std::uint64_t count) {
  TUTTI_TRY(context_.enter());
  TUTTI_TRY(settle());
  TUTTI_TRY(closeOut());
  while (landed_ < count) {
    bool isEmptied = false;
    TUTTI_ASSIGN(isEmptied, collectOut(true));
    TUTTI_CHECK(isEmptied, "copies out are given to the device and have events");
  }
  return {};
}

const std::vector<Landings> &Stream::dependences() {
  if (!dependences_.empty()) {
    std::erase_if(dependences_, [](const Landings &landings) {
      return landings.stream->landed() >= landings.count;
    });
  }
  return dependences_;
}

} // namespace tutti::device::cuda
