// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/openmp.h"

#include "base/spin_lock.h"
#include "runtime/engine/thread_state.h"
#include "runtime/model/tasks/loop.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace tutti::model::tasks {

using engine::Countdown;
using engine::Pool;
using engine::Work;
using engine::Worker;

namespace {

std::int32_t doNothing(std::int32_t, void *) { return 0; }

/// Whether a task with these dependences excludes others without being ordered with them.
bool isExclusive(std::span<const omp_dependence> dependences) {
  return std::ranges::any_of(dependences, [](const omp_dependence &each) {
    return each.kind == OMP_DEPENDS_MUTEXINOUTSET;
  });
}

/// As OmpSs-2 calls it.
std::uint32_t kindOf(std::uint8_t kind, bool mayExclude) {
  switch (kind) {
  case OMP_DEPENDS_IN:
    return TUTTI_TASK_IN;
  case OMP_DEPENDS_MUTEXINOUTSET:
    // Who waits with such memory to itself must not have others wait for more of it: in order, it
    // is exclusive as well.
    return mayExclude ? TUTTI_TASK_COMMUTATIVE : TUTTI_TASK_INOUT;
  case OMP_DEPENDS_INOUTSET:
    return TUTTI_TASK_CONCURRENT;
  default:
    return TUTTI_TASK_INOUT;
  }
}

void nameIn(Description &description, std::span<const omp_dependence> dependences,
            bool mayExclude) {
  for (const omp_dependence &each : dependences) {
    if ((each.kind & OMP_DEPENDS_ALL_MEMORY) != 0) {
      description.add(TUTTI_TASK_INOUT, 1, UINT64_MAX - 1);
    } else { // What has no size is still known by its address.
      description.add(kindOf(each.kind, mayExclude), reinterpret_cast<std::uint64_t>(each.base),
                      std::max<std::size_t>(each.bytes, 1));
    }
  }
}

} // namespace

OpenMp::OpenMp(const engine::EngineSettings &settings, std::int32_t mostPriority)
    : tasks_(settings), mostPriority_(mostPriority) {
  tasks_.openmp_ = this;
  tasks_.main_.flags |= kImplicit;
}

// --- The team ---

void OpenMp::enter(std::int32_t thread) {
  outside_ = std::exchange(Tasks::current_, &tasks_.main_);
  Tasks::thread_ = thread;
  here_ = this;
  tasks_.engine_.enter();
}

void OpenMp::serve(std::uint32_t index, std::int32_t thread) {
  Tasks::thread_ = thread;
  here_ = this;
  tasks_.engine_.serve(index);
  here_ = nullptr;
  Tasks::thread_ = 0;
}

void OpenMp::waitForAll() {
  Task &task = tasks_.main_;
  if (task.children() > 0) {
    tasks_.waitFor(task);
    Tasks::current_ = &task;
  }
  if (implicit_.domain.state) {
    Changes changes(tasks_.devices_.get());
    tasks_.order_.forget(implicit_.domain, changes);
    tasks_.settleEnded();
  }
}

void OpenMp::leave() {
  waitForAll();
  tasks_.engine_.dismiss();
  tasks_.engine_.leave();
  here_ = nullptr;
  Tasks::thread_ = 0;
  Tasks::current_ = std::exchange(outside_, nullptr);
}

// --- Making ---

/// Behind all else of a task's memory. The implicit task has no such memory.
OpenMpPart &OpenMp::partOf(Task &task) {
  if ((task.flags & kImplicit) != 0) {
    return implicit_;
  }
  return *reinterpret_cast<OpenMpPart *>(reinterpret_cast<std::byte *>(&task) +
                                         Pool::bytesOf(&task) - sizeof(OpenMpPart));
}

Task &OpenMp::newTask(Task &creator, std::size_t bytes, std::size_t shareds) {
  Task &task = tasks_.newTask(creator, bytes, shareds + sizeof(OpenMpPart));
  task.sharedsBytes = static_cast<std::uint32_t>(shareds);
  task.flags = kOpenMp | (creator.flags & (kFinal | kExclusive));
  auto &part = *new (&partOf(task)) OpenMpPart;
  part.task = &task;
  part.group = partOf(creator).innermost;
  part.innermost = part.group;
  return task;
}

tutti_task_block *OpenMp::create(std::uint32_t flags, std::size_t bytes, std::size_t shareds,
                                 tutti_task_entry entry) {
  Task &creator = tasks_.current();
  Task &task = newTask(creator, bytes, shareds);
  task.block.entry = entry;
  task.block.part = 0;
  task.block.isLast = 0;
  task.block.reductions = nullptr;
  task.flags |= ((flags & TUTTI_TASK_DESTROYS) != 0 ? kDestroys : 0U) |
                ((flags & TUTTI_TASK_FINAL_TRUE) != 0 ? kFinal : 0U);
  task.block.priority = 0;
  task.beginDescription(creator);
  return &task.block;
}

