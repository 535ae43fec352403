// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The jobs that need no launcher: `local`, and `mock` with and without delays.
#include "runtime/transport/conformance/fixture.h"
#include "runtime/transport/local/local.h"
#include "runtime/transport/mock/mock.h"

#include <thread>

namespace tutti::transport::conformance {

namespace {

void runLocal(const Body &body) {
  const auto endpoint = std::move(local::open()).value();
  body(*endpoint);
  EXPECT_TRUE(endpoint->close());
}

void runMock(const Body &body, Rank ranks, std::uint32_t delay) {
  mock::Network network(ranks);
  network.delay(delay);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto endpoint = network.open(rank);
      body(*endpoint);
      EXPECT_TRUE(endpoint->close());
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

} // namespace

std::vector<Job> jobs() {
  return {{"Local", runLocal},
          {"Mock3", [](const Body &body) { runMock(body, 3, 0); }},
          {"Mock4Delayed", [](const Body &body) { runMock(body, 4, 5); }}};
}

} // namespace tutti::transport::conformance
