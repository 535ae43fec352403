// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels that the program brings, as its own runtime library (cudart) knows them.
///
/// That library has registered the program's device code, and loads it into our context, which is
/// the device's primary one: so kernels see the same `__device__` and `__constant__` variables
/// whether a task runs them or the program.
#pragma once

#include "abi/tasks.h"
#include "base/result.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/kernel.h"

#include <map>
#include <memory>
#include <string>

namespace tutti::device::cuda {

/// Threading: externally synchronised.
/// Ownership: the context outlives it.
class NativeKernels {
public:
  explicit NativeKernels(Context &context) : context_(context) {}

  NativeKernels(const NativeKernels &) = delete;
  NativeKernels &operator=(const NativeKernels &) = delete;

  /// Errors: NotSupported  the program has no runtime library; WrongImage  it has no such kernel,
  ///         or none for this device; OutOfMemory, DeviceLost.
  /// Cost:   a look-up, but for the first call.
  /// Source: cudaGetFuncBySymbol.
  Result<Kernel *> find(const tutti_task_kernel &kernel);

private:
  Result<std::unique_ptr<CudaKernel>> make(const tutti_task_kernel &kernel);
  Error refused(int result, const std::string &name);

  Context &context_;
  std::map<const tutti_task_kernel *, std::unique_ptr<CudaKernel>> kernels_;
};

} // namespace tutti::device::cuda
