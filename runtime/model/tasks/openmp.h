// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks as OpenMP has them: dependences hold among siblings only, `taskwait` waits for children
/// and not for what these have made, groups of tasks, and tasks that are tied: while one of them
/// waits, its thread begins only tasks below it.
///
/// The threads of a team of libomp are the workers, so that all that libomp knows of a thread (its
/// number, its team, locks, threadprivate variables) is right in tasks, too.
#pragma once

#include "abi/openmp.h"
#include "abi/tasks.h"
#include "runtime/engine/countdown.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/loop.h"
#include "runtime/model/tasks/task_group.h"
#include "runtime/model/tasks/tasks.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::model::tasks {

class OpenMp;

/// What `omp_event_handle_t` leads to.
struct Event {
  /// libomp's own events begin with a small number.
  static constexpr std::uint64_t kMark = 0x7475747469657674;
  std::uint64_t mark = 0;
  OpenMp *owner = nullptr;
};

/// What an OpenMP task has beyond others.
struct OpenMpPart {
  /// Its children are ordered here, apart from what the task itself has named: whoever comes behind
  /// the task does not wait for its children.
  graph::Node domain;
  engine::Countdown children;          ///< That are not complete.
  engine::Countdown *waiter = nullptr; ///< Of who waits for this task alone.
  TaskGroup *group = nullptr;          ///< In which the task is.
  TaskGroup *innermost = nullptr;      ///< In which its children are.
  Task *task = nullptr;                ///< Whose part it is.
  bool isCalledAgain = false;
  Event event;
};

/// All tasks of one team at a time.
///
/// Threading: making and waiting by the threads of the team, in tasks of it; `fulfil` from any.
class OpenMp {
public:
  /// `workers` threads of a team at most. Priorities beyond `mostPriority` count as that.
  OpenMp(const engine::EngineSettings &settings, std::int32_t mostPriority);

  /// The calling thread runs a task of these; null otherwise.
  static OpenMp *here() { return here_; }

  std::uint32_t workers() const { return tasks_.slots_; }

  Tasks &tasks() { return tasks_; }

  /// @name The team. `thread` is what libomp calls the thread.
  /// @{

  /// The calling thread runs the implicit task from here to `leave`.
  void enter(std::int32_t thread);
  /// The calling thread runs tasks until the one that has entered leaves.
  void serve(std::uint32_t index, std::int32_t thread);
  /// Until no task is left; in the implicit task.
  void waitForAll();
  void leave();

  /// @}

  /// Whether the task that the calling thread runs is of OpenMP.
  bool isInTask() { return (tasks_.current().flags & (kOpenMp | kImplicit)) != 0; }

  bool isInFinal() { return tasks_.current().isFinal(); }

  /// Whether the block is that of the task that is being made.
  bool makes(tutti_task_block *block) { return tasks_.described() == &Task::of(block); }

  /// Whether the block is that of the running task.
  bool runs(tutti_task_block *block) { return &tasks_.current() == &Task::of(block); }

  /// @name Making a task: `create`, then what describes it, then one of `submit`, `submitLoop`,
  ///       `begin`.
  /// @{
  tutti_task_block *create(std::uint32_t flags, std::size_t bytes, std::size_t shareds,
                           tutti_task_entry entry);
  void name(tutti_task_block *block, std::span<const omp_dependence> dependences);
  Event *allowEvent(tutti_task_block *block);
  void submit(tutti_task_block *block);
  void submitLoop(tutti_task_block *block, const LoopShape &shape, bool isDeferred,
                  void (*duplicate)(tutti_task_block *, tutti_task_block *, std::int32_t));
  /// The caller runs the body itself between the two.
  void begin(tutti_task_block *block);
  void end(tutti_task_block *block);

  /// @}

  /// An untied task is to be called again, once it has returned.
  void callAgain() { partOf(tasks_.current()).isCalledAgain = true; }

  static void fulfil(Event &event);

  /// For the children of the running task.
  void wait();
  /// For tasks before an imaginary one with these dependences; or that one is really made.
  void waitFor(std::span<const omp_dependence> dependences, bool isDeferred);
  /// May run something that is ready.
  void yield();

  void beginGroup();
  void endGroup();

  /// The innermost group, if there is one.
  TaskGroup *group() { return partOf(tasks_.current()).innermost; }

  /// The calling thread's copy of what a group around the running task reduces; `item` itself if
  /// none does. Search begins at `group`, or the innermost if that is null.
  void *privateOf(TaskGroup *group, void *item);

  /// @name What `Tasks` asks.
  /// @{

  /// False if the task is to be called again.
  bool run(Task &task);
  /// The task is complete.
  void ended(Task &task);

  graph::Node &domainOf(Task &task) { return partOf(task).domain; }

  /// @}

private:
  OpenMpPart &partOf(Task &task);
  Task &newTask(Task &creator, std::size_t bytes, std::size_t shareds);
  Task &copyOf(Task &task, Task &creator);
  void count(Task &task, Task &creator);
  void submit(Task &task, bool isDeferred);
  void runNow(Task &task);
  void waitFor(engine::Countdown &count);
  void makeRoom(Task &creator);

  inline static thread_local OpenMp *here_ [[gnu::tls_model("initial-exec")]] = nullptr;

  Tasks tasks_;
  OpenMpPart implicit_;
  Task *outside_ = nullptr; ///< What the thread that entered ran before.
  const std::int32_t mostPriority_;
};

} // namespace tutti::model::tasks
