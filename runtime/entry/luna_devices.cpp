// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/luna_devices.h"

#include "base/log.h"
#include "runtime/exec/kernel_choice.h"
#include "runtime/exec/region_view.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <thread>
#include <utility>

namespace tutti::entry::luna {

using model::fragments::Buffer;
using model::fragments::Cause;
using model::fragments::Handle;
using model::fragments::Kind;
using model::fragments::Part;
using model::fragments::Value;

namespace {

thread_local Recording *recording = nullptr;

/// Pages: what a device writes shares none with what the host or another call does.
constexpr std::uint64_t kPage = memory::kPageBytes;

/// Calls that devices have been given and that are not known to be over.
constexpr std::size_t kMostUnderway = 64;

std::uint64_t addressOf(const void *bytes) { return reinterpret_cast<std::uint64_t>(bytes); }

Range rangeOf(const void *bytes, std::size_t count) {
  return {addressOf(bytes), addressOf(bytes) + count};
}

std::size_t wholePages(std::size_t bytes) {
  return std::max((bytes + kPage - 1) / kPage, 1UL) * kPage;
}

Cause causeOf(Part part) { return part == Part::Drag ? Cause::Drag : Cause::Border; }

/// Bytes of the data fragments that a call reads.
std::uint64_t readBy(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments) {
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; procedure.types[at] != '\0'; ++at) {
    if (procedure.types[at] == TUTTI_LUNA_TYPE_VALUE) {
      const auto *object = static_cast<const model::fragments::Object *>(arguments[at].fragment);
      bytes += object->handle->value.size();
    }
  }
  return bytes;
}

/// Whether no data fragment is captured twice, so that what is written through one pointer is not
/// touched through another.
bool isDisjoint(const exec::Launch &launch, std::span<const Range> outputs) {
  return std::ranges::all_of(outputs, [&](const Range &output) {
    return std::ranges::count(launch.captures, output.begin) <= 1;
  });
}

} // namespace

Recording *Recording::here() { return recording; }

void *Recording::data(const Handle &fragment) {
  const Value &value = fragment.value;
  if (!value.isSet()) {
    isRefused_ = true;
    return nullptr;
  }
  const Range host = rangeOf(value.data(), value.size());
  const auto known = std::ranges::find(named_, host, &Named::host);
  if (known != named_.end()) {
    return known->here;
  }
  void *here = isPortion_ ? placeOf(value) : mirrorOf(value);
  named_.push_back({host, here});
  return here;
}

void *Recording::mirrorOf(const Value &value) {
  Buffer *buffer = value.buffer();
  if (!buffer) { // A number: devices get a copy.
    buffer = Buffer::make(value.size());
    std::memcpy(buffer->data(), value.data(), value.size());
    kept_.emplace_back(Kind::Bytes, buffer);
    return mirrorOf(kept_.back());
  }
  devices_.awaitPortion(rangeOf(buffer->data(), buffer->bytes));
  if (part_ == Part::Drag) {
    value.open(Cause::Drag); // What has been dragged through has left the device before.
  }
  std::byte *mirror = devices_.mirrorOf(value, causeOf(part_));
  if (!mirror) {
    isRefused_ = true;
    return const_cast<void *>(value.data());
  }
  if (part_ == Part::Drag && !buffer->isOwn && buffer->isHere.load()) {
    devices_.count(Cause::Drag, buffer->bytes); // It comes back.
  }
  const Range bytes = rangeOf(mirror, value.size());
  if (!bytes.empty() && std::ranges::find(outputs_, bytes) == outputs_.end()) {
    inputs_.push_back(bytes);
  }
  return mirror;
}

/// Where the device finds what a portion reads.
void *Recording::placeOf(const Value &value) {
  const Range host = rangeOf(value.data(), value.size());
  if (!devices_.portions_.writerOf(host)) {
    value.open(Cause::Drag);
  }
  kept_.push_back(value);
  return placeFor(host, brought_, inputs_);
}

