// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of LuNA's procedures on this rank's devices, in terms of the engine.
///
/// A version for devices is called as the procedure would be, on the host, and its launches are
/// recorded: they become the kernels of one task, which names the data fragments that the call
/// reads and makes. So what a device has of them stays there, and calls follow one another by the
/// order of queues.
#pragma once

#include "base/mutex.h"
#include "runtime/entry/luna_portions.h"
#include "runtime/entry/luna_repeats.h"
#include "runtime/entry/runtime.h"
#include "runtime/exec/launch.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/model/fragments/device_calls.h"
#include "runtime/model/fragments/handle.h"

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::entry::luna {

class FragmentDevices;

/// What one call of a version asks for.
///
/// Threading: confined to the thread that calls it.
class Recording {
public:
  /// `isPortion`: what it names gets places of its own on the device, and the task brings it there
  /// and takes it home.
  Recording(FragmentDevices &devices, model::fragments::Part part, bool isPortion = false)
      : devices_(devices), part_(part), isPortion_(isPortion) {}

  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;
  ~Recording();

  /// That of the version which the calling thread is in; null outside of any.
  static Recording *here();

  /// The address of the bytes of a fragment, the same each time.
  void *data(const model::fragments::Handle &fragment);
  void *create(model::fragments::Handle &fragment, std::size_t bytes);
  void launch(const tutti_region &region, const std::uint64_t *captures);

  /// The bytes of `fragment`, which `create` has made, are a number: an int, or else a real.
  void number(model::fragments::Handle &fragment, bool isInt) {
    numbers_.emplace_back(&fragment, isInt);
  }

  /// Waits for the numbers.
  void readNumbers();
  void bringBack();

private:
  friend class FragmentDevices;
  friend class NativeCall;

  /// Where the device finds bytes of the host's.
  struct Named {
    Range host;
    void *here;
  };

  void *mirrorOf(const model::fragments::Value &value);
  void *placeOf(const model::fragments::Value &value);
  void *placeFor(Range host, std::vector<exec::HostCopy> &copies, std::vector<Range> &places);
  std::shared_ptr<Portion> portionOf(const exec::TaskWork &work);

  FragmentDevices &devices_;
  const model::fragments::Part part_;
  const bool isPortion_;
  std::int32_t device_ = 0; ///< That it has been given to.
  bool isRefused_ = false;  ///< The device cannot do all of it.
  std::vector<exec::Launch> launches_;
  std::vector<Named> named_; ///< What it has been told the address of.
  std::vector<Range> inputs_;
  std::vector<Range> outputs_;
  std::vector<std::pair<model::fragments::Handle *, bool>> numbers_;
  std::vector<exec::HostCopy> brought_;   ///< Of a portion, as of `exec::TaskWork`.
  std::vector<exec::HostCopy> takenHome_; ///< The same.
  std::vector<std::byte *> places_;       ///< That it has taken for these.
  /// Until the task has been given to its device; of a portion, until it is over.
  std::vector<model::fragments::Value> kept_;
};

class FragmentDevices final : public model::fragments::DeviceCalls,
                              public model::fragments::MirroredMemory {
public:
  /// `areAsked`: the user has asked for devices; TUTTI_ROPE asks for them, too.
  FragmentDevices(Runtime &runtime, model::forkjoin::RankZero &zero, const memory::Window &window,
                  bool areAsked);

  bool call(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
            model::fragments::Part part, bool isAsked) override;
  bool isFull() override;
  void await() override;
  bool hasDevice(std::uint32_t kind) override;
  std::optional<Shortage> shortage(const tutti_luna_procedure &procedure) override;
  model::fragments::DeviceCounts counts() override;

  /// How many devices there are.
  std::int64_t count() const { return zero_.devices().count(); }

  /// Bytes that each of them may hold.
  std::uint64_t capacity() const { return zero_.devices().capacity(); }

  /// The program is over: what is dragged through need not come back.
  void settle();

  /// Waits until the host has what a portion writes to `bytes` of its memory. Whether there was
  /// one.
  bool awaitPortion(Range bytes);

  void open(const std::byte *bytes, std::size_t count, model::fragments::Cause cause) override;
  void free(std::byte *bytes) override;

private:
  friend class Recording;
  friend class NativeCall;

  /// How a call of a version went.
  enum class Outcome : std::uint8_t { Done, NotHere, Refused };

  /// How much a call reads, and how much memory it names in all.
  struct Size {
    std::uint64_t read = 0;
    std::uint64_t all = 0;
  };

  Outcome callVersion(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
                      model::fragments::Part part, bool isAsked);
  Outcome callNative(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
                     model::fragments::Part part);
  void refuse(const tutti_luna_procedure &procedure, const Status &status,
              std::uint64_t needed = 0);
  void refuseFrom(const tutti_luna_procedure &procedure, Size size);
  bool isTooLarge(const tutti_luna_procedure &procedure, Size size);
  void started(std::shared_ptr<device::Event> event);
  /// What memory is used for. What was used for the same before, and was as large, is in the state
  /// that the next use leaves it in, too: nothing of what was there is taken along.
  enum class Role : std::uint8_t { MadeByHost, MadeByDevice, TakenHome, Place };
  using Use = std::pair<Role, std::size_t>;

  std::byte *allocate(std::size_t bytes, Role role);
  std::byte *mirrorOf(const model::fragments::Value &value, model::fragments::Cause cause);
  static Size sizeOf(const Recording &recording);
  bool complete(const Recording &recording, exec::Launch &launch);
  bool isTakenHome(const std::byte *bytes);
  Status await(device::Event &event);
  bool awaitRead(const Recording &recording, const exec::BlockValue &block);
  Status give(Recording &recording);
  void addCopies(const Recording &recording, exec::TaskWork &work);
  Result<bool> areTooManyUnderway();
  Status throttle();
  void bringBack(std::vector<model::fragments::Value> made);
  void count(model::fragments::Cause cause, std::uint64_t bytes);

  Runtime &runtime_;
  model::forkjoin::RankZero &zero_;
  const memory::Window &window_;
  const bool areAsked_;
  Mutex mutex_;
  /// With the bytes that a call needed, if that is why.
  std::unordered_map<const tutti_luna_procedure *, std::uint64_t> refused_ TUTTI_GUARDED_BY(mutex_);
  /// Of the smallest calls that no device has room for.
  std::unordered_map<const tutti_luna_procedure *, Size> tooLarge_ TUTTI_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<device::Event>> underway_ TUTTI_GUARDED_BY(mutex_);
  model::fragments::DeviceCounts counts_ TUTTI_GUARDED_BY(mutex_);
  std::map<Use, std::vector<std::byte *>> free_ TUTTI_GUARDED_BY(mutex_);
  std::map<std::byte *, Use> uses_ TUTTI_GUARDED_BY(mutex_); ///< Of all blocks.
  std::uint64_t usedBytes_ TUTTI_GUARDED_BY(mutex_) = 0;
  std::uint64_t freeBytes_ TUTTI_GUARDED_BY(mutex_) = 0;
  Repeats repeats_;
  Portions portions_;
  Mutex mirroring_; ///< Two calls may read one data fragment.
  /// What the program's own versions have made that is to come back, the oldest first.
  std::deque<std::vector<model::fragments::Value>> dragged_ TUTTI_GUARDED_BY(mutex_);
};

/// The calls of this process; null if it has no devices.
FragmentDevices *fragmentDevices();

} // namespace tutti::entry::luna
