// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/mpi/mpi.h"

#include "runtime/transport/mpi/library.h"

#include <dlfcn.h>
#include <string>
#include <unistd.h>

namespace tutti::transport::mpi {

namespace {

/// The transport's library in the folder of the library or program that this code is part of.
std::string besideThisCode() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void *>(&besideThisCode), &info) == 0 || !info.dli_fname) {
    return {};
  }
  const std::string self = info.dli_fname;
  const auto slash = self.rfind('/');
  return slash == std::string::npos ? std::string() : self.substr(0, slash + 1) + kLibrary;
}

/// RTLD_GLOBAL because plugins of some MPI libraries expect to find the library's symbols.
void *load(const std::string &path) { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL); }

Error missing() {
  const char *reason = ::dlerror();
  return failure(ErrorCode::DriverMissing, "cannot load the MPI transport: {}",
                 reason ? reason : "unknown reason");
}

} // namespace

Result<std::unique_ptr<Endpoint>> open(const std::string &library) {
  void *handle = nullptr;
  if (!library.empty()) {
    handle = load(library);
  } else {
    const std::string beside = besideThisCode();
    // A library that is there but does not load must not be replaced by another one silently.
    const bool there = !beside.empty() && ::access(beside.c_str(), F_OK) == 0;
    handle = load(there ? beside : kLibrary);
  }
  if (!handle) {
    return missing();
  }
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, kEntry));
  if (!entry) {
    return missing();
  }
  Opened result = failure(ErrorCode::TransportFailed, "the MPI transport did not answer");
  entry(&result);
  return result;
}

} // namespace tutti::transport::mpi
