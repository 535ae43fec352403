// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/task_touches.h"

#include <utility>
#include <vector>

namespace tutti::exec {

namespace {

/// More pieces than that take longer to compare than most tasks to run.
constexpr std::uint64_t kMostRuns = 1 << 16;

/// Adds the runs of `record`, without the gaps between them. False if there are too many.
bool append(std::vector<Range> &ranges, const memory::AccessRecord &record) {
  const memory::Runs runs = record.runs(false);
  if (ranges.size() + runs.count(kMostRuns) > kMostRuns) {
    return false;
  }
  return runs.forEach(record.limit, [&](Range run) {
    ranges.push_back(run);
    return true;
  });
}

} // namespace

TaskTouches touchesOfTask(const tutti_region &code, std::uint64_t block, std::span<const Range> own,
                          const memory::Window &window, const AllocationOf &allocationOf) {
  TaskTouches touches;
  Launch launch;
  launch.region = &code;
  launch.captures = {block, 0};
  launch.values.assign(code.values, 0);
  launch.total = 1;
  tutti_gather gather{&window, {}, false, own};
  code.gather(launch.captures.data(), launch.values.data(), &gather);
  if (gather.isOutside) {
    touches.reason = "what its code touches depends on memory that is not unified";
    return touches;
  }
  const TouchRecords records = recordsOf(launch, window, 0, 1, allocationOf);
  const memory::AccessRecords &touched = records.touched;
  if (touched.anywhere || touched.wrapsAround || touched.unresolved || records.reach != 0) {
    touches.reason = "what its code touches is not known";
    return touches;
  }
  std::vector<Range> reads;
  std::vector<Range> writes;
  std::vector<Range> surely;
  for (const memory::AccessRecord &record : touched.records) {
    const bool isUpdate = record.isUpdated();
    if (((record.isRead() || isUpdate) && !append(reads, record)) ||
        ((record.isWritten() || isUpdate) && !append(writes, record)) ||
        (record.isWritten() && !record.isAtMost() && !append(surely, record))) {
      touches.reason = "its code touches memory in too many pieces";
      return touches;
    }
  }
  const RangeSet ownBytes = RangeSet::of({own.begin(), own.end()});
  std::vector<Range> decides;
  for (const BlockValue &value : gather.blocks) {
    decides.push_back({value.address, value.address + value.bytes});
  }
  touches.reads = RangeSet::of(std::move(reads)).subtract(ownBytes);
  touches.writes = RangeSet::of(std::move(writes)).subtract(ownBytes);
  touches.overwritten = RangeSet::of(std::move(surely)).subtract(ownBytes).subtract(touches.reads);
  touches.decides = RangeSet::of(std::move(decides)).subtract(ownBytes);
  touches.reads = touches.reads.unite(touches.decides);
  if (touches.decides.overlaps(touches.writes)) {
    touches.reason = "what its code touches depends on what it writes";
  }
  return touches;
}

} // namespace tutti::exec
