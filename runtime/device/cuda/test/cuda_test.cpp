// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finding and opening devices, and loading kernels.
#include "runtime/device/cuda/test/fixture.h"

namespace tutti::device::cuda {

namespace {

class CudaDriverTest : public CudaTest {};

TEST_F(CudaDriverTest, FindsNothingWithoutADriver) {
  const auto infos = makeDriver("libcuda-is-not-here.so.1")->list();

  ASSERT_TRUE(ok(infos));
  EXPECT_TRUE(infos->empty());
}

TEST_F(CudaDriverTest, FindsNothingWithoutAGpu) {
  restart({.initResult = kNoDevice});

  const auto infos = driver().list();

  ASSERT_TRUE(ok(infos));
  EXPECT_TRUE(infos->empty());
}

TEST_F(CudaDriverTest, SaysThatADriverIsTooOld) {
  restart({.version = 11020});

  EXPECT_TRUE(fails(driver().list(), ErrorCode::DriverMissing));
  EXPECT_TRUE(says(driver().list(), "CUDA 11.2, 11.4 or newer is needed"));
}

TEST_F(CudaDriverTest, SaysThatALibraryIsNotTheDriver) {
  const auto infos = makeDriver("libm.so.6")->list();

  EXPECT_TRUE(fails(infos, ErrorCode::DriverMissing));
}

TEST_F(CudaDriverTest, SaysWhyADriverDoesNotStart) {
  restart({.initResult = 803});

  const auto infos = driver().list();

  EXPECT_TRUE(fails(infos, ErrorCode::DriverMissing));
  EXPECT_EQ(infos.error().native, 803);
}

TEST_F(CudaDriverTest, DescribesDevices) {
  restart({.devices = 2, .memory = 3 << 20});

  const auto infos = driver().list();

  ASSERT_TRUE(ok(infos));
  ASSERT_EQ(infos->size(), 2U);
  const Info &info = (*infos)[1];
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.identity, "pci:0000:42:00.0");
  EXPECT_NE(info.driver.find("CUDA 12.8"), std::string::npos);
  EXPECT_EQ(info.format, TUTTI_KERNEL_PTX);
  EXPECT_TRUE(info.isGpu && info.hasFp64);
  EXPECT_EQ(info.memory, std::uint64_t{3} << 20);
  EXPECT_EQ(info.units, 4U);
  EXPECT_EQ(info.localBytes, std::uint64_t{227} << 10);
  EXPECT_EQ(info.maxGroupOf[2], 64U);
  EXPECT_EQ(info.maxGroups[0], 0x7FFFFFFFU);
}

TEST_F(CudaDriverTest, LeavesOutWhatCannotRunKernels) {
  restart({.capability = 61});

  EXPECT_TRUE(driver().list().value().empty());
}

TEST_F(CudaDriverTest, NeedsVirtualMemory) {
  restart({.hasVirtualMemory = false});

  EXPECT_TRUE(fails(driver().open(0, {kLow, kHigh}), ErrorCode::NotSupported));
}

TEST_F(CudaDriverTest, ExpectsWhatIsFreeLessAMargin) {
  const auto first = open();
  EXPECT_EQ(first->capacity(), (1024 - 64) * kMiB);
  ASSERT_TRUE(ok(first->commit(rangeAt(kHeap, 100 * kMiB))));

  EXPECT_EQ(open()->capacity(), (1024 - 100 - 64) * kMiB);
  EXPECT_EQ(first->granule(), 2 * kMiB);
}

TEST_F(CudaDriverTest, FreesWhatWasCommittedByItself) {
  const auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 4 * kMiB))));
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 4 * kMiB, 8 * kMiB))));

  ASSERT_TRUE(ok(device->release(rangeAt(kHeap, 4 * kMiB))));

  EXPECT_EQ(device->committed(), 8 * kMiB);
}

TEST_F(CudaDriverTest, LeavesNothingBehind) {
  auto device = open();
  auto queue = queueOf(*device);
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 5 * kMiB))));
  ASSERT_TRUE(ok(queue->copyIn(pattern(100, 1), kHeap)));
  auto event = recordOn(*queue);

  event.reset();
  queue.reset();
  device.reset();

  EXPECT_EQ(fake_cuda::allocated(), 0U);
  EXPECT_EQ(fake_cuda::reserved(), 0U);
  EXPECT_EQ(fake_cuda::objects(), 0U);
}

class CudaKernelTest : public CudaTest {};

