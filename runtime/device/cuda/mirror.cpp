// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/mirror.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::device::cuda {

namespace {

std::uint64_t down(std::uint64_t value, std::uint64_t unit) { return value / unit * unit; }

std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return down(value + unit - 1, unit); }

RangeSet only(Range range) { return RangeSet::of({range}); }

} // namespace

Result<std::unique_ptr<Mirror>> Mirror::open(Context &context, const Segments &window) {
  std::unique_ptr<Mirror> mirror(new Mirror(context));
  mirror->access_ = {{{kLocationDevice, context.device()}, kAccessReadWrite}};
  TUTTI_TRY(context.enter());
  TUTTI_TRY(mirror->findGranule());
  auto low = mirror->reserve(window.low);
  if (!low) {
    return std::move(low).error();
  }
  mirror->low_ = *low;
  auto high = mirror->reserve(window.high);
  if (!high) {
    return std::move(high).error();
  }
  mirror->high_ = *high;
  return mirror;
}

Mirror::~Mirror() {
  context_.enter().ignore("a lost device refuses what follows, which changes nothing");
  for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
    free(block);
  }
  trim().ignore("the device gets its memory back with the context at the latest");
  for (const Reservation &reservation : {low_, high_}) {
    if (!reservation.window.empty()) {
      context_.cuda().cuMemAddressFree(reservation.window.begin + reservation.delta,
                                       reservation.window.size());
    }
  }
}

CUmemAllocationProp Mirror::properties() const {
  CUmemAllocationProp properties{};
  properties.type = kAllocationPinned;
  properties.location = access_.front().location;
  properties.requestedHandleTypes = handleType_;
  return properties;
}

Status Mirror::findGranule() {
  const CUmemAllocationProp wanted = properties();
  std::size_t granule = 0;
  if (const CUresult result =
          context_.cuda().cuMemGetAllocationGranularity(&granule, &wanted, kGranularityMinimum)) {
    return context_.failed(result, "ask for the granule of memory");
  }
  granule_ = granule;
  return {};
}

Result<Mirror::Reservation> Mirror::reserve(Range segment) const {
  Reservation reservation;
  reservation.segment = segment;
  if (segment.empty()) {
    return reservation;
  }
  const Range whole{down(segment.begin, granule_), up(segment.end, granule_)};
  CUresult result = kSuccess;
  for (std::uint64_t size = whole.size();; size = up(size / 2, granule_)) {
    CUdeviceptr first = 0;
    result = context_.cuda().cuMemAddressReserve(&first, size, 0, 0, 0);
    if (result == kSuccess) {
      reservation.window = {whole.begin, whole.begin + size};
      reservation.delta = first - whole.begin;
      return reservation;
    }
    if (size == granule_) {
      return context_.failed(result, "reserve {} bytes of addresses", whole.size());
    }
  }
}

const Mirror::Reservation *Mirror::reservationOf(Range bytes) const {
  for (const Reservation *reservation : {&high_, &low_}) {
    if (reservation->segment.contains(bytes)) {
      return reservation;
    }
  }
  return nullptr;
}

Error Mirror::notInWindow(Range bytes) const {
  return failure(ErrorCode::InvalidArgument, "{}: [{:#x}, {:#x}) is not in the window",
                 context_.label(), bytes.begin, bytes.end);
}

bool Mirror::isCommitted(Range bytes) const {
  const std::vector<Range> &ranges = committed_.ranges();
  const auto behind =
      std::upper_bound(ranges.begin(), ranges.end(), bytes.begin,
                       [](std::uint64_t begin, const Range &range) { return begin < range.begin; });
  return bytes.empty() || (behind != ranges.begin() && std::prev(behind)->contains(bytes));
}

Status Mirror::commit(Range bytes) {
  if (isCommitted(bytes)) {
    return {};
  }
  const Reservation *reservation = reservationOf(bytes);
  if (!reservation) {
    return notInWindow(bytes);
  }
  if (!reservation->window.contains(bytes)) {
    return failure(ErrorCode::OutOfMemory,
                   "{}: the driver gave {} bytes of addresses, which do not reach {:#x}",
                   context_.label(), reservation->window.size(), bytes.end);
  }
  TUTTI_TRY(context_.enter());
  const Range granules{down(bytes.begin, granule_), up(bytes.end, granule_)};
  const RangeSet missing = only(granules).subtract(backed_);
  std::vector<std::uint64_t> added;
  for (const Range &gap : missing.ranges()) {
    for (std::uint64_t at = gap.begin; at < gap.end;) {
      const std::uint64_t end = std::min(gap.end, up(at + 1, kBlockBytes));
      if (Status status = addBlock({at, end}); !status) {
        for (const std::uint64_t begin : added) {
          free(blocks_.find(begin));
        }
        giveBack(~std::uint64_t{0}).ignore("the first failure is reported");
        return status;
      }
      added.push_back(at);
      at = end;
    }
  }
  backed_ = backed_.unite(missing);
  // Granules may reach beyond the window, which nobody may use.
  const Range segment = reservation->segment;
  committed_ = committed_.unite(
      only({std::max(granules.begin, segment.begin), std::min(granules.end, segment.end)}));
  return {};
}

