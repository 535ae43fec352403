// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/library.h"

#include <dlfcn.h>
#include <utility>

namespace tutti::device::cuda {

namespace {

/// The interfaces used here, and PTX 7.4; the compiler writes less.
constexpr int kOldestDriver = 11040;

Status resolve(void *handle, const std::string &file, Library &library) {
#define TUTTI_CUDA(name, ...)                                                                      \
  library.name = reinterpret_cast<Library::Type_##name *>(::dlsym(handle, #name));                 \
  if (!library.name) {                                                                             \
    return failure(ErrorCode::DriverMissing,                                                       \
                   "the NVIDIA driver is too old: {} has no {}; CUDA 11.4 (r470) or newer is "     \
                   "needed",                                                                       \
                   file, #name);                                                                   \
  }
#define TUTTI_CUDA_OPTIONAL(name, ...)                                                             \
  library.name = reinterpret_cast<Library::Type_##name *>(::dlsym(handle, #name));
#include "runtime/device/cuda/functions.def"
#undef TUTTI_CUDA
  return {};
}

Status checkVersion(const Library &cuda) {
  int version = 0;
  if (const CUresult result = cuda.cuDriverGetVersion(&version)) {
    return nativeFailure(ErrorCode::DriverMissing, result,
                         "the NVIDIA driver does not tell its version: {}", describe(cuda, result));
  }
  if (version < kOldestDriver) {
    return failure(ErrorCode::DriverMissing,
                   "the NVIDIA driver is too old: it is of CUDA {}.{}, {}.{} or newer is needed",
                   version / 1000, version % 1000 / 10, kOldestDriver / 1000,
                   kOldestDriver % 1000 / 10);
  }
  return {};
}

} // namespace

Result<std::shared_ptr<const Library>> openLibrary(const std::string &file) {
  // Never closed: the driver keeps threads and exit handlers.
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return std::shared_ptr<const Library>();
  }
  auto library = std::make_shared<Library>();
  TUTTI_TRY(resolve(handle, file, *library));
  TUTTI_TRY(checkVersion(*library));
  const CUresult result = library->cuInit(0);
  if (result == kNoDevice || result == kStubLibrary) {
    return std::shared_ptr<const Library>();
  }
  if (result != kSuccess) {
    return nativeFailure(ErrorCode::DriverMissing, result, "the NVIDIA driver does not start: {}",
                         describe(*library, result));
  }
  return std::shared_ptr<const Library>(std::move(library));
}

std::string describe(const Library &cuda, CUresult result) {
  const char *name = nullptr;
  const char *text = nullptr;
  if (cuda.cuGetErrorName(result, &name) != kSuccess || !name) {
    return fmt::format("CUDA error {}", result);
  }
  if (cuda.cuGetErrorString(result, &text) != kSuccess || !text) {
    return name;
  }
  return fmt::format("{}: {}", name, text);
}

} // namespace tutti::device::cuda
