// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs one test body on every device of the machine, and on a mock.
#pragma once

#include "runtime/device/conformance/kernels.h"
#include "runtime/device/device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace tutti::device::conformance {

/// One of the devices to test.
struct Candidate {
  std::string name;               ///< Letters, digits and underscores.
  std::shared_ptr<Driver> driver; ///< Second owners: the driver's other devices.
  std::size_t index;
  std::size_t ofDriver; ///< Devices of this driver.

  friend std::ostream &operator<<(std::ostream &out, const Candidate &candidate) {
    return out << candidate.name;
  }
};

/// All devices of `makeDrivers()` and those of a mock that knows the kernels of `kernels.h`.
std::vector<Candidate> candidates();

/// As on a real program: variables low in memory; the stack of `main`, a gap, and the heap.
inline constexpr Range kLow{0x400000, 0x800000};
inline constexpr std::uint64_t kHeap = 0x200000000000;
inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr Range kHigh{kHeap - 24 * kMiB, kHeap + (std::uint64_t{1} << 40)};
inline constexpr Segments kWindow{kLow, kHigh};

using Words = std::vector<std::uint64_t>;

/// `count` different words.
Words pattern(std::size_t count, std::uint64_t seed);

/// Whether a `Status` or `Result` is a success; else with its error.
template <typename Outcome> testing::AssertionResult ok(const Outcome &outcome) {
  if (outcome) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << outcome.error().text();
}

/// Whether it is a failure of this code, with something to read.
template <typename Outcome> testing::AssertionResult fails(const Outcome &outcome, ErrorCode code) {
  if (outcome) {
    return testing::AssertionFailure() << "succeeded";
  }
  if (outcome.error().code != code || outcome.error().message.empty() ||
      outcome.error().message.find('\n') != std::string::npos) {
    return testing::AssertionFailure() << outcome.error().text();
  }
  return testing::AssertionSuccess();
}

/// A device with one queue, opened for each test.
class DeviceTest : public testing::TestWithParam<Candidate> {
protected:
  void SetUp() override;

  Device &device() { return *device_; }

  Queue &queue() { return *queue_; }

  /// Another device of the same driver; the same hardware if there is no other.
  std::unique_ptr<Device> openOther();

  std::unique_ptr<Queue> makeQueue();

  std::unique_ptr<HostBuffer> makeHostBuffer(std::size_t bytes);

  /// Commits the bytes, copies the words there and waits.
  void put(std::uint64_t address, const Words &words);

  Words get(std::uint64_t address, std::size_t count);

  /// A kernel of `kernels.h`, in the device's format.
  Kernel *load(std::string_view name);

  /// Polls until the event has completed.
  static Status await(Event &event);

private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
};

inline std::span<const std::byte> bytesOf(const Words &words) {
  return std::as_bytes(std::span(words));
}

inline std::span<std::byte> writableBytesOf(Words &words) {
  return std::as_writable_bytes(std::span(words));
}

/// `bytes` bytes from `address` on.
inline Range rangeAt(std::uint64_t address, std::uint64_t bytes) {
  return {address, address + bytes};
}

} // namespace tutti::device::conformance

#define TUTTI_CONFORMANCE(suite)                                                                   \
  INSTANTIATE_TEST_SUITE_P(Devices, suite,                                                         \
                           testing::ValuesIn(::tutti::device::conformance::candidates()),          \
                           [](const auto &info) { return info.param.name; })
