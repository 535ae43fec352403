// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/task_queues.h"

#include <algorithm>
#include <utility>

namespace tutti::exec {

/// Forgets what is done.
Status TaskQueues::poll() {
  std::array<bool, kQueues> isBusy{};
  const std::size_t before = underway_.size();
  for (std::size_t index = 0; index < underway_.size();) {
    Operation &operation = underway_[index];
    if (!isBusy[operation.queue]) {
      bool isDone = false;
      TUTTI_ASSIGN(isDone, operation.event->hasCompleted());
      if (isDone) {
        underway_.erase(underway_.begin() + static_cast<std::ptrdiff_t>(index));
        continue;
      }
      isBusy[operation.queue] = true; // Those after it are not done either.
    }
    if (std::ranges::all_of(isBusy, std::identity())) {
      break;
    }
    ++index;
  }
  noteEnds(before - underway_.size());
  return {};
}

void TaskQueues::noteEnds(std::size_t count) {
  if (count == 0) {
    return;
  }
  constexpr double kShare = 0.25; // Of the newest in what is kept.
  const auto now = std::chrono::steady_clock::now();
  const double seconds =
      std::chrono::duration<double>(now - busySince_).count() / static_cast<double>(count);
  taskSeconds_ += taskSeconds_ == 0 ? seconds : kShare * (seconds - taskSeconds_);
  busySince_ = now;
}

Result<std::size_t> TaskQueues::underwayBeside(const RangeSet &touched, const RangeSet &written) {
  TUTTI_TRY(poll());
  TaskWork work;
  work.touched = touched;
  work.written = written;
  return static_cast<std::size_t>(std::ranges::count_if(
      underway_, [&](const Operation &operation) { return !operation.isBefore(work); }));
}

std::size_t TaskQueues::enough() const {
  constexpr double kSeconds = 5e-3; // Busy workers look for what is done each millisecond.
  constexpr std::size_t kLeast = 32;
  constexpr double kMost = 256;
  return taskSeconds_ > 0
             ? std::max(kLeast, static_cast<std::size_t>(std::min(kMost, kSeconds / taskSeconds_)))
             : kLeast;
}

/// That of the latest work that it comes after: no event is needed then.
std::size_t TaskQueues::choose(const TaskWork &work) const {
  const auto last =
      std::find_if(underway_.rbegin(), underway_.rend(),
                   [&](const Operation &operation) { return operation.isBefore(work); });
  return last == underway_.rend() ? next_ : last->queue;
}

Status TaskQueues::run(TaskWork &work, device::Event *main) {
  TUTTI_TRY(poll());
  const std::size_t chosen = work.queue ? *work.queue : choose(work);
  work.queue = chosen;
  next_ = chosen == next_ ? (next_ + 1) % kQueues : next_;
  std::unique_ptr<device::Queue> &queue = queues_[chosen];
  if (!queue) {
    TUTTI_ASSIGN(queue, device_.makeQueue());
  }
  std::array<bool, kQueues> isAfter{};
  isAfter[chosen] = true;
  for (auto operation = underway_.rbegin(); operation != underway_.rend(); ++operation) {
    if (!isAfter[operation->queue] && operation->isBefore(work)) {
      isAfter[operation->queue] = true;
      TUTTI_TRY(queue->wait(*operation->event));
    }
  }
  if (main) {
    TUTTI_TRY(queue->wait(*main));
  }
  if (Status given = work.give(*queue); !given) {
    // Nobody knows of the part that it has got, and what that touches may be used again at once.
    queue->finish().ignore("what failed first is said");
    return given;
  }
  TUTTI_ASSIGN(work.event, queue->record());
  if (underway_.empty()) {
    busySince_ = std::chrono::steady_clock::now();
  }
  underway_.push_back({chosen, work.touched, work.written, work.event});
  return {};
}

Status TaskQueues::order(const RangeSet &bytes, device::Queue &later) {
  TaskWork work;
  work.touched = bytes;
  work.written = bytes;
  return order(work, later);
}

Status TaskQueues::order(const TaskWork &work, device::Queue &later) {
  std::array<bool, kQueues> isAfter{};
  for (auto operation = underway_.rbegin(); operation != underway_.rend(); ++operation) {
    if (!isAfter[operation->queue] && operation->isBefore(work)) {
      isAfter[operation->queue] = true;
      TUTTI_TRY(later.wait(*operation->event));
    }
  }
  return {};
}

Status TaskQueues::order(device::Queue &later) {
  std::array<bool, kQueues> isAfter{};
  for (auto operation = underway_.rbegin(); operation != underway_.rend(); ++operation) {
    if (!std::exchange(isAfter[operation->queue], true)) {
      TUTTI_TRY(later.wait(*operation->event));
    }
  }
  return {};
}

Result<std::size_t> TaskQueues::count() {
  TUTTI_TRY(poll());
  return underway_.size();
}

Result<bool> TaskQueues::isIdle() {
  TUTTI_TRY(poll());
  return underway_.empty();
}

Result<bool> TaskQueues::isIdle(const RangeSet &bytes) {
  TUTTI_TRY(poll());
  return std::ranges::none_of(
      underway_, [&](const Operation &operation) { return operation.touched.overlaps(bytes); });
}

Status TaskQueues::finish() {
  for (const auto &queue : queues_) {
    TUTTI_TRY(queue ? queue->finish() : Status());
  }
  underway_.clear();
  return {};
}

} // namespace tutti::exec
