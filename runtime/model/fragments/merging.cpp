// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of a loop that become one: on devices a call costs the same for few cells as for many.
///
/// All calls of a loop's iterations that may be merged wait for one another. When the last of them
/// has what it reads, they are cut into runs, the same at every step, and each run is one call for
/// whoever runs it. Its members end as if they had run: only inner borders are values that stand
/// for nothing, and nobody but other members names those.
#include "runtime/model/fragments/merging.h"

#include "base/format.h"
#include "runtime/model/fragments/state.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <numeric>

namespace tutti::model::fragments {

namespace {

constexpr std::int64_t kMostUnits = std::numeric_limits<std::int32_t>::max();

std::int64_t divided(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

} // namespace

Runs cutIntoRuns(std::span<const std::optional<Part>> parts, std::span<const std::int64_t> sizes,
                 std::span<const std::uint64_t> bytes, const RunCounts &counts) {
  // Of a part that a device cannot hold, one run comes while another goes and two are used.
  constexpr std::int64_t kRunsHeld = 4;
  Runs runs;
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin + 1;
    while (end < parts.size() && parts[end] == parts[begin]) {
      ++end;
    }
    if (parts[begin]) {
      const std::int64_t units =
          std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(begin),
                          sizes.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{0});
      const auto all = static_cast<std::int64_t>(
          std::accumulate(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                          bytes.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0}));
      std::int64_t count = 1;
      if (parts[begin] == Part::Drag) {
        count = counts.portions;
      } else if (parts[begin] == Part::Device) {
        const auto held = static_cast<std::int64_t>(counts.deviceBytes);
        const bool isHeld = held == 0 || all <= held * counts.devices;
        count = isHeld ? counts.devices : std::max(counts.devices, divided(kRunsHeld * all, held));
      }
      const auto calls = static_cast<std::int64_t>(end - begin);
      // Halves of what fits, as runs need not be alike.
      count = std::min(std::max(count, divided(units, kMostUnits / 2)), calls);
      std::int64_t from = 0;
      for (std::int64_t run = 1; run <= count; ++run) {
        const std::int64_t to = calls * run / count;
        runs.emplace_back(begin + static_cast<std::size_t>(from),
                          begin + static_cast<std::size_t>(to));
        from = to;
      }
    }
    begin = end;
  }
  return runs;
}

/// Whether calls of the statement are gathered here; then its loop's iterations are.
bool State::isMerged(std::int32_t statement) const {
  if (program_.mergeLoop(statement) < 0 || separate_.contains(statement)) {
    return false;
  }
  if (const auto trial = trials_.find(statement); trial != trials_.end() && !trial->second) {
    return false;
  }
  const tutti_luna_procedure &procedure =
      program_.unit().procedures[program_.statement(statement).callee];
  return settings_.checksMerges ||
         (settings_.merges.has_value() && (procedure.version || procedure.native));
}

Part State::partOf(const Call &call) const {
  const bool hasProcedure =
      program_.unit().procedures[program_.statement(call.statement).callee].function != nullptr;
  constexpr double kMiddle = 0.5;
  Parts parts = settings_.parts;
  parts.cores = coresShare_.load(std::memory_order_relaxed);
  parts.drag = dragShare_.load(std::memory_order_relaxed);
  // Advice first, then the coordinate; what has none goes where most is.
  const Part wish = call.device == 0   ? Part::Cores
                    : call.device == 1 ? Part::Device
                                       : parts.at(call.position < 0 ? kMiddle : call.position);
  // What cores have no procedure for is dragged through a device where it would be theirs.
  return wish == Part::Cores && !hasProcedure ? Part::Drag : wish;
}

/// Whoever asks between the two stores gets parts that do not divide the whole: one call runs
/// somewhere else then.
void State::setShares(double cores, double drag) {
  coresShare_.store(cores, std::memory_order_relaxed);
  dragShare_.store(drag, std::memory_order_relaxed);
  ++counts_.shareMoves;
}

/// A loop begins whose calls may be merged.
void State::beginGathering(const Activity &activity) {
  const tutti_luna_block &body =
      program_.unit().blocks[program_.statement(activity.statement).body];
  for (const std::int32_t each : program_.list(body.statements)) {
    if (program_.mergeLoop(each) != activity.statement || !isMerged(each) ||
        activity.next >= activity.last) {
      continue;
    }
    const auto count = static_cast<std::size_t>(std::int64_t{activity.last} - activity.next + 1);
    Gathering &gathering = gatherings_[{activity.frame, each}];
    ++gathered_[each];
    gathering.statement = each;
    gathering.frame = retain(activity.frame);
    gathering.first = activity.next;
    gathering.parts.resize(count);
    gathering.calls.resize(count);
    gathering.unplaced = count;
  }
}

