// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/native.h"

#include "base/check.h"
#include "runtime/device/cuda/device.h"
#include "runtime/device/cuda/queue.h"
#include "runtime/device/native.h"

#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>

namespace tutti::device::cuda {

namespace {

/// cudaGetFuncBySymbol. Source: cuda_runtime_api.h; a cudaFunction_t is a CUfunction, and where the
/// driver fails the result is the driver's.
using FunctionOf = int(CUfunction *function, const void *symbol);

constexpr int kInsufficientDriver = 35;      ///< cudaErrorInsufficientDriver
constexpr int kInvalidDeviceFunction = 98;   ///< cudaErrorInvalidDeviceFunction
constexpr int kNoKernelImageForDevice = 209; ///< cudaErrorNoKernelImageForDevice

FunctionOf *functionOf(const tutti_task_kernel &kernel) {
  const void *known =
      kernel.functionOf ? kernel.functionOf : ::dlsym(RTLD_DEFAULT, "cudaGetFuncBySymbol");
  return reinterpret_cast<FunctionOf *>(reinterpret_cast<std::uintptr_t>(known));
}

/// "scale" of "_Z5scaleldPd", as its author calls it.
std::string readable(const char *name) {
  int status = 0;
  char *demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = demangled ? demangled : name;
  std::free(demangled);
  return result.substr(0, result.find('('));
}

std::vector<std::unique_ptr<const Listing>> listingsOf(const tutti_task_kernel &kernel) {
  std::vector<std::unique_ptr<const Listing>> listings;
  for (const tutti_task_text *text = kernel.texts; text != kernel.textsEnd; ++text) {
    if (auto listing = Listing::of(text->text, kernel.name)) {
      listings.push_back(std::move(listing));
    }
  }
  return listings;
}

} // namespace

Result<Kernel *> NativeKernels::find(const tutti_task_kernel &kernel) {
  if (const auto known = kernels_.find(&kernel); known != kernels_.end()) {
    return known->second.get();
  }
  TUTTI_TRY(context_.enter());
  std::unique_ptr<CudaKernel> made;
  TUTTI_ASSIGN(made, make(kernel));
  return kernels_.emplace(&kernel, std::move(made)).first->second.get();
}

Result<std::unique_ptr<CudaKernel>> NativeKernels::make(const tutti_task_kernel &kernel) {
  TUTTI_CHECK(kernel.name, "a task whose body is code of the host has no kernel");
  const std::string name = readable(kernel.name);
  const void *stub = kernel.stubs[0] ? kernel.stubs[0] : kernel.stubs[1];
  if (!stub) {
    return failure(ErrorCode::WrongImage,
                   "the program has no kernel {}: is the .cu file that defines it compiled and "
                   "linked, with the parameters that its declaration has?",
                   name);
  }
  FunctionOf *function = functionOf(kernel);
  if (!function) {
    return failure(ErrorCode::NotSupported,
                   "the program has no CUDA runtime library, which knows kernel {}: link it by "
                   "tutticc, or with -lcudart",
                   name);
  }
  CUfunction native = nullptr;
  if (const int result = function(&native, stub)) {
    return refused(result, name);
  }
  std::unique_ptr<CudaKernel> made;
  TUTTI_ASSIGN(made, CudaKernel::of(context_, native, name));
  made->describe(listingsOf(kernel));
  return made;
}

Error NativeKernels::refused(int result, const std::string &name) {
  int major = 0;
  int minor = 0;
  context_.cuda().cuDeviceGetAttribute(&major, kCapabilityMajor, context_.device());
  context_.cuda().cuDeviceGetAttribute(&minor, kCapabilityMinor, context_.device());
  switch (result) {
  case kNoKernelImageForDevice:
  case kInvalidDeviceFunction:
    return nativeFailure(ErrorCode::WrongImage, result,
                         "{}: the program has no code of kernel {} for this GPU: compile it with "
                         "-arch=sm_{}{}",
                         context_.label(), name, major, minor);
  case kInsufficientDriver:
    return nativeFailure(ErrorCode::WrongImage, result,
                         "{}: the driver is older than the CUDA runtime library of the program, "
                         "which knows kernel {}",
                         context_.label(), name);
  default:
    break;
  }
  Error error = context_.failed(result, "find kernel {}", name);
  if (!context_.fault() && result != kOutOfMemory) {
    error.code = ErrorCode::WrongImage;
  }
  return error;
}

/// Puts the addresses of all arguments, as the kernel is to see them, into `addresses_`.
Status CudaQueue::packNative(const NativeLaunch &launch, const CudaKernel &kernel) {
  const Mirror &mirror = device_.mirror();
  const std::size_t count = launch.arguments.size();
  if (kernel.parameterBytes()) {
    TUTTI_TRY(checkArgumentCount(launch, kernel.parameterBytes()->size(), kernel.name()));
  }
  parameters_.resize(count);
  addresses_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const NativeArgument &argument = launch.arguments[i];
    if (kernel.parameterBytes() && argument.bytes != (*kernel.parameterBytes())[i]) {
      return failure(ErrorCode::InvalidArgument,
                     "kernel {}: argument {} has {} bytes, the kernel's parameter {}",
                     kernel.name(), i + 1, argument.bytes, (*kernel.parameterBytes())[i]);
    }
    addresses_[i] = const_cast<void *>(argument.value);
    if (!argument.isTranslated) {
      continue;
    }
    std::uint64_t address = 0;
    TUTTI_ASSIGN(address, pointerOf(launch, i, kernel.name()));
    // The byte itself need not be there: what is touched may lie behind it.
    parameters_[i] = mirror.at(address);
    addresses_[i] = &parameters_[i];
  }
  return {};
}

