// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/task_names.h"

#include "abi/abi.h"
#include "runtime/graph/runs.h"

#include <algorithm>

namespace tutti::entry {

using graph::AccessKind;

namespace {

constexpr std::uint32_t kSome = TUTTI_WRITE | TUTTI_AT_MOST;

std::uint32_t flagsOf(AccessKind kind, Unwritten unwritten) {
  switch (kind) {
  case AccessKind::In:
    return TUTTI_READ;
  case AccessKind::Out:
    return unwritten == Unwritten::Keep ? kSome : TUTTI_WRITE;
  default:
    return TUTTI_READ | TUTTI_WRITE;
  }
}

} // namespace

Result<TaskNames> TaskNames::of(std::span<const graph::Access> accesses,
                                const memory::Window &window, Unwritten unwritten) {
  TaskNames names;
  std::vector<Range> touched;
  std::vector<Range> written;
  std::vector<Range> shared;
  for (const graph::Access &access : accesses) {
    const graph::Runs runs(access.region);
    const Range hull = runs.hull();
    const bool isElsewhere = // Reductions have copies of their own on other ranks.
        unwritten == Unwritten::Forget && access.kind == AccessKind::Reduction;
    if (access.isWeak || hull.empty() || isElsewhere) {
      continue;
    }
    const bool isWritten = access.kind != AccessKind::In && access.kind != AccessKind::Concurrent;
    const bool isInWindow = window.contains(hull);
    runs.forEach([&](Range run) {
      touched.push_back(run);
      if (isWritten) {
        written.push_back(run);
      }
      if (isInWindow) {
        shared.push_back(run);
      }
    });
    if (isInWindow) {
      names.accesses.push_back({flagsOf(access.kind, unwritten), access.region.begin,
                                access.region.bytes, access.region.dimensions});
    } else if (window.contains(Range{hull.begin, hull.begin + 1}) ||
               window.contains(Range{hull.end - 1, hull.end})) {
      return failure(ErrorCode::InvalidArgument,
                     "it names {} bytes from {:#x} on, which is more than there is", hull.size(),
                     hull.begin);
    } else {
      names.foreign.push_back(hull);
    }
  }
  names.touched = RangeSet::of(std::move(touched));
  names.written = RangeSet::of(std::move(written));
  names.shared = RangeSet::of(std::move(shared));
  return names;
}

bool TaskNames::mayLeave() const {
  return std::ranges::any_of(accesses,
                             [](const exec::TaskAccess &access) { return access.flags == kSome; });
}

void TaskNames::areWritten(const RangeSet &bytes) {
  for (exec::TaskAccess &access : accesses) {
    if (access.flags != kSome) {
      continue;
    }
    bool isWritten = true;
    graph::Runs(graph::Region{access.begin, access.bytes, access.dimensions})
        .forEach([&](Range run) {
          isWritten = isWritten && std::ranges::any_of(bytes.ranges(), [&](const Range &each) {
                        return each.contains(run);
                      });
        });
    access.flags = isWritten ? TUTTI_WRITE : access.flags;
  }
}

} // namespace tutti::entry
