// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/tasks.h"

#include "base/check.h"
#include "runtime/model/tasks/openmp.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <unistd.h>
#include <utility>

namespace tutti::model::tasks {

using engine::Latch;
using engine::Pool;
using engine::Work;
using engine::Worker;

namespace {

constexpr std::size_t kAlignment = 16;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) & ~(kAlignment - 1);
}

bool isThreadOfMain() { return gettid() == getpid(); }

Pool *ownPool() {
  Worker *worker = Worker::current();
  return worker ? &worker->pool() : nullptr;
}

} // namespace

/// The task that a thread stands for which is no worker. Lives until the thread has ended and all
/// that it has made is over.
struct Tasks::ForeignThread {
  Task *task = nullptr;
  Tasks *tasks = nullptr;

  ~ForeignThread() {
    if (task) {
      current_ = nullptr;
      tasks->leave(*task);
    }
  }
};

Tasks::Tasks(const engine::EngineSettings &settings)
    : perWorker_(engine::Engine::mostWorkers(settings)),
      reductions_(order_, static_cast<std::uint32_t>(perWorker_.size())),
      slots_(std::max(settings.workers, 1U)), engine_(*this, settings) {
  main_.setParent(root_);
  main_.depth = 1;
  if (!settings.hasGuests) {
    current_ = settings.adoptsCaller ? &main_ : nullptr;
  }
}

Tasks::~Tasks() {
  if (!openmp_) {
    finish();
    current_ = nullptr;
  }
  // Who has woken this thread may not have come back from the engine.
  if (devices_) {
    devices_->stopHelper();
  }
  if (remote_) {
    remote_->stopHelper();
  }
}

Task &Tasks::foreign() {
  if (!openmp_ && isThreadOfMain()) { // Another one has made the first task.
    current_ = &main_;
    return main_;
  }
  static thread_local ForeignThread thread;
  if (!thread.task) {
    thread.tasks = this;
    thread.task = new Task;
    thread.task->setParent(root_);
    thread.task->depth = 1;
    thread.task->flags = kForeign;
  }
  current_ = thread.task;
  return *thread.task;
}

void Tasks::leave(Task &task) {
  if (task.alive.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Changes changes(devices_.get());
    leaveGraph(task, changes);
    queueAll(changes);
    delete &task;
  }
}

// --- Making ---

Task &Tasks::newTask(Task &creator, std::size_t blockBytes, std::size_t shareds) {
  blockBytes = aligned(std::max(blockBytes, sizeof(tutti_task_block)));
  Worker *worker = Worker::current();
  // A block has the alignment of what the program copies into it.
  const std::size_t alignment = Pool::alignmentOf(blockBytes);
  const std::size_t bytes = (blockBytes + shareds + alignment - 1) & ~(alignment - 1);
  void *memory = Pool::allocate(worker ? &worker->pool() : nullptr, offsetof(Task, block) + bytes);
  if (worker) {
    ++perWorker_[worker->index()].created;
  }
  Task &task = *new (memory) Task;
  task.setParent(creator);
  task.depth = creator.depth + 1;
  task.sharedsBytes = static_cast<std::uint32_t>(shareds);
  task.block.shareds =
      shareds > 0 ? reinterpret_cast<std::byte *>(&task.block) + blockBytes : nullptr;
  return task;
}

Task &Tasks::create(std::uint32_t flags, std::size_t bytes, std::size_t shareds,
                    tutti_task_entry entry) {
  Task &creator = current();
  Task &task = newTask(creator, bytes, shareds);
  task.block.entry = entry;
  task.block.part = 0;
  task.block.isLast = 0;
  task.block.reductions = nullptr;
  task.flags = ((flags & TUTTI_TASK_DESTROYS) != 0 ? kDestroys : 0U) |
               ((flags & TUTTI_TASK_FINAL_TRUE) != 0 ? kFinal : 0U);
  task.beginDescription(creator);
  return task;
}

Description &Tasks::description(Task &task) {
  if (!task.description) {
    Worker *worker = Worker::current();
    auto *idle = worker ? &perWorker_[worker->index()].descriptions : nullptr;
    if (idle && !idle->empty()) {
      task.description = idle->back().release();
      idle->pop_back();
    } else {
      task.description = new Description;
    }
  }
  return *task.description;
}

