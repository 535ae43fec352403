// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/value.h"

#include "base/check.h"
#include "runtime/model/fragments/large_blocks.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace tutti::model::fragments {

Buffer *Buffer::make(std::size_t bytes) {
  const std::size_t all = sizeof(Buffer) + bytes + 1;
  void *memory = all < kLargeBlock ? std::malloc(all) : takeLargeBlock(all);
  if (!memory) {
    return nullptr;
  }
  auto *buffer = new (memory) Buffer;
  buffer->bytes = bytes;
  buffer->data()[bytes] = std::byte{0};
  return buffer;
}

Buffer *Buffer::makeMirrored(MirroredMemory &memory, std::byte *mirror, std::size_t bytes) {
  auto *buffer = new (std::malloc(sizeof(Buffer))) Buffer;
  buffer->isOwn = false;
  buffer->isHere = false;
  buffer->bytes = bytes;
  buffer->mirror = mirror;
  buffer->memory = &memory;
  return buffer;
}

Buffer *Buffer::makeSlice(Buffer &of, std::size_t offset, std::size_t bytes) {
  Buffer &whole = of.whole ? *of.whole : of;
  auto *buffer = new (std::malloc(sizeof(Buffer))) Buffer;
  whole.references.fetch_add(1, std::memory_order_relaxed);
  buffer->whole = &whole;
  buffer->offset = of.offset + offset;
  buffer->bytes = bytes;
  buffer->isOwn = whole.isOwn;
  buffer->isHere = whole.isHere.load();
  if (!whole.isOwn) {
    buffer->mirror = whole.mirror.load() + buffer->offset;
    buffer->memory = whole.memory;
  }
  return buffer;
}

void Buffer::drop(Buffer *buffer) {
  // Pairs with the release of whoever gave up a reference before: its reads come first.
  if (buffer->references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  if (buffer->destroy) {
    buffer->destroy(buffer->data());
  }
  Buffer *whole = buffer->whole;
  std::byte *mirror = buffer->mirror.load();
  if (mirror && (buffer->isOwn || !whole)) {
    buffer->memory->free(mirror);
  }
  const bool isBehind = buffer->isOwn && !whole;
  const std::size_t all = isBehind ? sizeof(Buffer) + buffer->bytes + 1 : sizeof(Buffer);
  buffer->~Buffer();
  if (all < kLargeBlock) {
    std::free(buffer);
  } else {
    giveLargeBlock(buffer, all);
  }
  if (whole) {
    drop(whole);
  }
}

std::string_view nameOf(Kind kind) {
  switch (kind) {
  case Kind::Unset:
    return "unset";
  case Kind::Int:
    return "int";
  case Kind::Real:
    return "real";
  case Kind::String:
    return "string";
  case Kind::Bytes:
    return "bytes";
  }
  return "";
}

Value Value::ofText(std::string_view text) {
  Buffer *buffer = Buffer::make(text.size());
  TUTTI_CHECK(buffer, "no memory for a string of {} bytes", text.size());
  std::memcpy(buffer->data(), text.data(), text.size());
  return {Kind::String, buffer};
}

std::size_t Value::size() const {
  switch (kind_) {
  case Kind::Unset:
    return 0;
  case Kind::Int:
    return sizeof integer_;
  case Kind::Real:
    return sizeof real_;
  case Kind::String: // With the 0 at its end, as C programs copy it.
    return buffer_->bytes + 1;
  case Kind::Bytes:
    return buffer_->bytes;
  }
  return 0;
}

const void *Value::data() const {
  return hasBuffer() ? static_cast<void *>(buffer_->data()) : &bits_;
}

std::string Value::asText() const {
  switch (kind_) {
  case Kind::Int:
    return std::to_string(integer_);
  case Kind::Real:
    return std::to_string(real_);
  case Kind::String:
    return text();
  default:
    return {};
  }
}

} // namespace tutti::model::fragments
