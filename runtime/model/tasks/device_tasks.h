// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks that wait for a device, are under way on one, or wait for those.
///
/// A kernel's place in the graph is given up when it has been queued, not when it has run: what
/// follows it on a device is queued after it, and needs no answer from the device. Tasks of the
/// host that name memory which something under way names are held until that is done.
///
///     ready ---> [ ready_ ] --- launch ---> [ underway_ ] --- done ---> complete
///                                  |  the graph lets successors go
///                                  +---> a kernel:  ready_
///                                  +---> host code: held_, until what it names is done
///
/// Only a kernel that uses copies of what its task names, which no device reaches, keeps its place
/// until these are back.
#pragma once

#include "base/mutex.h"
#include "runtime/model/tasks/accelerators.h"
#include "runtime/model/tasks/description.h"
#include "runtime/model/tasks/elsewhere.h"
#include "runtime/model/tasks/serving_thread.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace tutti::model::tasks {

/// What the owner of the tasks does for them.
class DeviceClient : public ElsewhereClient {
public:
  /// Calls the body of a task whose kernel is to be given to a device; `launchKernel` is called in
  /// it. From any thread.
  virtual void callBody(Task &task) = 0;

  /// The kernel has been queued: others that are for devices may follow.
  virtual void queued(Task &task) = 0;

protected:
  ~DeviceClient() = default;
};

/// Threading: internally synchronised.
class DeviceTasks {
public:
  DeviceTasks(DeviceClient &client, Accelerators &accelerators)
      : client_(client), accelerators_(accelerators) {}

  DeviceTasks(const DeviceTasks &) = delete;
  DeviceTasks &operator=(const DeviceTasks &) = delete;

  /// Takes care of a task that has become ready, if it is a kernel, or has to wait for one. Its
  /// description stays with it until then.
  bool take(Task &task);

  /// Called by the body of a kernel task, in `DeviceClient::callBody`.
  void launchKernel(Task &task, std::span<const KernelArgument> arguments);

  /// Runs a task whose body gives work to a queue of its own. On its worker.
  void runHostBody(Task &task, const std::function<void()> &body);

  /// Looks for what is done, and launches what is ready. True while there is something to look for.
  /// Does nothing while another thread does that.
  bool serve();

  /// Only workers look from now on. Before the engine that they belong to goes.
  void stopHelper() { helper_.stop(); }

  /// Whether there is something to look for.
  bool isBusy() const { return busy_.load(std::memory_order_acquire) != 0; }

  /// Until nothing under way names these bytes. Cost: blocks.
  void waitFor(std::uint64_t begin, std::uint64_t bytes);

private:
  struct Ready {
    std::int32_t priority;
    std::uint64_t age;
    Task *task;

    bool operator<(const Ready &other) const {
      return priority != other.priority ? priority < other.priority : age > other.age;
    }
  };

  struct Underway {
    Task *task;
    Description *description; ///< The task's.
    Accelerators::Handle handle;
    bool isApart; ///< Its place in the graph is given up when it has run.
  };

  bool settle();
  std::vector<std::size_t> asked() TUTTI_REQUIRES(mutex_);
  bool launchNext();
  Task *takeNext() TUTTI_REQUIRES(mutex_);
  Task *takeForRoom() TUTTI_REQUIRES(mutex_);
  bool delays(Description &description) TUTTI_REQUIRES(mutex_);
  bool isApart(const Task &task);
  void add(Task &task, Accelerators::Launched launched);

  DeviceClient &client_;
  Accelerators &accelerators_;
  std::atomic<bool> isServing_{false};
  std::atomic<std::uint64_t> busy_{0}; ///< Tasks that are ready or under way.
  Mutex mutex_;
  std::vector<Ready> ready_ TUTTI_GUARDED_BY(mutex_); ///< A heap: the most urgent first.
  std::uint64_t age_ TUTTI_GUARDED_BY(mutex_) = 0;
  std::deque<Underway> underway_ TUTTI_GUARDED_BY(mutex_); ///< The oldest first.
  std::size_t turn_ TUTTI_GUARDED_BY(mutex_) = 0;      ///< Of those that are not asked each time.
  std::uint64_t changes_ TUTTI_GUARDED_BY(mutex_) = 0; ///< Tasks that became ready or were done.
  std::uint64_t inVain_ TUTTI_GUARDED_BY(mutex_) = 0;  ///< As many when none was found for room.
  std::vector<Task *> held_ TUTTI_GUARDED_BY(mutex_);
  ServingThread helper_{[this] { return serve(); }};
};

} // namespace tutti::model::tasks