void *Recording::placeFor(Range host, std::vector<exec::HostCopy> &copies,
                          std::vector<Range> &places) {
  std::byte *place = devices_.allocate(host.size(), FragmentDevices::Role::Place);
  if (!place) {
    isRefused_ = true;
    return nullptr;
  }
  places_.push_back(place);
  if (!host.empty()) {
    copies.push_back({host, addressOf(place)});
    places.push_back(rangeOf(place, host.size()));
  }
  return place;
}

void *Recording::create(Handle &fragment, std::size_t bytes) {
  using Role = FragmentDevices::Role;
  const Role role = isPortion_ ? Role::TakenHome : Role::MadeByDevice;
  std::byte *mirror = devices_.allocate(bytes, role);
  Buffer *buffer = mirror ? Buffer::makeMirrored(devices_, mirror, bytes) : Buffer::make(bytes);
  isRefused_ = isRefused_ || !mirror;
  if (!buffer) {
    return nullptr;
  }
  fragment.value = Value(Kind::Bytes, buffer);
  kept_.push_back(fragment.value);
  if (mirror && isPortion_) {
    const Range home = rangeOf(mirror, bytes);
    devices_.runtime_.renew(rangeOf(mirror, wholePages(bytes)));
    void *here = placeFor(home, takenHome_, outputs_);
    named_.push_back({home, here});
    return here;
  }
  if (mirror && bytes > 0) {
    outputs_.push_back(rangeOf(mirror, bytes));
  }
  return buffer->data();
}

void Recording::launch(const tutti_region &region, const std::uint64_t *captures) {
  if (isRefused_ || (region.flags & TUTTI_REGION_DISTRIBUTABLE) == 0 || !region.device ||
      region.device->mappings == 0 || region.device->partial_bytes != 0) {
    isRefused_ = true;
    return;
  }
  exec::Launch &launch = launches_.emplace_back();
  launch.region = &region;
  launch.captures.assign(captures, captures + region.captures);
  isRefused_ = !devices_.complete(*this, launch);
  if (launch.total <= 0) {
    launches_.pop_back();
  }
}

/// Reads what decides how often a launch runs. False if only a kernel before it will have written
/// that.
bool FragmentDevices::complete(const Recording &recording, exec::Launch &launch) {
  const tutti_region &region = *launch.region;
  launch.values.assign(region.values, 0);
  tutti_gather gather{&window_, {}, false, {}, recording.brought_};
  region.gather(launch.captures.data(), launch.values.data(), &gather);
  if (std::ranges::any_of(gather.blocks, [&](const exec::BlockValue &block) {
        return awaitRead(recording, block);
      })) {
    return complete(recording, launch);
  }
  for (const exec::BlockValue &block : gather.blocks) {
    const Range bytes{block.address, block.address + block.bytes};
    if (std::ranges::any_of(recording.outputs_,
                            [&](const Range &output) { return output.overlaps(bytes); })) {
      return false;
    }
  }
  launch.total = region.trip(launch.captures.data(), launch.values.data());
  return !gather.isOutside;
}

/// Whether the host has got a block only now that a portion reads.
bool FragmentDevices::awaitRead(const Recording &recording, const exec::BlockValue &block) {
  const auto brought = std::ranges::find_if(recording.brought_, [&](const exec::HostCopy &copy) {
    return Range{copy.place, copy.place + copy.host.size()}.contains(
        {block.address, block.address + block.bytes});
  });
  return brought != recording.brought_.end() && awaitPortion(brought->host);
}

std::byte *FragmentDevices::allocate(std::size_t bytes, Role role) {
  const Use use{role, bytes};
  const std::size_t size = wholePages(bytes);
  const ScopedLock lock(mutex_);
  std::byte *memory = nullptr;
  if (std::vector<std::byte *> &free = free_[use]; !free.empty()) {
    memory = free.back();
    free.pop_back();
    freeBytes_ -= size;
  } else {
    memory = reinterpret_cast<std::byte *>(runtime_.heap().allocate(size, kPage));
    if (memory) {
      uses_[memory] = use;
    }
  }
  usedBytes_ += memory ? size : 0;
  return memory;
}

