// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of a loop that become one: on devices a call costs the same for few cells as for many.
///
/// All calls of a loop's iterations that may be merged wait for one another. When the last of them
/// has what it reads, they are cut into runs, the same at every step, and each run is one call for
/// whoever runs it. Its members end as if they had run: only inner borders are values that stand
/// for nothing, and nobody but other members names those.
#include "runtime/model/fragments/gatherings.h"

#include "base/format.h"
#include "runtime/model/fragments/calls.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/part_choice.h"
#include "runtime/model/fragments/row_calls.h"
#include "runtime/model/fragments/unfolding.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

bool Gatherings::isMerged(std::int32_t statement) const {
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

void Gatherings::beginGathering(const Activity &activity) {
  const tutti_luna_block &body =
      program_.unit().blocks[program_.statement(activity.statement).body];
  for (const std::int32_t each : program_.list(body.statements)) {
    if (program_.mergeLoop(each) != activity.statement || !isMerged(each) ||
        activity.next >= activity.last) {
      continue;
    }
    const auto count = static_cast<std::size_t>(std::int64_t{activity.last} - activity.next + 1);
    Gathering &gathering = all_[{activity.frame, each}];
    ++gathered_[each];
    gathering.statement = each;
    gathering.frame = Frames::retain(activity.frame);
    gathering.first = activity.next;
    gathering.parts.resize(count);
    gathering.calls.resize(count);
    gathering.unplaced = count;
  }
}

Gathering *Gatherings::gatheringOf(const Call &call) {
  if (all_.empty() || program_.mergeLoop(call.statement) < 0) {
    return nullptr;
  }
  const auto found = all_.find({call.frame->parent, call.statement});
  return found == all_.end() ? nullptr : &found->second;
}

std::size_t Gatherings::placeIn(const Gathering &gathering, const Call &call) {
  return static_cast<std::size_t>(std::int64_t{call.frame->slots[0].value.integer()} -
                                  gathering.first);
}

void Gatherings::gatherPlace(const Call &call) {
  Gathering *gathering = gatheringOf(call);
  if (!gathering) {
    return;
  }
  --gathering->unplaced;
  if (call.rank == settings_.rank) {
    const Part part = settings_.merges ? partChoice_.partOf(call) : Part::Cores;
    if (part != Part::Cores || settings_.checksMerges) {
      gathering->parts[placeIn(*gathering, call)] = settings_.checksMerges ? Part::Cores : part;
      ++gathering->lacking;
    }
  }
  if (gathering->isComplete()) {
    merge(*gathering);
  }
}

bool Gatherings::gather(Call &call) {
  Gathering *gathering = gatheringOf(call);
  if (!gathering || !gathering->parts[placeIn(*gathering, call)]) {
    return false;
  }
  calls_.takeValues(call);
  gathering->calls[placeIn(*gathering, call)] = &call;
  --gathering->lacking;
  if (gathering->isComplete()) {
    merge(*gathering);
  }
  return true;
}

/// They wait no longer, and are not merged.
void Gatherings::release(const Gathering &gathering) {
  for (Call *call : gathering.calls) {
    if (call) {
      calls_.addReady(*call);
    }
  }
  forgetGathering(gathering);
}

void Gatherings::forgetGathering(const Gathering &gathering) {
  Frame *frame = gathering.frame;
  all_.erase({frame, gathering.statement});
  frames_.release(frame);
}

/// What a call reads and makes of slabs, by and large: as much as it reads, once more.
std::uint64_t Gatherings::slabBytesOf(const Call &call, const tutti_luna_procedure &procedure) {
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    if (procedure.merge[at] == TUTTI_LUNA_MERGE_BULK) {
      bytes += 2 * call.arguments[at].value.size();
    }
  }
  return bytes;
}

