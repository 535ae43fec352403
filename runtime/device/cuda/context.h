// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The primary context of one device: is made current before native calls, words their failures,
/// and remembers the one that ended it.
#pragma once

#include "base/result.h"
#include "runtime/device/cuda/library.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::device::cuda {

/// Threading: externally synchronised, with everything that is made of it: a device, its queues and
///            their events. Native calls may be made by any thread that has entered.
class Context {
public:
  /// `label` is how messages call the device: "GPU 0 (NVIDIA H100)".
  ///
  /// Errors: NotSupported, DeviceLost, OutOfMemory.
  /// Source: cuDevicePrimaryCtxRetain.
  static Result<std::unique_ptr<Context>> open(std::shared_ptr<const Library> library,
                                               CUdevice device, std::string label);

  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  const Library &cuda() const { return *library_; }

  CUdevice device() const { return device_; }

  const std::string &label() const { return label_; }

  /// Makes the context current for the calling thread; before native calls.
  ///
  /// Errors: DeviceLost  a kernel or the device has failed before; sticky.
  /// Cost:   comparisons if the thread has entered before; a native call if the context is shared.
  Status enter() {
    if (!fault_ && current == context_ && !isShared_.load(std::memory_order_relaxed)) [[likely]] {
      return {};
    }
    return enterSlowly();
  }

  /// Makes the context current for a thread that never makes another one current.
  ///
  /// Threading: any.
  /// Source: cuCtxSetCurrent.
  CUresult makeCurrent() const { return cuda().cuCtxSetCurrent(context_); }

  /// The same until `leaveAgain`, for a thread that may have entered another one.
  ///
  /// Threading: any.
  /// Source: cuCtxPushCurrent, cuCtxPopCurrent.
  CUresult enterFor() const { return cuda().cuCtxPushCurrent_v2(context_); }

  void leaveAgain() const {
    CUcontext left = nullptr;
    cuda().cuCtxPopCurrent_v2(&left);
  }

  /// From now on `enter` takes it that the program makes other contexts current on any thread.
  ///
  /// Threading: any thread that works for one of the driver's devices.
  void share() { isShared_.store(true, std::memory_order_relaxed); }

  /// Makes any context current, which is enough to ask for an event.
  ///
  /// Errors: as of `enter`.
  /// Source: CUDA C++ Programming Guide, "Stream and Event Behavior".
  Status enterAny() {
    if (!fault_ && current) [[likely]] {
      return {};
    }
    return enterSlowly();
  }

  /// The error of a native call: what was tried ("launch x"), where, and what the driver says.
  ///
  /// Errors: never a KernelFault: the call that meets it is not the one that caused it, so it is
  ///         remembered for `fault`, and this call's error is DeviceLost.
  template <typename... Args>
  Error failed(CUresult result, detail::FormatAt<std::type_identity_t<Args>...> format,
               Args &&...args) {
    return worded(result, fmt::format(format.format, std::forward<Args>(args)...), format.where);
  }

  /// What ended the context: KernelFault or DeviceLost.
  const std::optional<Error> &fault() const { return fault_; }

private:
  Context(std::shared_ptr<const Library> library, CUdevice device, std::string label)
      : library_(std::move(library)), device_(device), label_(std::move(label)) {}

  Status enterSlowly();
  Error worded(CUresult result, const std::string &what, std::source_location where);

  /// The context that this thread entered last.
  static thread_local CUcontext current;

  std::shared_ptr<const Library> library_;
  CUdevice device_;
  std::string label_;
  CUcontext context_ = nullptr;
  /// Pairs with nothing: whoever lets the program at the device sets it before.
  std::atomic<bool> isShared_ = false;
  std::optional<Error> fault_;
};

} // namespace tutti::device::cuda