void OpenMp::name(tutti_task_block *block, std::span<const omp_dependence> dependences) {
  Task &task = Task::of(block);
  if ((task.parent()->flags & kFinal) == 0 && !dependences.empty()) {
    nameIn(tasks_.description(task), dependences, (task.flags & kExclusive) == 0);
    task.flags |= isExclusive(dependences) ? kExclusive : 0U;
  }
}

Event *OpenMp::allowEvent(tutti_task_block *block) {
  Task &task = Task::of(block);
  Event &event = partOf(task).event;
  event.mark = Event::kMark;
  event.owner = this;
  tasks_.bind(task, 1);
  return &event;
}

void OpenMp::fulfil(Event &event) {
  auto *part = reinterpret_cast<OpenMpPart *>(reinterpret_cast<std::byte *>(&event) -
                                              offsetof(OpenMpPart, event));
  event.owner->tasks_.fulfil(*part->task, 1);
}

void OpenMp::count(Task &task, Task &creator) {
  creator.alive.fetch_add(1, std::memory_order_relaxed);
  partOf(creator).children.add();
  if (TaskGroup *group = partOf(task).group) {
    group->tasks.add();
  }
}

void OpenMp::submit(tutti_task_block *block) {
  Task &task = Task::of(block);
  task.endDescription(*task.parent());
  task.work.priority = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(static_cast<std::int32_t>(block->priority), 0, mostPriority_));
  submit(task, true);
}

void OpenMp::submit(Task &task, bool isDeferred) {
  Task &creator = *task.parent();
  count(task, creator);
  if (!isDeferred || (creator.flags & kFinal) != 0) {
    runNow(task);
    return;
  }
  if (tasks_.addToGraph(task)) {
    tasks_.becomeReady(task);
  }
  if (Worker::current()->isShortOfMemory()) [[unlikely]] {
    makeRoom(creator);
  }
}

/// A task that nobody may overtake.
void OpenMp::runNow(Task &task) {
  Task &creator = *task.parent();
  Countdown waiter;
  waiter.add();
  partOf(task).waiter = &waiter;
  Worker::current()->runNow(task.work);
  Tasks::current_ = &creator;
  waitFor(waiter);
}

void OpenMp::begin(tutti_task_block *block) {
  Task &task = Task::of(block);
  Task &creator = *task.parent();
  task.endDescription(creator);
  count(task, creator);
  Tasks::current_ = &task;
}

void OpenMp::end(tutti_task_block *block) {
  Task &task = Task::of(block);
  while (std::exchange(partOf(task).isCalledAgain, false)) { // An untied one; the caller has run
    Tasks::call(task);                                       // its first part.
  }
  Task &creator = *task.parent();
  Countdown waiter;
  waiter.add();
  partOf(task).waiter = &waiter;
  Tasks::current_ = &tasks_.root_;
  if ((task.flags & kHasEvents) == 0 || task.events.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    if (Work *next = tasks_.complete(task)) {
      Worker::current()->push(*next);
    }
  }
  Tasks::current_ = &creator;
  waitFor(waiter);
}

Task &OpenMp::copyOf(Task &task, Task &creator) {
  const std::size_t bytes = Pool::bytesOf(&task) - offsetof(Task, block) - sizeof(OpenMpPart);
  Task &copy = newTask(creator, bytes, 0);
  copy.takeBlockOf(task, bytes);
  return copy;
}

void OpenMp::submitLoop(tutti_task_block *block, const LoopShape &shape, bool isDeferred,
                        void (*duplicate)(tutti_task_block *, tutti_task_block *, std::int32_t)) {
  constexpr std::uint64_t kPerWorker = 10; // As libomp has it.
  Task &task = Task::of(block);
  Task &creator = *task.parent();
  task.endDescription(creator);
  task.work.priority = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(static_cast<std::int32_t>(block->priority), 0, mostPriority_));
  const LoopParts parts(shape, kPerWorker * workers());
  const auto stride = static_cast<std::uint64_t>(shape.stride);
  for (std::uint64_t index = 0; index < parts.size(); ++index) {
    const LoopPart part = parts.part(index);
    Task &copy = copyOf(task, creator);
    const std::uint64_t lower = shape.lower + part.first * stride;
    const std::uint64_t upper = lower + (part.count - 1) * stride;
    auto *bytes = reinterpret_cast<std::byte *>(&copy.block);
    std::memcpy(bytes + shape.lowerAt, &lower, sizeof lower);
    std::memcpy(bytes + shape.upperAt, &upper, sizeof upper);
    if (duplicate) { // It alone asks for what the last one has to do.
      duplicate(&copy.block, &task.block, index + 1 == parts.size() ? 1 : 0);
    }
    submit(copy, isDeferred);
  }
  tasks_.discard(task);
}

