// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// abi/backends.def for C++: kinds of devices and formats of kernels, by their names.
#pragma once

#include "abi/abi.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::abi {

/// What users can ask for.
struct DeviceKind {
  std::string_view name;
  std::uint32_t number; ///< tutti_device_kind
  bool isBackend;       ///< Asks for the devices of one backend.
};

struct KernelFormat {
  std::string_view name;
  tutti_kernel_format number;
  std::string_view title; ///< For people.
  bool isGeneral;         ///< Devices of all vendors take it.
};

/// How the host knows kernels that users write.
struct NativeStub {
  std::uint32_t kind; ///< tutti_device_kind
  std::string_view prefix;
  std::string_view functionOf;
};

inline constexpr auto kNativeStubs = std::to_array<NativeStub>({
#define TUTTI_NATIVE_STUB(NAME, PREFIX, FUNCTION_OF) {TUTTI_DEVICE_##NAME, PREFIX, FUNCTION_OF},
#include "abi/backends.def"
});

inline constexpr auto kDeviceKinds = std::to_array<DeviceKind>({
#define TUTTI_DEVICE_KIND(NAME, NUMBER, TEXT, IS_BACKEND) {TEXT, NUMBER, (IS_BACKEND) != 0},
#include "abi/backends.def"
});

inline constexpr auto kKernelFormats = std::to_array<KernelFormat>({
#define TUTTI_KERNEL_FORMAT(NAME, NUMBER, TEXT, TITLE, IS_GENERAL)                                 \
  {TEXT, TUTTI_KERNEL_##NAME, TITLE, (IS_GENERAL) != 0},
#include "abi/backends.def"
});

/// Null if there is no such kind.
constexpr const DeviceKind *findDeviceKind(std::uint32_t number) {
  for (const DeviceKind &kind : kDeviceKinds) {
    if (kind.number == number) {
      return &kind;
    }
  }
  return nullptr;
}

/// As users write it; "?" if there is no such kind.
constexpr std::string_view deviceKindName(std::uint32_t number) {
  const DeviceKind *found = findDeviceKind(number);
  return found ? found->name : "?";
}

/// Null if there is no such format.
constexpr const KernelFormat *findKernelFormat(std::uint32_t number) {
  for (const KernelFormat &format : kKernelFormats) {
    if (static_cast<std::uint32_t>(format.number) == number) {
      return &format;
    }
  }
  return nullptr;
}

constexpr bool isBackend(std::uint32_t kind) {
  const DeviceKind *found = findDeviceKind(kind);
  return found != nullptr && found->isBackend;
}

/// The first format that devices of all vendors take.
constexpr tutti_kernel_format generalFormat() {
  for (const KernelFormat &format : kKernelFormats) {
    if (format.isGeneral) {
      return format.number;
    }
  }
  return {};
}

} // namespace tutti::abi
