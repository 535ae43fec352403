// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks that may run on other ranks: where each of them goes once it is ready, and which are under
/// way there.
///
///     submitted --- mayLeave ---> the graph --- ready ---> [ ready_ ] --- start ---> on its way
///                      |                                       |                        |
///                      | no                                    | own rank               | ended
///                      +----> a worker of this process <-------+                        v
///                                                                                    complete
///
/// A place in the graph is kept until the other rank has said that the task is over: what follows
/// then finds its memory where the directory says.
#pragma once

#include "base/mutex.h"
#include "runtime/model/tasks/description.h"
#include "runtime/model/tasks/elsewhere.h"
#include "runtime/model/tasks/rank_choice.h"
#include "runtime/model/tasks/ranks.h"
#include "runtime/model/tasks/serving_thread.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::model::tasks {

/// What the owner of the tasks does for them.
class RemoteClient : public ElsewhereClient {
public:
  /// Whether the graph takes all that the task reduces for reductions.
  virtual bool reduces(Task &task) = 0;

  /// What the task has reduced on another rank, in the order of its accesses. Before it has ended;
  /// one call at a time.
  virtual void addResults(Task &task, std::span<const std::byte> results) = 0;

protected:
  ~RemoteClient() = default;
};

/// Threading: internally synchronised.
class RemoteTasks {
public:
  /// `ownWorkers`: of this process; the others are taken to have as many until they say so.
  RemoteTasks(RemoteClient &client, Ranks &ranks, std::uint32_t ownWorkers);

  RemoteTasks(const RemoteTasks &) = delete;
  RemoteTasks &operator=(const RemoteTasks &) = delete;

  /// Whether a task that is about to be submitted may run on another rank. Where it has to, its
  /// accesses become such that the graph lets it start only when all that it names is there.
  bool mayLeave(Task &task);

  /// Takes care of a task that may leave and has become ready.
  void take(Task &task);

  /// Brings what a task names that is about to run here.
  void bring(Description &description) { ranks_.bring(description.accesses()); }

  /// Whether none leaves, as all that may are to be checked.
  bool checks() const { return ranks_.checks(); }

  /// Runs `body(task)`, which stands for another rank, and says what it has touched beyond its
  /// names.
  void check(Task &task, void (*body)(void *task));

  /// The calling thread goes on with something else.
  void stopCheck() { ranks_.stopCheck(); }

  /// One that was to stay here has ended.
  void leftHome(const Task &task);

  /// Sees to what has ended, and starts what is ready. True while there is something to look for.
  /// Does nothing while another thread does that.
  bool serve();

  /// Only workers look from now on. Before the engine that they belong to goes.
  void stopHelper() { helper_.stop(); }

  /// Tasks that have run on other ranks, and why others that were to run there have not, by how
  /// many.
  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }

  std::vector<std::pair<std::string_view, std::uint64_t>> reasons() const;

private:
  struct Ready {
    std::int32_t priority;
    std::uint64_t age;
    Task *task;

    bool operator<(const Ready &other) const {
      return priority != other.priority ? priority < other.priority : age > other.age;
    }
  };

  struct Ended {
    Task *task;
    std::uint32_t rank;
    RemoteEnd end;
  };

  bool isBusy() const { return busy_.load(std::memory_order_acquire) != 0; }

  bool mayBeDerived(const Task &task, std::span<const graph::Access> accesses) const;
  std::string_view reasonToStay(Task &task) const;
  bool staysHere(Task &task);
  /// What the task only reads, and does not name.
  std::vector<Range> unnamedRead(const Task &task) const;
  bool settle();
  bool startNext();
  void start(Task &task, std::uint32_t rank);
  std::optional<std::uint32_t> rankFor(Task &task);
  double expected(const Task &task) const TUTTI_REQUIRES(mutex_);
  std::uint32_t perWorker(const Task &task) const TUTTI_REQUIRES(mutex_);
  void begin(const Task &task, std::uint32_t rank) TUTTI_REQUIRES(mutex_);
  void end(const Task &task, std::uint32_t rank) TUTTI_REQUIRES(mutex_);

  RemoteClient &client_;
  Ranks &ranks_;
  std::atomic<bool> isServing_{false};
  std::atomic<std::uint64_t> busy_{0}; ///< Tasks that are ready or under way on other ranks.
  std::atomic<std::uint64_t> sent_{0};
  mutable Mutex mutex_;
  std::vector<Ready> ready_ TUTTI_GUARDED_BY(mutex_); ///< A heap: the most urgent first.
  std::uint64_t age_ TUTTI_GUARDED_BY(mutex_) = 0;
  std::vector<Ended> ended_ TUTTI_GUARDED_BY(mutex_);
  std::vector<RankLoad> loads_ TUTTI_GUARDED_BY(mutex_);
  /// What tasks of late have taken for each unit of their cost, by construct.
  std::unordered_map<const char *, double> seconds_ TUTTI_GUARDED_BY(mutex_);
  /// What those that are under way are expected to take.
  std::unordered_map<const Task *, double> underway_ TUTTI_GUARDED_BY(mutex_);
  std::map<std::string_view, std::uint64_t> stayed_ TUTTI_GUARDED_BY(mutex_);
  ServingThread helper_{[this] { return serve(); }};
};

} // namespace tutti::model::tasks
