// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The window on one device: addresses at a constant distance, and physical memory behind those
/// that have been committed.
#pragma once

#include "base/descriptor.h"
#include "base/range.h"
#include "base/result.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/device.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tutti::device::cuda {

/// Physical memory comes in blocks of whole granules (2 MiB), at most `kBlockBytes` each, cut at
/// multiples of `kBlockBytes`: one allocation and one mapping, which cannot be divided. A block
/// is free once all of it has been released; parts of it that have been stay uncommitted and cost
/// nothing to commit again.
///
/// A free block serves the next commit of its size, and stays mapped meanwhile: if the same bytes
/// of the window are committed again while it is still free, nothing has to be done. So a loop that
/// streams through the device makes no native calls once it has been through its data: each block
/// is mapped wherever it has served. (Changing mappings waits for copies that are under way, about
/// 0.3 ms for each block.) Of all that is mapped twice, one place is committed.
///
/// Threading: externally synchronised.
/// Ownership: the context outlives it.
class Mirror {
public:
  /// 64 calls per 8 GiB; small enough that streaming can turn memory over.
  static constexpr std::uint64_t kBlockBytes = std::uint64_t{128} << 20;

  /// Reserves addresses. If the driver refuses as many, less: the front of each segment, which has
  /// stack and the first part of the heap.
  ///
  /// Errors: NotSupported  no virtual memory management; OutOfMemory  no addresses.
  /// Source: cuMemAddressReserve.
  static Result<std::unique_ptr<Mirror>> open(Context &context, const Segments &window);

  Mirror(const Mirror &) = delete;
  Mirror &operator=(const Mirror &) = delete;
  ~Mirror();

  /// Errors: InvalidArgument, OutOfMemory, DeviceLost; nothing has changed.
  /// Cost:   a binary search if all is committed.
  /// Source: cuMemCreate, cuMemMap, cuMemSetAccess.
  Status commit(Range bytes);

  /// Errors: InvalidArgument  not in the window.
  Status release(Range bytes);

  /// Gives the device what is free.
  /// Source: cuMemUnmap, cuMemRelease.
  Status trim();

  bool isCommitted(Range bytes) const;

  std::uint64_t granule() const { return granule_; }

  /// Bytes of all blocks that are not free.
  std::uint64_t committed() const { return backed_.bytes(); }

  /// What to add to an address below 4 GiB, or above, to get its place on the device.
  std::uint64_t lowDelta() const { return low_.delta; }

  std::uint64_t highDelta() const { return high_.delta; }

  /// The place of a byte that is committed.
  std::uint64_t at(std::uint64_t address) const {
    return address + (address < kLowEnd ? low_.delta : high_.delta);
  }

  /// From now on blocks can be shared with other processes. Tries it once.
  ///
  /// Errors: NotSupported.
  Status allowSharing();

  /// Errors: NotSupported, InvalidArgument, SystemFailed.
  Result<Descriptor> share(Range bytes) const;

  /// Lets another device use what is committed, now and later.
  Status grant(CUdevice peer);

  bool grants(CUdevice device) const;

private:
  static constexpr std::uint64_t kLowEnd = std::uint64_t{1} << 32;

  /// Addresses of the device for one segment; empty if the segment is.
  struct Reservation {
    Range segment; ///< As asked for.
    Range window;  ///< Whole granules that have addresses.
    std::uint64_t delta = 0;
  };

  /// Where a block of memory is mapped.
  struct Block {
    std::uint64_t bytes;
    CUmemHandle handle;
    bool isUsed; ///< Else the block is free, or is used somewhere else.
  };

  struct Free {
    std::uint64_t bytes;
    CUmemHandle handle;
  };

  using Blocks = std::map<std::uint64_t, Block>;

  explicit Mirror(Context &context) : context_(context) {}

  CUmemAllocationProp properties() const;
  Result<Descriptor> exported(CUmemHandle handle) const;
  Status findGranule();
  Result<Reservation> reserve(Range segment) const;
  const Reservation *reservationOf(Range bytes) const;
  Error notInWindow(Range bytes) const;
  Status addBlock(Range window);
  bool reuse(Range window);
  Result<CUmemHandle> takeMemory(std::uint64_t bytes);
  Status giveBack(std::uint64_t bytes);
  Status mapBlock(Range window, CUmemHandle handle);
  Status setAccess(Range window);
  void free(Blocks::iterator block);
  Status unmap(Blocks::iterator block);
  Blocks::iterator firstAround(std::uint64_t address);
  Status unmapOthers(Range window);

  Context &context_;
  std::uint64_t granule_ = 0;
  int handleType_ = kHandleNone;
  Reservation low_;
  Reservation high_;
  std::vector<CUmemAccessDesc> access_; ///< The device itself first, then its peers.
  Blocks blocks_;                       ///< By first address of the window.
  std::deque<Free> free_;               ///< The oldest first.
  RangeSet backed_;                     ///< All blocks that are used.
  RangeSet committed_;                  ///< What of it may be used.
};

} // namespace tutti::device::cuda