/// The runs of a statement's calls are the same in all steps, if the calls are.
const Runs &Gatherings::runsOf(const Gathering &gathering) {
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

const KnownRuns *Gatherings::knownRuns(std::int32_t statement) const {
  const auto known = knownRuns_.find(statement);
  return known == knownRuns_.end() ? nullptr : &known->second;
}

void Gatherings::noteTrial(const Call &call) {
  if (!settings_.merges || program_.mergeLoop(call.statement) < 0 ||
      knownRuns_.contains(call.statement) || partChoice_.partOf(call) == Part::Cores) {
    return;
  }
  const auto [known, isNew] = trials_.try_emplace(call.statement, call.ranOnDevice);
  known->second = known->second && call.ranOnDevice;
  if (!known->second) {
    endTrial(call.statement);
  }
}

bool Gatherings::isTried(std::int32_t statement) const {
  const auto known = trials_.find(statement);
  return settings_.checksMerges || (known != trials_.end() && known->second);
}

/// All calls have what they read: each run becomes one.
void Gatherings::merge(Gathering &gathering) {
  if (!isTried(gathering.statement)) {
    release(gathering);
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
    if (failures_.hasFailed() || !hasBorders(*members.front(), *members.back())) {
      break;
    }
    if (members.size() == 1 || (settings_.checksMerges && !isSample)) {
      std::ranges::for_each(members, [this](Call *each) { calls_.addReady(*each); });
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
    calls_.addReady(call);
  }
  forgetGathering(gathering);
}

/// Whether the outer borders of a run are there: calls before have made them for just this run.
bool Gatherings::hasBorders(Call &first, Call &last) {
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
    if (!isWholeBorder(reader, border.value, failures_.nameOf(*border.entry))) {
      return false;
    }
  }
  return true;
}

bool Gatherings::isWholeBorder(Call &call, const Value &value, const std::string &name) {
  const Buffer *buffer = value.buffer();
  if (!buffer || !buffer->isLeftOut) {
    return true;
  }
  const tutti_luna_statement &statement = program_.statement(call.statement);
  failures_.fail(call,
                 fmt::format("'{}' needs '{}', which merged calls have left out",
                             program_.unit().procedures[statement.callee].name, name),
                 "E-MERGE");
  return false;
}

/// Whether its calls wait for more, and none of their statement have been merged: whatever borders
/// they read are there.
bool Gatherings::canDissolve(const Gathering &gathering) const {
  return !knownRuns_.contains(gathering.statement) &&
         std::ranges::any_of(gathering.calls, [](const Call *call) { return call != nullptr; });
}

bool Gatherings::isGathering() const {
  return rowCalls_.isWaiting() || !awaiting_.empty() ||
         std::ranges::any_of(all_, [this](const auto &each) { return canDissolve(each.second); });
}

/// Calls that wait for one another may need what one of them makes. From now on they run one by
/// one.
void Gatherings::dissolve() {
  const auto found =
      std::ranges::find_if(all_, [this](const auto &each) { return canDissolve(each.second); });
  if (found == all_.end()) {
    if (!awaiting_.empty()) {
      const std::int32_t statement = awaiting_.begin()->first;
      rowCalls_.keepUnfolded(statement); // Its loops wait no more.
      endTrial(statement);
    } else {
      rowCalls_.unfoldRows();
    }
    return;
  }
  const std::int32_t statement = found->second.statement;
  separate_.insert(statement);
  for (auto each = all_.begin(); each != all_.end();) {
    Gathering &gathering = (each++)->second;
    if (gathering.statement == statement) {
      release(gathering);
    }
  }
  endTrial(statement);
}

void Gatherings::finishMembers(Call &call, std::span<Value> outputs) {
  const std::vector<Call *> members = std::move(call.members);
  const std::size_t each = outputs.size() / members.size();
  for (std::size_t at = 0; at < members.size(); ++at) {
    calls_.conclude(*members[at], outputs.subspan(at * each, each));
  }
  std::erase_if(merged_, [&](const std::unique_ptr<Call> &each) { return each.get() == &call; });
}

bool Gatherings::awaitTrial(Activity &activity) {
  constexpr int kTrials = 2;
  if (settings_.ranks > 1 || !settings_.merges || settings_.checksMerges) {
    return false;
  }
  const tutti_luna_block &body =
      program_.unit().blocks[program_.statement(activity.statement).body];
  for (const std::int32_t each : program_.list(body.statements)) {
    const auto gathered = gathered_.find(each);
    if (program_.mergeLoop(each) == activity.statement && isMerged(each) &&
        rowCalls_.mayFold(each) && !knownRuns_.contains(each) && gathered != gathered_.end() &&
        gathered->second >= kTrials) {
      unfolding_.setAside(activity);
      awaiting_[each].push_back(&activity);
      return true;
    }
  }
  return false;
}

/// It is known whether calls of the statement are merged, or that is waited for no longer.
void Gatherings::endTrial(std::int32_t statement) {
  gathered_.erase(statement);
  const auto found = awaiting_.find(statement);
  if (found == awaiting_.end()) {
    return;
  }
  const std::vector<Activity *> activities = std::move(found->second);
  awaiting_.erase(found);
  for (auto each = activities.rbegin(); each != activities.rend(); ++each) {
    unfolding_.goOn(**each);
  }
}

} // namespace tutti::model::fragments