Status CudaQueue::launchNative(const NativeLaunch &launch) {
  Context &context = device_.context();
  auto &kernel = static_cast<CudaKernel &>(*launch.kernel);
  const Grid &grid = launch.grid;
  TUTTI_TRY(checkNative(launch, {kernel.name(), context.label(), device_.info(), kernel.maxGroup(),
                                 kernel.staticShared()}));
  TUTTI_TRY(context.enter());
  TUTTI_TRY(settle());
  TUTTI_TRY(packNative(launch, kernel));
  TUTTI_TRY(kernel.allowShared(context, launch.localBytes));
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, stream_->handleForKernel());
  const CUresult result = context.cuda().cuLaunchKernel(
      kernel.function(), static_cast<unsigned>(grid.groups[0]),
      static_cast<unsigned>(grid.groups[1]), static_cast<unsigned>(grid.groups[2]), grid.group[0],
      grid.group[1], grid.group[2], static_cast<unsigned>(launch.localBytes), stream,
      addresses_.data(), nullptr);
  if (result != kSuccess) {
    return context.failed(result, "launch kernel {}", kernel.name());
  }
  return {};
}

Result<void *> CudaQueue::native() {
  Context &context = device_.context();
  device_.shareContexts();
  TUTTI_TRY(context.enter());
  TUTTI_TRY(settle());
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, stream_->handle());
  return static_cast<void *>(stream);
}

Result<std::uint64_t> CudaQueue::nativeAddress(Range bytes) {
  TUTTI_TRY(requireCommitted(bytes));
  return device_.mirror().at(bytes.begin);
}

std::int32_t CudaQueue::nativeDevice() const { return device_.context().device(); }

Status CudaQueue::prefetch(std::span<const std::byte> memory) {
  TUTTI_TRY(device_.context().enter());
  TUTTI_TRY(settle());
  CUstream stream = nullptr;
  TUTTI_ASSIGN(stream, stream_->handle());
  return device_.managed().prefetch(memory, stream);
}

} // namespace tutti::device::cuda
