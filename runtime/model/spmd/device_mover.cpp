// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Moves between device copies. What is sent is packed where it is, comes to the host as one piece,
/// and what is received goes the same way back.
#include "runtime/model/spmd/moving.h"

#include <array>
#include <bit>
#include <cstdint>

namespace tutti::model::spmd {

namespace {

using distribution::Box;
using distribution::Index;
using distribution::LocalCopy;
using distribution::Message;
using distribution::Nest;
using distribution::Progression;

constexpr std::size_t kPage = 4096;

std::size_t inPages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

class DeviceMoving final : public Moving {
public:
  DeviceMoving(World &world, Plan &plan, const Operands &operands, MoveCounters counters)
      : Moving(world, plan, operands, counters) {
    if (plan.spare.empty()) {
      exchanges_.resize(plan.move.phases.size());
    } else {
      exchanges_ = std::move(plan.spare.back());
      plan.spare.pop_back();
    }
  }

  ~DeviceMoving() override { plan_.spare.push_back(std::move(exchanges_)); }

private:
  Status begin() override {
    if (!exchange().memory) {
      TUTTI_TRY(allocate());
    }
    std::byte *at = exchange().sent.data();
    for (const Message &message : phase().sends) {
      for (const Box &box : message.boxes) {
        at = transfer(box, at, TUTTI_XMP_PACK);
      }
    }
    for (const LocalCopy &copy : phase().copies) {
      std::byte *const copied = at;
      at = transfer(copy.from, copied, TUTTI_XMP_PACK);
      transfer(copy.to, copied, TUTTI_XMP_UNPACK);
    }
    TUTTI_TRY(beginReceives());
    return beginSends();
  }

  Exchange &exchange() { return exchanges_[phaseNumber()]; }

  Status allocate() {
    std::size_t sent = 0;
    std::size_t received = 0;
    for (const Message &message : phase().sends) {
      sent += bytesOf(message);
    }
    for (const LocalCopy &copy : phase().copies) {
      sent += static_cast<std::size_t>(copy.from.elements()) * operands_.elementBytes;
    }
    for (const Message &message : phase().receives) {
      received += bytesOf(message);
    }
    sent = inPages(sent);
    received = inPages(received);
    // Devices and the host work on whole pages of their own.
    const Host &host = world_.host();
    void *const memory = host.allocate(sent + received + kPage);
    if (!memory) {
      return failure(ErrorCode::OutOfMemory, "no memory for borders of {} bytes", sent + received);
    }
    exchange().memory = {static_cast<std::byte *>(memory), host.release};
    const std::size_t spare = -std::bit_cast<std::uintptr_t>(memory) % kPage;
    exchange().sent = {static_cast<std::byte *>(memory) + spare, sent};
    exchange().received = {exchange().sent.data() + sent, received};
    return {};
  }

  Status beginReceives() {
    const std::span<std::byte> all = exchange().received;
    if (!all.empty()) {
      world_.host().renew(all.data(), all.size());
      world_.host().open(all.data(), all.size(), true);
    }
    std::byte *at = all.data();
    for (const Message &message : phase().receives) {
      TUTTI_TRY(receive(message, {at, bytesOf(message)}));
      at += bytesOf(message);
    }
    return {};
  }

  Status beginSends() {
    const std::byte *at = exchange().sent.data();
    for (const Message &message : phase().sends) {
      if (at == exchange().sent.data()) {
        world_.host().open(at, exchange().sent.size(), false);
      }
      TUTTI_TRY(send(message, {at, bytesOf(message)}));
      at += bytesOf(message);
    }
    return {};
  }

  Status takeReceived() override {
    std::byte *at = exchange().received.data();
    for (const Message &message : phase().receives) {
      for (const Box &box : message.boxes) {
        at = transfer(box, at, TUTTI_XMP_UNPACK);
      }
    }
    return {};
  }

  /// Returns the end of what is packed.
  std::byte *transfer(const Box &box, std::byte *packed, long direction) {
    if (const std::optional<Nest> nest = box.asNest()) {
      transferNest(*nest, 0, nest->first, packed, direction);
    } else {
      std::byte *at = packed;
      box.forEachRun([&](Index first, Index count, Index stride) {
        transferNest({first, {{0, count, stride}}}, 0, first, at, direction);
        at += static_cast<std::size_t>(count) * operands_.elementBytes;
      });
    }
    return packed + static_cast<std::size_t>(box.elements()) * operands_.elementBytes;
  }

  /// Two dimensions and the words of an element, or of a run of them, at a time.
  void transferNest(const Nest &nest, std::size_t dimension, Index first, std::byte *packed,
                    long direction) {
    const bool endsInRun = !nest.steps.empty() && nest.steps.back().stride == 1;
    const std::size_t outer = nest.steps.size() - (endsInRun ? 1 : 0);
    if (outer - dimension > 2) {
      Index inner = 1;
      for (std::size_t d = dimension + 1; d < nest.steps.size(); ++d) {
        inner *= nest.steps[d].count;
      }
      for (Index k = 0; k < nest.steps[dimension].count; ++k) {
        transferNest(nest, dimension + 1, first + k * nest.steps[dimension].stride,
                     packed + k * inner * static_cast<Index>(operands_.elementBytes), direction);
      }
      return;
    }
    const std::size_t word = operands_.elementBytes % 8 == 0   ? 8
                             : operands_.elementBytes % 4 == 0 ? 4
                                                               : 1;
    const auto words = static_cast<long>(operands_.elementBytes / word);
    std::array<long, 3> counts{1, 1, words * (endsInRun ? nest.steps.back().count : 1)};
    std::array<long, 2> strides{0, 0};
    for (std::size_t d = outer, at = 2; d-- > dimension;) {
      counts[--at] = nest.steps[d].count;
      strides[at] = nest.steps[d].stride * words;
    }
    std::byte *const array = operands_.target + first * static_cast<Index>(operands_.elementBytes);
    world_.packing(word)(packed, array, counts.data(), strides.data(), direction);
  }

  Exchanges exchanges_;
};

} // namespace

std::unique_ptr<Operation> beginDeviceMove(World &world, Plan &plan, const Operands &operands,
                                           MoveCounters counters) {
  return std::make_unique<DeviceMoving>(world, plan, operands, counters);
}

} // namespace tutti::model::spmd
