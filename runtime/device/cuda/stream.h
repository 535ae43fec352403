// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A native stream with the copies between host and device that go through staging memory.
///
/// Lives as long as its queue or the last of its events.
#pragma once

#include "base/result.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/copier.h"
#include "runtime/device/cuda/launcher.h"
#include "runtime/device/cuda/staging.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace tutti::device::cuda {

class Stream;

/// Copies out of a stream that something depends on. The stream is shared with its queue and
/// events.
struct Landings {
  std::shared_ptr<Stream> stream;
  std::uint64_t count; ///< To have landed.
};

/// Copies out that do not fit into the staging memory at once are given to the device piece by
/// piece, as `progress` is called; whoever gives the stream anything else in between calls
/// `settle` first, which blocks until the last piece has been given.
///
/// Threading: externally synchronised, with all that is on the device.
/// Ownership: context and copier outlive it.
class Stream {
public:
  enum class Urgency : std::uint8_t {
    Usual,
    First, ///< Groups of its kernels begin before those of others that wait for room.
  };

  /// Source: cuStreamCreateWithPriority with CU_STREAM_NON_BLOCKING.
  static Result<std::unique_ptr<Stream>> open(Context &context, Copier &copier,
                                              Urgency urgency = Urgency::Usual);

  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream();

  Context &context() const { return context_; }

  /// For all that is given to the device but kernels.
  ///
  /// Errors: those of kernels before that the driver has refused.
  Result<CUstream> handle() {
    endsInKernel_ = false;
    TUTTI_TRY(launcher_.drain());
    return handle_;
  }

  /// For kernels that `launch` does not take. Errors: as of `handle`.
  Result<CUstream> handleForKernel() {
    TUTTI_TRY(launcher_.drain());
    endsInKernel_ = true;
    return handle_;
  }

  /// Gives the device a kernel, now or soon; it may overlap with a kernel before it if it waits for
  /// that one itself. Order: the stream is settled.
  ///
  /// Errors: what the driver says of this kernel, or of one before it.
  Status launch(KernelCall call, std::span<const std::uint64_t> parameters);

  /// Returns when `source` has been read.
  ///
  /// Cost: blocks while staging memory is full.
  Status copyIn(std::span<const std::byte> source, CUdeviceptr target);

  /// `target` is written by the `progress` that makes `landed` reach the value returned here.
  Result<std::uint64_t> copyOut(CUdeviceptr source, std::span<std::byte> target);

  /// Of host memory that is locked: no staging, nothing to land. Order: the stream is settled.
  Status copyInLocked(std::span<const std::byte> source, CUdeviceptr target);
  Status copyOutLocked(CUdeviceptr source, std::span<std::byte> target);

  /// Copies out that have been given to `copyOut`, and that have reached their targets.
  std::uint64_t given() const { return given_; }

  std::uint64_t landed() const { return landed_; }

  /// Whether everything has been given to the device.
  bool isSettled() const { return requests_.empty(); }

  /// Gives the device all that has not been given yet. Cost: blocks.
  Status settle() { return isSettled() ? Status() : settleSlowly(); }

  /// Moves on what is under way without blocking: empties pieces that have arrived, and gives the
  /// device new ones.
  Status progress();

  /// Blocks until the stream has done everything and every copy out has landed.
  Status finish();

  /// A native event at this point. Order: the stream is settled. Cost: none if one can be reused.
  Result<CUevent> record();

  /// What follows, on the host, includes these: a wait for a native event does not bring about that
  /// another stream's copies out reach their targets.
  void depend(Landings landings) { dependences_.push_back(std::move(landings)); }

  /// Those that have not landed so far. Cost: none if there are none.
  const std::vector<Landings> &dependences();

  void forgetDependences() { dependences_.clear(); }

  /// Blocks until `count` copies out have landed.
  Status land(std::uint64_t count);

  /// For reuse.
  void recycle(CUevent event) { idleEvents_.push_back(event); }

private:
  /// A run of bytes in the staging memory that is to be copied to `target`.
  struct Landing {
    std::byte *target;
    const std::byte *staged;
    std::size_t bytes;
    bool isLast; ///< Of its request.
  };

  /// Runs that one event is behind.
  struct Batch {
    CUevent done = nullptr;
    std::uint64_t end = 0; ///< Position in the staging memory.
    std::vector<Landing> landings;
  };

  struct Request {
    CUdeviceptr source;
    std::byte *target;
    std::size_t bytes;
  };

  Stream(Context &context, Copier &copier)
      : context_(context), copier_(copier), launcher_(context), in_(context), out_(context) {}

  Result<std::byte *> takeIn(std::size_t bytes);
  Status closeIn();
  Status closeOut();
  Status advance();
  Status issueOut();
  Result<bool> collectOut(bool blocks);
  Status settleSlowly();
  Result<CUevent> mark();

  Context &context_;
  Copier &copier_;
  CUstream handle_ = nullptr;
  Launcher launcher_;
  bool endsInKernel_ = false;
  std::vector<CUevent> idleEvents_;
  std::vector<Landings> dependences_;

  Staging in_;
  std::deque<Batch> batchesIn_; ///< Closed ones.
  std::uint64_t openIn_ = 0;    ///< Bytes behind the last event.

  Staging out_;
  std::deque<Request> requests_; ///< Not yet given to the device.
  std::deque<Batch> batchesOut_; ///< Closed ones.
  Batch open_;                   ///< Given to the device, without an event so far.
  std::uint64_t openOut_ = 0;    ///< Its bytes.
  std::uint64_t given_ = 0;
  std::uint64_t landed_ = 0;
};

} // namespace tutti::device::cuda