// --- Running ---

bool OpenMp::run(Task &task) {
  const TaskGroup *group = partOf(task).group;
  if (!group || !group->isCancelled.load(std::memory_order_relaxed)) {
    Tasks::call(task);
  }
  return !std::exchange(partOf(task).isCalledAgain, false);
}

void OpenMp::ended(Task &task) {
  OpenMpPart &part = partOf(task);
  if ((task.flags & kDestroys) != 0 && task.block.destroy) {
    task.block.destroy(Tasks::thread_, &task.block);
  }
  task.block.destroy = nullptr; // Flags may be read meanwhile, by the ends of children.
  partOf(*task.parent()).children.drop();
  if (part.group) {
    part.group->tasks.drop();
  }
  if (part.waiter) {
    part.waiter->drop();
  }
}

// --- Waiting ---

/// Begins nothing but tasks below the one that waits, which is what OpenMP calls tied: locks that
/// it holds, and variables of the thread that it relies on, are not met by others.
void OpenMp::waitFor(Countdown &count) {
  using std::chrono::microseconds;
  constexpr std::uint32_t kTurns = 256;
  constexpr std::uint32_t kLooks = 32; // Between two rests.
  constexpr microseconds kRest{100};
  if (count.isOver()) {
    return;
  }
  Task &task = tasks_.current();
  Worker &worker = *Worker::current();
  const auto isBelow = [&task](const Work &work) { return Task::of(work).isBelow(task); };
  std::optional<engine::ThreadState> state;
  for (std::uint32_t turn = 0; !count.isOver();) {
    // What others have is moved about by looking at it: less and less often.
    const bool isPatient = turn < kTurns && !std::has_single_bit(turn);
    Work *work = worker.search(isBelow, isPatient);
    for (std::uint32_t look = 1; !work && turn == kTurns && look < kLooks; ++look) {
      work = worker.search(isBelow, false);
    }
    if (work) {
      if (!state) {
        state.emplace(worker.usualFloatControl());
      }
      if (worker.hasRoom(__builtin_frame_address(0))) {
        worker.runOnTop(*work, isBelow);
      } else {
        worker.runNow(*work);
      }
      turn = 0;
    } else if (turn < kTurns) {
      ++turn;
      relaxProcessor();
    } else {
      count.rest(kRest);
    }
  }
  Tasks::current_ = &task;
}

void OpenMp::wait() { waitFor(partOf(tasks_.current()).children); }

void OpenMp::waitFor(std::span<const omp_dependence> dependences, bool isDeferred) {
  Task &creator = tasks_.current();
  if (dependences.empty() || (creator.flags & kFinal) != 0) {
    return;
  }
  tutti_task_block *block = create(0, sizeof(tutti_task_block), 0, doNothing);
  Countdown waiter;
  if (!isDeferred) {
    waiter.add();
    partOf(Task::of(block)).waiter = &waiter;
  }
  name(block, dependences);
  submit(block);
  waitFor(waiter);
}

/// Tasks of a size beyond the limit wait to be run: their creator runs one.
void OpenMp::makeRoom(Task &creator) {
  Worker &worker = *Worker::current();
  worker.pool().usedNow();
  if (worker.isShortOfMemory()) {
    yield();
    Tasks::current_ = &creator;
  }
}

void OpenMp::yield() {
  Task &task = tasks_.current();
  Worker &worker = *Worker::current();
  const auto isBelow = [&task](const Work &work) { return Task::of(work).isBelow(task); };
  if (Work *work = worker.search(isBelow, true)) {
    worker.runNow(*work);
    Tasks::current_ = &task;
  }
}

// --- Groups ---

void OpenMp::beginGroup() {
  OpenMpPart &part = partOf(tasks_.current());
  auto *group = new TaskGroup;
  group->outer = part.innermost;
  part.innermost = group;
}

void OpenMp::endGroup() {
  OpenMpPart &part = partOf(tasks_.current());
  const std::unique_ptr<TaskGroup> group(part.innermost);
  waitFor(group->tasks);
  for (TaskReduction &reduction : group->reductions) {
    reduction.combine();
  }
  part.innermost = group->outer;
}

void *OpenMp::privateOf(TaskGroup *group, void *item) {
  const std::uint32_t worker = Worker::current()->index();
  for (TaskGroup *at = group ? group : this->group(); at; at = at->outer) {
    for (TaskReduction &reduction : at->reductions) {
      if (reduction.is(item)) {
        return reduction.copyFor(worker);
      }
    }
  }
  return item;
}

} // namespace tutti::model::tasks
