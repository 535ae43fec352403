// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Several ranks inside one process, for unit tests: delays and fails on demand, and records.
#pragma once

#include "base/result.h"
#include "runtime/transport/transport.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::transport::mock {

/// What `abort` throws in place of ending the process.
struct Aborted {
  Rank rank;
  int status;
};

/// One message, as its sender gave it.
struct Sent {
  Rank from;
  Rank to;
  bool control;
  std::uint32_t tag; ///< 0 for a control message.
  std::size_t bytes;

  friend bool operator==(const Sent &, const Sent &) = default;
};

/// Operations of `Endpoint` that can be made to fail.
enum class Operation : std::uint8_t {
  Send,
  Receive,
  Test,
  SendControl,
  PollControl,
  Sum,
  AllGather,
  Close
};

/// The wires between the endpoints of one job.
///
/// Threading: internally synchronised; each endpoint may be on a thread of its own, collective
///            operations need that.
/// Ownership: endpoints share the state behind it and may outlive it.
class Network {
public:
  explicit Network(Rank size);
  ~Network();
  Network(const Network &) = delete;
  Network &operator=(const Network &) = delete;

  /// One rank's end; once per rank.
  std::unique_ptr<Endpoint> open(Rank rank);

  /// From now on a message arrives only after its receiver has polled `polls` times (`test` of the
  /// receive, `pollControl`) since it was sent.
  void delay(std::uint32_t polls);

  /// The next `operation` of `rank` fails with `error` and does nothing else.
  void failNext(Rank rank, Operation operation, Error error);

  /// All messages so far in sending order.
  std::vector<Sent> sent() const;

private:
  class State;
  class MockEndpoint;
  class MockGroup;
  std::shared_ptr<State> state_; ///< Second owners: the endpoints.
};

} // namespace tutti::transport::mock
