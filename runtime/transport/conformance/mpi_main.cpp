// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The MPI transport as the job, and the main program around it: started by mpirun, every rank
/// runs the same tests in the same order. TUTTI_MPI_LIBRARY is the path of the transport.
#include "runtime/transport/conformance/fixture.h"
#include "runtime/transport/mpi/mpi.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace tutti::transport::conformance {

namespace {

/// MPI starts once per process, so one endpoint serves all tests.
std::unique_ptr<Endpoint> &endpoint() {
  static std::unique_ptr<Endpoint> theEndpoint;
  return theEndpoint;
}

TEST(MpiTransport, SaysWhichLibraryItCannotLoad) {
  const auto result = mpi::open("/nowhere/libtransport.so");

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::DriverMissing);
  EXPECT_NE(result.error().message.find("/nowhere/libtransport.so"), std::string::npos);
}

/// Needs 2.5 GiB of memory for each of two ranks, hence only on demand.
TEST(MpiTransport, MovesMessagesBeyondTheCountsOfMpi) {
  if (!std::getenv("TUTTI_TEST_HUGE")) {
    GTEST_SKIP() << "set TUTTI_TEST_HUGE to run it";
  }
  Endpoint &me = *endpoint();
  const std::size_t size = (std::size_t{5} << 29) + 12345;
  if (me.rank() < 2 && me.size() > 1) {
    std::vector<std::byte> bytes(size);
    if (me.rank() == 0) {
      for (std::size_t i = 0; i < size; i += 4096) {
        bytes[i] = static_cast<std::byte>(i >> 12);
      }
      bytes[size - 1] = std::byte{77};
    }
    const Request request = me.rank() == 0 ? *me.send(1, 4, bytes) : *me.receive(0, 4, bytes);
    Result<bool> done = false;
    while (done && !*done) {
      done = me.test(request);
    }
    ASSERT_TRUE(done) << done.error().text();
    for (std::size_t i = 0; i < size; i += 4096) {
      ASSERT_EQ(bytes[i], static_cast<std::byte>(i >> 12)) << i;
    }
    EXPECT_EQ(bytes[size - 1], std::byte{77});
  }
  EXPECT_TRUE(me.allGather({}));
}

} // namespace

std::vector<Job> jobs() {
  return {{"Mpi", [](const Body &body) { body(*endpoint()); }}};
}

} // namespace tutti::transport::conformance

int main(int argc, char **argv) {
  using tutti::transport::conformance::endpoint;
  testing::InitGoogleTest(&argc, argv);
  auto opened = tutti::transport::mpi::open(TUTTI_MPI_LIBRARY);
  if (!opened) {
    tutti::log::fatal("{}", opened.error().text());
  }
  endpoint() = std::move(opened).value();
  tutti::log::setRank(endpoint()->rank());
  int failures = RUN_ALL_TESTS();
  if (const tutti::Status closed = endpoint()->close(); !closed) {
    tutti::log::warn("{}", closed.error().text());
    failures = 1;
  }
  return failures;
}
