// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of versions for devices that the program itself brings (ucenv_gpu.h).
///
/// Such a function gives work to a queue by itself, so a call is several tasks of one queue: one
/// that brings what is read, one for each fragment that is made, behind which its memory is there,
/// and one behind the work. Nobody else starts anything in between.
#include "runtime/entry/luna_devices.h"

#define TUTTI_LUNA_PLAIN // The vendor's header is for programs.
#include "include/tutti/luna/ucenv_gpu.h"

#include <deque>
#include <exception>
#include <optional>

namespace tutti::entry::luna {

using model::fragments::Buffer;
using model::fragments::Handle;
using model::fragments::Kind;
using model::fragments::Object;
using model::fragments::Part;
using model::fragments::Value;

namespace {

/// Thrown through a function of the program whose device has no memory for what it makes.
struct NoRoom {};

class QueueView final : public ::luna::gpu::Queue {
public:
  CUstream_st *stream() const override { return static_cast<CUstream_st *>(handle); }

  int device() const override { return number; }

  void *handle = nullptr;
  std::int32_t number = 0;
};

class InView final : public ::luna::gpu::In {
public:
  InView(std::size_t bytes, const std::byte *mirror) : bytes_(bytes), mirror_(mirror) {}

  std::size_t size() const override { return bytes_; }

  const void *raw() const override { return reinterpret_cast<const void *>(address); }

  Range range() const {
    const auto begin = reinterpret_cast<std::uint64_t>(mirror_);
    return {begin, begin + bytes_};
  }

  std::uint64_t address = 0; ///< On the device.

private:
  const std::size_t bytes_;
  const std::byte *const mirror_;
};

} // namespace

/// One call.
///
/// Threading: confined to the thread that makes it.
class NativeCall {
public:
  NativeCall(FragmentDevices &devices, Part part) : devices_(devices), recording_(devices, part) {}

  /// Finds the fragments among the arguments. False if there is no room for what is read.
  bool prepare(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments);

  /// Calls the function. What it throws is thrown once its queue is in order.
  Status run(const tutti_luna_procedure &procedure, std::int32_t device);

  std::span<const Range> inputs() const { return recording_.inputs_; }

  std::shared_ptr<device::Event> event() { return std::move(work_.event); }

  void bringBack() { recording_.bringBack(); }

  void *allocate(Handle &fragment, std::size_t bytes);

  /// Of all that it reads, and has wanted so far.
  std::uint64_t bytes() const;

private:
  class OutView final : public ::luna::gpu::Out {
  public:
    OutView(NativeCall &call, Handle &handle) : call_(call), handle_(handle) {}

    void *allocate(std::size_t bytes) override { return call_.allocate(handle_, bytes); }

    void set_int(int value) override { handle_.value = Value(std::int32_t{value}); }

    void set_real(double value) override { handle_.value = Value(value); }

  private:
    NativeCall &call_;
    Handle &handle_;
  };

  Status start(const std::function<Status(device::Queue &)> &give);
  Status begin();
  Status end();
  void callFunction(const tutti_luna_procedure &procedure);

