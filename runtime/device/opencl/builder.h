// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs of one device, built from OpenCL C, and the words of its compiler.
#pragma once

#include "base/result.h"
#include "runtime/device/opencl/library.h"

#include <span>
#include <string>

namespace tutti::device::opencl {

/// Threading: immutable.
/// Ownership: library and context outlive it.
class Builder {
public:
  Builder(const Library &library, Context context, DeviceId device, std::string options)
      : library_(library), context_(context), device_(device), options_(std::move(options)) {}

  /// Texts that are one behind the other, with more `options` than those of all programs.
  ///
  /// Errors: WrongImage  the text does not build, with its log.
  Result<Owned<Program>> build(std::span<const char *const> texts,
                               const std::string &options = "") const;

  const Library &library() const { return library_; }

  DeviceId device() const { return device_; }

private:
  std::string logOf(Program program) const;

  const Library &library_;
  Context context_;
  DeviceId device_;
  std::string options_;
};

} // namespace tutti::device::opencl
