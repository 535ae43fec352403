// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/copy_lanes.h"

#include <algorithm>
#include <utility>

namespace tutti::exec {

Status Underway::poll() {
  while (!operations_.empty()) {
    const Result<bool> isDone = operations_.front().event->hasCompleted();
    TUTTI_TRY(isDone);
    if (!*isDone) {
      break;
    }
    operations_.pop_front();
  }
  return {};
}

bool Underway::touches(const RangeSet &bytes) const {
  return std::any_of(operations_.begin(), operations_.end(),
                     [&](const Operation &operation) { return operation.bytes.overlaps(bytes); });
}

Status Underway::order(const RangeSet &bytes, device::Queue &later) const {
  const auto last =
      std::find_if(operations_.rbegin(), operations_.rend(),
                   [&](const Operation &operation) { return operation.bytes.overlaps(bytes); });
  return last == operations_.rend() ? Status() : later.wait(*last->event);
}

Status Underway::order(device::Queue &later) const {
  return operations_.empty() ? Status() : later.wait(*operations_.back().event);
}

Result<std::unique_ptr<CopyLanes>> CopyLanes::make(device::Device &device, device::Queue &main,
                                                   const memory::Window &window,
                                                   LockedMemory &locked) {
  std::unique_ptr<CopyLanes> lanes(new CopyLanes(main, window, locked));
  TUTTI_ASSIGN(lanes->in_, device.makeQueue());
  TUTTI_ASSIGN(lanes->out_, device.makeQueue());
  return lanes;
}

Status CopyLanes::orderAfterMain() {
  std::unique_ptr<device::Event> event;
  TUTTI_ASSIGN(event, main_.record());
  return in_->wait(*event);
}

Status CopyLanes::copyIn(const RangeSet &bytes) {
  TUTTI_TRY(poll());
  TUTTI_TRY(kernels_.order(bytes, *in_));
  TUTTI_TRY(copiesOut_.order(bytes, *in_));
  TUTTI_TRY(locked_.forPieces(bytes, [this](Range run, bool isLocked) {
    return isLocked ? in_->copyInLocked(bytesOf(run), run.begin)
                    : in_->copyIn(bytesOf(run), run.begin);
  }));
  std::unique_ptr<device::Event> event;
  TUTTI_ASSIGN(event, in_->record());
  copiesIn_.add(bytes, std::move(event));
  isJoined_ = false;
  return {};
}

Status CopyLanes::copyOut(const RangeSet &bytes) {
  TUTTI_TRY(kernels_.order(bytes, *out_));
  TUTTI_TRY(copiesIn_.order(bytes, *out_));
  TUTTI_TRY(locked_.forPieces(bytes, [this](Range run, bool isLocked) {
    return isLocked ? out_->copyOutLocked(run.begin, bytesOf(run))
                    : out_->copyOut(run.begin, bytesOf(run));
  }));
  std::unique_ptr<device::Event> event;
  TUTTI_ASSIGN(event, out_->record());
  copiesOut_.add(bytes, std::move(event));
  atHome_ = atHome_.unite(bytes);
  isJoined_ = false;
  return {};
}

Status CopyLanes::beforeKernel(const RangeSet &touched, const RangeSet &written) {
  TUTTI_TRY(copiesIn_.order(touched, main_));
  TUTTI_TRY(copiesOut_.order(written, main_));
  changed(written);
  return {};
}

Status CopyLanes::afterKernel(const RangeSet &touched) {
  std::unique_ptr<device::Event> event;
  TUTTI_ASSIGN(event, main_.record());
  kernels_.add(touched, std::move(event));
  return {};
}

Status CopyLanes::join() {
  if (isJoined_) {
    return {};
  }
  TUTTI_TRY(copiesIn_.order(main_));
  TUTTI_TRY(copiesOut_.order(main_));
  isJoined_ = true;
  return {};
}

void CopyLanes::changed(const RangeSet &bytes) {
  if (atHome_.overlaps(bytes)) {
    atHome_ = atHome_.subtract(bytes);
  }
}

Result<bool> CopyLanes::isReading() {
  TUTTI_TRY(copiesIn_.poll());
  return !copiesIn_.isEmpty();
}

Result<bool> CopyLanes::isWriting() {
  TUTTI_TRY(copiesOut_.poll());
  return !copiesOut_.isEmpty();
}

Result<bool> CopyLanes::isCopying(const RangeSet &bytes) {
  TUTTI_TRY(poll());
  return copiesIn_.touches(bytes) || copiesOut_.touches(bytes);
}

Result<bool> CopyLanes::isIdle() {
  TUTTI_TRY(poll());
  return copiesIn_.isEmpty() && copiesOut_.isEmpty() && kernels_.isEmpty();
}

Result<bool> CopyLanes::isIdle(const RangeSet &bytes) {
  TUTTI_TRY(poll());
  return !copiesIn_.touches(bytes) && !copiesOut_.touches(bytes) && !kernels_.touches(bytes);
}

Status CopyLanes::finish() {
  TUTTI_TRY(in_->finish());
  TUTTI_TRY(out_->finish());
  return poll();
}

Status CopyLanes::poll() {
  TUTTI_TRY(copiesIn_.poll());
  TUTTI_TRY(kernels_.poll());
  return copiesOut_.poll();
}

} // namespace tutti::exec
