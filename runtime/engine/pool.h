// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory for the tasks that one worker makes: no allocation in the steady state, whoever gives the
/// memory back.
#pragma once

#include "base/count.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::engine {

/// Threading: confined to its owner; `release` from any thread.
class Pool {
public:
  Pool() = default;
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool();

  /// What the memory begins with that `allocate` gives, before what has an alignment of its own.
  static constexpr std::size_t kHead = 112;

  /// The alignment that something of so many bytes may have at most, as far as it is cared for.
  static std::size_t alignmentOf(std::size_t bytes);

  /// Memory from `pool`, or from the general heap where that is null. What comes after `kHead`
  /// bytes is aligned as something of just the bytes that are left may have to be.
  static void *allocate(Pool *pool, std::size_t bytes);

  /// How much there is at what `allocate` gave.
  static std::size_t bytesOf(const void *memory) {
    return (static_cast<const Header *>(memory) - 1)->bytes - sizeof(Header);
  }

  /// Gives back what `allocate` gave. `own` is the calling thread's pool, or null.
  static void release(void *memory, Pool *own);

  /// Bytes that are in use. As many as that at most: other threads may have given some back.
  std::size_t used() const { return used_; }

  /// The same, exactly.
  std::size_t usedNow() {
    collect();
    return used_;
  }

  /// How often memory was asked for from the general heap, for tests.
  std::size_t allocations() const { return allocations_; }

private:
  static constexpr std::size_t kStep = 64;
  static constexpr std::size_t kClasses = 32;
  static constexpr std::size_t kSlab = std::size_t{64} << 10;

  /// Stands in front of each block.
  struct alignas(16) Header {
    Pool *owner;
    std::size_t bytes; ///< Of the block, the header included.

    /// While the block is free: the link of a list, in the user's part.
    Header *&next() { return *reinterpret_cast<Header **>(this + 1); }
  };

  /// Of the blocks of a size: where what comes after the head begins is a multiple of this.
  static std::size_t alignmentOfBlock(std::size_t whole);
  static Header *newBlock(Pool *owner, std::size_t whole);
  static void deleteBlock(Header *header);

  Header *refill(std::size_t index);
  void putBack(Header *header);
  void collect();

  std::array<Header *, kClasses> free_{};
  std::size_t used_ = 0;
  Count allocations_;
  std::byte *rest_ = nullptr; ///< Of the newest slab.
  std::byte *restEnd_ = nullptr;
  std::vector<void *> slabs_;
  alignas(64) std::atomic<Header *> returned_{nullptr}; ///< By other threads.
};

} // namespace tutti::engine
