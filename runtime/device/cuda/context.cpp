// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/context.h"

namespace tutti::device::cuda {

namespace {

/// Results after which a context answers nothing else any more.
bool endsContext(CUresult result) {
  switch (result) {
  case kDeinitialized:
  case kDeviceUnavailable:
  case kEccUncorrectable:
  case kNvlinkUncorrectable:
  case kIllegalAddress:
  case kLaunchTimeout:
  case kContextDestroyed:
  case kAssert:
    return true;
  default:
    return result >= kHardwareStackError && result <= kLaunchFailed;
  }
}

ErrorCode codeOf(CUresult result) {
  switch (result) {
  case kInvalidValue:
  case kLaunchOutOfResources: // Too many registers or too much shared memory for this grid.
    return ErrorCode::InvalidArgument;
  case kOutOfMemory:
    return ErrorCode::OutOfMemory;
  case kNotPermitted:
  case kNotSupported:
    return ErrorCode::NotSupported;
  case kIllegalAddress:
  case kLaunchTimeout:
  case kAssert:
    return ErrorCode::KernelFault;
  default:
    return result >= kHardwareStackError && result <= kLaunchFailed ? ErrorCode::KernelFault
                                                                    : ErrorCode::DeviceLost;
  }
}

} // namespace

thread_local CUcontext Context::current = nullptr;

Result<std::unique_ptr<Context>> Context::open(std::shared_ptr<const Library> library,
                                               CUdevice device, std::string label) {
  std::unique_ptr<Context> context(new Context(std::move(library), device, std::move(label)));
  if (const CUresult result =
          context->cuda().cuDevicePrimaryCtxRetain(&context->context_, device)) {
    return context->failed(result, "open");
  }
  TUTTI_TRY(context->enter());
  return context;
}

Context::~Context() {
  if (!context_) {
    return;
  }
  // Another context may get the same address.
  if (current == context_) {
    current = nullptr;
    cuda().cuCtxSetCurrent(nullptr);
  }
  cuda().cuDevicePrimaryCtxRelease_v2(device_);
}

Status Context::enterSlowly() {
  if (fault_) {
    return Error{ErrorCode::DeviceLost, fmt::format("{} is lost: {}", label_, fault_->message),
                 fault_->native};
  }
  if (const CUresult result = cuda().cuCtxSetCurrent(context_)) {
    return failed(result, "use");
  }
  current = context_;
  return {};
}

Error Context::worded(CUresult result, const std::string &what, std::source_location where) {
  Error error{codeOf(result),
              fmt::format("{}: cannot {}: {}", label_, what, describe(cuda(), result)), result,
              where};
  if (endsContext(result) && !fault_) {
    fault_ = error;
    // The driver reports a fault at whatever is called next.
    fault_->message = fmt::format("{}: a kernel or the device failed: {} (met at: {})", label_,
                                  describe(cuda(), result), what);
  }
  if (error.code == ErrorCode::KernelFault) {
    error.code = ErrorCode::DeviceLost;
  }
  return error;
}

} // namespace tutti::device::cuda