Gathering *State::gatheringOf(const Call &call) {
  if (gatherings_.empty() || program_.mergeLoop(call.statement) < 0) {
    return nullptr;
  }
  const auto found = gatherings_.find({call.frame->parent, call.statement});
  return found == gatherings_.end() ? nullptr : &found->second;
}

std::size_t State::placeIn(const Gathering &gathering, const Call &call) {
  return static_cast<std::size_t>(std::int64_t{call.frame->slots[0].value.integer()} -
                                  gathering.first);
}

/// It is known where the call runs.
void State::gatherPlace(const Call &call) {
  Gathering *gathering = gatheringOf(call);
  if (!gathering) {
    return;
  }
  --gathering->unplaced;
  if (call.rank == settings_.rank) {
    const Part part = settings_.merges ? partOf(call) : Part::Cores;
    if (part != Part::Cores || settings_.checksMerges) {
      gathering->parts[placeIn(*gathering, call)] = settings_.checksMerges ? Part::Cores : part;
      ++gathering->lacking;
    }
  }
  if (gathering->isComplete()) {
    merge(*gathering);
  }
}

/// The call has what it reads. Whether it waits for others now.
bool State::gather(Call &call) {
  Gathering *gathering = gatheringOf(call);
  if (!gathering || !gathering->parts[placeIn(*gathering, call)]) {
    return false;
  }
  takeValues(call);
  gathering->calls[placeIn(*gathering, call)] = &call;
  --gathering->lacking;
  if (gathering->isComplete()) {
    merge(*gathering);
  }
  return true;
}

void State::forgetGathering(const Gathering &gathering) {
  Frame *frame = gathering.frame;
  gatherings_.erase({frame, gathering.statement});
  release(frame);
}

/// What a call reads and makes of slabs, by and large: as much as it reads, once more.
std::uint64_t State::slabBytesOf(const Call &call, const tutti_luna_procedure &procedure) {
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    if (procedure.merge[at] == TUTTI_LUNA_MERGE_BULK) {
      bytes += 2 * call.arguments[at].value.size();
    }
  }
  return bytes;
}

/// The runs of a statement's calls are the same in all steps, if the calls are.
const Runs &State::runsOf(const Gathering &gathering) {
  KnownRuns &known = knownRuns_[gathering.statement];
  if (!known.runs.empty() && known.first == gathering.first && known.parts == gathering.parts) {
    return known.runs;
  }
  const tutti_luna_procedure &procedure =
      program_.unit().procedures[program_.statement(gathering.statement).callee];
  std::vector<std::int64_t> sizes(gathering.calls.size());
  std::vector<std::uint64_t> bytes(gathering.calls.size());
  for (std::size_t at = 0; at < gathering.calls.size(); ++at) {
    if (const Call *call = gathering.calls[at]) {
      const std::size_t size = std::string_view(procedure.merge).find(TUTTI_LUNA_MERGE_SIZE);
      sizes[at] = std::max(call->arguments[size].value.integer(), 0);
      bytes[at] = slabBytesOf(*call, procedure);
    }
  }
  known.first = gathering.first;
  known.parts = gathering.parts;
  known.runs = cutIntoRuns(gathering.parts, sizes, bytes, settings_.merges.value_or(RunCounts()));
  return known.runs;
}

/// Before calls of a statement are merged, they show whether devices take them: what cores have to
/// do is better done by many.
void State::noteTrial(const Call &call) {
  if (!settings_.merges || program_.mergeLoop(call.statement) < 0 ||
      knownRuns_.contains(call.statement) || partOf(call) == Part::Cores) {
    return;
  }
  const auto [known, isNew] = trials_.try_emplace(call.statement, call.ranOnDevice);
  known->second = known->second && call.ranOnDevice;
  if (!known->second) {
    endTrial(call.statement);
  }
}

bool State::isTried(std::int32_t statement) const {
  const auto known = trials_.find(statement);
  return settings_.checksMerges || (known != trials_.end() && known->second);
}

