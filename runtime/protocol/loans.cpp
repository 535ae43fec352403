// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/loans.h"

#include "runtime/exec/or_die.h"

#include <algorithm>

namespace tutti::protocol {

using namespace exec;

namespace {

/// For a device that is lost: its host asks for what is lent.
class NoMemory final : public device::ForeignMemory {
public:
  Status add(Range, const Descriptor &) override { return {}; }

  Status remove(Range) override { return {}; }
};

} // namespace

Loans::Loans(Engine &engine, Mail &mail, HandleRoutes routes)
    : engine_(engine), mail_(mail), self_(engine.rank()), topology_(engine.topology),
      devices_(engine.devices), routes_(std::move(routes)) {
  engine_.serve({[this]() TUTTI_IN_TURN { return orDie(returnCopied()); },
                 [this]() TUTTI_IN_TURN { return !isIdle(); }});
  using transport::Control;
  mail_.on(kBlocks, [this](Control &message, Reader &reader)
                        TUTTI_IN_TURN { addBlocks(message.from, reader); });
  mail_.on(kLent, [this](Control &message, Reader &reader)
                      TUTTI_IN_TURN { lentToUs_[message.from] = reader.take<Sequence>(); });
  mail_.on(kLentByHost, [this](Control &, Reader &reader) TUTTI_IN_TURN { addByHost(reader); });
  mail_.on(kReturned, [this](Control &message, Reader &reader) TUTTI_IN_TURN {
    accounts_[message.from].returned = reader.take<Sequence>();
  });
  mail_.on(kRecall,
           [this](Control &message, Reader &reader) TUTTI_IN_TURN { letGo(message.from, reader); });
  mail_.on(kRecalled, [this](Control &, Reader &) TUTTI_IN_TURN { --recalled_; });
}

void Loans::close() {
  if (topology_.hasRoutes()) {
    foreign_.clear();
    static_cast<void>(
        orDie(engine_.endpoint.allGather({}))); // Devices keep their memory until then.
  }
}

void Loans::say(Kind kind, Rank to, Sequence sequence) {
  mail_.send(to, Writer(kind).add(sequence).bytes());
}

void Loans::lend(Progress::Lock &lock, Sequence sequence, const std::vector<Loan> &loans) {
  std::set<Rank> borrowers;
  for (const Loan &loan : loans) {
    if (devices_.isLost(loan.device)) {
      sendFromHost(sequence, loan);
    } else {
      handOver(lock, loan);
    }
    borrowers.insert(topology_.rankOf(loan.borrower));
  }
  for (const Rank borrower : borrowers) {
    accounts_[borrower].lent = sequence;
    say(kLent, borrower, sequence);
  }
}

/// The bytes themselves, which this rank's host has.
void Loans::sendFromHost(Sequence sequence, const Loan &loan) {
  constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
  const Place owner = topology_.deviceOf(self_, loan.device);
  std::vector<std::byte> buffer;
  for (const Range &range : loan.ranges.ranges()) {
    for (std::uint64_t begin = range.begin; begin < range.end; begin += kPiece) {
      buffer.resize(std::min(kPiece, range.end - begin));
      orDie(devices_.read(loan.device, begin, buffer));
      mail_.send(topology_.rankOf(loan.borrower), Writer(kLentByHost)
                                                      .add(sequence)
                                                      .add(owner)
                                                      .add(loan.borrower)
                                                      .add(begin)
                                                      .addBytes(buffer)
                                                      .bytes());
    }
  }
}

/// Puts onto a device what hosts have lent for it; which bytes.
RangeSet Loans::takeFromHosts(Sequence sequence, Pair pair, std::int32_t device, Status &status) {
  std::vector<Range> taken;
  std::erase_if(byHost_, [&](const ByHost &lent) {
    if (lent.sequence != sequence || lent.pair != pair) {
      return false;
    }
    taken.push_back({lent.address, lent.address + lent.bytes.size()});
    status = status ? devices_.put(device, lent.address, lent.bytes) : std::move(status);
    return true;
  });
  return RangeSet::of(std::move(taken));
}

/// Handles of blocks that the borrower needs and has not got. The message that names them comes
/// behind them.
void Loans::handOver(Progress::Lock &lock, const Loan &loan) {
  const Place owner = topology_.deviceOf(self_, loan.device);
  RangeSet &given = given_[{owner, loan.borrower}];
  const RangeSet needed = engine_.rooms.around(loan.ranges).subtract(given);
  if (needed.empty()) {
    return;
  }
  given = given.unite(needed);
  const Rank to = topology_.rankOf(loan.borrower);
  const std::vector<Range> units = engine_.rooms.single(needed);
  for (std::size_t first = 0; first < units.size(); first += HandleSocket::kMost) {
    const std::size_t count = std::min(units.size() - first, HandleSocket::kMost);
    std::vector<Descriptor> handles;
    std::vector<Range> some;
    for (std::size_t index = first; index < first + count; ++index) {
      some.push_back(units[index]);
      handles.push_back(orDie(devices_.share(loan.device, units[index])));
    }
    engine_.progress.waitUntil(lock, [&] {
      return orDie(
          routes_.socket.send(routes_.addresses[static_cast<std::size_t>(to)], self_, handles));
    });
    mail_.send(to, Writer(kBlocks).add(owner).add(loan.borrower).add(some).bytes());
  }
}

bool Loans::areReturned() const {
  return std::all_of(accounts_.begin(), accounts_.end(), [](const auto &account) {
    return account.second.returned == account.second.lent;
  });
}

bool Loans::areLent(Sequence sequence, const std::vector<Borrowing> &borrowings) const {
  return std::all_of(borrowings.begin(), borrowings.end(),
                     [&](const Borrowing &borrowing) TUTTI_IN_TURN {
                       const auto lent = lentToUs_.find(topology_.rankOf(borrowing.owner));
                       return lent != lentToUs_.end() && lent->second >= sequence;
                     });
}

Status Loans::borrow(Sequence sequence, const std::vector<Borrowing> &borrowings) {
  Copying copying{sequence, {}, {}};
  std::map<Pair, RangeSet> fromHosts;
  for (const Borrowing &borrowing : borrowings) {
    const Pair pair{borrowing.owner, topology_.deviceOf(self_, borrowing.device)};
    auto known = fromHosts.find(pair);
    if (known == fromHosts.end()) {
      Status status;
      RangeSet taken = takeFromHosts(sequence, pair, borrowing.device, status);
      TUTTI_TRY(status);
      known = fromHosts.emplace(pair, std::move(taken)).first;
    }
    const RangeSet rest = borrowing.ranges.subtract(known->second);
    if (!rest.empty()) {
      TUTTI_TRY(devices_.copyForeign(*foreign_.at(pair), borrowing.device, rest));
    }
    copying.events[borrowing.device] = nullptr;
    copying.owners.insert(topology_.rankOf(borrowing.owner));
  }
  for (auto &[device, event] : copying.events) {
    TUTTI_ASSIGN(event, devices_.record(device));
  }
  copying_.push_back(std::move(copying));
  inLaunch_ = sequence;
  return {};
}

/// Whether the owners may go on.
Result<bool> Loans::isCopied(Copying &copying) {
  for (auto &[device, event] : copying.events) {
    if (event && !devices_.isLost(device)) {
      const Result<bool> hasCompleted = event->hasCompleted();
      TUTTI_TRY(devices_.outlive(device, hasCompleted ? Status() : Status(hasCompleted.error())));
      if (hasCompleted && !*hasCompleted) {
        return false;
      }
    }
    if (devices_.isLost(device) && copying.sequence == inLaunch_) {
      return false;
    }
    event.reset();
  }
  return true;
}

/// Says of what has been copied that it is returned; whether anything was.
Result<bool> Loans::returnCopied() {
  bool moved = false;
  while (!copying_.empty()) {
    Copying &oldest = copying_.front();
    bool isDone = false;
    TUTTI_ASSIGN(isDone, isCopied(oldest));
    if (!isDone) {
      return moved;
    }
    for (const Rank owner : oldest.owners) {
      say(kReturned, owner, oldest.sequence);
    }
    copying_.pop_front();
    moved = true;
  }
  return moved;
}

void Loans::recall(Progress::Lock &lock, std::int32_t device, const RangeSet &units) {
  engine_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return areReturned(); });
  const Place owner = topology_.deviceOf(self_, device);
  for (auto &[pair, given] : given_) {
    const RangeSet some = given.intersect(units);
    if (pair.first != owner || some.empty()) {
      continue;
    }
    given = given.subtract(some);
    ++recalled_;
    mail_.send(topology_.rankOf(pair.second),
               Writer(kRecall).add(owner).add(pair.second).add(some).bytes());
  }
  engine_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return recalled_ == 0; });
}

