// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/result.h"

#include <array>

namespace tutti {

std::string_view name(ErrorCode code) {
  static constexpr std::array<std::string_view, 13> kNames = {
      "InvalidArgument", "InvalidShape", "SizeMismatch", "OutOfMemory",     "NotSupported",
      "DriverMissing",   "WrongImage",   "SystemFailed", "TransportFailed", "PeerLost",
      "DeviceLost",      "KernelFault",  "NoRoute",
  };
  static_assert(kNames.size() == static_cast<std::size_t>(ErrorCode::NoRoute) + 1);
  return kNames.at(static_cast<std::size_t>(code));
}

std::string Error::text() const {
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) {
    file.remove_prefix(slash + 1);
  }
  if (native == 0) {
    return fmt::format("{} ({}, {}:{})", message, name(code), file, where.line());
  }
  return fmt::format("{} ({} {}, {}:{})", message, name(code), native, file, where.line());
}

} // namespace tutti
