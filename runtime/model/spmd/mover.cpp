// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/mover.h"

#include "base/check.h"
#include "base/hash.h"
#include "runtime/model/spmd/moving.h"
#include "runtime/model/spmd/packing.h"

#include <span>

namespace tutti::model::spmd {

namespace {

using distribution::Box;
using distribution::Index;
using distribution::LocalCopy;
using distribution::Message;

/// The bytes of a message that lie one behind the other in memory; empty if they do not.
struct Direct {
  Index at = 0;
  std::size_t bytes = 0;
};

Direct directOf(const Message &message, std::size_t elementBytes) {
  if (message.fills || message.boxes.size() != 1) {
    return {};
  }
  const auto run = message.boxes.front().asRun();
  if (!run || (run->count > 1 && run->stride != 1)) {
    return {};
  }
  return {run->first * static_cast<Index>(elementBytes),
          static_cast<std::size_t>(run->count) * elementBytes};
}

/// Elements are in the host's memory.
class HostMoving final : public Moving {
public:
  HostMoving(World &world, Plan &plan, const Operands &operands, MoveCounters counters)
      : Moving(world, plan, operands, counters), ownsPlanBuffers_(!plan.isBusy) {
    if (ownsPlanBuffers_) {
      plan.isBusy = true;
    } else {
      spare_.resize(plan.buffers.size());
    }
  }

  ~HostMoving() override {
    if (ownsPlanBuffers_) {
      plan_.isBusy = false;
    }
  }

private:
  Plan::Buffers &buffers() { return (ownsPlanBuffers_ ? plan_.buffers : spare_)[phaseNumber()]; }

  Status begin() override {
    Plan::Buffers &own = buffers();
    own.sends.resize(phase().sends.size());
    own.receives.resize(phase().receives.size());
    TUTTI_TRY(beginReceives(own));
    TUTTI_TRY(beginSends(own));
    copy(own);
    return {};
  }

  Status beginReceives(Plan::Buffers &own) {
    for (std::size_t i = 0; i < phase().receives.size(); ++i) {
      const Message &message = phase().receives[i];
      std::span<std::byte> into;
      if (const Direct direct = receivesDirectly(message); direct.bytes > 0) {
        into = {operands_.target + direct.at, direct.bytes};
        world_.host().open(into.data(), into.size(), true);
      } else {
        own.receives[i].resize(bytesOf(message));
        into = own.receives[i];
      }
      TUTTI_TRY(receive(message, into));
    }
    return {};
  }

  Direct receivesDirectly(const Message &message) const {
    return operands_.adds || !operands_.isApart ? Direct{}
                                                : directOf(message, operands_.elementBytes);
  }

  Status beginSends(Plan::Buffers &own) {
    for (std::size_t i = 0; i < phase().sends.size(); ++i) {
      const Message &message = phase().sends[i];
      std::span<const std::byte> out;
      if (const Direct direct = sendsDirectly(message); direct.bytes > 0) {
        out = {operands_.source + direct.at, direct.bytes};
        world_.host().open(out.data(), out.size(), false);
      } else {
        own.sends[i].resize(bytesOf(message));
        std::byte *at = own.sends[i].data();
        for (const Box &box : message.boxes) {
          pack(box, operands_.source, operands_.elementBytes, at);
          at += static_cast<std::size_t>(box.elements()) * operands_.elementBytes;
        }
        out = own.sends[i];
      }
      TUTTI_TRY(send(message, out));
    }
    return {};
  }

  Direct sendsDirectly(const Message &message) const {
    return operands_.isApart ? directOf(message, operands_.elementBytes) : Direct{};
  }

  void copy(Plan::Buffers &own) {
    if (operands_.isApart && !operands_.adds) {
      copyDirectly();
    } else {
      copyThrough(own);
    }
  }

  void copyDirectly() const {
    for (const LocalCopy &copy : phase().copies) {
      if (copy.fills) {
        const Index element = distribution::RunCursor(copy.from).run().first;
        fill(copy.to, operands_.target, operands_.elementBytes,
             operands_.source + element * static_cast<Index>(operands_.elementBytes));
      } else {
        copyElements(copy.from, operands_.source, copy.to, operands_.target,
                     operands_.elementBytes);
      }
    }
  }