void Tasks::giveBack(Description *&description) {
  if (!description) {
    return;
  }
  if (Worker *worker = Worker::current()) {
    description->clear();
    perWorker_[worker->index()].descriptions.emplace_back(description);
  } else {
    delete description;
  }
  description = nullptr;
}

void Tasks::setOption(Task &task, std::uint32_t option, std::int64_t value) {
  switch (option) {
  case TUTTI_TASK_PRIORITY:
    task.work.priority =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX));
    break;
  case TUTTI_TASK_IF:
    task.flags |= value == 0 ? kUndeferred : 0U;
    break;
  case TUTTI_TASK_FINAL:
    task.flags |= value != 0 ? kFinal : 0U;
    break;
  case TUTTI_TASK_SHMEM:
    description(task).device.localBytes = value;
    break;
  case TUTTI_TASK_COST:
    if (remote_) {
      description(task).cost = std::max<std::int64_t>(value, 1);
    }
    break;
  case TUTTI_TASK_NODE:
    if (remote_) {
      description(task).node = value;
    }
    break;
  case TUTTI_TASK_GRAINSIZE:
    description(task).grainsize = value;
    break;
  case TUTTI_TASK_CHUNKSIZE:
    task.block.part = static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 0, INT32_MAX));
    break;
  case TUTTI_TASK_DIVIDES:
    task.flags |= value != 0 ? kDivides : 0U;
    break;
  default:
    break; // Hints that one rank has no use for.
  }
}

/// Once the graph has the task, it may be over before this comes back, unless somebody waits for
/// it.
bool Tasks::addToGraph(Task &task) {
  if (remote_ && (task.flags & (kOpenMp | kNames)) == 0 && remote_->mayLeave(task)) {
    task.flags |= kLeaves;
    if (remote_->checks()) {
      task.flags |= kFinal; // What it makes has to stay within its names, too.
    }
  }
  if (reductions_.haveArrived()) [[unlikely]] {
    Reductions::move(task);
  }
  // Where others may run some, it stays with the task until then.
  const bool stays = sendsSome();
  Description *description = stays ? task.description : std::exchange(task.description, nullptr);
  if (!description) {
    return true;
  }
  task.flags |= stays ? kDescribed : 0U;
  bool isReady = true;
  if (!description->isEmpty()) {
    Changes changes(devices_.get());
    isReady = order_.add(task, domainOf(*task.parent()), description->accesses(), changes);
    settleEnded();
    queueAll(changes);
  }
  if (!stays) {
    giveBack(description);
  }
  return isReady;
}

/// Where the children of a task are ordered.
graph::Node &Tasks::domainOf(Task &creator) {
  return (creator.flags & (kOpenMp | kImplicit)) != 0 ? openmp_->domainOf(creator) : creator.node;
}

/// Where the children of an OpenMP task are ordered, apart from it.
graph::Node *Tasks::ownDomain(Task &task) {
  return (task.flags & kOpenMp) != 0 ? &openmp_->domainOf(task) : nullptr;
}

/// Whether the graph knows anything of the task or its children.
bool Tasks::isInGraph(Task &task) { return task.hasGraph() || domainOf(task).state != nullptr; }

void Tasks::submit(Task &task) {
  Task &creator = *task.parent();
  task.endDescription(creator);
  creator.alive.fetch_add(1, std::memory_order_relaxed);
  if ((creator.flags & kForeign) != 0) {
    root_.alive.fetch_add(1, std::memory_order_relaxed);
    engine_.addWorker();
  }
  if ((task.flags & (kUndeferred | kFinal)) != 0 || (creator.flags & kFinal) != 0) [[unlikely]] {
    runUndeferred(task);
    return;
  }
  if (addToGraph(task)) {
    becomeReady(task);
  }
  if (Worker *worker = Worker::current(); worker && worker->isShortOfMemory()) [[unlikely]] {
    worker->makeRoom();
    current_ = &creator;
  }
}

