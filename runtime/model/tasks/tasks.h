// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The life of tasks: made, described and submitted by who reaches the construct, run by workers
/// when the graph says so, complete when the body has ended and what it has bound to itself has
/// happened, over when its children are.
#pragma once

#include "abi/tasks.h"
#include "runtime/engine/engine.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/arrival.h"
#include "runtime/model/tasks/blocking.h"
#include "runtime/model/tasks/changes.h"
#include "runtime/model/tasks/critical.h"
#include "runtime/model/tasks/description.h"
#include "runtime/model/tasks/device_tasks.h"
#include "runtime/model/tasks/reductions.h"
#include "runtime/model/tasks/remote_tasks.h"
#include "runtime/model/tasks/spawned.h"
#include "runtime/model/tasks/statistics.h"
#include "runtime/model/tasks/suspensions.h"
#include "runtime/model/tasks/task.h"
#include "runtime/model/tasks/task_order.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::model::tasks {

class OpenMp;

/// All tasks of a process, or of a team of OpenMP.
///
/// Threading: from any thread. A thread that is no worker counts as a task that runs: what it makes
///            are its children.
class Tasks final : engine::Client, DeviceClient, RemoteClient {
public:
  /// The calling thread's task is the main one if it becomes a worker; else that of the process's
  /// first thread is. Not if the engine has guests, as for OpenMP's tasks: there OpenMp says who
  /// runs what.
  explicit Tasks(const engine::EngineSettings &settings);
  Tasks(const Tasks &) = delete;
  Tasks &operator=(const Tasks &) = delete;
  ~Tasks();

  /// The task that the calling thread runs.
  Task &current() {
    Task *task = current_;
    return task ? *task : foreign();
  }

  bool isMain(const Task &task) const { return &task == &main_; }

  engine::Engine &engine() { return engine_; }

  /// Tasks may run on `accelerators` from now on. Before the first of them is made.
  void setAccelerators(Accelerators &accelerators);

  bool hasDevices() const { return devices_ != nullptr; }

  /// Tasks may run on other ranks from now on. Before the first of them is made.
  void setRanks(Ranks &ranks);

  /// Null where there are no others.
  const RemoteTasks *remote() const { return remote_.get(); }

  using WhenOver = Arrival::WhenOver;

  /// Runs a task that another rank has packed, as nobody's child. From any thread.
  void arrive(std::span<const std::byte> parcel, WhenOver whenOver);

  /// Where the newest task of the calling one is to run.
  void setDevice(Task &task, const DeviceRequest &request);

  /// The body of the calling task, which is a kernel.
  void launchKernel(std::span<const KernelArgument> arguments);

  /// @name Making a task. The calls that describe speak of the newest one of the calling task.
  /// @{
  Task &create(std::uint32_t flags, std::size_t bytes, std::size_t shareds, tutti_task_entry entry);

  /// Null if there is none.
  Task *described() { return current().described; }

  Description &description(Task &task);
  void setOption(Task &task, std::uint32_t option, std::int64_t value);

  /// What its code uses without having captured it.
  void setVariables(Task &task, std::span<const tutti_task_variable> variables) {
    if (remote_) {
      description(task).variables = variables;
    }
  }

  /// It names some bytes of the variable at this address.
  void nameObject(Task &task, const void *variable) {
    if (remote_) {
      description(task).objects.push_back(reinterpret_cast<std::uint64_t>(variable));
    }
  }

  void submit(Task &task);
  void submitLoop(Task &task, std::uint64_t lower, std::uint64_t upper, std::int64_t stride,
                  void (*duplicate)(tutti_task_block *, tutti_task_block *, std::int32_t));

  /// The function that the calling thread is in is to answer this.
  static std::uint32_t asks() { return asks_; }

  /// @}

  /// Until all descendants of the calling task are deeply complete.
  void waitForChildren();

  /// The calling task begins an iteration of a loop, `period` of which make the same tasks again.
  void iterate(std::uint32_t period);

  /// Accesses named between the two are waited for, or given up.
  void beginNaming(const char *source);
  void endWaiting();
  void endReleasing();

  /// One at a time between the two; one lock for each `lock`, which is null at its start.
  void enterCritical(void **lock);
  void leaveCritical(void **lock);

  /// The byte of which a task that the calling one is, or is below of, has this copy; else itself.
  /// What a body says of a variable that it reduces, it says of its copy.
  std::uint64_t originalOf(std::uint64_t byte);

  /// The calling task's copy of a byte that it reduces.
  void *privateOf(void *original);

  /// Waits until `unblock` has been called once more than `block`.
  void block(Task &task);
  void unblock(Task &task);

  /// About so many nanoseconds.
  void sleep(std::uint64_t nanoseconds);