/// Memory is kept for the next use of its kind, unless more is kept than used.
void FragmentDevices::free(std::byte *bytes) {
  constexpr std::uint64_t kFew = std::uint64_t{16} << 20;
  const ScopedLock lock(mutex_);
  const auto found = uses_.find(bytes);
  const std::size_t size = wholePages(found->second.second);
  usedBytes_ -= size;
  if (freeBytes_ + size <= std::max(usedBytes_, kFew)) {
    free_[found->second].push_back(bytes);
    freeBytes_ += size;
    return;
  }
  uses_.erase(found);
  static_cast<void>(runtime_.heap().free(addressOf(bytes)));
}

void FragmentDevices::count(Cause cause, std::uint64_t bytes) {
  const ScopedLock lock(mutex_);
  switch (cause) {
  case Cause::Border:
    counts_.borderBytes += bytes;
    break;
  case Cause::Drag:
    counts_.dragBytes += bytes;
    break;
  case Cause::Spill:
    counts_.spillBytes += bytes;
    ++counts_.spills;
  }
}

void FragmentDevices::open(const std::byte *bytes, std::size_t count, Cause cause) {
  if (isTakenHome(bytes)) {
    awaitPortion(rangeOf(bytes, count));
    return;
  }
  this->count(cause, count);
  // What is dragged through leaves the device: nothing is left of it there that would be in the
  // way.
  runtime_.openExactly(bytes, count, cause == Cause::Drag);
}

bool FragmentDevices::awaitPortion(Range bytes) {
  const std::shared_ptr<Portion> writer = portions_.writerOf(bytes);
  if (writer) {
    portions_.await(writer);
  }
  return writer != nullptr;
}

/// Whether bytes are part of what a portion has made, so that no device has them.
bool FragmentDevices::isTakenHome(const std::byte *bytes) {
  const ScopedLock lock(mutex_);
  const auto behind = uses_.upper_bound(const_cast<std::byte *>(bytes));
  return behind != uses_.begin() && std::prev(behind)->second.first == Role::TakenHome;
}

/// Where devices find what the host has made; null if there is no room.
std::byte *FragmentDevices::mirrorOf(const Value &value, Cause cause) {
  Buffer &buffer = *value.buffer();
  if (std::byte *mirror = buffer.mirror.load(std::memory_order_acquire)) {
    return mirror;
  }
  const ScopedLock lock(mirroring_);
  if (std::byte *mirror = buffer.mirror.load(std::memory_order_acquire)) {
    return mirror;
  }
  const std::size_t bytes = value.size(); // Of a text with the 0 at its end.
  std::byte *mirror = allocate(bytes, Role::MadeByHost);
  if (!mirror) {
    return nullptr;
  }
  runtime_.renew(rangeOf(mirror, wholePages(bytes)));
  std::memcpy(mirror, buffer.data(), bytes);
  buffer.memory = this;
  buffer.mirror.store(mirror, std::memory_order_release);
  count(cause, bytes);
  return mirror;
}

/// Whether devices have been given too much, whose memory nobody knows to be free.
Result<bool> FragmentDevices::areTooManyUnderway() {
  std::shared_ptr<device::Event> oldest;
  {
    const ScopedLock lock(mutex_);
    if (underway_.size() < kMostUnderway) {
      return false;
    }
    oldest = underway_.front();
  }
  const Result<bool> hasEnded = zero_.devices().hasEnded(*oldest);
  TUTTI_TRY(hasEnded);
  if (!*hasEnded) {
    return true;
  }
  const ScopedLock lock(mutex_);
  if (!underway_.empty() && underway_.front() == oldest) {
    underway_.pop_front();
  }
  return underway_.size() >= kMostUnderway;
}

Status FragmentDevices::throttle() {
  while (true) {
    const Result<bool> areTooMany = areTooManyUnderway();
    TUTTI_TRY(areTooMany);
    if (!*areTooMany) {
      return {};
    }
    std::this_thread::yield();
  }
}