void Tasks::runUndeferred(Task &task) {
  Task &creator = *task.parent();
  Latch done;
  task.done = &done;
  bool isReady = true;
  if ((creator.flags & kFinal) != 0) {
    // In order, all that it could wait for is over.
    task.flags |= kFinal;
    if ((task.flags & kOnDevice) != 0) {
      task.flags |= kDescribed;
    } else {
      giveBack(task.description);
    }
  } else {
    if ((task.flags & kFinal) != 0 && task.description) {
      task.description->strengthen(); // What is made below it waits for nothing.
    }
    isReady = addToGraph(task);
  }
  Worker *worker = Worker::current();
  const bool isOwn =
      !sendsSome() || ((creator.flags & kFinal) != 0 && (task.flags & kOnDevice) == 0);
  if (isReady && isOwn && worker && worker->hasRoom(__builtin_frame_address(0))) {
    const engine::ThreadState state(worker->usualFloatControl());
    worker->countRun();
    if (Work *next = run(*worker, task.work)) {
      worker->push(*next);
    }
  } else if (isReady) {
    becomeReady(task);
  }
  done.wait();
  current_ = &creator;
}

void Tasks::discard(Task &task) {
  giveBack(task.description);
  if ((task.flags & kDestroys) != 0 && task.block.destroy) {
    task.block.destroy(0, &task.block);
  }
  task.variables.clear();
  Pool::release(&task, ownPool());
}

// --- Running ---

void Tasks::becomeReady(Task &task) {
  if ((task.flags & kOnReady) != 0 && Worker::current() && !askOnReady(task)) {
    return; // Queued when its events have happened.
  }
  if ((task.flags & kLeaves) != 0) {
    remote_->take(task);
    return;
  }
  if (devices_ && devices_->take(task)) {
    return;
  }
  engine_.submit(task.work);
}

/// Whether the task can be run now.
bool Tasks::askOnReady(Task &task) {
  Task *before = std::exchange(current_, &task);
  const std::uint32_t asked = std::exchange(asks_, TUTTI_ASKS_ONREADY);
  call(task);
  asks_ = asked;
  current_ = before;
  if ((task.flags & kHasEvents) != 0 && task.events.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return false;
  }
  task.flags &= ~(kOnReady | kHasEvents);
  task.events.store(1, std::memory_order_relaxed);
  return true;
}

/// An exception that leaves a body ends the program: below may be other tasks' frames.
void Tasks::call(Task &task) noexcept { task.block.entry(thread_, &task.block); }

bool Tasks::runBody(Task &task) {
  if ((task.flags & kOpenMp) != 0) {
    return openmp_->run(task);
  }
  if ((task.flags & (kDivides | kHelps)) != 0) [[unlikely]] {
    callInParts(task);
  } else {
    call(task);
  }
  return true;
}

Work *Tasks::run(Worker &worker, Work &work) {
  Task &task = Task::of(work);
  if ((task.flags & kOnReady) != 0 && !askOnReady(task)) {
    return nullptr;
  }
  if ((task.flags & kDescribed) != 0) [[unlikely]] {
    task.flags &= ~kDescribed;
    if ((task.flags & kOnDevice) != 0) {
      return runOnDevice(task);
    }
    if (remote_ && task.description) {
      remote_->bring(*task.description);
    }
    if ((task.flags & kLeaves) == 0 || !remote_->checks()) {
      giveBack(task.description);
    }
  }
  if ((task.flags & kArrived) != 0) [[unlikely]] {
    Arrival::of(task)->begin = std::chrono::steady_clock::now();
  }
  Task *before = std::exchange(current_, &task);
  if (task.description && (task.flags & kLeaves) != 0) [[unlikely]] {
    // Its description and what the task waits for are one word.
    Description *description = task.description;
    remote_->check(task, [](void *checked) { call(*static_cast<Task *>(checked)); });
    giveBack(description);
  } else if (!worker.callBody(work, [&] { return runBody(task); })) {
    current_ = before;
    engine_.submit(task.work);
    return nullptr;
  }
  while ((task.flags & kSuspends) != 0 && waitSuspended(task)) [[unlikely]] {
    call(task);
  }
  // What is called at the end of a task's life is nobody's body.
  current_ = &root_;
  Work *next = nullptr;
  if ((task.flags & kHasEvents) == 0 || task.events.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    next = complete(task);
  }
  current_ = before;
  return next;
}