/// All calls have what they read: each run becomes one.
void State::merge(Gathering &gathering) {
  if (!isTried(gathering.statement)) {
    std::ranges::copy_if(gathering.calls, std::back_inserter(ready_),
                         [](const Call *call) { return call != nullptr; });
    forgetGathering(gathering);
    return;
  }
  const Runs runs = runsOf(gathering);
  if (gathering.calls.front()) {
    knownRuns_[gathering.statement].position = gathering.calls.front()->position;
    knownRuns_[gathering.statement].device = gathering.calls.front()->device;
  }
  endTrial(gathering.statement);
  // Comparing costs as much as the calls themselves: less and less often.
  const bool isSample = settings_.checksMerges && std::has_single_bit(++merges_);
  for (const auto &[begin, end] : runs) {
    const std::span<Call *const> members(gathering.calls.data() + begin, end - begin);
    if (failure_ || !hasBorders(*members.front(), *members.back())) {
      break;
    }
    if (members.size() == 1 || (settings_.checksMerges && !isSample)) {
      ready_.insert(ready_.end(), members.begin(), members.end());
      continue;
    }
    const Call &front = *members.front();
    auto &call = *merged_.emplace_back(std::make_unique<Call>());
    call.isCall = true;
    call.isReady = true;
    call.statement = front.statement;
    call.frame = front.frame;
    call.rank = front.rank;
    call.device = front.device;
    call.position = front.position;
    call.members.assign(members.begin(), members.end());
    call.isChecked = isSample;
    ready_.push_back(&call);
  }
  forgetGathering(gathering);
}

/// Whether the outer borders of a run are there: calls before have made them for just this run.
bool State::hasBorders(Call &first, Call &last) {
  const tutti_luna_procedure &procedure =
      program_.unit().procedures[program_.statement(first.statement).callee];
  for (std::size_t at = 0; at < first.arguments.size(); ++at) {
    const bool isLeft = procedure.merge[at] == TUTTI_LUNA_MERGE_LEFT;
    if (procedure.types[at] == TUTTI_LUNA_TYPE_NAME ||
        !(isLeft || procedure.merge[at] == TUTTI_LUNA_MERGE_RIGHT)) {
      continue;
    }
    Call &reader = isLeft ? first : last;
    const Argument &border = reader.arguments[at];
    if (!isWholeBorder(reader, border.value, nameOf(*border.entry))) {
      return false;
    }
  }
  return true;
}

bool State::isWholeBorder(Call &call, const Value &value, const std::string &name) {
  const Buffer *buffer = value.buffer();
  if (!buffer || !buffer->isLeftOut) {
    return true;
  }
  const tutti_luna_statement &statement = program_.statement(call.statement);
  fail(call,
       fmt::format("'{}' needs '{}', which merged calls have left out",
                   program_.unit().procedures[statement.callee].name, name),
       "E-MERGE");
  return false;
}

/// Whether its calls wait for more, and none of their statement have been merged: whatever borders
/// they read are there.
bool State::canDissolve(const Gathering &gathering) const {
  return !knownRuns_.contains(gathering.statement) &&
         std::ranges::any_of(gathering.calls, [](const Call *call) { return call != nullptr; });
}

bool State::isGathering() const {
  return !rowCalls_.empty() || !awaiting_.empty() ||
         std::ranges::any_of(gatherings_,
                             [this](const auto &each) { return canDissolve(each.second); });
}

/// Calls that wait for one another may need what one of them makes. From now on they run one by
/// one.
void State::dissolve() {
  const auto found = std::ranges::find_if(
      gatherings_, [this](const auto &each) { return canDissolve(each.second); });
  if (found == gatherings_.end()) {
    if (!awaiting_.empty()) {
      const std::int32_t statement = awaiting_.begin()->first;
      rowless_.insert(statement); // Its loops wait no more.
      endTrial(statement);
    } else {
      unfoldRows();
    }
    return;
  }
  const std::int32_t statement = found->second.statement;
  separate_.insert(statement);
  for (auto each = gatherings_.begin(); each != gatherings_.end();) {
    Gathering &gathering = (each++)->second;
    if (gathering.statement == statement) {
      std::ranges::copy_if(gathering.calls, std::back_inserter(ready_),
                           [](const Call *call) { return call != nullptr; });
      forgetGathering(gathering);
    }
  }
  endTrial(statement);
}

/// Ends the members of a run; `outputs` are theirs, one member's behind another's.
void State::finishMembers(Call &call, std::span<Value> outputs) {
  const std::vector<Call *> members = std::move(call.members);
  const std::size_t each = outputs.size() / members.size();
  for (std::size_t at = 0; at < members.size(); ++at) {
    conclude(*members[at], outputs.subspan(at * each, each));
  }
  std::erase_if(merged_, [&](const std::unique_ptr<Call> &each) { return each.get() == &call; });
}

} // namespace tutti::model::fragments
