// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Device code of regions that unit tests write by hand, for mock devices.
#pragma once

#include "abi/abi.h"

#include <cstdint>

namespace tutti::exec {

/// One kernel over the iterations of a chunk, without reduction; mock::Machine has its function.
class FlatCode {
public:
  /// `name`: of the kernel; lives as long as this.
  explicit constexpr FlatCode(const char *name)
      : kernel_{TUTTI_KERNEL_OPENCL_C, 0, name, "text"}, mapping_{1, 0, 1, &kernel_, extents},
        code_{nullptr, 1, 0, &mapping_, nullptr, 0, 0, nullptr, nullptr, 0, nullptr} {}

  FlatCode(const FlatCode &) = delete;
  FlatCode &operator=(const FlatCode &) = delete;

  const tutti_device_code *get() const { return &code_; }

private:
  static std::int32_t extents(const std::uint64_t *, const std::uint64_t *, std::int64_t lower,
                              std::int64_t upper, std::int64_t, std::int64_t *extents) {
    extents[0] = upper - lower;
    return 1;
  }

  tutti_kernel kernel_;
  tutti_mapping mapping_;
  tutti_device_code code_;
};

} // namespace tutti::exec