Work *Tasks::complete(Task &task) {
  Latch *done = task.done;
  Changes changes(devices_.get());
  if ((task.flags & kOpenMp) != 0) {
    openmp_->ended(task);
  }
  if ((task.flags & kCounted) != 0) {
    remote_->leftHome(task);
  }
  if (task.alive.load(std::memory_order_acquire) == 1) {
    if (!endOrLeave(task, changes)) {
      return nullptr;
    }
    bury(task, changes);
  } else {
    if (task.hasGraph() && (task.flags & (kWaits | kEnded)) == 0) {
      task.raise(kEnded);
      order_.end(task, changes);
      settleEnded();
    }
    if (task.alive.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      leaveGraph(task, changes);
      bury(task, changes);
    }
  }
  if (done) {
    done->set();
  }
  return queueAllButFirst(changes);
}

/// False if another thread does the rest.
bool Tasks::endOrLeave(Task &task, Changes &changes) {
  if (!isInGraph(task) || engine_.isAlone()) {
    leaveGraph(task, changes);
    return true;
  }
  const bool hasLeft = order_.tryLeave(task, ownDomain(task), changes);
  settleEnded();
  return hasLeft;
}

void Tasks::leaveGraph(Task &task, Changes &changes) {
  if (!isInGraph(task)) {
    return;
  }
  order_.leave(task, ownDomain(task), changes);
  settleEnded();
}

void Tasks::settleEnded() {
  if (engine_.isAlone() || !order_.hasEnded()) { // Alone, nobody leaves anything.
    return;
  }
  Task *const before = std::exchange(current_, &root_);
  Changes changes(devices_.get());
  Work *first = nullptr;
  while (order_.takeEnded([this](Task &task) { return ownDomain(task); }, changes, first)) {
    while (first) {
      Task &task = Task::of(*std::exchange(first, first->next));
      Latch *done = task.done;
      bury(task, changes);
      if (done) {
        done->set();
      }
    }
  }
  current_ = before;
  queueAll(changes);
}

namespace {

/// One child is over. What was there before; a task that waited for its last child is to be resumed
/// by who has taken the mark off.
std::uint64_t dropChild(Task &parent) {
  std::uint64_t before = parent.alive.load(std::memory_order_relaxed);
  std::uint64_t after = 0;
  do {
    after = before == (kAwaited | 2) ? 1 : before - 1;
  } while (!parent.alive.compare_exchange_weak(before, after, std::memory_order_acq_rel,
                                               std::memory_order_relaxed));
  return before;
}

} // namespace

void Tasks::bury(Task &last, Changes &changes) {
  for (Task *task = &last; task;) {
    Task *parent = task->parent();
    if ((task->flags & kDestroys) != 0 && task->block.destroy) {
      task->block.destroy(0, &task->block);
    }
    if ((task->flags & kSpawned) != 0) {
      Spawned::of(task->block).end();
    }
    if ((task->flags & kArrived) != 0) {
      Arrival::end(*task);
    }
    task->variables.clear();
    Pool::release(task, ownPool());
    const bool isOfForeign = (parent->flagsNow() & kForeign) != 0;
    task = nullptr;
    if (const std::uint64_t before = dropChild(*parent); before == (kAwaited | 2)) {
      parent->parked->resume();
    } else if (before == 1) {
      leaveGraph(*parent, changes);
      if (isOfForeign) {
        delete parent;
      } else {
        task = parent;
      }
    }
    if (isOfForeign && dropChild(root_) == (kAwaited | 2)) {
      root_.parked->resume();
    }
  }
}

// --- What the graph says ---

void Tasks::queueAll(Changes &changes) {
  while (Task *task = changes.take()) {
    becomeReady(*task);
  }
}

Work *Tasks::queueAllButFirst(Changes &changes) {
  Task *first = changes.take();
  if (!first) {
    return nullptr;
  }
  queueAll(changes);
  if ((first->flags & kOnReady) != 0 || sendsSome()) {
    becomeReady(*first);
    return nullptr;
  }
  return &first->work;
}

} // namespace tutti::model::tasks