/// A device that is lost is none that calls wait for: they will say so.
bool FragmentDevices::isFull() {
  if (const std::shared_ptr<Portion> oldest = portions_.inTheWay()) {
    bool isOver = false;
    runtime_.runOnOwnStack([&] {
      const Result<bool> hasEnded = zero_.devices().hasEnded(*oldest->event);
      isOver = !hasEnded || *hasEnded;
    });
    if (!isOver) {
      return true;
    }
  }
  {
    const ScopedLock lock(mutex_);
    if (underway_.size() < kMostUnderway) {
      return false;
    }
  }
  bool isFull = false;
  runtime_.runOnOwnStack([&] {
    const Result<bool> areTooMany = areTooManyUnderway();
    isFull = areTooMany && *areTooMany;
  });
  return isFull;
}

void FragmentDevices::await() {
  std::deque<std::shared_ptr<device::Event>> given;
  {
    const ScopedLock lock(mutex_);
    given = underway_;
  }
  for (const std::shared_ptr<device::Event> &event : given) {
    await(*event).ignore("whoever needs what a lost device has made will say so");
  }
}

/// Gives all launches of a call to one device.
Status FragmentDevices::give(Recording &recording) {
  exec::TaskWork work;
  const RangeSet read = RangeSet::of(std::vector<Range>(recording.inputs_));
  work.written = RangeSet::of(std::vector<Range>(recording.outputs_));
  work.touched = read.unite(work.written);
  const auto device = zero_.devices().deviceFor(TUTTI_DEVICE_AUTO, read, {}, recording.launches_);
  if (!device) {
    return failure(ErrorCode::NotSupported, "no device is left that has its kernels");
  }
  work.device = *device;
  recording.device_ = *device;
  work.isExact = true;
  std::vector<device::KernelLaunch> kernels;
  for (const exec::Launch &launch : recording.launches_) {
    const bool isApart = isDisjoint(launch, recording.outputs_);
    TUTTI_ASSIGN(kernels.emplace_back(), zero_.devices().kernelFor(*device, launch, isApart));
  }
  std::vector<exec::TaskAccess> accesses;
  const std::uint32_t reads = recording.isPortion_ ? TUTTI_WRITE : TUTTI_READ;
  for (const Range &range : read.ranges()) {
    accesses.push_back({reads, range.begin, range.size(), {}});
  }
  for (const Range &range : work.written.ranges()) {
    accesses.push_back({TUTTI_WRITE, range.begin, range.size(), {}});
  }
  work.give = [&](device::Queue &queue) -> Status {
    for (const device::KernelLaunch &kernel : kernels) {
      TUTTI_TRY(queue.launch(kernel));
    }
    return {};
  };
  if (recording.isPortion_) {
    addCopies(recording, work);
  }
  TUTTI_TRY(throttle());
  TUTTI_TRY(zero_.startTask(work, accesses));
  if (recording.isPortion_) {
    portions_.add(recording.portionOf(work));
  }
  started(std::move(work.event));
  return {};
}

/// What the task of a portion copies by itself.
void FragmentDevices::addCopies(const Recording &recording, exec::TaskWork &work) {
  for (const exec::HostCopy &copy : recording.brought_) {
    const std::shared_ptr<Portion> writer = portions_.writerOf(copy.host);
    // Else the device comes behind that by itself.
    if (writer && (writer->isStaged || !zero_.devices().isLocked(work.device, copy.host))) {
      portions_.await(writer);
    }
  }
  portions_.makeRoom(work.touched.bytes(), capacity());
  std::vector<Range> hosts;
  std::vector<Range> homes;
  for (const exec::HostCopy &copy : recording.brought_) {
    hosts.push_back(copy.host);
    count(Cause::Drag, copy.host.size());
  }
  for (const exec::HostCopy &copy : recording.takenHome_) {
    homes.push_back(copy.host);
    count(Cause::Drag, copy.host.size());
  }
  const RangeSet home = RangeSet::of(std::move(homes));
  work.written = work.touched.unite(home);
  work.touched = work.written.unite(RangeSet::of(std::move(hosts)));
  work.brought = recording.brought_;
  work.takenHome = recording.takenHome_;
}

/// What `work` does.
std::shared_ptr<Portion> Recording::portionOf(const exec::TaskWork &work) {
  auto portion = std::make_shared<Portion>();
  portion->event = work.event;
  portion->isStaged = work.isStaged;
  for (const exec::HostCopy &copy : takenHome_) {
    portion->made.push_back(copy.host);
  }
  for (const std::vector<Range> *ranges : {&inputs_, &outputs_}) {
    for (const Range &range : *ranges) {
      portion->placeBytes += range.size();
    }
  }
  portion->places = std::exchange(places_, {});
  portion->kept = std::exchange(kept_, {});
  return portion;
}