TEST_F(CudaKernelTest, LoadsATextOnce) {
  auto device = open();

  Kernel *scale = loadFrom(*device, "scale");
  loadFrom(*device, "sum");

  EXPECT_EQ(loadFrom(*device, "scale"), scale);
  EXPECT_EQ(fake_cuda::calls("cuModuleLoadDataEx"), 1U);
  EXPECT_EQ(fake_cuda::calls("cuModuleGetFunction"), 2U);
  EXPECT_EQ(scale->maxGroup(), 640U);
}

TEST_F(CudaKernelTest, SaysWhatTheDriverSays) {
  auto device = open();

  const auto loaded = device->load({TUTTI_KERNEL_PTX, 0, "scale", "no kernel"});

  EXPECT_TRUE(fails(loaded, ErrorCode::WrongImage));
  EXPECT_TRUE(says(loaded, "CUDA_ERROR_INVALID_PTX"));
  EXPECT_TRUE(says(loaded, "Missing .version; ptxas fatal"));
  EXPECT_TRUE(says(loaded, "GPU 0 (Fake GPU)"));
}

TEST_F(CudaKernelTest, SaysThatTheDriverIsTooOldForAText) {
  auto device = open();

  const auto loaded = device->load({TUTTI_KERNEL_PTX, 0, "scale", ".version 9.9\n"});

  EXPECT_TRUE(fails(loaded, ErrorCode::DriverMissing));
  EXPECT_TRUE(says(loaded, "load PTX 9.9"));
}

TEST_F(CudaKernelTest, MayHaveMuchSharedMemory) {
  auto device = open();
  auto queue = queueOf(*device);
  Kernel *mine = loadFrom(*device, "mine");
  std::size_t shared = 0;
  fake_cuda::setFunction("mine", [&](const fake_cuda::Launch &launch) {
    shared = launch.shared;
    return 0;
  });
  auto partials = device->makeHostBuffer(1024);
  ASSERT_TRUE(ok(partials));
  KernelLaunch launch{.kernel = mine,
                      .grid = {{1, 1, 1}, {512, 1, 1}},
                      .partialBytes = 128,
                      .partials = partials->get(),
                      .arguments = {}};

  ASSERT_TRUE(ok(queue->launch(launch)));
  ASSERT_TRUE(ok(queue->launch(launch)));
  ASSERT_TRUE(ok(queue->finish()));

  EXPECT_EQ(shared, 65536U);
  EXPECT_EQ(fake_cuda::calls("cuFuncSetAttribute"), 1U);
  launch.partialBytes = 1024;
  EXPECT_TRUE(fails(queue->launch(launch), ErrorCode::InvalidArgument));
}

TEST_F(CudaKernelTest, HasItsPartialResultsCombinedByOneMoreLaunch) {
  constexpr std::uint64_t kGroups = 100;
  auto device = open();
  auto queue = queueOf(*device);
  auto partials = device->makeHostBuffer(2 * 16);
  ASSERT_TRUE(ok(partials));
  fake_cuda::setFunction("mine", [](const fake_cuda::Launch &launch) {
    for (std::uint64_t group = 0; group < launch.groups[0]; ++group) {
      reinterpret_cast<std::uint64_t *>(launch.parameters[6])[2 * group] = group;
    }
    return 0;
  });
  std::vector<std::uint64_t> seen;
  std::size_t shared = 0;
  fake_cuda::setFunction("other", [&](const fake_cuda::Launch &launch) {
    seen.assign(launch.parameters, launch.parameters + launch.count);
    shared = launch.shared;
    const auto *words = reinterpret_cast<const std::uint64_t *>(seen[0]);
    *reinterpret_cast<std::uint64_t *>(seen[6]) = words[2 * (kGroups - 1)];
    return 0;
  });
  const char *text = ".version 6.3\n.entry mine(\n.entry other(";
  const auto mine = device->load({TUTTI_KERNEL_PTX, 0, "mine", text});
  const auto other = device->load({TUTTI_KERNEL_PTX, 0, "other", text});
  ASSERT_TRUE(ok(mine) && ok(other));
  const KernelLaunch launch{.kernel = *mine,
                            .grid = {{kGroups, 1, 1}, {32, 1, 1}},
                            .partialBytes = 16,
                            .combiner = *other,
                            .combinerGrid = {{2, 1, 1}, {32, 1, 1}},
                            .partials = partials->get(),
                            .arguments = {1, 2, 3}};

  ASSERT_TRUE(ok(queue->launch(launch)));
  ASSERT_TRUE(ok(queue->finish()));
  fake_cuda::clearCalls();
  ASSERT_TRUE(ok(queue->launch(launch)));

  EXPECT_EQ(fake_cuda::calls("cuLaunchKernel"), 1U) << "what comes next gives the combiner";
  const auto event = queue->record();
  ASSERT_TRUE(ok(event));
  EXPECT_EQ(fake_cuda::calls("cuLaunchKernel"), 2U);
  EXPECT_EQ(fake_cuda::calls(""), 2U + fake_cuda::calls("cuCtxSetCurrent") +
                                      fake_cuda::calls("cuEventCreate") +
                                      fake_cuda::calls("cuEventRecord"));
  ASSERT_TRUE(ok(queue->finish()));
  ASSERT_EQ(seen.size(), 7U);
  EXPECT_EQ(std::vector(seen.begin() + 1, seen.begin() + 6),
            (std::vector<std::uint64_t>{0, 0, 0, kGroups, kGroups}));
  EXPECT_EQ(shared, 16U * 32);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t *>((*partials)->bytes().data()), kGroups - 1);
}

