// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels that the program brings as texts, made ready for one device.
#pragma once

#include "abi/tasks.h"
#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/device/opencl/builder.h"
#include "runtime/device/opencl/kernel.h"
#include "runtime/device/opencl/library.h"
#include "runtime/device/opencl/wrapper.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tutti::device::opencl {

/// A kernel of the user's, run through its wrapper.
class UserKernel final : public Kernel {
public:
  UserKernel(Signature signature, std::unique_ptr<OpenclKernel> wrapper);

  std::uint32_t maxGroup() const override { return wrapper_->maxGroup(); }

  const std::string &name() const { return signature_.name; }

  const Signature &signature() const { return signature_; }

  NativeKernel native() const { return wrapper_->native(); }

  std::uint64_t localBytes() const { return wrapper_->localBytes(); }

  /// Parameters that point to local memory.
  std::size_t locals() const { return locals_; }

private:
  Signature signature_;
  std::unique_ptr<OpenclKernel> wrapper_;
  std::size_t locals_;
};

/// Threading: externally synchronised.
/// Ownership: the builder outlives it.
class UserKernels {
public:
  explicit UserKernels(const Builder &builder) : builder_(builder) {}

  UserKernels(const UserKernels &) = delete;
  UserKernels &operator=(const UserKernels &) = delete;

  /// Errors: WrongImage  a text does not build, with its log, or none or two have the kernel;
  ///         NotSupported  the kernel takes what no task can give, or declares local memory that
  ///         the driver does not see in a callee.
  /// Cost:   a look-up, but for the first call: builds the texts that have the kernel's name.
  Result<UserKernel *> find(const tutti_task_kernel &kernel);

private:
  /// A text of the program; nothing is built before it is needed.
  struct Text {
    const tutti_task_text *source = nullptr;
    Owned<Program> plain;
    std::vector<Signature> kernels;
    Owned<Program> wrapped;
    Owned<Program> renamed;
  };

  Result<Text *> textWith(const tutti_task_kernel &kernel);
  Result<Text *> built(const tutti_task_text &source);
  Status readKernels(Text &text) const;
  Result<Signature> signatureOf(NativeKernel kernel) const;
  Result<Parameter> parameterOf(NativeKernel kernel, Uint index) const;
  Result<std::unique_ptr<UserKernel>> make(Text &text, const std::string &name);
  Result<std::unique_ptr<OpenclKernel>> wrapper(Text &text, const Signature &kernel);
  Result<std::unique_ptr<OpenclKernel>> inspected(Program program, const std::string &name) const;

  const Builder &builder_;
  std::map<const char *, Text> texts_; ///< By what they say.
  std::map<const tutti_task_kernel *, std::unique_ptr<UserKernel>> kernels_;
};

} // namespace tutti::device::opencl
