// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/kernel.h"

#include "runtime/device/opencl/status.h"

namespace tutti::device::opencl {

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
  Owned<Program> program;
  TUTTI_ASSIGN(program, builder_.build({&text, 1}));
  return programs_.emplace(text, std::move(program)).first->second.get();
}

Result<std::unique_ptr<OpenclKernel>> Kernels::make(Program program, const char *name) const {
  const Library &library = builder_.library();
  Int code = kSuccess;
  Owned<NativeKernel> native(library.createKernel(program, name, &code), library.releaseKernel);
  if (code == kInvalidKernelName) {
    return nativeFailure(ErrorCode::WrongImage, code, "clCreateKernel: {}: {}", name, nameOf(code));
  }
  TUTTI_TRY(statusOf(code, "clCreateKernel"));
  auto kernel = std::make_unique<OpenclKernel>(name, std::move(native));
  TUTTI_TRY(kernel->inspect(library, builder_.device()));
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
