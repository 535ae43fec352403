// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Texts of kernels made ready for one device, each once.
#pragma once

#include "abi/abi.h"
#include "base/result.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/listing.h"
#include "runtime/device/device.h"
#include "runtime/device/native.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::device::cuda {

/// Ownership: `Kernels`', as is the module behind it.
class CudaKernel final : public Kernel, public KnownCode {
public:
  /// `waits`: it touches no memory before the kernel in front of it in its stream has ended.
  ///
  /// Errors: WrongImage  the driver does not find or cannot finish the function.
  static Result<std::unique_ptr<CudaKernel>> make(Context &context, CUmodule module,
                                                  const char *name, bool waits);

  /// Of a function that is ready.
  ///
  /// Errors: WrongImage  the driver cannot finish it.
  static Result<std::unique_ptr<CudaKernel>> of(Context &context, CUfunction function,
                                                std::string name);

  std::uint32_t maxGroup() const override { return maxGroup_; }

  RangeSet surelyWritten(const NativeLaunch &launch) const override;

  /// What is known of its code; several, if it was compiled for several devices.
  void describe(std::vector<std::unique_ptr<const Listing>> listings) {
    listings_ = std::move(listings);
  }

  CUfunction function() const { return function_; }

  const std::string &name() const { return name_; }

  bool waits() const { return waits_; }

  /// Shared memory that a group has anyway.
  std::uint64_t staticShared() const { return staticShared_; }

  /// Of each parameter of a function that was ready; nothing if the driver does not tell.
  const std::optional<std::vector<std::size_t>> &parameterBytes() const { return parameterBytes_; }

  /// Makes sure that a group may have so much dynamic shared memory.
  ///
  /// Errors: InvalidArgument  it is more than the device has.
  /// Cost:   a comparison, but for the first launch that needs more than 48 KiB.
  Status allowShared(Context &context, std::uint64_t bytes);

private:
  CudaKernel() = default;

  Status inspect(Context &context);
  void readParameters(const Library &cuda);

  std::string name_;
  CUfunction function_ = nullptr;
  std::uint32_t maxGroup_ = 0;
  std::uint64_t staticShared_ = 0;
  std::uint64_t allowedShared_ = 0;
  std::optional<std::vector<std::size_t>> parameterBytes_;
  std::vector<std::unique_ptr<const Listing>> listings_;
  bool waits_ = false;
};

/// Threading: externally synchronised.
/// Ownership: the context outlives it.
class Kernels {
public:
  explicit Kernels(Context &context) : context_(context) {}

  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;
  ~Kernels();

  /// Errors: WrongImage  with the words of the driver's compiler; DriverMissing  the driver is
  /// older
  ///         than the text's version; NotSupported  it is not PTX.
  /// Source: cuModuleLoadDataEx, cuModuleGetFunction.
  Result<Kernel *> load(const tutti_kernel &kernel);

private:
  struct Module {
    CUmodule handle = nullptr;
    /// The driver finishes functions when they are first used, and may write its log then.
    std::unique_ptr<char[]> log;
    bool waits = false; ///< Its kernels do, each for the one before it.
    std::map<std::string, std::unique_ptr<CudaKernel>, std::less<>> kernels; ///< By name.
  };

  Result<Module *> moduleOf(const char *text);
  CUresult tryLoad(Module &module, const char *text) const;
  bool mayOverlap() const;
  Error refused(CUresult result, const char *text, const char *log);

  Context &context_;
  std::map<const char *, Module> modules_; ///< By text, which is alive as long as the program.
};

} // namespace tutti::device::cuda
