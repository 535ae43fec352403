// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs one test body on every rank of every kind of job that the test program brings.
#pragma once

#include "runtime/transport/transport.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tutti::transport::conformance {

using Body = std::function<void(Endpoint &endpoint)>;

/// A way to run ranks. `run` calls the body once for every rank of the job that lives in this
/// process, each on a thread of its own if there are several, and returns after all have.
struct Job {
  std::string name;
  std::function<void(const Body &body)> run;

  friend std::ostream &operator<<(std::ostream &out, const Job &job) { return out << job.name; }
};

/// Brought by the test program: the jobs to test.
std::vector<Job> jobs();

class EndpointTest : public testing::TestWithParam<Job> {
protected:
  void onEveryRank(const Body &body) { GetParam().run(body); }

  /// Polls until all `requests` have completed.
  static void wait(Endpoint &endpoint, std::vector<Request> requests);

  /// Polls until `count` control messages have arrived.
  static std::vector<Control> awaitControl(Endpoint &endpoint, std::size_t count);

  /// Returns on no rank before it was called on all.
  static void barrier(Endpoint &endpoint);
};

} // namespace tutti::transport::conformance