  FragmentDevices &devices_;
  Recording recording_; ///< What the call names.
  std::vector<tutti_luna_argument> arguments_;
  QueueView queue_;
  std::deque<InView> ins_;
  std::deque<OutView> outs_;
  std::optional<model::forkjoin::RankZero::Alone> alone_;
  exec::TaskWork work_; ///< Of each of its tasks in turn.
  Status status_;       ///< The first failure.
  std::uint64_t wanted_ = 0;
  std::exception_ptr thrown_;
};

bool NativeCall::prepare(const tutti_luna_procedure &procedure,
                         const tutti_luna_argument *arguments) {
  for (const char *type = procedure.types; *type; ++type) {
    tutti_luna_argument argument = *arguments++;
    if (*type == TUTTI_LUNA_TYPE_VALUE) {
      Handle &handle = *static_cast<Object *>(argument.fragment)->handle;
      const auto *mirror = static_cast<const std::byte *>(recording_.data(handle));
      ::luna::gpu::In &in = ins_.emplace_back(handle.value.size(), mirror);
      argument.fragment = &in;
    } else if (*type == TUTTI_LUNA_TYPE_NAME) {
      ::luna::gpu::Out &out =
          outs_.emplace_back(*this, *static_cast<Object *>(argument.fragment)->handle);
      argument.fragment = &out;
    }
    arguments_.push_back(argument);
  }
  return !recording_.isRefused_;
}

/// A task that names all that the call reads, and has wanted so far: what the function knows the
/// address of leaves the device for nothing else that it wants.
Status NativeCall::start(const std::function<Status(device::Queue &)> &give) {
  std::vector<exec::TaskAccess> accesses;
  const auto add = [&](const RangeSet &ranges, std::uint32_t flags) {
    for (const Range &range : ranges.ranges()) {
      accesses.push_back({flags, range.begin, range.size(), {}});
    }
  };
  const RangeSet read = RangeSet::of(std::vector<Range>(recording_.inputs_));
  work_.written = RangeSet::of(std::vector<Range>(recording_.outputs_));
  work_.touched = read.unite(work_.written);
  work_.give = give;
  add(read, TUTTI_READ);
  add(work_.written, TUTTI_WRITE);
  return alone_->startTask(work_, accesses);
}

/// The device has what is read, and the queue is known.
Status NativeCall::begin() {
  alone_.emplace(devices_.zero_);
  return start([&](device::Queue &queue) -> Status {
    TUTTI_ASSIGN(queue_.handle, queue.native());
    queue_.number = queue.nativeDevice();
    for (InView &in : ins_) {
      if (!in.range().empty()) {
        TUTTI_ASSIGN(in.address, queue.nativeAddress(in.range()));
      }
    }
    return {};
  });
}

/// Behind the work: whoever comes after the call in any way waits for that.
Status NativeCall::end() {
  const RangeSet read = RangeSet::of(std::vector<Range>(recording_.inputs_));
  work_.written = RangeSet::of(std::vector<Range>(recording_.outputs_));
  work_.touched = read.unite(work_.written);
  work_.give = [](device::Queue &) -> Status { return {}; };
  Status status = alone_->startTask(work_, {});
  alone_.reset();
  return status;
}

std::uint64_t NativeCall::bytes() const {
  std::uint64_t bytes = wanted_;
  for (const InView &in : ins_) {
    bytes += in.size();
  }
  return bytes;
}

void *NativeCall::allocate(Handle &fragment, std::size_t bytes) {
  wanted_ += bytes;
  std::uint64_t address = 0;
  devices_.runtime_.runOnOwnStack([&] {
    const auto *mirror = static_cast<const std::byte *>(recording_.create(fragment, bytes));
    if (recording_.isRefused_) {
      status_ = failure(ErrorCode::OutOfMemory, "there is no room for {} bytes", bytes);
      return;
    }
    if (bytes == 0) {
      return;
    }
    const auto begin = reinterpret_cast<std::uint64_t>(mirror);
    const Range range{begin, begin + bytes};
    status_ = start([&](device::Queue &queue) -> Status {
      TUTTI_ASSIGN(queue_.handle, queue.native());
      TUTTI_ASSIGN(address, queue.nativeAddress(range));
      return {};
    });
  });
  if (!status_) {
    throw NoRoom();
  }
  return reinterpret_cast<void *>(address);
}

void NativeCall::callFunction(const tutti_luna_procedure &procedure) {
  ::luna::gpu::Queue &queue = queue_;
  try {
    procedure.nativeStub(&queue, arguments_.data());
  } catch (const NoRoom &) {
    // `status_` says it.
  } catch (...) {
    thrown_ = std::current_exception();
  }
  const char *error = procedure.nativeError ? procedure.nativeError() : nullptr;
  if (error && status_) {
    status_ = failure(ErrorCode::WrongImage, "{}", error);
  }
}

Status NativeCall::run(const tutti_luna_procedure &procedure, std::int32_t device) {
  work_.device = device;
  work_.isExact = true;
  devices_.runtime_.runOnOwnStack([&] { status_ = begin(); });
  if (status_) {
    callFunction(procedure);
  }
  devices_.runtime_.runOnOwnStack([&] {
    const Status last = end();
    status_ = status_ ? last : status_;
  });
  if (thrown_) {
    std::rethrow_exception(thrown_);
  }
  return status_;
}

FragmentDevices::Outcome FragmentDevices::callNative(const tutti_luna_procedure &procedure,
                                                     const tutti_luna_argument *arguments,
                                                     Part part) {
  if (!hasDevice(procedure.nativeKind)) {
    return Outcome::NotHere;
  }
  NativeCall call(*this, part);
  std::optional<std::int32_t> device;
  Status status;
  bool isPrepared = call.prepare(procedure, arguments);
  runtime_.runOnOwnStack([&] {
    const RangeSet read = RangeSet::of({call.inputs().begin(), call.inputs().end()});
    device = zero_.devices().deviceFor(procedure.nativeKind, read);
    status = throttle();
  });
  if (!device) {
    return Outcome::NotHere;
  }
  status = !status ? status
           : !isPrepared
               ? Status(failure(ErrorCode::OutOfMemory, "there is no room for its inputs"))
               : call.run(procedure, *device);
  if (!status) {
    refuse(procedure, status, status.error().code == ErrorCode::OutOfMemory ? call.bytes() : 0);
    return Outcome::Refused;
  }
  started(call.event());
  call.bringBack();
  return Outcome::Done;
}

bool FragmentDevices::hasDevice(std::uint32_t kind) {
  bool isThere = false;
  runtime_.runOnOwnStack([&] { isThere = zero_.devices().hasDevice(kind); });
  return isThere;
}

} // namespace tutti::entry::luna
