// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/kernel.h"

#include "runtime/device/opencl/status.h"

namespace tutti::device::opencl {

namespace {

/// A region's text has some thousands: a batch should not hold many that nobody will want.
constexpr std::size_t kBytesOfBatch = 64 << 10;

} // namespace

void Kernels::expect(const tutti_kernel &kernel) {
  const std::string_view text = kernel.text;
  if (text.empty() || programs_.contains(kernel.text)) {
    return;
  }
  if (const auto known = batchOf_.find(kernel.text); known != batchOf_.end()) {
    batches_[known->second].names.insert(kernel.name);
    return;
  }
  if (batches_.empty() || batches_.back().bytes + text.size() > kBytesOfBatch ||
      batches_.back().names.contains(kernel.name)) {
    batches_.emplace_back();
  }
  Batch &batch = batches_.back();
  batch.texts.push_back(kernel.text);
  batch.names.insert(kernel.name);
  batch.bytes += text.size();
  batchOf_.emplace(kernel.text, batches_.size() - 1);
}

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
    return known->second;
  }
  if (const Batch batch = takeBatchOf(text); batch.texts.size() > 1) {
    Result<Program> together = build(batch.texts);
    if (together || together.error().code != ErrorCode::WrongImage) {
      return together;
    }
  }
  return build(std::vector{text});
}

Result<Program> Kernels::build(const std::vector<const char *> &texts) {
  Owned<Program> program;
  TUTTI_ASSIGN(program, builder_.build(texts));
  for (const char *text : texts) {
    programs_.emplace(text, program.get());
  }
  return owned_.emplace_back(std::move(program)).get();
}

/// Whose texts are in no batch any more. Empty if nobody has told of the text, or it was built.
Kernels::Batch Kernels::takeBatchOf(const char *text) {
  const auto found = batchOf_.find(text);
  if (found == batchOf_.end()) {
    return {};
  }
  Batch batch = std::move(batches_[found->second]);
  for (const char *each : batch.texts) {
    batchOf_.erase(each);
  }
  return batch;
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
