// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/builder.h"

#include "runtime/device/opencl/status.h"

#include <algorithm>
#include <vector>

namespace tutti::device::opencl {

namespace {

constexpr std::size_t kLongestLog = 2000;

/// A log as the rest of one line.
std::string oneLine(std::string log) {
  std::erase(log, '\0');
  log.erase(log.find_last_not_of(" \t\r\n") + 1);
  if (log.size() > kLongestLog) {
    log.resize(kLongestLog);
    log += " ...";
  }
  std::ranges::replace(log, '\n', ' ');
  return log;
}

} // namespace

Result<Owned<Program>> Builder::build(std::span<const char *const> texts,
                                      const std::string &options) const {
  std::vector<const char *> all(texts.begin(), texts.end());
  Int code = kSuccess;
  Owned<Program> program(library_.createProgramWithSource(context_, static_cast<Uint>(all.size()),
                                                          all.data(), nullptr, &code),
                         library_.releaseProgram);
  TUTTI_TRY(statusOf(code, "clCreateProgramWithSource"));
  code = library_.buildProgram(program.get(), 1, &device_, (options_ + options).c_str(), nullptr,
                               nullptr);
  if (code == kOutOfHostMemory || code == kDeviceNotAvailable || code == kIllegalAccess) {
    return statusOf(code, "clBuildProgram").error();
  }
  if (code != kSuccess) {
    return nativeFailure(ErrorCode::WrongImage, code, "clBuildProgram: {}: {}", nameOf(code),
                         logOf(program.get()));
  }
  return program;
}

std::string Builder::logOf(Program program) const {
  Size size = 0;
  library_.getProgramBuildInfo(program, device_, kProgramBuildLog, 0, nullptr, &size);
  std::string log(size, '\0');
  if (library_.getProgramBuildInfo(program, device_, kProgramBuildLog, size, log.data(), nullptr) !=
      kSuccess) {
    return "no log";
  }
  return oneLine(std::move(log));
}

} // namespace tutti::device::opencl