Status Mirror::release(Range bytes) {
  const Reservation *reservation = reservationOf(bytes);
  if (!reservation) {
    return notInWindow(bytes);
  }
  // Granules that the ends of a segment cut off are whole.
  const Range segment = reservation->segment;
  const RangeSet inside =
      only({bytes.begin == segment.begin ? bytes.begin : up(bytes.begin, granule_),
            bytes.end == segment.end ? bytes.end : down(bytes.end, granule_)});
  if (!committed_.overlaps(inside)) {
    return {};
  }
  committed_ = committed_.subtract(inside);
  const Range hull = inside.hull();
  std::vector<Range> freed;
  for (auto block = firstAround(hull.begin); block != blocks_.end() && block->first < hull.end;
       ++block) {
    const Range window{block->first, block->first + block->second.bytes};
    if (!committed_.overlaps(only(window))) {
      freed.push_back(window);
      free(block);
    }
  }
  backed_ = backed_.subtract(RangeSet::of(std::move(freed)));
  return {};
}

Status Mirror::trim() {
  TUTTI_TRY(context_.enter());
  return giveBack(~std::uint64_t{0});
}

Status Mirror::addBlock(Range window) {
  if (reuse(window)) {
    return {};
  }
  TUTTI_TRY(unmapOthers(window));
  CUmemHandle handle = 0;
  TUTTI_ASSIGN(handle, takeMemory(window.size()));
  if (Status status = mapBlock(window, handle); !status) {
    free_.push_back({window.size(), handle});
    return status;
  }
  blocks_.emplace(window.begin, Block{window.size(), handle, true});
  return {};
}

/// Uses the block that is mapped there, if it is free.
bool Mirror::reuse(Range window) {
  const auto block = blocks_.find(window.begin);
  if (block == blocks_.end() || block->second.bytes != window.size()) {
    return false;
  }
  const auto found = std::ranges::find(free_, block->second.handle, &Free::handle);
  if (found == free_.end()) {
    return false;
  }
  free_.erase(found);
  block->second.isUsed = true;
  return true;
}

/// The oldest free block of a size, or a new one: in place of what else is free, so that no more is
/// taken from the device than was used at some time.
Result<CUmemHandle> Mirror::takeMemory(std::uint64_t bytes) {
  if (const auto found = std::ranges::find(free_, bytes, &Free::bytes); found != free_.end()) {
    const CUmemHandle handle = found->handle;
    free_.erase(found);
    return handle;
  }
  TUTTI_TRY(giveBack(bytes));
  const CUmemAllocationProp wanted = properties();
  CUmemHandle handle = 0;
  CUresult result = context_.cuda().cuMemCreate(&handle, bytes, &wanted, 0);
  if (result == kOutOfMemory && !free_.empty()) {
    TUTTI_TRY(giveBack(~std::uint64_t{0}));
    result = context_.cuda().cuMemCreate(&handle, bytes, &wanted, 0);
  }
  if (result != kSuccess) {
    return context_.failed(result, "allocate {} bytes", bytes);
  }
  return handle;
}

/// Gives the device the oldest free blocks, until so many bytes are its own again or none are left.
Status Mirror::giveBack(std::uint64_t bytes) {
  for (std::uint64_t given = 0; given < bytes && !free_.empty();) {
    const auto [size, handle] = free_.front();
    free_.pop_front();
    given += size;
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      const auto next = std::next(block);
      if (block->second.handle == handle) {
        TUTTI_TRY(unmap(block));
      }
      block = next;
    }
    if (const CUresult result = context_.cuda().cuMemRelease(handle)) {
      return context_.failed(result, "free {} bytes", size);
    }
  }
  return {};
}

