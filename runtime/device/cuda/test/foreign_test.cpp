// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory that processes share; here one process plays both, on two GPUs.
#include "runtime/device/cuda/test/fixture.h"

namespace tutti::device::cuda {

namespace {

class CudaForeignMemory : public CudaTest {
protected:
  void SetUp() override { restart({.devices = 2}); }

  static std::unique_ptr<ForeignMemory> foreignOf(Device &device) {
    auto made = device.makeForeign();
    EXPECT_TRUE(ok(made));
    return made ? std::move(*made) : nullptr;
  }

  /// The handle of a block that is committed for it.
  static Descriptor share(Device &device, Range block) {
    EXPECT_TRUE(ok(device.commit(block)));
    auto handle = device.share(block);
    EXPECT_TRUE(ok(handle));
    return handle ? std::move(*handle) : Descriptor();
  }
};

constexpr Range kBlock{kHeap + 4 * kMiB, kHeap + 8 * kMiB};

TEST_F(CudaForeignMemory, IsCopiedFromAcrossBlocks) {
  auto owner = open(0);
  auto borrower = open(1);
  ASSERT_TRUE(ok(owner->allowSharing()));
  const Range next{kBlock.end, kBlock.end + 2 * kMiB};
  auto foreign = foreignOf(*borrower);
  ASSERT_TRUE(ok(foreign->add(next, share(*owner, next))));
  ASSERT_TRUE(ok(foreign->add(kBlock, share(*owner, kBlock))));
  const auto bytes = pattern(3 * kMiB, 1);
  const Range range = rangeAt(kBlock.end - 2 * kMiB, bytes.size());
  auto theirs = queueOf(*owner);
  ASSERT_TRUE(ok(theirs->copyIn(bytes, range.begin)));
  ASSERT_TRUE(ok(theirs->finish()));
  ASSERT_TRUE(ok(borrower->commit(range)));
  auto queue = queueOf(*borrower);
  std::vector<std::byte> out(bytes.size());

  ASSERT_TRUE(ok(queue->copyForeign(*foreign, range)));
  ASSERT_TRUE(ok(queue->copyOut(range.begin, out)));
  ASSERT_TRUE(ok(queue->finish()));

  EXPECT_EQ(out, bytes);
  EXPECT_EQ(fake_cuda::calls("cuMemcpyDtoDAsync_v2"), 2U);
}

TEST_F(CudaForeignMemory, IsGoneOnceItIsRemoved) {
  auto owner = open(0);
  auto borrower = open(1);
  ASSERT_TRUE(ok(owner->allowSharing()));
  ASSERT_TRUE(ok(borrower->commit(kBlock)));
  auto foreign = foreignOf(*borrower);
  const std::size_t before = fake_cuda::reserved();
  ASSERT_TRUE(ok(foreign->add(kBlock, share(*owner, kBlock))));

  ASSERT_TRUE(ok(foreign->remove({kHeap, kHeap + 64 * kMiB})));

  EXPECT_EQ(fake_cuda::reserved(), before);
  auto queue = queueOf(*borrower);
  EXPECT_TRUE(fails(queue->copyForeign(*foreign, kBlock), ErrorCode::InvalidArgument));
  EXPECT_TRUE(ok(owner->release(kBlock))); // The driver stops us if somebody still has it.
  EXPECT_TRUE(ok(foreign->add(kBlock, share(*owner, kBlock))));
}

TEST_F(CudaForeignMemory, RefusesWhatHasNotBeenShared) {
  auto owner = open(0);
  auto borrower = open(1);
  ASSERT_TRUE(ok(owner->allowSharing()));
  ASSERT_TRUE(ok(borrower->commit(rangeAt(kHeap, 16 * kMiB))));
  auto foreign = foreignOf(*borrower);
  ASSERT_TRUE(ok(foreign->add(kBlock, share(*owner, kBlock))));
  auto queue = queueOf(*borrower);

  EXPECT_TRUE(fails(queue->copyForeign(*foreign, rangeAt(kBlock.begin - 8, 16)),
                    ErrorCode::InvalidArgument));
  EXPECT_TRUE(
      fails(queue->copyForeign(*foreign, rangeAt(kBlock.end - 8, 16)), ErrorCode::InvalidArgument));
  EXPECT_TRUE(ok(queue->copyForeign(*foreign, kBlock)));
  EXPECT_TRUE(ok(queue->finish()));
}

TEST_F(CudaForeignMemory, IsSharedByWholeBlocksOnce) {
  auto owner = open(0);
  auto borrower = open(1);
  ASSERT_TRUE(ok(owner->allowSharing()));
  ASSERT_TRUE(ok(owner->commit(kBlock)));

  EXPECT_TRUE(fails(owner->share(rangeAt(kBlock.begin, 2 * kMiB)), ErrorCode::InvalidArgument));
  EXPECT_TRUE(fails(owner->share(rangeAt(kBlock.end, 2 * kMiB)), ErrorCode::InvalidArgument));
  auto foreign = foreignOf(*borrower);
  ASSERT_TRUE(ok(foreign->add(kBlock, share(*owner, kBlock))));
  EXPECT_TRUE(fails(foreign->add(kBlock, share(*owner, kBlock)), ErrorCode::InvalidArgument));
}

TEST_F(CudaForeignMemory, LeavesNothingBehindWhereTheDriverRefuses) {
  auto owner = open(0);
  auto borrower = open(1);
  ASSERT_TRUE(ok(owner->allowSharing()));
  auto foreign = foreignOf(*borrower);
  const Descriptor handle = share(*owner, kBlock);
  const std::size_t before = fake_cuda::reserved();
  for (const char *call :
       {"cuMemImportFromShareableHandle", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"}) {
    fake_cuda::failNext(call, kNotSupported);
    EXPECT_TRUE(fails(foreign->add(kBlock, handle), ErrorCode::NotSupported)) << call;
    EXPECT_EQ(fake_cuda::reserved(), before) << call;
  }

  EXPECT_TRUE(ok(foreign->add(kBlock, handle)));
}

TEST_F(CudaForeignMemory, IsNotSharedUnlessThatIsAllowed) {
  auto owner = open(0);
  ASSERT_TRUE(ok(owner->commit(kBlock)));

  EXPECT_TRUE(fails(owner->share(kBlock), ErrorCode::NotSupported));
}

TEST_F(CudaForeignMemory, IsNotSharedWhereTheDriverHasNoHandles) {
  for (const char *call : {"", "cuMemCreate", "cuMemExportToShareableHandle"}) {
    restart({.hasFileHandles = *call != '\0'});
    auto owner = open(0);
    fake_cuda::failNext(call, kNotPermitted);

    EXPECT_TRUE(fails(owner->allowSharing(), ErrorCode::NotSupported)) << call;

    EXPECT_TRUE(ok(owner->commit(kBlock))) << call;
    EXPECT_TRUE(fails(owner->share(kBlock), ErrorCode::NotSupported)) << call;
  }
}

} // namespace

} // namespace tutti::device::cuda
