// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the mock can do beyond the conformance suite: delay, fail and record.
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

namespace tutti::transport::mock {

namespace {

TEST(MockNetwork, HidesMessagesForTheDelay) {
  Network network(2);
  const auto zero = network.open(0);
  const auto one = network.open(1);
  network.delay(2);
  const std::byte out{7};
  std::byte in{0};
  ASSERT_TRUE(zero->send(1, 4, {&out, 1}));

  const Request request = *one->receive(0, 4, {&in, 1});

  EXPECT_FALSE(*one->test(request));
  EXPECT_FALSE(*one->test(request));
  EXPECT_TRUE(*one->test(request));
  EXPECT_EQ(in, out);
}

TEST(MockNetwork, FailsOnDemandOnce) {
  Network network(1);
  const auto endpoint = network.open(0);
  network.failNext(0, Operation::SendControl, failure(ErrorCode::PeerLost, "rank 0 is gone"));

  const Status first = endpoint->sendControl(0, {});
  const Status second = endpoint->sendControl(0, {});

  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::PeerLost);
  EXPECT_TRUE(second);
  EXPECT_EQ(network.sent().size(), 1U);
}

TEST(MockNetwork, RecordsWhatWasSent) {
  Network network(3);
  const auto one = network.open(1);
  const std::vector<std::byte> bytes(5);
  ASSERT_TRUE(one->send(2, 9, bytes));
  ASSERT_TRUE(one->sendControl(0, bytes));

  EXPECT_EQ(network.sent(), (std::vector<Sent>{{1, 2, false, 9, 5}, {1, 0, true, 0, 5}}));
}

TEST(MockNetwork, ThrowsInPlaceOfEndingTheProcess) {
  Network network(2);

  EXPECT_THROW(network.open(1)->abort(3), Aborted);
}

} // namespace

} // namespace tutti::transport::mock
