// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/conformance/fixture.h"

#include <chrono>
#include <thread>

namespace tutti::device::conformance {

namespace {

constexpr std::chrono::seconds kPatience{60};

} // namespace

Words pattern(std::size_t count, std::uint64_t seed) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = (i + 1) * 0x9E3779B97F4A7C15 + seed;
  }
  return words;
}

void DeviceTest::SetUp() {
  auto opened = GetParam().driver->open(GetParam().index, kWindow);
  ASSERT_TRUE(ok(opened));
  device_ = std::move(*opened);
  queue_ = makeQueue();
  ASSERT_TRUE(queue_);
}

std::unique_ptr<Device> DeviceTest::openOther() {
  const Candidate &candidate = GetParam();
  auto opened = candidate.driver->open((candidate.index + 1) % candidate.ofDriver, kWindow);
  EXPECT_TRUE(ok(opened));
  return opened ? std::move(*opened) : nullptr;
}

std::unique_ptr<Queue> DeviceTest::makeQueue() {
  auto made = device().makeQueue();
  EXPECT_TRUE(ok(made));
  return made ? std::move(*made) : nullptr;
}

std::unique_ptr<HostBuffer> DeviceTest::makeHostBuffer(std::size_t bytes) {
  auto made = device().makeHostBuffer(bytes);
  EXPECT_TRUE(ok(made));
  return made ? std::move(*made) : nullptr;
}

void DeviceTest::put(std::uint64_t address, const Words &words) {
  const auto bytes = bytesOf(words);
  ASSERT_TRUE(ok(device().commit(rangeAt(address, bytes.size()))));
  ASSERT_TRUE(ok(queue().copyIn(bytes, address)));
  ASSERT_TRUE(ok(queue().finish()));
}

Words DeviceTest::get(std::uint64_t address, std::size_t count) {
  Words words(count);
  EXPECT_TRUE(ok(queue().copyOut(address, writableBytesOf(words))));
  EXPECT_TRUE(ok(queue().finish()));
  return words;
}

Kernel *DeviceTest::load(std::string_view name) {
  const tutti_kernel *kernel = kernelNamed(name, device().info().format);
  const auto loaded = device().load(*kernel);
  EXPECT_TRUE(ok(loaded));
  return loaded ? *loaded : nullptr;
}

Status DeviceTest::await(Event &event) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    const Result<bool> done = event.hasCompleted();
    if (!done) {
      return done.error();
    }
    if (*done) {
      return {};
    }
    std::this_thread::yield();
  }
  return failure(ErrorCode::SystemFailed, "the event does not complete");
}

} // namespace tutti::device::conformance