Recording::~Recording() {
  for (std::byte *place : places_) {
    devices_.free(place);
  }
}

/// Counts a call of which a device has been given everything in front of `event`.
void FragmentDevices::started(std::shared_ptr<device::Event> event) {
  const ScopedLock lock(mutex_);
  underway_.push_back(std::move(event));
  ++counts_.calls;
}

FragmentDevices::Size FragmentDevices::sizeOf(const Recording &recording) {
  Size size;
  for (const Range &range : recording.inputs_) {
    size.read += range.size();
  }
  size.all = size.read;
  for (const Range &range : recording.outputs_) {
    size.all += range.size();
  }
  return size;
}

FragmentDevices::FragmentDevices(Runtime &runtime, model::forkjoin::RankZero &zero,
                                 const memory::Window &window, bool areAsked)
    : runtime_(runtime), zero_(zero), window_(window),
      areAsked_(areAsked || std::getenv("TUTTI_ROPE") != nullptr),
      portions_({.await = [this](device::Event &event) { return await(event); },
                 .free = [this](std::byte *place) { free(place); }}) {}

Status FragmentDevices::await(device::Event &event) {
  Status status;
  runtime_.runOnOwnStack([&] {
    Result<bool> hasEnded = zero_.devices().hasEnded(event);
    while (hasEnded && !*hasEnded) {
      std::this_thread::yield();
      hasEnded = zero_.devices().hasEnded(event);
    }
    status = hasEnded ? Status() : Status(hasEnded.error());
  });
  return status;
}

/// The procedure is not tried again. `status` says why, if that is more than what it asks for;
/// `needed`: bytes for which there is no room. Who has no other way says that by itself.
void FragmentDevices::refuse(const tutti_luna_procedure &procedure, const Status &status,
                             std::uint64_t needed) {
  const ScopedLock lock(mutex_);
  const bool isNew = refused_.try_emplace(&procedure, needed).second;
  if (isNew && !status && (procedure.function || needed == 0)) {
    log::warn("{}: '{}' is kept off devices: {}", procedure.at, procedure.name,
              status.error().message);
  }
}

std::optional<model::fragments::DeviceCalls::Shortage>
FragmentDevices::shortage(const tutti_luna_procedure &procedure) {
  const ScopedLock lock(mutex_);
  const auto known = refused_.find(&procedure);
  return known != refused_.end() && known->second > 0
             ? std::optional(Shortage{known->second, capacity()})
             : std::nullopt;
}

/// No device has room for a call of this size: such calls, and larger ones, are not tried again.
void FragmentDevices::refuseFrom(const tutti_luna_procedure &procedure, Size size) {
  const ScopedLock lock(mutex_);
  const auto [known, isNew] = tooLarge_.try_emplace(&procedure, size);
  if (isNew) {
    log::warn("{}: '{}' runs on the cores where it needs {} bytes of device memory: {} may be used",
              procedure.at, procedure.name, size.all, capacity());
  } else {
    known->second = {std::min(known->second.read, size.read),
                     std::min(known->second.all, size.all)};
  }
}

bool FragmentDevices::isTooLarge(const tutti_luna_procedure &procedure, Size size) {
  const ScopedLock lock(mutex_);
  const auto known = tooLarge_.find(&procedure);
  return known != tooLarge_.end() &&
         (size.all >= known->second.all || (size.read > 0 && size.read >= known->second.read));
}

bool FragmentDevices::call(const tutti_luna_procedure &procedure,
                           const tutti_luna_argument *arguments, Part part, bool isAsked) {
  {
    const ScopedLock lock(mutex_);
    if (refused_.contains(&procedure)) {
      return false;
    }
  }
  Outcome outcome = Outcome::NotHere;
  if (procedure.native) {
    outcome = callNative(procedure, arguments, part);
  }
  if (outcome == Outcome::NotHere && procedure.version) {
    outcome = callVersion(procedure, arguments, part, isAsked);
  }
  return outcome == Outcome::Done;
}

