// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/loans.h"

#include "runtime/exec/job.h"

#include <algorithm>
#include <optional>

namespace tutti::exec {

Loans::Loans(Rank self, const memory::Topology &topology, const Rooms &rooms, Devices &devices,
             Send send)
    : self_(self), topology_(topology), rooms_(rooms), devices_(devices), send_(std::move(send)) {}

void Loans::say(MessageKind kind, Rank to, Sequence sequence) const {
  send_(to, Writer().add(kind).add(sequence).bytes());
}

void Loans::lend(Progress &progress, Progress::Lock &lock, Sequence sequence,
                 const std::vector<Loan> &loans) {
  std::set<Rank> borrowers;
  for (const Loan &loan : loans) {
    handOver(progress, lock, loan);
    borrowers.insert(topology_.rankOf(loan.borrower));
  }
  for (const Rank borrower : borrowers) {
    accounts_[borrower].lent = sequence;
    say(MessageKind::Lent, borrower, sequence);
  }
}

/// Handles of blocks that the borrower needs and has not got. The message that names them comes
/// behind them.
void Loans::handOver(Progress &progress, Progress::Lock &lock, const Loan &loan) {
  const Place owner = topology_.deviceOf(self_, loan.device);
  RangeSet &given = given_[{owner, loan.borrower}];
  const RangeSet needed = rooms_.around(loan.ranges).subtract(given);
  if (needed.empty()) {
    return;
  }
  given = given.unite(needed);
  const Rank to = topology_.rankOf(loan.borrower);
  const std::vector<Range> units = rooms_.single(needed);
  for (std::size_t first = 0; first < units.size(); first += HandleSocket::kMost) {
    const std::size_t count = std::min(units.size() - first, HandleSocket::kMost);
    std::vector<Descriptor> handles;
    std::vector<Range> some;
    for (std::size_t index = first; index < first + count; ++index) {
      some.push_back(units[index]);
      handles.push_back(orDie(devices_.share(loan.device, units[index])));
    }
    progress.waitUntil(lock, [&] {
      return orDie(
          routes_.socket.send(routes_.addresses[static_cast<std::size_t>(to)], self_, handles));
    });
    send_(to, Writer().add(MessageKind::Blocks).add(owner).add(loan.borrower).add(some).bytes());
  }
}

bool Loans::areReturned() const {
  return std::all_of(accounts_.begin(), accounts_.end(), [](const auto &account) {
    return account.second.returned == account.second.lent;
  });
}

bool Loans::areLent(Sequence sequence, const std::vector<Borrowing> &borrowings) const {
  return std::all_of(borrowings.begin(), borrowings.end(), [&](const Borrowing &borrowing) {
    const auto lent = lentToUs_.find(topology_.rankOf(borrowing.owner));
    return lent != lentToUs_.end() && lent->second >= sequence;
  });
}

Status Loans::borrow(Sequence sequence, const std::vector<Borrowing> &borrowings) {
  Copying copying{sequence, {}, {}};
  std::optional<std::int32_t> device;
  const auto mark = [&]() -> Status {
    if (device) {
      copying.events.emplace_back();
      TUTTI_ASSIGN(copying.events.back(), devices_.record(*device));
    }
    return {};
  };
  for (const Borrowing &borrowing : borrowings) {
    if (device != borrowing.device) {
      TUTTI_TRY(mark());
      device = borrowing.device;
    }
    const Place borrower = topology_.deviceOf(self_, borrowing.device);
    TUTTI_TRY(devices_.copyForeign(*foreign_.at({borrowing.owner, borrower}), borrowing.device,
                                   borrowing.ranges));
    copying.owners.insert(topology_.rankOf(borrowing.owner));
  }
  TUTTI_TRY(mark());
  copying_.push_back(std::move(copying));
  return {};
}

Result<bool> Loans::progress() {
  bool moved = false;
  while (!copying_.empty()) {
    Copying &oldest = copying_.front();
    while (!oldest.events.empty()) {
      bool isDone = false;
      TUTTI_ASSIGN(isDone, oldest.events.back()->hasCompleted());
      if (!isDone) {
        return moved;
      }
      oldest.events.pop_back();
    }
    for (const Rank owner : oldest.owners) {
      say(MessageKind::Returned, owner, oldest.sequence);
    }
    copying_.pop_front();
    moved = true;
  }
  return moved;
}

void Loans::recall(Progress &progress, Progress::Lock &lock, std::int32_t device,
                   const RangeSet &units) {
  progress.waitUntil(lock, [this] { return areReturned(); });
  const Place owner = topology_.deviceOf(self_, device);
  for (auto &[pair, given] : given_) {
    const RangeSet some = given.intersect(units);
    if (pair.first != owner || some.empty()) {
      continue;
    }
    given = given.subtract(some);
    ++recalled_;
    send_(topology_.rankOf(pair.second),
          Writer().add(MessageKind::Recall).add(owner).add(pair.second).add(some.ranges()).bytes());
  }
  progress.waitUntil(lock, [this] { return recalled_ == 0; });
}

void Loans::take(MessageKind kind, Rank from, Reader &reader) {
  switch (kind) {
  case MessageKind::Blocks:
    addBlocks(from, reader);
    return;
  case MessageKind::Lent:
    lentToUs_[from] = reader.take<Sequence>();
    return;
  case MessageKind::Returned:
    accounts_[from].returned = reader.take<Sequence>();
    return;
  case MessageKind::Recall:
    letGo(from, reader);
    return;
  case MessageKind::Recalled:
    --recalled_;
    return;
  default:
    TUTTI_CHECK(false, "understand a message about loans of rank {}", from);
  }
}

void Loans::addBlocks(Rank from, Reader &reader) {
  const auto owner = reader.take<Place>();
  const auto borrower = reader.take<Place>();
  const auto units = reader.takeVector<Range>();
  const std::vector<Descriptor> handles = orDie(routes_.socket.receive(from));
  TUTTI_CHECK(handles.size() == units.size(), "get {} handles of rank {}: got {}", units.size(),
              from, handles.size());
  auto &foreign = foreign_[{owner, borrower}];
  if (!foreign) {
    foreign = orDie(devices_.makeForeign(topology_.indexOf(borrower)));
  }
  for (std::size_t index = 0; index < units.size(); ++index) {
    orDie(foreign->add(units[index], handles[index]));
  }
}

/// The owner knows that nothing is under way there.
void Loans::letGo(Rank from, Reader &reader) {
  const auto owner = reader.take<Place>();
  const auto borrower = reader.take<Place>();
  for (const Range &range : reader.takeVector<Range>()) {
    orDie(foreign_.at({owner, borrower})->remove(range));
  }
  send_(from, Writer().add(MessageKind::Recalled).bytes());
}

} // namespace tutti::exec