void Loans::addBlocks(Rank from, Reader &reader) {
  const auto owner = reader.take<Place>();
  const auto borrower = reader.take<Place>();
  const auto units = reader.takeVector<Range>();
  const std::vector<Descriptor> handles = orDie(routes_.socket.receive(from));
  TUTTI_CHECK(handles.size() == units.size(), "get {} handles of rank {}: got {}", units.size(),
              from, handles.size());
  const std::int32_t device = topology_.indexOf(borrower);
  auto &foreign = foreign_[{owner, borrower}];
  if (!foreign) {
    auto made = devices_.makeForeign(device);
    orDie(devices_.outlive(device, made ? Status() : Status(made.error())));
    foreign = made ? std::move(*made) : std::make_unique<NoMemory>();
  }
  for (std::size_t index = 0; index < units.size(); ++index) {
    orDie(devices_.outlive(device, foreign->add(units[index], handles[index])));
  }
}

void Loans::addByHost(Reader &reader) {
  ByHost lent{reader.take<Sequence>(), {}, {}, {}};
  lent.pair.first = reader.take<Place>();
  lent.pair.second = reader.take<Place>();
  lent.address = reader.take<std::uint64_t>();
  lent.bytes.assign(reader.rest().begin(), reader.rest().end());
  byHost_.push_back(std::move(lent));
}

/// The owner knows that nothing is under way there.
void Loans::letGo(Rank from, Reader &reader) {
  const auto owner = reader.take<Place>();
  const auto borrower = reader.take<Place>();
  for (const Range &range : reader.takeVector<Range>()) {
    orDie(devices_.outlive(topology_.indexOf(borrower),
                           foreign_.at({owner, borrower})->remove(range)));
  }
  mail_.send(from, Writer(kRecalled).bytes());
}

} // namespace tutti::protocol
