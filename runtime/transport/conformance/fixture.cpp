// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/conformance/fixture.h"

#include <thread>

namespace tutti::transport::conformance {

void EndpointTest::wait(Endpoint &endpoint, std::vector<Request> requests) {
  while (!requests.empty()) {
    const Result<bool> done = endpoint.test(requests.back());
    if (!done) {
      ADD_FAILURE() << done.error().text();
    }
    if (!done || *done) {
      requests.pop_back();
    } else {
      std::this_thread::yield(); // Tests run with more ranks than cores.
    }
  }
}

std::vector<Control> EndpointTest::awaitControl(Endpoint &endpoint, std::size_t count) {
  std::vector<Control> messages;
  while (messages.size() < count) {
    if (const Status status = endpoint.pollControl(messages); !status) {
      ADD_FAILURE() << status.error().text();
      break;
    }
    std::this_thread::yield();
  }
  return messages;
}

void EndpointTest::barrier(Endpoint &endpoint) { EXPECT_TRUE(endpoint.allGather({})); }

} // namespace tutti::transport::conformance
