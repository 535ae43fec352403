// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/operations.h"

#include "runtime/device/opencl/status.h"

namespace tutti::device::opencl {

namespace {

/// Done operations are forgotten now and then even if nobody asks.
constexpr std::size_t kPollEvery = 64;

} // namespace

Int statusOfEvent(const Library &library, NativeEvent event) {
  Int status = kComplete;
  const Int code =
      library.getEventInfo(event, kEventExecutionStatus, sizeof status, &status, nullptr);
  return code == kSuccess ? status : code;
}

void Operations::add(Owned<NativeEvent> event, std::string what) {
  add({std::move(event), std::move(what), nullptr});
}

void Operations::addKernel(Owned<NativeEvent> event, const std::string &name) {
  add({std::move(event), {}, &name}); // No text: most kernels do not fail.
}

void Operations::add(Operation operation) {
  ++last_;
  underWay_.push_back(std::move(operation));
  if (underWay_.size() % kPollEvery == 0) {
    poll();
  }
}

/// After the fault of a kernel some drivers let everything fail that nobody has looked at yet.
const Operations::Operation &Operations::culprit() const {
  for (const Operation &operation : underWay_) {
    if (operation.kernel && statusOfEvent(library_, operation.event.get()) < kComplete) {
      return operation;
    }
  }
  return underWay_.front();
}

void Operations::poll() {
  while (!underWay_.empty()) {
    const Operation &first = underWay_.front();
    const Int status = statusOfEvent(library_, first.event.get());
    if (status > kComplete) {
      return;
    }
    ++done_;
    if (status < kComplete && !failed_) {
      const Operation &failed = culprit();
      const std::string what = failed.kernel ? "kernel " + *failed.kernel : failed.what;
      failed_ = outcomeOf(status, what.c_str()).error();
      failedNumber_ = done_;
    }
    underWay_.pop_front();
  }
}

Status Operations::outcome(std::uint64_t number) const {
  if (failed_ && failedNumber_ <= number) {
    return *failed_;
  }
  return {};
}

} // namespace tutti::device::opencl
