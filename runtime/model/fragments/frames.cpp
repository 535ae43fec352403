// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/frames.h"

#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/inbox.h"
#include "runtime/model/fragments/ropes.h"
#include "runtime/model/fragments/rows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

void Frames::remove(Frame *frame) {
  // Names lead from frame to frame as deep as a program recurs.
  std::vector<Frame *> open;
  removeOne(frame, open);
  while (!open.empty()) {
    Frame *next = open.back();
    open.pop_back();
    removeOne(next, open);
  }
}

void Frames::removeOne(Frame *frame, std::vector<Frame *> &open) {
  const auto giveBack = [&open](Frame *other) {
    if (--other->references == 0 && other->expected <= 0) {
      open.push_back(other);
    }
  };
  for (std::int32_t at = 0; at < frame->block->slotCount; ++at) {
    Slot &slot = frame->slots[static_cast<std::size_t>(at)];
    while (slot.own && slot.own->first) {
      data_.remove(*slot.own->first);
    }
    for (const Row *row = nullptr; slot.own && (row = slot.own->rows.any());) {
      rows_.forgetRow(*row);
    }
    if (slot.name) {
      giveBack(slot.name->base->frame);
    }
  }
  ropes_.forgetRopes(*frame);
  if (frame->parent) {
    giveBack(frame->parent);
  }
  if (settings_.ranks > 1) {
    inbox_.forgetFrame(*frame);
  }
  (frame->before ? frame->before->behind : first_) = frame->behind;
  if (frame->behind) {
    frame->behind->before = frame->before;
  }
  pool_.free(frame);
}

Frame *Frames::makeFrame(Frame *parent, std::int32_t index, const FrameId &id,
                         std::shared_ptr<const Chain> chain) {
  const tutti_luna_block &block = program_.unit().blocks[index];
  if (block.slotCount == 0 && parent) {
    return retain(parent);
  }
  Frame *frame = pool_.make();
  frame->behind = std::exchange(first_, frame);
  if (frame->behind) {
    frame->behind->before = frame;
  }
  frame->parent = parent ? retain(parent) : nullptr;
  frame->block = &block;
  frame->id = id;
  frame->slots.make(static_cast<std::size_t>(block.slotCount));
  frame->chain = std::move(chain);
  for (std::int32_t at = block.firstData; at < block.slotCount; ++at) {
    frame->slots[static_cast<std::size_t>(at)].own = std::make_unique<Base>(
        Base{frame, block.firstSlot + at, at, nullptr, nullptr, {}, {}, {}, {}, {}});
  }
  return frame;
}

void Frames::clear() {
  while (first_) {
    for (std::int32_t at = 0; at < first_->block->slotCount; ++at) {
      const Slot &slot = first_->slots[static_cast<std::size_t>(at)];
      while (slot.own && slot.own->first) {
        data_.remove(*slot.own->first);
      }
    }
    pool_.free(std::exchange(first_, first_->behind));
  }
}

} // namespace tutti::model::fragments
