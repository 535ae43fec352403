// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/remote_tasks.h"

#include "runtime/graph/runs.h"
#include "runtime/model/tasks/parcel.h"
#include "runtime/model/tasks/task.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tutti::model::tasks {

namespace {

/// Until the first ones have ended.
constexpr double kUnknownSeconds = 1e-3;

/// How much the latest counts.
constexpr double kWeight = 0.1;

/// A captured word below is no address.
constexpr std::uint64_t kLeastAddress = 1 << 16;

/// Whether all that the task has captured by address is named, or its own.
bool namesWhatItCaptures(Task &task, std::span<const graph::Access> accesses) {
  const auto *shareds = static_cast<const std::byte *>(task.block.shareds);
  for (std::size_t at = 0; shareds && at + 8 <= task.sharedsBytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, shareds + at, sizeof word);
    const auto &objects = task.description->objects;
    bool isKnown = word < kLeastAddress || std::ranges::find(objects, word) != objects.end();
    for (const graph::Access &access : accesses) {
      const Range hull = graph::Runs(access.region).hull();
      isKnown = isKnown || (hull.begin <= word && word < hull.end);
    }
    task.variables.forEach([&](const void *data, std::size_t, bool) {
      isKnown = isKnown || word == reinterpret_cast<std::uint64_t>(data);
    });
    if (!isKnown) {
      return false;
    }
  }
  return true;
}

/// Whether a value that the task has copied may be an address in `range`.
bool holdsAddressIn(Range range, const Task &task) {
  const auto *block = reinterpret_cast<const std::byte *>(&task.block);
  const std::size_t bytes = engine::Pool::bytesOf(&task) - offsetof(Task, block);
  // The copies of a task that is no loop begin where a loop's bounds are.
  for (std::size_t at = offsetof(tutti_task_block, lower); at + 8 <= bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, block + at, sizeof word);
    if (range.begin <= word && word < range.end) {
      return true;
    }
  }
  return false;
}

bool overlapsSome(Range bytes, std::span<const graph::Access> accesses) {
  return std::ranges::any_of(accesses, [&](const graph::Access &access) {
    return graph::Runs(access.region).hull().overlaps(bytes);
  });
}

Range rangeOf(const void *data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  return {begin, begin + bytes};
}

Range rangeOf(const tutti_task_variable &variable) {
  return rangeOf(variable.address, variable.bytes);
}

} // namespace

RemoteTasks::RemoteTasks(RemoteClient &client, Ranks &ranks, std::uint32_t ownWorkers)
    : client_(client), ranks_(ranks), loads_(ranks.count(), {ownWorkers, 0}) {}

std::string_view RemoteTasks::reasonToStay(Task &task) const {
  if (task.description->node >= ranks_.count()) {
    return "there is no such node";
  }
  if ((task.flags & kDestroys) != 0) {
    return "it has copies of objects of classes";
  }
  if ((task.flags & kOnDevice) != 0) {
    return "it is for a device";
  }
  if (!ranks_.haveCode(task.block.entry)) {
    return "its code is in a library";
  }
  if (task.description->hasNegative) {
    return "it names a section of negative length";
  }
  const auto accesses = task.description->accesses();
  for (const graph::Access &access : accesses) {
    if (access.kind == graph::AccessKind::Reduction) {
      if (access.reduction.readsOriginal) {
        return "it reduces by functions of the program";
      }
      continue; // What it reduces is in a copy, and comes with its end.
    }
    if (!ranks_.areShared(graph::Runs(access.region).hull())) {
      return "it names memory of a task's stack or of a library";
    }
  }
  const bool isDerived = (task.flags & kDerived) != 0;
  if (!isDerived && !namesWhatItCaptures(task, accesses)) {
    return "it uses a variable that it does not name";
  }
  if (!isDerived && task.description->node < 0 && holdsAddressIn(ranks_.arguments(), task)) {
    return "it uses the program's arguments by address";
  }
  for (const tutti_task_variable &variable : task.description->variables) {
    if ((variable.flags & TUTTI_TASK_DEVICES) != 0) {
      return "it makes tasks for devices";
    }
    if ((variable.flags & TUTTI_TASK_ALLOCATES) != 0) {
      // What another rank allocates is its alone: only the program can know that this will do.
      if (task.description->node < 0) {
        return "it allocates or frees memory of the cluster";
      }
      continue;
    }
    if (!variable.address) {
      return "it uses a variable of which each thread has its own";
    }
    if (!isDerived && (variable.flags & TUTTI_TASK_WRITES) != 0 &&
        ranks_.areOfProgram(rangeOf(variable)) && !overlapsSome(rangeOf(variable), accesses)) {
      return "it may write a variable that it does not name";
    }
  }
  return {};
}

