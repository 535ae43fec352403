// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels of the program's own on mock devices: functions of the host, as run.h says.
#pragma once

#include "runtime/device/device.h"
#include "runtime/device/mock/run.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tutti::device::mock {

class MockNative final : public Kernel {
public:
  MockNative(const tutti_task_kernel &kernel, std::uint32_t maxGroup);

  std::uint32_t maxGroup() const override { return maxGroup_; }

  const std::string &name() const { return name_; }

  tutti_mock_kernel function() const { return function_; }

private:
  std::string name_;
  std::uint32_t maxGroup_;
  tutti_mock_kernel function_;
};

/// A launch with copies of its arguments.
class NativeCall {
public:
  explicit NativeCall(const NativeLaunch &launch);

  /// Calls the function; `at` gives it the device's memory, or throws.
  void run(const std::function<std::byte *(std::uint64_t address)> &at) const;

private:
  struct alignas(std::max_align_t) Word {
    std::array<std::byte, alignof(std::max_align_t)> bytes;
  };

  tutti_mock_kernel function_;
  Grid grid_;
  std::uint64_t localBytes_;
  std::vector<std::vector<Word>> arguments_; ///< In words, so that any type is aligned.
};

} // namespace tutti::device::mock