  /// The task is complete only when as much has been taken off. `bind` by the task itself.
  void bind(Task &task, std::uint64_t count);
  void fulfil(Task &task, std::uint64_t count);

  /// Whether something is bound to the task, whose body has not ended, that has not happened.
  static bool hasEvents(const Task &task);

  /// Whether the body of the calling task can be called again when it has returned: `main` has no
  /// end, nor has who calls back when a task is over, kernels have no code here, several workers
  /// may be in one loop, and OpenMP has rules of its own.
  bool maySuspend(const Task &task) const;

  /// The calling task's body is called again when it has returned, and `how` has come true.
  void setResumption(Task &task, Resumption how, std::uint64_t nanoseconds);
  void suspend(Task &task);

  /// Runs `body(argument)` as nobody's child, and `then(thenArgument)` when that is over.
  void spawn(void (*body)(void *), void *argument, void (*then)(void *), void *thenArgument,
             const char *label);

  /// Until all tasks are deeply complete; by the main task.
  void finish();

  /// Threading: exact while no task runs.
  Statistics statistics() const;

private:
  friend class OpenMp;

  struct ForeignThread;

  engine::Work *run(engine::Worker &worker, engine::Work &work) override;

  bool poll() override {
    const bool hasDevices = devices_ && devices_->serve();
    return (remote_ && remote_->serve()) || hasDevices;
  }

  void parks() override {
    if (remote_) [[unlikely]] {
      remote_->stopCheck();
    }
  }

  /// Whether some tasks are run by others than the workers.
  bool sendsSome() const { return devices_ || remote_; }

  void callBody(Task &task) override;
  void queued(Task &task) override;
  void ended(Task &task) override;

  void canRun(Task &task) override { engine_.submit(task.work); }

  bool reduces(Task &task) override;
  void addResults(Task &task, std::span<const std::byte> results) override;

  engine::Work *runOnDevice(Task &task);

  Task &foreign();
  void leave(Task &task);
  Task &newTask(Task &creator, std::size_t blockBytes, std::size_t shareds);
  static void call(Task &task) noexcept;
  struct Division;
  bool mayDivide(const Task &task) const;
  void divide(Task &task);
  static void callInParts(Division &division, Task &task);
  void callInParts(Task &task);
  /// False if the task is to be called again.
  bool runBody(Task &task);
  Task &copyOf(Task &task, Task &creator);
  static void callForAccesses(Task &task, Task &creator);
  void askAccesses(Task &task, Task &creator);
  void discard(Task &task);
  void giveBack(Description *&description);

  bool addToGraph(Task &task);
  graph::Node &domainOf(Task &creator);
  graph::Node *ownDomain(Task &task);
  bool isInGraph(Task &task);
  void runUndeferred(Task &task);
  /// Queues it, or asks it first what it wants to do.
  void becomeReady(Task &task);
  bool askOnReady(Task &task);
  void queueAll(Changes &changes);
  /// The first of them may be run next by the calling worker.
  engine::Work *queueAllButFirst(Changes &changes);

  /// The body has ended, or an event was the last.
  engine::Work *complete(Task &task);
  /// Its last child is over, and so is it.
  void leaveGraph(Task &task, Changes &changes);
  bool endOrLeave(Task &task, Changes &changes);
  /// After each use of the graph: takes care of the tasks whose ends others have left to who had
  /// it.
  void settleEnded();
  void bury(Task &task, Changes &changes);
  void waitFor(Task &task);
  void runOnTop(Task &task);
  bool waitSuspended(Task &task);

  inline static thread_local Task *current_ [[gnu::tls_model("initial-exec")]] = nullptr;
  inline static thread_local std::uint32_t asks_ [[gnu::tls_model("initial-exec")]] =
      TUTTI_ASKS_NOTHING;
  /// What libomp calls the thread, which bodies hand on to it.
  inline static thread_local std::int32_t thread_ [[gnu::tls_model("initial-exec")]] = 0;

  /// Of one worker.
  struct alignas(64) PerWorker {
    std::vector<std::unique_ptr<Description>> descriptions; ///< That lie idle.
    std::uint64_t created = 0;
  };

  Task root_; ///< Parent of main and of spawned tasks; never runs.
  Task main_;
  TaskOrder order_;
  Criticals criticals_;
  Suspensions suspensions_;
  std::vector<PerWorker> perWorker_;
  Reductions reductions_;
  std::unique_ptr<DeviceTasks> devices_; ///< Null without devices.
  std::unique_ptr<RemoteTasks> remote_;  ///< Null without other ranks.
  std::uint32_t slots_;
  OpenMp *openmp_ = nullptr; ///< If these are OpenMP's.
  engine::Engine engine_;    ///< Behind what its threads use.
  Blocking blocking_;        ///< Whose thread uses the engine.
};

} // namespace tutti::model::tasks
