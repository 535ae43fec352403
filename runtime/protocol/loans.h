// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Device memory of the ranks of one host: what this rank's devices lend to those of other ranks,
/// and what they borrow. The borrower copies; messages say when it may, and when it has.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/exec/devices.h"
#include "runtime/exec/engine.h"
#include "runtime/exec/handle_socket.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/progress.h"
#include "runtime/memory/topology.h"
#include "runtime/protocol/mail.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace tutti::protocol {

using exec::Borrowing;
using exec::Devices;
using exec::HandleSocket;
using exec::Loan;
using exec::Place;
using exec::Progress;
using exec::Rank;
using exec::Sequence;

inline constexpr Kind kBlocks("blocks"); ///< To a borrower: units, whose handles are on the socket.
inline constexpr Kind kLent("lent");     ///< To a borrower: what that launch copies is there.
inline constexpr Kind kLentByHost("hostlent"); ///< To a borrower: bytes of a lost device.
inline constexpr Kind kReturned("returned");   ///< To an owner: has been copied.
inline constexpr Kind kRecall("recall");     ///< To a borrower: units of a device are about to go.
inline constexpr Kind kRecalled("recalled"); ///< To an owner: has let go of them.

/// How handles get from rank to rank.
struct HandleRoutes {
  HandleSocket socket;
  std::vector<HandleSocket::Address> addresses; ///< By rank; empty if nothing is shared.
};

/// In a launch the owner of bytes waits until its device has written them, hands over handles of
/// those blocks that the borrower has not got yet, and says that they are lent. The borrower's
/// queue copies them before its kernel, and once they are copied the borrower says that they are
/// returned. Until then no later launch is given to the owner's device.
///
/// For a device that is lost its host lends: it sends the bytes themselves. A borrower whose device
/// is lost returns nothing before its launch is over, so that its host can still ask for them.
///
/// Threading: guarded by the lock of the engine's progress.
class Loans {
public:
  /// `routes`: needed where the topology has routes.
  Loans(exec::Engine &engine, Mail &mail, HandleRoutes routes);

  /// Lends what `loans` say to launch `sequence`.
  ///
  /// Order: what was lent before has been returned; the devices have done all they were given, and
  ///        the host has what lost ones held.
  void lend(Progress::Lock &lock, Sequence sequence, const std::vector<Loan> &loans) TUTTI_IN_TURN;

  /// Whether everything that was lent has been copied.
  bool areReturned() const TUTTI_IN_TURN;

  /// Whether everything that launch `sequence` borrows may be copied.
  bool areLent(Sequence sequence, const std::vector<Borrowing> &borrowings) const;

  /// Starts the copies of launch `sequence`.
  Status borrow(Sequence sequence, const std::vector<Borrowing> &borrowings) TUTTI_IN_TURN;

  /// The launch of the latest `borrow` is over.
  void launchEnded() TUTTI_IN_TURN { inLaunch_ = 0; }

  /// Makes all borrowers let go of units of one of this rank's devices, so that it can give them
  /// back.
  void recall(Progress::Lock &lock, std::int32_t device, const RangeSet &units) TUTTI_IN_TURN;

  /// Whether nothing that was borrowed is being copied.
  bool isIdle() const TUTTI_IN_TURN { return copying_.empty(); }

  /// Leaves the memory of other ranks. Collective, when nothing is under way.
  void close() TUTTI_IN_TURN;

private:
  /// A device of one rank, and one of another that copies from it.
  using Pair = std::pair<Place, Place>;

  /// Copies of one launch.
  struct Copying {
    Sequence sequence;
    /// By device; null for one that was lost before.
    std::map<std::int32_t, std::unique_ptr<device::Event>> events;
    std::set<Rank> owners;
  };

  /// What a host has lent in place of its device.
  struct ByHost {
    Sequence sequence;
    Pair pair;
    std::uint64_t address;
    std::vector<std::byte> bytes;
  };

  /// The latest launch of which a rank has borrowed something, and has returned it.
  struct Account {
    Sequence lent = 0;
    Sequence returned = 0;
  };

  void sendFromHost(Sequence sequence, const Loan &loan) TUTTI_IN_TURN;
  RangeSet takeFromHosts(Sequence sequence, Pair pair, std::int32_t device,
                         Status &status) TUTTI_IN_TURN;
  Result<bool> isCopied(Copying &copying) TUTTI_IN_TURN;
  void handOver(Progress::Lock &lock, const Loan &loan) TUTTI_IN_TURN;
  void addBlocks(Rank from, Reader &reader) TUTTI_IN_TURN;
  void addByHost(Reader &reader) TUTTI_IN_TURN;
  void letGo(Rank from, Reader &reader) TUTTI_IN_TURN;
  Result<bool> returnCopied() TUTTI_IN_TURN;
  void say(Kind kind, Rank to, Sequence sequence) TUTTI_IN_TURN;

  exec::Engine &engine_;
  Mail &mail_;
  Rank self_;
  const memory::Topology &topology_;
  Devices &devices_;
  HandleRoutes routes_;
  std::map<Rank, Account> accounts_ TUTTI_GUARDED_BY(exec::kTurn); ///< By borrower.
  std::map<Pair, RangeSet>
      given_ TUTTI_GUARDED_BY(exec::kTurn); ///< Units that borrowers have handles of.
  std::uint64_t recalled_ TUTTI_GUARDED_BY(exec::kTurn) = 0; ///< Answers that are still to come.
  std::map<Rank, Sequence>
      lentToUs_ TUTTI_GUARDED_BY(exec::kTurn); ///< By owner: the latest launch.
  std::map<Pair, std::unique_ptr<device::ForeignMemory>> foreign_ TUTTI_GUARDED_BY(exec::kTurn);
  std::deque<Copying> copying_ TUTTI_GUARDED_BY(exec::kTurn); ///< The oldest first.
  std::vector<ByHost> byHost_ TUTTI_GUARDED_BY(exec::kTurn);  ///< To be put onto devices.
  Sequence inLaunch_ TUTTI_GUARDED_BY(exec::kTurn) = 0; ///< That borrows and is not over, or 0.
};

} // namespace tutti::protocol
