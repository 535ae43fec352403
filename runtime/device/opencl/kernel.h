// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels of one device, built from OpenCL C.
#pragma once

#include "abi/abi.h"
#include "base/result.h"
#include "runtime/device/device.h"
#include "runtime/device/opencl/builder.h"
#include "runtime/device/opencl/library.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::device::opencl {

class OpenclKernel final : public Kernel {
public:
  OpenclKernel(std::string name, Owned<NativeKernel> native)
      : name_(std::move(name)), native_(std::move(native)) {}

  /// Asks for what there is to know of the kernel on `device`.
  Status inspect(const Library &library, DeviceId device);

  const std::string &name() const { return name_; }

  std::uint32_t maxGroup() const override { return maxGroup_; }

  NativeKernel native() const { return native_.get(); }

  /// Local memory that its text declares.
  std::uint64_t localBytes() const { return localBytes_; }

  Uint parameters() const { return parameters_; }

private:
  std::string name_;
  Owned<NativeKernel> native_;
  std::uint32_t maxGroup_ = 0;
  std::uint64_t localBytes_ = 0;
  Uint parameters_ = 0;
};

/// The kernels and programs of a device; a text is built once, together with texts next to it of
/// which kernels are expected: what a compiler does before it comes to a kernel takes longer than
/// the kernel. If they do not build as one, each is built by itself.
///
/// Threading: externally synchronised.
/// Ownership: the builder outlives it.
class Kernels {
public:
  explicit Kernels(const Builder &builder) : builder_(builder) {}

  /// Tells of a kernel that may be loaded, and which the device can run.
  void expect(const tutti_kernel &kernel);

  /// Errors: WrongImage  the text does not build, with its log, or has no such kernel.
  Result<OpenclKernel *> load(const tutti_kernel &kernel);

private:
  /// Texts that are built as one.
  struct Batch {
    std::vector<const char *> texts;
    std::set<std::string_view> names; ///< Of kernels, which must differ.
    std::size_t bytes = 0;
  };

  Result<Program> build(const char *text);
  Result<Program> build(const std::vector<const char *> &texts);
  Batch takeBatchOf(const char *text);
  Result<std::unique_ptr<OpenclKernel>> make(Program program, const char *name) const;

  const Builder &builder_;
  std::vector<Batch> batches_;
  std::map<const char *, std::size_t> batchOf_; ///< Of texts that were not built yet.
  std::vector<Owned<Program>> owned_;
  std::map<const char *, Program> programs_; ///< By text.
  std::map<const tutti_kernel *, std::unique_ptr<OpenclKernel>> kernels_;
};

} // namespace tutti::device::opencl
