// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How memory comes and goes.
#include "runtime/device/cuda/test/fixture.h"

namespace tutti::device::cuda {

namespace {

class CudaMirror : public CudaTest {};

TEST_F(CudaMirror, TakesMemoryInBlocks) {
  auto device = open();

  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 100 * kMiB, 200 * kMiB))));

  EXPECT_EQ(fake_cuda::calls("cuMemCreate"), 3U); // To 128 MiB, to 256, to 300.
  EXPECT_EQ(device->committed(), 200 * kMiB);
  EXPECT_EQ(fake_cuda::allocated(), 200 * kMiB);
}

TEST_F(CudaMirror, AsksTheDriverNothingForWhatIsThere) {
  auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 3 * kMiB))));
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 4 * kMiB, 1))));
  fake_cuda::clearCalls();

  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 1000, 5 * kMiB))));

  EXPECT_EQ(fake_cuda::calls(""), 0U);
}

TEST_F(CudaMirror, FillsGapsOnly) {
  auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 4 * kMiB, 1))));

  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 10 * kMiB))));

  EXPECT_EQ(fake_cuda::calls("cuMemCreate"), 3U);
  EXPECT_EQ(device->committed(), 10 * kMiB);
}

TEST_F(CudaMirror, UndoesWhatDoesNotFit) {
  restart({.memory = 300 * kMiB});
  auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, kMiB))));

  const Status status = device->commit(rangeAt(kHeap, 400 * kMiB));

  EXPECT_TRUE(fails(status, ErrorCode::OutOfMemory));
  EXPECT_TRUE(says(status, "CUDA_ERROR_OUT_OF_MEMORY"));
  EXPECT_EQ(fake_cuda::allocated(), 2 * kMiB);
  EXPECT_EQ(device->committed(), 2 * kMiB);
  EXPECT_TRUE(ok(device->commit(rangeAt(kHeap, 290 * kMiB))));
}

TEST_F(CudaMirror, UndoesABlockThatIsNotMapped) {
  auto device = open();
  for (const char *call : {"cuMemMap", "cuMemSetAccess"}) {
    fake_cuda::failNext(call, kOutOfMemory, 1);
    EXPECT_TRUE(fails(device->commit(rangeAt(kHeap, 256 * kMiB)), ErrorCode::OutOfMemory));
    EXPECT_EQ(fake_cuda::allocated(), 0U);
  }

  EXPECT_TRUE(ok(device->commit(rangeAt(kHeap, 256 * kMiB))));
}

TEST_F(CudaMirror, ReleasesABlockOnceAllOfItIsReleased) {
  auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 100 * kMiB))));

  ASSERT_TRUE(ok(device->release(rangeAt(kHeap, 60 * kMiB))));
  EXPECT_EQ(device->committed(), 100 * kMiB);
  EXPECT_TRUE(fails(queueOf(*device)->copyIn(pattern(8, 1), kHeap), ErrorCode::InvalidArgument));
  ASSERT_TRUE(ok(device->release(rangeAt(kHeap + 60 * kMiB, 40 * kMiB))));

  EXPECT_EQ(device->committed(), 0U);
  EXPECT_EQ(fake_cuda::allocated(), 100 * kMiB);
}

TEST_F(CudaMirror, ServesTheNextCommitWithWhatIsFree) {
  auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 128 * kMiB))));
  ASSERT_TRUE(ok(device->release(rangeAt(kHeap, 128 * kMiB))));

  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 256 * kMiB, 128 * kMiB))));

  EXPECT_EQ(fake_cuda::calls("cuMemCreate"), 1U);
  EXPECT_EQ(device->committed(), 128 * kMiB);
}

TEST_F(CudaMirror, AsksTheDriverNothingOnceALoopHasStreamedThrough) {
  constexpr std::uint64_t kPieces = 8;
  constexpr std::uint64_t kAtOnce = 4;
  auto device = open();
  const auto pieceAt = [](std::uint64_t piece) {
    return rangeAt(kHeap + piece % kPieces * 128 * kMiB, 128 * kMiB);
  };
  const auto pass = [&](std::uint64_t first) {
    for (std::uint64_t piece = first; piece < first + kPieces; ++piece) {
      if (piece >= kAtOnce) {
        ASSERT_TRUE(ok(device->release(pieceAt(piece - kAtOnce))));
      }
      ASSERT_TRUE(ok(device->commit(pieceAt(piece))));
      ASSERT_TRUE(ok(queueOf(*device)->copyIn(pattern(8, piece), pieceAt(piece).begin)));
      EXPECT_TRUE(fails(queueOf(*device)->copyIn(pattern(8, 1), pieceAt(piece + kAtOnce).begin),
                        ErrorCode::InvalidArgument));
    }
  };
  pass(0);
  EXPECT_EQ(fake_cuda::calls("cuMemCreate"), kAtOnce);
  EXPECT_EQ(fake_cuda::calls("cuMemMap"), kPieces);
  fake_cuda::clearCalls();

  pass(kPieces);

  for (const char *call : {"cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemUnmap"}) {
    EXPECT_EQ(fake_cuda::calls(call), 0U) << call;
  }
  EXPECT_EQ(fake_cuda::allocated(), kAtOnce * 128 * kMiB);
}