  /// All is read before anything is written.
  void copyThrough(Plan::Buffers &own) {
    std::size_t bytes = 0;
    for (const LocalCopy &copy : phase().copies) {
      bytes += static_cast<std::size_t>(copy.from.elements()) * operands_.elementBytes;
    }
    own.copies.resize(bytes);
    std::byte *at = own.copies.data();
    for (const LocalCopy &copy : phase().copies) {
      pack(copy.from, operands_.source, operands_.elementBytes, at);
      at += static_cast<std::size_t>(copy.from.elements()) * operands_.elementBytes;
    }
    at = own.copies.data();
    for (const LocalCopy &copy : phase().copies) {
      write(copy.to, copy.fills, at);
      at += static_cast<std::size_t>(copy.from.elements()) * operands_.elementBytes;
    }
  }

  void write(const Box &box, bool fills, const std::byte *bytes) {
    if (fills) {
      fill(box, operands_.target, operands_.elementBytes, bytes);
    } else if (operands_.adds) {
      add(box, operands_.target, *operands_.adds, bytes);
    } else {
      unpack(box, operands_.target, operands_.elementBytes, bytes);
    }
  }

  Status takeReceived() override {
    Plan::Buffers &own = buffers();
    for (std::size_t i = 0; i < phase().receives.size(); ++i) {
      const Message &message = phase().receives[i];
      if (receivesDirectly(message).bytes > 0) {
        continue;
      }
      const std::byte *at = own.receives[i].data();
      for (const Box &box : message.boxes) {
        write(box, message.fills, at);
        at += static_cast<std::size_t>(box.elements()) * operands_.elementBytes;
      }
    }
    return {};
  }

  bool ownsPlanBuffers_;
  std::vector<Plan::Buffers> spare_; ///< Where the plan's are in use.
};

} // namespace

Moving::Moving(World &world, Plan &plan, const Operands &operands, MoveCounters counters)
    : world_(world), plan_(plan), operands_(operands), counters_(counters) {
  plan_.underWay.push_back(this);
}

Moving::~Moving() { std::erase(plan_.underWay, this); }

Result<bool> Moving::isNext() {
  for (Moving *const earlier : plan_.underWay) {
    if (earlier == this) {
      break;
    }
    const auto hasBegun = [&] {
      return earlier->phase_ > phase_ || (earlier->phase_ == phase_ && earlier->hasBegun_);
    };
    if (!hasBegun()) {
      TUTTI_TRY(earlier->advance());
      if (!hasBegun()) {
        return false;
      }
    }
  }
  return true;
}

Result<bool> Moving::advance() {
  while (phase_ < plan_.move.phases.size()) {
    if (!hasBegun_) {
      const Result<bool> isTurn = isNext();
      TUTTI_TRY(isTurn);
      if (!*isTurn) {
        return false;
      }
      TUTTI_TRY(begin());
      hasBegun_ = true;
    }
    while (!requests_.empty()) {
      const Result<bool> done = world_.endpoint().test(requests_.back());
      TUTTI_TRY(done);
      if (!*done) {
        return false;
      }
      requests_.pop_back();
    }
    TUTTI_TRY(takeReceived());
    hasBegun_ = false;
    ++phase_;
  }
  return true;
}

Status Moving::send(const Message &message, std::span<const std::byte> bytes) {
  ++counters_.messages;
  counters_.bytes += bytes.size();
  transport::Request request{};
  TUTTI_ASSIGN(request, world_.endpoint().send(message.peer, tag(), bytes));
  requests_.push_back(request);
  return {};
}

Status Moving::receive(const Message &message, std::span<std::byte> bytes) {
  transport::Request request{};
  TUTTI_ASSIGN(request, world_.endpoint().receive(message.peer, tag(), bytes));
  requests_.push_back(request);
  return {};
}

std::uint32_t tagOf(const std::vector<Index> &content) {
  // Phases follow one another; the highest bits stay free for other messages.
  constexpr std::uint64_t kTags = std::uint64_t{1} << 24;
  return static_cast<std::uint32_t>(Hash().add(std::as_bytes(std::span(content))).value() % kTags);
}

std::unique_ptr<Operation> beginMove(World &world, Plan &plan, const Operands &operands,
                                     MoveCounters counters) {
  return std::make_unique<HostMoving>(world, plan, operands, counters);
}

} // namespace tutti::model::spmd
