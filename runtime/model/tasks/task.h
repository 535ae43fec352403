// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One task: what the program has said of it, and what it waits for.
#pragma once

#include "abi/tasks.h"
#include "runtime/engine/latch.h"
#include "runtime/engine/pool.h"
#include "runtime/engine/work.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/description.h"
#include "runtime/model/tasks/variables.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::model::tasks {

/// What is true of one task.
enum TaskFlags : std::uint32_t {
  kWaits = TUTTI_TASK_WAITS,
  kOnReady = TUTTI_TASK_ONREADY, ///< Until it has been asked.
  kAsksAccesses = TUTTI_TASK_ACCESSES,
  kWhole = TUTTI_TASK_WHOLE,
  kAffine = TUTTI_TASK_AFFINE,
  kDestroys = 1U << 8,
  kUndeferred = 1U << 9,    ///< Its creator waits for it.
  kFinal = 1U << 10,        ///< All that is made below it runs at once.
  kHasEvents = 1U << 11,    ///< `events` has been more than one.
  kForeign = 1U << 12,      ///< Stands for a thread that is no worker.
  kSpawned = 1U << 13,      ///< Nobody's child; somebody may want to know when it is over.
  kEnded = 1U << 14,        ///< The graph knows that the body has ended.
  kLeaves = 1U << 15,       ///< May run on another rank.
  kCounted = 1U << 16,      ///< One of those that runs here all the same.
  kArrived = 1U << 17,      ///< Of another rank, which wants to know when it is over.
  kNames = 1U << 18,        ///< Says what a directive names, and has no code of the program.
  kDivides = 1U << 19,      ///< A loop, of which several workers may do parts at the same time.
  kOnDevice = 1U << 20,     ///< For a device.
  kDescribed = 1U << 21,    ///< Its description stays until it is run.
  kHelps = 1U << 22,        ///< Does parts of its parent, which is complete when this has ended.
  kDerived = 1U << 23,      ///< May run on another rank because the compiler knows its code.
  kOpenMp = 1U << 24,       ///< Has what OpenMp knows of a task.
  kImplicit = 1U << 25,     ///< Of OpenMP: what the thread runs that has entered the team.
  kExclusive = 1U << 26,    ///< Of OpenMP: it, or a task that it is in, excludes others.
  kSuspends = 1U << 27,     ///< Has said how it goes on when its body has returned.
  kAwaitsEvents = 1U << 28, ///< Suspended until what is bound to it has happened.
};

/// Bit of `Task::alive`: the task waits for its children.
inline constexpr std::uint64_t kAwaited = std::uint64_t{1} << 32;

/// Threading: confined to who makes it until it is submitted, then to who runs it; atomics from any
///            thread that knows the task to be alive.
/// Ownership: its own, until it is deeply complete. The block that the program knows is its end.
struct Task {
  engine::Work work; ///< First: the engine knows the task by it.
  graph::Node node;
  /// One until the task is complete, and one for each child that is not deeply complete.
  std::atomic<std::uint64_t> alive{1};
  /// One until the body has ended, and what the program has bound to the task.
  std::atomic<std::int64_t> events{1};
  std::uint32_t flags = 0;
  std::uint32_t depth = 0;

  union {
    Description *description = nullptr; ///< Until it is submitted.
    engine::Parked *parked;             ///< While it runs: its own waiting.
  };

  engine::Latch *done = nullptr; ///< Who waits until it is complete.
  const char *source = nullptr;
  const char *label = nullptr;
  Task *described = nullptr; ///< Its newest child that has not been submitted; see `outer`.
  VariableCopies variables;
  std::atomic<std::int32_t> wakes{0}; ///< Unblocked more often than blocked; -1 while blocked.
  std::uint32_t sharedsBytes = 0;
  alignas(16) tutti_task_block block;

  static Task &of(tutti_task_block *block) {
    return *reinterpret_cast<Task *>(reinterpret_cast<std::byte *>(block) - offsetof(Task, block));
  }

  static Task &of(engine::Work &work) { return *reinterpret_cast<Task *>(&work); }

  static const Task &of(const engine::Work &work) { return *reinterpret_cast<const Task *>(&work); }

  static Task &of(graph::Node &node) {
    return *reinterpret_cast<Task *>(reinterpret_cast<std::byte *>(&node) - offsetof(Task, node));
  }

  /// While it is described: the one that its parent described before.
  Task *outer() const { return reinterpret_cast<Task *>(work.next); }

  /// From here on it is the one that `creator` describes.
  void beginDescription(Task &creator) {
    work.next = reinterpret_cast<engine::Work *>(creator.described);
    creator.described = this;
  }

  void endDescription(Task &creator) { creator.described = outer(); }

  /// Null for the root of all.
  Task *parent() const { return node.parent ? &of(*node.parent) : nullptr; }

  void setParent(Task &task) { node.parent = &task.node; }

  bool hasGraph() const { return node.state != nullptr; }

  std::uint64_t children() const {
    return (alive.load(std::memory_order_acquire) & (kAwaited - 1)) - 1;
  }

  /// Whether it or a task that it runs in is final.
  bool isFinal() const { return (flags & kFinal) != 0; }

  /// Whether it runs at once inside of its parent.
  bool included() const { return node.parent && (parent()->flagsNow() & kFinal) != 0; }

  /// For children, beside `raise` and `lower`: other flags do not change once the task runs.
  std::uint32_t flagsNow() const {
    return std::atomic_ref(const_cast<std::uint32_t &>(flags)).load(std::memory_order_relaxed);
  }

  void raise(TaskFlags flag) {
    std::atomic_ref(flags).store(flags | flag, std::memory_order_relaxed);
  }

  void lower(TaskFlags flag) {
    std::atomic_ref(flags).store(flags & ~std::uint32_t{flag}, std::memory_order_relaxed);
  }

  /// Whether it is below `ancestor`, however deep.
  bool isBelow(const Task &ancestor) const {
    const Task *task = this;
    while (task->depth > ancestor.depth) {
      task = task->parent();
    }
    return task == &ancestor && task != this;
  }

  /// Becomes a copy of what the program has put into another task: `bytes` bytes of the block, with
  /// the private copies, and the captured values after them. Copies of class objects are made by
  /// the program's own code.
  void takeBlockOf(const Task &other, std::size_t bytes) {
    std::memcpy(static_cast<void *>(&block), &other.block, bytes);
    if (other.block.shareds) { // They lie behind the private copies.
      block.shareds = reinterpret_cast<std::byte *>(&block) +
                      (static_cast<const std::byte *>(other.block.shareds) -
                       reinterpret_cast<const std::byte *>(&other.block));
    }
    sharedsBytes = other.sharedsBytes;
    flags = other.flags;
    work.priority = other.work.priority;
    source = other.source;
    label = other.label;
  }

  /// For messages: label or place.
  const char *name() const { return label ? label : source ? source : "task"; }
};

// The pool aligns what comes after that.
static_assert(offsetof(Task, block) == engine::Pool::kHead);

} // namespace tutti::model::tasks