TEST_F(CudaMirror, GivesBackWhatIsFreeForBlocksOfAnotherSize) {
  restart({.memory = 300 * kMiB});
  auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 128 * kMiB))));
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 128 * kMiB, 128 * kMiB))));
  ASSERT_TRUE(ok(device->release(rangeAt(kHeap, 256 * kMiB))));

  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 64 * kMiB, 64 * kMiB))));

  EXPECT_EQ(fake_cuda::allocated(), (128 + 64) * kMiB);
  ASSERT_TRUE(ok(queueOf(*device)->copyIn(pattern(8, 1), kHeap + 64 * kMiB)));
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap + 128 * kMiB, 128 * kMiB))));
  EXPECT_EQ(fake_cuda::allocated(), (128 + 64) * kMiB);
}

TEST_F(CudaMirror, TakesBackPartsOfABlockForNothing) {
  auto device = open();
  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 100 * kMiB))));
  ASSERT_TRUE(ok(device->release(rangeAt(kHeap, 60 * kMiB))));
  fake_cuda::clearCalls();

  ASSERT_TRUE(ok(device->commit(rangeAt(kHeap, 100 * kMiB))));

  EXPECT_EQ(fake_cuda::calls("cuMemCreate"), 0U);
  EXPECT_TRUE(ok(queueOf(*device)->copyIn(pattern(8, 1), kHeap)));
}

TEST_F(CudaMirror, MakesDoWithFewerAddresses) {
  restart({.memory = 1 << 30, .mostAddresses = std::size_t{1} << 36});
  auto device = open();

  EXPECT_TRUE(ok(device->commit(rangeAt(kHigh.begin, kMiB))));
  EXPECT_TRUE(ok(device->commit(rangeAt(kHeap + 30'000 * kMiB, kMiB))));
  EXPECT_TRUE(fails(device->commit({kHigh.end - 4096, kHigh.end}), ErrorCode::OutOfMemory));
}

TEST_F(CudaMirror, LetsDevicesReachEachOtherWhateverComesFirst) {
  restart({.devices = 2});
  auto zero = open(0);
  ASSERT_TRUE(ok(zero->commit(rangeAt(kHeap, kMiB))));
  auto one = open(1);
  ASSERT_TRUE(ok(one->commit(rangeAt(kHeap, 300 * kMiB))));
  ASSERT_TRUE(ok(zero->commit(rangeAt(kHeap, 300 * kMiB))));
  auto source = queueOf(*zero);
  auto target = queueOf(*one);
  const auto bytes = pattern(20 * kMiB, 3);
  ASSERT_TRUE(ok(source->copyIn(bytes, kHeap)));

  ASSERT_TRUE(ok(target->wait(*recordOn(*source))));
  ASSERT_TRUE(ok(target->copyFrom(*zero, rangeAt(kHeap, bytes.size()))));
  std::vector<std::byte> seen(bytes.size());
  ASSERT_TRUE(ok(target->copyOut(kHeap, seen)));
  ASSERT_TRUE(ok(target->finish()));

  EXPECT_EQ(seen, bytes);
  EXPECT_TRUE(ok(source->copyFrom(*one, rangeAt(kHeap, 300 * kMiB))));
  EXPECT_TRUE(
      fails(source->copyFrom(*one, rangeAt(kHeap + 300 * kMiB, 8)), ErrorCode::InvalidArgument));
}

TEST_F(CudaMirror, HasNoRouteWhereThereIsNone) {
  restart({.devices = 2, .hasPeers = false});
  auto zero = open(0);
  auto one = open(1);
  ASSERT_TRUE(ok(zero->commit(rangeAt(kHeap, kMiB))));
  ASSERT_TRUE(ok(one->commit(rangeAt(kHeap, kMiB))));

  EXPECT_TRUE(fails(queueOf(*one)->copyFrom(*zero, rangeAt(kHeap, 8)), ErrorCode::NoRoute));
}

TEST_F(CudaMirror, GoesOnAloneIfAPeerCannotBeGivenAccess) {
  restart({.devices = 2});
  auto zero = open(0);
  auto one = open(1);
  fake_cuda::failNext("cuMemSetAccess", kInvalidValue);

  ASSERT_TRUE(ok(zero->commit(rangeAt(kHeap, kMiB))));
  ASSERT_TRUE(ok(one->commit(rangeAt(kHeap, kMiB))));

  EXPECT_TRUE(fails(queueOf(*one)->copyFrom(*zero, rangeAt(kHeap, 8)), ErrorCode::NoRoute));
  EXPECT_TRUE(ok(queueOf(*zero)->copyFrom(*one, rangeAt(kHeap, 8))));
}

} // namespace

} // namespace tutti::device::cuda
