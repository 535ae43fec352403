// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The value of a data fragment, which never changes once it is one.
#pragma once

#include "runtime/model/fragments/device_calls.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::model::fragments {

/// Bytes that several values may share.
///
/// Shape:     the bytes may be objects of any type that memory of `malloc` may be.
/// Threading: the count is internally synchronised; the bytes belong to who makes them until they
///            are part of a value that others see.
struct alignas(std::max_align_t) Buffer {
  std::atomic<std::uint32_t> references{1};
  /// The bytes stand behind this, or are a slice of such ones; else they are in mirrored memory.
  bool isOwn = true;
  std::atomic<bool> isHere{true}; ///< The host has them.
  bool isLeftOut = false;         ///< Stands for what merged calls have not made; of no bytes.
  std::size_t bytes = 0;
  /// Where devices find them, if they may; part of `memory`.
  std::atomic<std::byte *> mirror{nullptr};
  MirroredMemory *memory = nullptr;
  Buffer *whole = nullptr;           ///< Of a slice: what it is part of, and keeps.
  std::size_t offset = 0;            ///< In that.
  void (*destroy)(void *) = nullptr; ///< Ends the object that the bytes are, if they are one.

  std::byte *data() {
    return !isOwn  ? mirror.load()
           : whole ? whole->data() + offset
                   : reinterpret_cast<std::byte *>(this + 1);
  }

  /// Makes sure that the host has the bytes.
  void open(Cause cause) {
    if (!isHere.load(std::memory_order_acquire)) {
      if (!whole || !whole->isHere.load(std::memory_order_acquire)) {
        memory->open(data(), bytes, cause);
      }
      isHere.store(true, std::memory_order_release);
    }
  }

  /// Followed by so many bytes, and one of 0; null if there is no memory.
  static Buffer *make(std::size_t bytes);

  /// Of bytes that a device is going to write, in mirrored memory; takes them over.
  static Buffer *makeMirrored(MirroredMemory &memory, std::byte *mirror, std::size_t bytes);

  /// Of bytes that are part of another one's.
  static Buffer *makeSlice(Buffer &of, std::size_t offset, std::size_t bytes);

  /// Gives up a reference.
  static void drop(Buffer *buffer);
};

enum class Kind : std::uint8_t { Unset, Int, Real, String, Bytes };

/// How messages call it.
std::string_view nameOf(Kind kind);

class Value {
public:
  Value() = default;

  explicit Value(std::int32_t integer) : kind_(Kind::Int), integer_(integer) {}

  explicit Value(double real) : kind_(Kind::Real), real_(real) {}

  /// Takes over one reference.
  Value(Kind kind, Buffer *buffer) : kind_(kind), buffer_(buffer) {}

  static Value ofText(std::string_view text);

  Value(const Value &other) : kind_(other.kind_), bits_(other.bits_) { retain(); }

  Value(Value &&other) noexcept
      : kind_(std::exchange(other.kind_, Kind::Unset)), bits_(other.bits_) {}

  Value &operator=(Value other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(bits_, other.bits_);
    return *this;
  }

  ~Value() { release(); }

  Kind kind() const { return kind_; }

  bool isSet() const { return kind_ != Kind::Unset; }

  std::int32_t integer() const { return integer_; }

  double real() const { return real_; }

  bool hasBuffer() const { return kind_ == Kind::String || kind_ == Kind::Bytes; }

  Buffer *buffer() const { return hasBuffer() ? buffer_ : nullptr; }

  /// Before the host looks at the bytes.
  void open(Cause cause) const {
    if (hasBuffer()) {
      buffer_->open(cause);
    }
  }

  std::size_t size() const;
  const void *data() const;

  /// Of a string.
  const char *text() const { return reinterpret_cast<const char *>(buffer_->data()); }

  /// As a string concatenation has it.
  std::string asText() const;

private:
  void retain() {
    if (hasBuffer()) {
      buffer_->references.fetch_add(1, std::memory_order_relaxed);
    }
  }

  void release() {
    if (hasBuffer()) {
      Buffer::drop(buffer_);
    }
  }

  Kind kind_ = Kind::Unset;

  union {
    std::int32_t integer_;
    double real_;
    Buffer *buffer_;
    std::uint64_t bits_ = 0;
  };
};

} // namespace tutti::model::fragments
