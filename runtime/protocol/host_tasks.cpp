// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/host_tasks.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace tutti::protocol {

std::vector<std::byte> encode(const TaskEnd &end) {
  return Writer(kTaskEnd)
      .add(end.sequence)
      .add(end.workers)
      .add(end.seconds)
      .add(end.returned)
      .add(end.bytes)
      .add(end.results)
      .bytes();
}

TaskEnd decodeTaskEnd(Reader &reader) {
  TaskEnd end{};
  end.sequence = reader.take<Sequence>();
  end.workers = reader.take<std::uint32_t>();
  end.seconds = reader.take<double>();
  end.returned = reader.takeRanges();
  end.bytes = reader.takeVector<std::byte>();
  end.results = reader.takeVector<std::byte>();
  return end;
}

HostTasks::HostTasks(exec::Engine &engine, Mail &mail) : engine_(engine), mail_(mail) {
  mail_.on(kTaskEnd, [this](transport::Control &, Reader &reader) TUTTI_IN_TURN {
    TaskEnd end = decodeTaskEnd(reader);
    const auto found = expected_.find(end.sequence);
    TUTTI_CHECK(found != expected_.end(), "know the task of launch {} that has ended",
                end.sequence);
    const WhenEnded whenEnded = std::move(found->second);
    expected_.erase(found);
    whenEnded(end);
  });
  engine_.serve({{}, [this]() TUTTI_IN_TURN { return isExpecting(); }});
}

void HostTasks::begin(Sequence sequence, Use use) { running_.emplace(sequence, std::move(use)); }

void HostTasks::end(TaskEnd end) {
  const auto found = running_.find(end.sequence);
  TUTTI_CHECK(found != running_.end(), "know the task of launch {} that ends", end.sequence);
  end.returned = std::move(found->second.returned);
  running_.erase(found);
  for (const Range &range : end.returned.ranges()) {
    const std::byte *begin = engine_.window.view(range.begin);
    end.bytes.insert(end.bytes.end(), begin, begin + range.size());
  }
  engine_.counters.reductionBytes += end.results.size();
  engine_.counters.reductionMessages += end.results.empty() ? 0 : 1;
  mail_.send(0, encode(end));
}

bool HostTasks::areWritten(const RangeSet &bytes) const {
  return std::ranges::any_of(running_,
                             [&](const auto &each) { return each.second.written.overlaps(bytes); });
}

bool HostTasks::areTouched(const RangeSet &bytes) const {
  return std::ranges::any_of(running_,
                             [&](const auto &each) { return each.second.touched.overlaps(bytes); });
}

void HostTasks::expect(Sequence sequence, WhenEnded whenEnded) {
  expected_.emplace(sequence, std::move(whenEnded));
}

} // namespace tutti::protocol
