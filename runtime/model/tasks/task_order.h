// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order of tasks: the graph of what they name, its lock, and the tasks whose ends are left to
/// who has it.
#pragma once

#include "base/spin_lock.h"
#include "runtime/engine/work.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/task.h"

#include <atomic>
#include <cstdint>
#include <span>

namespace tutti::model::tasks {

/// Who has changed the graph looks for ends that others have left meanwhile (`hasEnded`).
///
/// Threading: internally synchronised.
class TaskOrder {
public:
  /// Whether the task is ready. `domain`: of who makes it.
  bool add(Task &task, graph::Node &domain, std::span<const graph::Access> accesses,
           graph::Sink &sink) TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    graph::Node *parent = task.node.parent;
    const bool isReady = graph_.add(task.node, domain, accesses, sink);
    task.node.parent = parent;
    return isReady;
  }

  /// The body has ended.
  void end(Task &task, graph::Sink &sink) TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    graph_.end(task.node, sink);
  }

  /// All children are over.
  void closeDomain(Task &task, graph::Sink &sink) TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    graph_.closeDomain(task.node, sink);
  }

  /// False if the task has not named that, or not in that way.
  bool release(Task &task, std::span<const graph::Access> accesses, graph::Sink &sink)
      TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    return graph_.release(task.node, accesses, sink);
  }

  void iterate(graph::Node &domain, std::uint32_t period, graph::Sink &sink) TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    graph_.iterate(domain, period, sink);
  }

  void forget(graph::Node &domain, graph::Sink &sink) TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    graph_.forget(domain, sink);
  }

  /// The task is over. `own`: its children's domain, if that is apart.
  void leave(Task &task, graph::Node *own, graph::Sink &sink) TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    leaveGraph(task, own, sink);
  }

  /// False if another thread has the graph, which does it then: to wait for the graph costs more
  /// than what is to be done there.
  bool tryLeave(Task &task, graph::Node *own, graph::Sink &sink) TUTTI_EXCLUDES(lock_);

  /// Others have left some. Behind a change; who leaves one asks for the lock behind it.
  bool hasEnded() const {
    // One of both sees the other.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return ended_.load(std::memory_order_relaxed) != nullptr;
  }

  /// Those leave the graph, with `own(task)`; `first` is the first of them. False if there are
  /// none, or another thread has the graph.
  template <typename OwnDomain>
  bool takeEnded(const OwnDomain &own, graph::Sink &sink, engine::Work *&first)
      TUTTI_EXCLUDES(lock_) {
    if (!hasEnded() || !lock_.tryLock()) {
      return false;
    }
    first = ended_.exchange(nullptr, std::memory_order_acquire);
    for (engine::Work *work = first; work; work = work->next) {
      Task &task = Task::of(*work);
      leaveGraph(task, own(task), sink);
    }
    lock_.unlock();
    return true;
  }

  /// The group of the task's reduction of a byte; null if it reduces none. `change(group)` while
  /// no other thread has the graph.
  template <typename Change>
  graph::ReductionGroup *reductionOf(Task &task, std::uint64_t byte, const Change &change)
      TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    graph::ReductionGroup *group = graph_.reductionOf(task.node, byte);
    if (group) {
      change(*group);
    }
    return group;
  }

  template <typename Look>
  void forEachReduction(Task &task, const Look &look) TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    graph_.forEachReduction(task.node, look);
  }

  graph::TaskGraph::Counts counts() const TUTTI_EXCLUDES(lock_) {
    const SpinGuard guard(lock_);
    return graph_.counts();
  }

private:
  void leaveGraph(Task &task, graph::Node *own, graph::Sink &sink) TUTTI_REQUIRES(lock_) {
    graph_.closeDomain(task.node, sink);
    if ((task.flags & kEnded) == 0) {
      graph_.end(task.node, sink);
    }
    graph_.forget(task.node, sink);
    if (own) {
      graph_.forget(*own, sink);
    }
  }

  mutable SpinLock lock_;
  graph::TaskGraph graph_ TUTTI_GUARDED_BY(lock_);
  alignas(64) std::atomic<engine::Work *> ended_{nullptr}; ///< Left to who has the graph.
};

} // namespace tutti::model::tasks
