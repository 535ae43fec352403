// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/task_ranks.h"

#include "base/log.h"
#include "runtime/entry/cluster.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/task_names.h"
#include "runtime/entry/tasks.h"
#include "runtime/exec/task_touches.h"
#include "runtime/graph/runs.h"
#include "runtime/memory/access_check.h"
#include "runtime/model/tasks/tasks.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <link.h>
#include <utility>

namespace tutti::entry {

namespace {

/// Calls with the executable, which is the first object, and no others.
int findInExecutable(dl_phdr_info *object, std::size_t, void *data) {
  auto &address = *static_cast<std::uint64_t *>(data);
  for (int index = 0; index < object->dlpi_phnum; ++index) {
    const ElfW(Phdr) &part = object->dlpi_phdr[index];
    if (part.p_type == PT_LOAD && address - (object->dlpi_addr + part.p_vaddr) < part.p_memsz) {
      return 1;
    }
  }
  address = 0;
  return 1;
}

} // namespace

/// Only the executable lies at the same addresses everywhere.
bool TaskRanks::haveCode(tutti_task_entry entry) const {
  auto address = reinterpret_cast<std::uint64_t>(entry);
  dl_iterate_phdr(findInExecutable, &address);
  return address != 0;
}

/// The variable or allocation that holds `address`; empty if that is not known.
Range TaskRanks::objectAt(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(variables_, address, std::less<>(), &Range::begin);
  if (after != variables_.begin() && address < std::prev(after)->end) {
    return *std::prev(after);
  }
  return runtime_.heap().allocationOf(address);
}

model::tasks::Derived TaskRanks::derive(tutti_task_block &block, std::span<const Range> own,
                                        std::span<const graph::Access> accesses) {
  const exec::TaskTouches touches =
      exec::touchesOfTask(*codes_.at(reinterpret_cast<const void *>(block.entry)),
                          reinterpret_cast<std::uint64_t>(&block), own, window_,
                          [this](std::uint64_t address) { return objectAt(address); });
  if (!touches.reason.empty()) {
    return {touches.reason, {}, {}};
  }
  const Result<TaskNames> names = TaskNames::of(accesses, window_, Unwritten::Keep);
  if (!names) {
    return {"it names more memory than there is", {}, {}};
  }
  std::vector<Range> reduced;
  for (const graph::Access &access : accesses) {
    if (access.kind == graph::AccessKind::Reduction) {
      reduced.push_back(graph::Runs(access.region).hull());
    }
  }
  if (RangeSet::of(std::move(reduced)).overlaps(touches.decides)) {
    return {"what its code touches depends on what it reduces", {}, {}};
  }
  if (!touches.writes.subtract(names->written).empty()) {
    return {"its code writes what it does not name", {}, {}};
  }
  model::tasks::Derived derived{
      {}, touches.reads.subtract(names->touched).ranges(), touches.overwritten};
  if (!std::ranges::all_of(derived.read, [&](Range range) { return window_.contains(range); })) {
    derived.reason = "its code reads memory that other ranks do not have";
  }
  return derived;
}

bool TaskRanks::areOfProgram(Range bytes) const {
  const auto after =
      std::ranges::upper_bound(variables_, bytes.begin, std::less<>(), &Range::begin);
  return after != variables_.begin() && bytes.end <= std::prev(after)->end &&
         window_.contains(bytes);
}

bool TaskRanks::areOfCluster(Range bytes) const { return entry::areOfCluster(bytes); }

std::vector<std::uint64_t> TaskRanks::missing(std::span<const graph::Access> accesses,
                                              std::span<const Range> beside) {
  std::vector<Range> read(beside.begin(), beside.end());
  std::vector<std::uint64_t> elsewhere(count());
  for (const graph::Access &access : accesses) {
    const graph::Runs runs(access.region);
    if (access.kind == graph::AccessKind::Out) {
      const auto home = static_cast<std::size_t>(homeInCluster(runs.hull()));
      for (std::size_t rank = 0; rank < elsewhere.size(); ++rank) {
        elsewhere[rank] += rank == home ? 0 : runs.hull().size();
      }
    } else if (access.kind != graph::AccessKind::Reduction) {
      runs.forEach([&](Range run) { read.push_back(run); });
    }
  }
  const RangeSet bytes = RangeSet::of(std::move(read));
  runtime_.runOnOwnStack([&] {
    const std::vector<std::uint64_t> missing = zero_.missing(bytes);
    std::ranges::transform(missing, elsewhere, elsewhere.begin(), std::plus<>());
  });
  return elsewhere;
}

/// In place of one fault after the other, which would bring what lies around as well.
void TaskRanks::bring(std::span<const graph::Access> accesses) {
  runtime_.runOnOwnStack([&] {
    for (const graph::Access &access : accesses) {
      if (!access.isWeak && access.kind != graph::AccessKind::Reduction) {
        graph::Runs(access.region).forEach([&](Range run) {
          zero_.openExactly(run, access.kind != graph::AccessKind::In);
        });
      }
    }
  });
}

void TaskRanks::check(const model::tasks::CheckedTask &checked,
                      std::span<const graph::Access> accesses, std::span<const Range> read,
                      void (*body)(void *task), void *task) {
  const Result<TaskNames> names = TaskNames::of(accesses, window_, Unwritten::Forget);
  if (!names) {
    log::fatal("task {}: {}", checked.name, names.error().message);
  }
  std::vector<Range> variables(read.begin(), read.end());
  for (const Range &range : read) {
    zero_.openExactly(range, false);
  }
  std::vector<Range> segments = window_.globals();
  segments.push_back(window_.stack());
  segments.push_back(runtime_.heap().grown());
  std::erase_if(segments, [](const Range &range) { return range.empty(); });
  memory::AccessCheck check(
      segments, pages_, {names->touched.unite(RangeSet::of(std::move(variables))), names->written});
  body(task);
  check.stop();
  for (const memory::Stray &stray : check.strays()) {
    report_->tell(checked, stray.isWrite ? "writes" : "reads", stray.address, stray.instruction);
  }
}

void TaskRanks::stopCheck() {
  if (memory::AccessCheck *check = memory::AccessCheck::current()) {
    check->stop();
  }
}

Status TaskRanks::start(std::uint32_t rank, std::span<const graph::Access> accesses,
                        std::span<const Range> read, std::vector<std::byte> parcel,
                        std::function<void(model::tasks::RemoteEnd end)> whenEnded) {
  Status status;
  runtime_.runOnOwnStack([&] {
    status = [&]() -> Status {
      TaskNames names;
      TUTTI_ASSIGN(names, TaskNames::of(accesses, window_, Unwritten::Forget));
      for (const Range &range : read) {
        names.accesses.push_back({TUTTI_READ, range.begin, range.size(), {}});
      }
      return zero_.startTask({static_cast<transport::Rank>(rank), names.accesses, std::move(parcel),
                              [whenEnded = std::move(whenEnded)](protocol::TaskEnd &end) {
                                whenEnded({end.workers, end.seconds, std::move(end.results)});
                              }});
    }();
  });
  return status;
}

void TaskHost::start(std::span<const std::byte> parcel,
                     std::function<void(Ended ended)> whenEnded) {
  tasks().arrive(
      parcel, [whenEnded = std::move(whenEnded)](std::vector<std::byte> results, double seconds) {
        whenEnded({tasks().engine().size(), seconds, std::move(results)});
      });
}

} // namespace tutti::entry