Status Mirror::mapBlock(Range window, CUmemHandle handle) {
  const Library &cuda = context_.cuda();
  if (const CUresult result = cuda.cuMemMap(at(window.begin), window.size(), 0, handle, 0)) {
    return context_.failed(result, "map {} bytes at {:#x}", window.size(), window.begin);
  }
  Status status = setAccess(window);
  if (!status && access_.size() > 1 && !context_.fault()) {
    // There are machines where devices say that they reach each other and do not: go on alone.
    access_.resize(1);
    status = setAccess(window);
  }
  if (!status) {
    cuda.cuMemUnmap(at(window.begin), window.size());
  }
  return status;
}

Status Mirror::setAccess(Range window) {
  if (const CUresult result = context_.cuda().cuMemSetAccess(at(window.begin), window.size(),
                                                             access_.data(), access_.size())) {
    return context_.failed(result, "give access to {} bytes at {:#x}", window.size(), window.begin);
  }
  return {};
}

/// Nothing, if it is not used.
void Mirror::free(Blocks::iterator block) {
  if (std::exchange(block->second.isUsed, false)) {
    free_.push_back({block->second.bytes, block->second.handle});
  }
}

/// Order: the block is not used there.
Status Mirror::unmap(Blocks::iterator block) {
  const auto [begin, memory] = *block;
  blocks_.erase(block);
  if (const CUresult result = context_.cuda().cuMemUnmap(at(begin), memory.bytes)) {
    return context_.failed(result, "unmap {} bytes at {:#x}", memory.bytes, begin);
  }
  return {};
}

/// The block that begins last up to `address`, else the first.
Mirror::Blocks::iterator Mirror::firstAround(std::uint64_t address) {
  const auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? after : std::prev(after);
}

/// What has served in parts of `window` before. Order: none of it is used there.
Status Mirror::unmapOthers(Range window) {
  auto block = firstAround(window.begin);
  while (block != blocks_.end() && block->first < window.end) {
    const auto next = std::next(block);
    if (block->first + block->second.bytes > window.begin) {
      TUTTI_TRY(unmap(block));
    }
    block = next;
  }
  return {};
}

Status Mirror::allowSharing() {
  TUTTI_TRY(context_.enter());
  int hasHandles = 0;
  context_.cuda().cuDeviceGetAttribute(&hasHandles, kHasFileHandles, context_.device());
  if (hasHandles == 0) {
    return failure(ErrorCode::NotSupported, "{}: no handles for memory", context_.label());
  }
  handleType_ = kHandleFile;
  // In a container the driver may say that it can and then refuse.
  const CUmemAllocationProp wanted = properties();
  CUmemHandle handle = 0;
  Status status;
  if (const CUresult result = context_.cuda().cuMemCreate(&handle, granule_, &wanted, 0)) {
    status = context_.failed(result, "allocate {} bytes to share", granule_);
  } else {
    const auto file = exported(handle);
    status = file ? Status() : Status(file.error());
    context_.cuda().cuMemRelease(handle);
  }
  if (!status) {
    handleType_ = kHandleNone;
    return failure(ErrorCode::NotSupported, "{}", status.error().message);
  }
  return {};
}

Result<Descriptor> Mirror::exported(CUmemHandle handle) const {
  int file = -1;
  if (const CUresult result =
          context_.cuda().cuMemExportToShareableHandle(&file, handle, kHandleFile, 0)) {
    return context_.failed(result, "make a handle of memory");
  }
  return Descriptor(file);
}

Result<Descriptor> Mirror::share(Range bytes) const {
  if (handleType_ == kHandleNone) {
    return failure(ErrorCode::NotSupported, "{}: memory cannot be shared", context_.label());
  }
  const Range window{down(bytes.begin, granule_), up(bytes.end, granule_)};
  const auto block = blocks_.find(window.begin);
  if (block == blocks_.end() || !block->second.isUsed || block->second.bytes != window.size()) {
    return failure(ErrorCode::InvalidArgument, "{}: [{:#x}, {:#x}) is not a block",
                   context_.label(), bytes.begin, bytes.end);
  }
  TUTTI_TRY(context_.enter());
  return exported(block->second.handle);
}

Status Mirror::grant(CUdevice peer) {
  if (grants(peer)) {
    return {};
  }
  TUTTI_TRY(context_.enter());
  access_.push_back({{kLocationDevice, peer}, kAccessReadWrite});
  for (const auto &[begin, block] : blocks_) {
    if (Status status = setAccess({begin, begin + block.bytes}); !status) {
      access_.pop_back();
      return status;
    }
  }
  return {};
}

bool Mirror::grants(CUdevice device) const {
  return std::any_of(access_.begin(), access_.end(), [&](const CUmemAccessDesc &description) {
    return description.location.id == device;
  });
}

} // namespace tutti::device::cuda