FragmentDevices::Outcome FragmentDevices::callVersion(const tutti_luna_procedure &procedure,
                                                      const tutti_luna_argument *arguments,
                                                      Part part, bool isAsked) {
  // A core is done with so little before a device has begun, or before the host has a number.
  constexpr std::uint64_t kSmall = 32 << 10;
  constexpr std::uint64_t kSmallWithNumbers = 1 << 20;
  if (isTooLarge(procedure, {readBy(procedure, arguments), 0})) {
    return Outcome::Refused;
  }
  // What is dragged through is to come back each time.
  const bool isRepeatable = part != Part::Drag && Repeats::areOf(procedure);
  if (isRepeatable && repeats_.take(procedure, arguments, [this](std::int32_t device) {
        return zero_.devices().isLost(device);
      })) {
    const ScopedLock lock(mutex_);
    ++counts_.repeats;
    return Outcome::Done;
  }
  Recording own(*this, part, part == Part::Drag);
  recording = &own;
  procedure.versionStub(arguments);
  recording = nullptr;
  const Size size = sizeOf(own);
  const std::uint64_t small = own.numbers_.empty() ? kSmall : kSmallWithNumbers;
  const auto isAgain = [&] {
    return isRepeatable && size.all <= Repeats::kMostBytes &&
           repeats_.isAgain(procedure, arguments);
  };
  if ((!isAsked && !areAsked_ && size.all < small && !isAgain()) || isTooLarge(procedure, size)) {
    return Outcome::Refused;
  }
  Status status;
  if (!own.isRefused_ && !own.launches_.empty()) {
    runtime_.runOnOwnStack([&] { status = give(own); });
  }
  if (!status && status.error().code == ErrorCode::OutOfMemory) {
    refuseFrom(procedure, size);
    return Outcome::Refused;
  }
  if (own.isRefused_ || !status) {
    refuse(procedure, status);
    return Outcome::Refused;
  }
  own.readNumbers();
  own.bringBack();
  if (isRepeatable) {
    repeats_.keep(procedure, arguments, own.device_);
  }
  return Outcome::Done;
}

void Recording::readNumbers() {
  for (const auto &[fragment, isInt] : std::views::reverse(numbers_)) {
    Value &value = fragment->value;
    if (value.kind() != Kind::Bytes) { // The version has changed its mind.
      continue;
    }
    value.open(Cause::Border);
    if (isInt) {
      std::int32_t number = 0;
      std::memcpy(&number, value.data(), sizeof number);
      value = Value(number);
    } else {
      double number = 0;
      std::memcpy(&number, value.data(), sizeof number);
      value = Value(number);
    }
  }
}

/// What is dragged through is to be the host's again.
void Recording::bringBack() {
  if (part_ == Part::Drag && !isPortion_) {
    devices_.bringBack(std::move(kept_));
  }
}

/// Of calls of the program's own versions: one comes in, one is computed, one goes out. So it is
/// the one before the latest two that is waited for; whoever wants another one before waits for
/// that.
void FragmentDevices::bringBack(std::vector<Value> made) {
  constexpr std::size_t kUnderway = 3;
  std::vector<Value> oldest;
  {
    const ScopedLock lock(mutex_);
    dragged_.push_back(std::move(made));
    if (dragged_.size() < kUnderway) {
      return;
    }
    oldest = std::move(dragged_.front());
    dragged_.pop_front();
  }
  for (const Value &value : oldest) {
    value.open(Cause::Drag);
  }
}

void FragmentDevices::settle() {
  repeats_.clear();
  portions_.end();
  std::deque<std::vector<Value>> left;
  {
    const ScopedLock lock(mutex_);
    left = std::move(dragged_);
    dragged_.clear();
  }
}

model::fragments::DeviceCounts FragmentDevices::counts() {
  const ScopedLock lock(mutex_);
  return counts_;
}

FragmentDevices *fragmentDevices() {
  Runtime *runtime = Runtime::active();
  return runtime ? runtime->fragmentDevices() : nullptr;
}

} // namespace tutti::entry::luna
