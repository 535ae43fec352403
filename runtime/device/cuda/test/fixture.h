// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Devices of the fake driver library.
#pragma once

#include "runtime/device/cuda/cuda.h"
#include "runtime/device/cuda/library.h"
#include "runtime/device/cuda/test/fake_cuda.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace tutti::device::cuda {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr Range kLow{0x400000, 0x800000};
inline constexpr std::uint64_t kHeap = 0x200000000000;
inline constexpr Range kHigh{kHeap - 24 * kMiB, kHeap + (std::uint64_t{1} << 40)};

inline constexpr const char *kText = ".version 6.3\n.entry scale(\n.entry sum(\n.entry mine(";

template <typename Outcome> testing::AssertionResult ok(const Outcome &outcome) {
  return outcome ? testing::AssertionSuccess()
                 : testing::AssertionFailure() << outcome.error().text();
}

template <typename Outcome> testing::AssertionResult fails(const Outcome &outcome, ErrorCode code) {
  if (outcome) {
    return testing::AssertionFailure() << "succeeded";
  }
  if (outcome.error().code != code || outcome.error().message.find('\n') != std::string::npos) {
    return testing::AssertionFailure() << outcome.error().text();
  }
  return testing::AssertionSuccess();
}

/// Whether a message has these words; else the message.
template <typename Outcome>
testing::AssertionResult says(const Outcome &outcome, const std::string &words) {
  if (!outcome && outcome.error().message.find(words) != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << (outcome ? "succeeded" : outcome.error().message);
}

inline Range rangeAt(std::uint64_t address, std::uint64_t bytes) {
  return {address, address + bytes};
}

inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    result[i] = static_cast<std::byte>((i * 31 + (i >> 12) + seed) & 0xFF);
  }
  return result;
}

/// Starts with nothing open; whoever leaves something behind fails the next test.
class CudaTest : public testing::Test {
protected:
  void SetUp() override { restart({}); }

  void TearDown() override {
    driver_.reset();
    fake_cuda::reset({});
  }

  void restart(const fake_cuda::Plan &plan) {
    fake_cuda::reset(plan);
    driver_ = makeDriver(FAKE_CUDA);
  }

  Driver &driver() { return *driver_; }

  std::unique_ptr<Device> open(std::size_t index = 0) {
    auto opened = driver_->open(index, {kLow, kHigh});
    EXPECT_TRUE(ok(opened));
    return opened ? std::move(*opened) : nullptr;
  }

private:
  std::unique_ptr<Driver> driver_;
};

inline std::unique_ptr<Queue> queueOf(Device &device) {
  auto made = device.makeQueue();
  EXPECT_TRUE(ok(made));
  return made ? std::move(*made) : nullptr;
}

inline std::unique_ptr<Event> recordOn(Queue &queue) {
  auto made = queue.record();
  EXPECT_TRUE(ok(made));
  return made ? std::move(*made) : nullptr;
}

inline Kernel *loadFrom(Device &device, const char *name) {
  const auto loaded = device.load({TUTTI_KERNEL_PTX, 0, name, kText});
  EXPECT_TRUE(ok(loaded));
  return loaded ? *loaded : nullptr;
}

} // namespace tutti::device::cuda
