// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Handles of device memory on their way to another process of this host. MPI carries bytes only;
/// an open file goes through a socket of the system.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"
#include "runtime/transport/transport.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace tutti::exec {

using transport::Rank;

/// Threading: externally synchronised.
class HandleSocket {
public:
  /// Handles of one message.
  static constexpr std::size_t kMost = 64;

  /// Where a process gets messages; sent as it is.
  struct Address {
    std::array<char, 16> name; ///< Random: another network namespace has no such socket.
    std::uint64_t secret;      ///< Told to the job alone; what comes without it is thrown away.
  };

  /// Nobody can send to it.
  HandleSocket() = default;

  /// Errors: SystemFailed. Source: unix(7), abstract sockets.
  static Result<HandleSocket> open();

  const Address &address() const { return address_; }

  /// Sends up to `kMost` handles; false, with nothing done, if the receiver has too many messages
  /// waiting. They may be closed then. Never blocks.
  ///
  /// Errors: SystemFailed  there is no such socket here, or too many files are open.
  /// Source: sendmsg(2) with SCM_RIGHTS.
  Result<bool> send(const Address &to, Rank self, std::span<const Descriptor> handles) const;

  /// The oldest message of `from`; empty if there is none. What was sent before another message of
  /// that rank arrived is there.
  ///
  /// Errors: SystemFailed. Never blocks.
  Result<std::vector<Descriptor>> receive(Rank from);

private:
  Result<bool> receiveNext();

  Descriptor socket_;
  Address address_{};
  std::map<Rank, std::deque<std::vector<Descriptor>>> waiting_;
};

} // namespace tutti::exec
