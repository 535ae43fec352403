// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/kernel.h"

#include "runtime/device/opencl/status.h"

#include <algorithm>

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

Result<OpenclKernel *> Kernels::load(const tutti_kernel &kernel) {
  if (const auto known = kernels_.find(&kernel); known != kernels_.end()) {
    return known->second.get();
  }
  const auto program = build(kernel.text);
  if (!program) {
    return program.error();
  }
  auto made = make(*program, kernel.name);
  if (!made) {
    return std::move(made).error();
  }
  return kernels_.emplace(&kernel, std::move(*made)).first->second.get();
}

Result<Program> Kernels::build(const char *text) {
  if (const auto known = programs_.find(text); known != programs_.end()) {
    return known->second.get();
  }
  Int code = kSuccess;
  Owned<Program> program(library_.createProgramWithSource(context_, 1, &text, nullptr, &code),
                         library_.releaseProgram);
  TUTTI_TRY(statusOf(code, "clCreateProgramWithSource"));
  code = library_.buildProgram(program.get(), 1, &device_, options_.c_str(), nullptr, nullptr);
  if (code == kOutOfHostMemory || code == kDeviceNotAvailable || code == kIllegalAccess) {
    return statusOf(code, "clBuildProgram").error();
  }
  if (code != kSuccess) {
    return nativeFailure(ErrorCode::WrongImage, code, "clBuildProgram: {}: {}", nameOf(code),
                         buildLog(program.get()));
  }
  const Program built = program.get();
  programs_.emplace(text, std::move(program));
  return built;
}

std::string Kernels::buildLog(Program program) const {
  Size size = 0;
  library_.getProgramBuildInfo(program, device_, kProgramBuildLog, 0, nullptr, &size);
  std::string log(size, '\0');
  if (library_.getProgramBuildInfo(program, device_, kProgramBuildLog, size, log.data(), nullptr) !=
      kSuccess) {
    return "no log";
  }
  return oneLine(std::move(log));
}

Result<std::unique_ptr<OpenclKernel>> Kernels::make(Program program, const char *name) const {
  Int code = kSuccess;
  Owned<NativeKernel> native(library_.createKernel(program, name, &code), library_.releaseKernel);
  if (code == kInvalidKernelName) {
    return nativeFailure(ErrorCode::WrongImage, code, "clCreateKernel: {}: {}", name, nameOf(code));
  }
  TUTTI_TRY(statusOf(code, "clCreateKernel"));
  auto kernel = std::make_unique<OpenclKernel>(name, std::move(native));
  TUTTI_TRY(kernel->inspect(library_, device_));
  return kernel;
}

Status OpenclKernel::inspect(const Library &library, DeviceId device) {
  Size group = 0;
  TUTTI_TRY(statusOf(library.getKernelWorkGroupInfo(native_.get(), device, kKernelGroupSize,
                                                    sizeof group, &group, nullptr),
                     "clGetKernelWorkGroupInfo"));
  maxGroup_ = static_cast<std::uint32_t>(group);
  TUTTI_TRY(statusOf(library.getKernelWorkGroupInfo(native_.get(), device, kKernelLocalMemory,
                                                    sizeof localBytes_, &localBytes_, nullptr),
                     "clGetKernelWorkGroupInfo"));
  return statusOf(library.getKernelInfo(native_.get(), kKernelArguments, sizeof parameters_,
                                        &parameters_, nullptr),
                  "clGetKernelInfo");
}

} // namespace tutti::device::opencl
