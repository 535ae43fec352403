// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/library.h"

#include <dlfcn.h>

namespace tutti::device::opencl {

namespace {

constexpr const char *kLibrary = "libOpenCL.so.1";

Result<Library> resolve(void *handle) {
  Library library;
#define TUTTI_OPENCL(ours, theirs, ...)                                                            \
  library.ours = reinterpret_cast<Library::Type_##ours *>(::dlsym(handle, #theirs));               \
  if (!library.ours) {                                                                             \
    return failure(ErrorCode::DriverMissing, "{} has no {}: OpenCL 1.2 is needed", kLibrary,       \
                   #theirs);                                                                       \
  }
#include "runtime/device/opencl/functions.def"
#undef TUTTI_OPENCL
  return library;
}

} // namespace

Result<const Library *> openLibrary() {
  // Drivers keep threads and exit handlers, so the library is never unloaded and opened once.
  void *handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return nullptr;
  }
  static const Result<Library> library = resolve(handle);
  if (!library) {
    return library.error();
  }
  return &*library;
}

} // namespace tutti::device::opencl