TEST_F(CudaKernelTest, SaysThatThereIsNoMemoryForPartialResults) {
  auto device = open();
  auto queue = queueOf(*device);
  auto partials = device->makeHostBuffer(16);
  ASSERT_TRUE(ok(partials));
  const KernelLaunch launch{.kernel = loadFrom(*device, "mine"),
                            .grid = {{100, 1, 1}, {32, 1, 1}},
                            .partialBytes = 16,
                            .combiner = loadFrom(*device, "sum"),
                            .combinerGrid = {{1, 1, 1}, {32, 1, 1}},
                            .partials = partials->get(),
                            .arguments = {}};
  fake_cuda::setFunction("mine", [](const fake_cuda::Launch &) { return 0; });
  fake_cuda::setFunction("sum", [](const fake_cuda::Launch &) { return 0; });
  fake_cuda::failNext("cuMemAlloc_v2", kOutOfMemory);

  EXPECT_TRUE(fails(queue->launch(launch), ErrorCode::OutOfMemory));
  EXPECT_TRUE(ok(queue->launch(launch)));
  EXPECT_TRUE(ok(queue->finish()));
}

TEST_F(CudaKernelTest, GetsParametersInTheOrderOfTheAbi) {
  auto device = open();
  auto queue = queueOf(*device);
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 8))));
  ASSERT_TRUE(ok(device->commit(rangeAt(kLow.begin, 8))));
  auto partials = device->makeHostBuffer(64);
  ASSERT_TRUE(ok(partials));
  std::vector<std::uint64_t> seen;
  fake_cuda::setFunction("mine", [&](const fake_cuda::Launch &launch) {
    seen.assign(launch.parameters, launch.parameters + launch.count);
    *reinterpret_cast<std::uint64_t *>(kHeap + seen[2]) = 5;
    *reinterpret_cast<std::uint64_t *>(kLow.begin + seen[1]) = 6;
    *reinterpret_cast<std::uint64_t *>(seen[6]) = 7;
    return 0;
  });

  ASSERT_TRUE(ok(queue->launch({.kernel = loadFrom(*device, "mine"),
                                .grid = {{4, 1, 1}, {32, 1, 1}},
                                .lower = -3,
                                .upper = 10,
                                .total = 20,
                                .partialBytes = 16,
                                .partials = partials->get(),
                                .arguments = {100, 200}})));
  ASSERT_TRUE(ok(queue->finish()));

  ASSERT_EQ(seen.size(), 9U);
  EXPECT_EQ(seen[0], 0U);
  EXPECT_EQ(static_cast<std::int64_t>(seen[3]), -3);
  EXPECT_EQ(seen[4], 10U);
  EXPECT_EQ(seen[5], 20U);
  EXPECT_EQ(seen[7], 100U);
  EXPECT_EQ(seen[8], 200U);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t *>((*partials)->bytes().data()), 7U);
  std::uint64_t word = 0;
  ASSERT_TRUE(ok(queue->copyOut(kLow.begin, std::as_writable_bytes(std::span(&word, 1)))));
  ASSERT_TRUE(ok(queue->finish()));
  EXPECT_EQ(word, 6U);
}

} // namespace

} // namespace tutti::device::cuda
