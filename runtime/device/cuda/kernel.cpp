// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/kernel.h"

#include "abi/abi.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tutti::device::cuda {

namespace {

constexpr std::size_t kLogBytes = 8192;

/// What a kernel may use without asking, on every device.
constexpr std::uint64_t kUsualShared = 48 << 10;

/// A log of many lines as one.
std::string oneLine(std::string_view log) {
  std::string result;
  for (const char letter : log) {
    const bool isBreak = letter == '\n' || letter == '\r';
    if (!isBreak) {
      result += letter;
    } else if (!result.empty() && !result.ends_with("; ")) {
      result += "; ";
    }
  }
  return result.substr(0, result.find_last_not_of("; ") + 1);
}

/// "6.0" of ".version 6.0", or nothing.
std::string_view versionOf(std::string_view text) {
  constexpr std::string_view kDirective = ".version ";
  const std::size_t at = text.find(kDirective);
  if (at == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(at + kDirective.size());
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

/// `text` with kernels that wait, where it says they may begin, for the one before to end; empty if
/// it does not say so.
std::string waitingText(std::string_view text) {
  constexpr std::string_view kHeader = ".version 6.3\n.target sm_70";
  constexpr std::string_view kWaitingHeader = ".version 7.8\n.target sm_90";
  constexpr std::string_view kWait = "griddepcontrol.wait;";
  constexpr std::string_view kBegin = TUTTI_KERNEL_BEGIN;
  const std::size_t header = text.find(kHeader);
  if (header == std::string_view::npos || text.find(kBegin) == std::string_view::npos) {
    return {};
  }
  std::string waiting(text);
  waiting.replace(header, kHeader.size(), kWaitingHeader);
  for (std::size_t at = 0; (at = waiting.find(kBegin, at)) != std::string::npos;) {
    waiting.replace(at, kBegin.size(), kWait);
  }
  return waiting;
}

Error notReady(Context &context, CUresult result, std::string_view name) {
  Error error = context.failed(result, "load kernel {}", name);
  if (!context.fault()) {
    error.code = ErrorCode::WrongImage;
  }
  return error;
}

} // namespace

Result<std::unique_ptr<CudaKernel>> CudaKernel::make(Context &context, CUmodule module,
                                                     const char *name, bool waits) {
  std::unique_ptr<CudaKernel> kernel(new CudaKernel);
  kernel->name_ = name;
  kernel->waits_ = waits;
  if (const CUresult result =
          context.cuda().cuModuleGetFunction(&kernel->function_, module, name)) {
    return notReady(context, result, name);
  }
  TUTTI_TRY(kernel->inspect(context));
  return kernel;
}

Result<std::unique_ptr<CudaKernel>> CudaKernel::of(Context &context, CUfunction function,
                                                   std::string name) {
  std::unique_ptr<CudaKernel> kernel(new CudaKernel);
  kernel->name_ = std::move(name);
  kernel->function_ = function;
  TUTTI_TRY(kernel->inspect(context));
  kernel->readParameters(context.cuda());
  return kernel;
}

Status CudaKernel::inspect(Context &context) {
  const Library &cuda = context.cuda();
  int maxGroup = 0;
  int staticShared = 0;
  CUresult result = cuda.cuFuncGetAttribute(&maxGroup, kFunctionMaxThreads, function_);
  if (result == kSuccess) {
    result = cuda.cuFuncGetAttribute(&staticShared, kFunctionSharedBytes, function_);
  }
  if (result != kSuccess) {
    return notReady(context, result, name_);
  }
  maxGroup_ = static_cast<std::uint32_t>(maxGroup);
  staticShared_ = static_cast<std::uint64_t>(staticShared);
  allowedShared_ = staticShared_ < kUsualShared ? kUsualShared - staticShared_ : 0;
  return {};
}

/// Which code the driver has taken is not known: what all of them write.
RangeSet CudaKernel::surelyWritten(const NativeLaunch &launch) const {
  RangeSet written;
  for (std::size_t i = 0; i < listings_.size(); ++i) {
    const RangeSet own = listings_[i]->surelyWritten(launch);
    written = i == 0 ? own : written.intersect(own);
  }
  return written;
}

void CudaKernel::readParameters(const Library &cuda) {
  if (!cuda.cuFuncGetParamInfo) {
    return;
  }
  std::vector<std::size_t> all;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  CUresult result = kSuccess;
  while ((result = cuda.cuFuncGetParamInfo(function_, all.size(), &offset, &bytes)) == kSuccess) {
    all.push_back(bytes);
  }
  if (result == kInvalidValue) { // There is no such parameter: that was the last one.
    parameterBytes_ = std::move(all);
  }
}

Status CudaKernel::allowShared(Context &context, std::uint64_t bytes) {
  if (bytes <= allowedShared_) {
    return {};
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30; // Fits an int; no device has as much.
  const CUresult result = context.cuda().cuFuncSetAttribute(
      function_, kFunctionMaxDynamicShared, static_cast<int>(std::min(bytes, kMost)));
  if (result != kSuccess) {
    return context.failed(result, "give kernel {} {} bytes of shared memory", name_, bytes);
  }
  allowedShared_ = bytes;
  return {};
}

Kernels::~Kernels() {
  context_.enter().ignore("a lost device keeps no modules");
  for (const auto &[text, module] : modules_) {
    context_.cuda().cuModuleUnload(module.handle);
  }
}

Result<Kernel *> Kernels::load(const tutti_kernel &kernel) {
  if (kernel.format != TUTTI_KERNEL_PTX) {
    return failure(ErrorCode::NotSupported, "{}: kernel {} is not PTX", context_.label(),
                   kernel.name);
  }
  Module *module = nullptr;
  TUTTI_ASSIGN(module, moduleOf(kernel.text));
  const std::string_view name = kernel.name;
  if (const auto known = module->kernels.find(name); known != module->kernels.end()) {
    return known->second.get();
  }
  TUTTI_TRY(context_.enter());
  std::unique_ptr<CudaKernel> made;
  TUTTI_ASSIGN(made, CudaKernel::make(context_, module->handle, kernel.name, module->waits));
  return module->kernels.emplace(name, std::move(made)).first->second.get();
}

Result<Kernels::Module *> Kernels::moduleOf(const char *text) {
  if (const auto known = modules_.find(text); known != modules_.end()) {
    return &known->second;
  }
  TUTTI_TRY(context_.enter());
  Module module;
  module.log = std::make_unique<char[]>(kLogBytes);
  const std::string waiting = mayOverlap() ? waitingText(text) : std::string();
  module.waits = !waiting.empty();
  CUresult result = tryLoad(module, module.waits ? waiting.c_str() : text);
  if (module.waits && result == kUnsupportedPtxVersion) {
    module.waits = false;
    result = tryLoad(module, text);
  }
  if (result != kSuccess) {
    return refused(result, text, module.log.get());
  }
  return &modules_.emplace(text, std::move(module)).first->second;
}

CUresult Kernels::tryLoad(Module &module, const char *text) const {
  std::array<CUjitOption, 2> options = {kJitErrorLog, kJitErrorLogBytes};
  std::array<void *, 2> values = {module.log.get(), reinterpret_cast<void *>(kLogBytes - 1)};
  return context_.cuda().cuModuleLoadDataEx(&module.handle, text, options.size(), options.data(),
                                            values.data());
}

/// Whether the device can begin with a kernel before the one before it has ended.
bool Kernels::mayOverlap() const {
  constexpr int kHopper = 9;
  int major = 0;
  const CUresult result =
      context_.cuda().cuDeviceGetAttribute(&major, kCapabilityMajor, context_.device());
  return result == kSuccess && major >= kHopper && context_.cuda().cuLaunchKernelEx;
}

Error Kernels::refused(CUresult result, const char *text, const char *log) {
  const std::string words = oneLine(log);
  Error error = context_.failed(result, "load PTX {}{}{}", versionOf(text),
                                words.empty() ? "" : "; the driver says: ", words);
  if (context_.fault() || result == kOutOfMemory) {
    return error;
  }
  const bool isTooOld = result == kUnsupportedPtxVersion || result == kJitCompilerNotFound;
  error.code = isTooOld ? ErrorCode::DriverMissing : ErrorCode::WrongImage;
  return error;
}

} // namespace tutti::device::cuda
