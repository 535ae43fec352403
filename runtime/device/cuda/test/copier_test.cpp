// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies by several threads.
#include "runtime/device/cuda/copier.h"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::device::cuda {

namespace {

TEST(Copier, CopiesAllOfIt) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Copier copier(threads);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{7}, std::size_t{1} << 20,
                                    (std::size_t{1} << 20) + 1, (std::size_t{4} << 20) - 63}) {
      std::vector<std::byte> source(bytes);
      for (std::size_t i = 0; i < bytes; ++i) {
        source[i] = static_cast<std::byte>(i * 7 + (i >> 10) + bytes);
      }
      std::vector<std::byte> target(bytes + 1);

      copier.copy(target.data(), source.data(), bytes);

      EXPECT_EQ(target.back(), std::byte{0});
      target.pop_back();
      EXPECT_TRUE(target == source) << threads << ' ' << bytes;
    }
  }
}

TEST(Copier, UsesAtLeastOneThread) { EXPECT_GE(Copier::sensibleThreads(), 1U); }

} // namespace

} // namespace tutti::device::cuda