/// Not loops of which several workers do parts: here they are done sooner. Nor those that are to be
/// checked, which is to find what programs have left out.
bool RemoteTasks::mayBeDerived(const Task &task, std::span<const graph::Access> accesses) const {
  const auto isStrong = [](const graph::Access &access) {
    return !access.isWeak && access.kind != graph::AccessKind::Concurrent;
  };
  return !accesses.empty() && (task.flags & kWhole) == 0 && !ranks_.checks() &&
         ranks_.isDerived(task.block.entry) && std::ranges::all_of(accesses, isStrong);
}

bool RemoteTasks::mayLeave(Task &task) {
  Description *description = task.description;
  if (!description || description->node == Description::kOwnNode) {
    return false;
  }
  const bool isAsked = description->node >= 0;
  const auto accesses = description->accesses();
  if (description->node == 0) {
    return false;
  }
  const auto isFree = [this](const graph::Access &access) {
    return !access.isWeak && access.kind != graph::AccessKind::Concurrent &&
           ranks_.areOfCluster(graph::Runs(access.region).hull());
  };
  if (!isAsked && (accesses.empty() || !std::ranges::all_of(accesses, isFree))) {
    if (!mayBeDerived(task, accesses)) {
      return false;
    }
    task.flags |= kDerived;
  }
  if (const std::string_view reason = reasonToStay(task); !reason.empty()) {
    const ScopedLock lock(mutex_);
    ++stayed_[reason];
    return false;
  }
  if (isAsked) {
    description->exclude();
  }
  return true;
}

void RemoteTasks::check(Task &task, void (*body)(void *task)) {
  ranks_.check({task.name(), task.source}, task.description->accesses(), unnamedRead(task), body,
               &task);
}

/// Whether a task that is ready, and may leave because its code is known, is not worth the while or
/// touches what it has to stay for.
bool RemoteTasks::staysHere(Task &task) {
  {
    const ScopedLock lock(mutex_);
    if (!isWorthSending(loads_.front(), expected(task))) {
      return true;
    }
  }
  std::vector<Range> own{rangeOf(&task, engine::Pool::bytesOf(&task))};
  task.variables.forEach(
      [&](const void *data, std::size_t bytes, bool) { own.push_back(rangeOf(data, bytes)); });
  Derived derived = ranks_.derive(task.block, own, task.description->accesses());
  if (!derived.reason.empty()) {
    const ScopedLock lock(mutex_);
    ++stayed_[derived.reason];
    return true;
  }
  task.description->read = std::move(derived.read);
  task.description->keepBeside(derived.overwritten);
  return false;
}

void RemoteTasks::take(Task &task) {
  if (ranks_.checks() || ((task.flags & kDerived) != 0 && staysHere(task))) {
    client_.canRun(task);
    return;
  }
  {
    const ScopedLock lock(mutex_);
    busy_.fetch_add(1, std::memory_order_relaxed);
    ready_.push_back({task.work.priority, ++age_, &task});
    std::push_heap(ready_.begin(), ready_.end());
  }
  helper_.wake();
  serve();
}

/// Seconds: in proportion to what the program says that it costs.
double RemoteTasks::expected(const Task &task) const {
  const auto known = seconds_.find(task.source);
  return known == seconds_.end() ? kUnknownSeconds
                                 : known->second * static_cast<double>(task.description->cost);
}

/// How many tasks a rank is given for each worker before it has no room for this one.
std::uint32_t RemoteTasks::perWorker(const Task &task) const {
  return seconds_.contains(task.source) ? kMostTasks : kMostUnknown;
}

void RemoteTasks::begin(const Task &task, std::uint32_t rank) {
  const double seconds = expected(task);
  underway_[&task] = seconds;
  ++loads_[rank].underway;
  loads_[rank].seconds += seconds;
}

void RemoteTasks::end(const Task &task, std::uint32_t rank) {
  RankLoad &load = loads_[rank];
  const auto found = underway_.find(&task);
  --load.underway;
  load.seconds = load.underway == 0 ? 0 : load.seconds - found->second; // Sums are not exact.
  underway_.erase(found);
}

void RemoteTasks::leftHome(const Task &task) {
  const ScopedLock lock(mutex_);
  end(task, 0);
}

bool RemoteTasks::serve() {
  while (isBusy() && !isServing_.exchange(true, std::memory_order_acquire)) {
    bool hasMoved = settle();
    while (startNext()) {
      hasMoved = true;
    }
    isServing_.store(false, std::memory_order_release);
    // What came while this thread was serving has been left to it.
    if (!hasMoved) {
      break;
    }
  }
  return isBusy();
}

/// Takes away what has ended. False if nothing has.
bool RemoteTasks::settle() {
  std::vector<Ended> ended;
  {
    const ScopedLock lock(mutex_);
    ended.swap(ended_);
    for (const Ended &each : ended) {
      end(*each.task, each.rank);
      loads_[each.rank].workers = each.end.workers;
      const double took = each.end.seconds / static_cast<double>(each.task->description->cost);
      double &seconds = seconds_.try_emplace(each.task->source, took).first->second;
      seconds += kWeight * (took - seconds);
    }
  }
  for (const Ended &each : ended) {
    if (!each.end.results.empty()) {
      client_.addResults(*each.task, each.end.results);
    }
    client_.ended(*each.task);
    busy_.fetch_sub(1, std::memory_order_release);
  }
  return !ended.empty();
}

/// Nothing if all ranks have enough to do.
std::optional<std::uint32_t> RemoteTasks::rankFor(Task &task) {
  if (!client_.reduces(task)) {
    return 0; // One that overlaps something else is done where the original is.
  }
  if (task.description->node >= 0) {
    return static_cast<std::uint32_t>(task.description->node);
  }
  {
    const ScopedLock lock(mutex_);
    const std::uint32_t most = perWorker(task);
    if (std::ranges::none_of(loads_, [&](const RankLoad &load) { return load.hasRoom(most); })) {
      return std::nullopt;
    }
  }
  const std::vector<std::uint64_t> missing =
      ranks_.missing(task.description->accesses(), task.description->read);
  const ScopedLock lock(mutex_);
  return chooseRank(loads_, missing, expected(task), perWorker(task));
}

/// False if nothing is ready, or all ranks have enough to do.
bool RemoteTasks::startNext() {
  Task *task = nullptr;
  {
    const ScopedLock lock(mutex_);
    if (ready_.empty()) {
      return false;
    }
    task = ready_.front().task;
  }
  const std::optional<std::uint32_t> rank = rankFor(*task);
  if (!rank) {
    return false;
  }
  {
    // What has come meanwhile may be more urgent: it is next then.
    const ScopedLock lock(mutex_);
    if (ready_.front().task == task) {
      std::pop_heap(ready_.begin(), ready_.end());
      ready_.pop_back();
    } else {
      ready_.erase(std::ranges::find(ready_, task, &Ready::task));
      std::make_heap(ready_.begin(), ready_.end());
    }
    begin(*task, *rank);
  }
  if (*rank == 0) {
    task->flags |= kCounted;
    client_.canRun(*task);
    busy_.fetch_sub(1, std::memory_order_release);
  } else {
    start(*task, *rank);
  }
  return true;
}

std::vector<Range> RemoteTasks::unnamedRead(const Task &task) const {
  if ((task.flags & kDerived) != 0) {
    return task.description->read;
  }
  std::vector<Range> read;
  for (const tutti_task_variable &variable : task.description->variables) {
    const Range bytes = rangeOf(variable);
    if (ranks_.areOfProgram(bytes) && !overlapsSome(bytes, task.description->accesses())) {
      read.push_back(bytes);
    }
  }
  return read;
}

void RemoteTasks::start(Task &task, std::uint32_t rank) {
  sent_.fetch_add(1, std::memory_order_relaxed);
  const Status status = ranks_.start(rank, task.description->accesses(), unnamedRead(task),
                                     pack(task), [this, &task, rank](RemoteEnd end) {
                                       const ScopedLock lock(mutex_);
                                       ended_.push_back({&task, rank, std::move(end)});
                                     });
  if (!status) {
    fail(task, status.error());
  }
}

std::vector<std::pair<std::string_view, std::uint64_t>> RemoteTasks::reasons() const {
  const ScopedLock lock(mutex_);
  return {stayed_.begin(), stayed_.end()};
}

} // namespace tutti::model::tasks
