// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Why nothing goes on.
#include "base/format.h"
#include "runtime/model/fragments/state.h"
#include "runtime/model/fragments/wire.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace tutti::model::fragments {

std::vector<std::byte> State::describeWaiting() {
  std::vector<std::byte> bytes;
  Writer writer(bytes);
  const auto addName = [&](const Entry &entry) {
    writer.add(entry.base->frame->id);
    writer.add(entry.base->slot);
    writer.addText(failures_.nameOf(entry));
  };
  const auto makesOf = [&](const Waiter &waiter) {
    std::vector<const Entry *> makes;
    const tutti_luna_statement &statement = program_.statement(waiter.statement);
    if (waiter.isCall) {
      const auto &call = static_cast<const Call &>(waiter);
      const char *types = program_.unit().procedures[statement.callee].types;
      for (std::size_t at = 0; at < call.arguments.size(); ++at) {
        if (types[at] == TUTTI_LUNA_TYPE_NAME && call.arguments[at].entry) {
          makes.push_back(call.arguments[at].entry);
        }
      }
      makes.insert(makes.end(), call.signals.begin(), call.signals.end());
    } else if (statement.kind == TUTTI_LUNA_WHILE) {
      Ask ask{waiter.statement, true};
      if (Name name; evaluator_.resolveName(statement.c, waiter.frame, ask, name)) {
        makes.push_back(data_.lookUp(*name.base, name.tuple));
      }
    }
    return makes;
  };
  std::unordered_map<const Waiter *, const Entry *> lacks;
  frames_.forEach([&](const Frame &frame) {
    for (std::int32_t at = 0; at < frame.block->slotCount; ++at) {
      const Base *base = frame.slots[static_cast<std::size_t>(at)].own.get();
      for (const Entry *entry = base ? base->first : nullptr; entry; entry = entry->nextInBase) {
        for (const Waiter *waiter : entry->waiters) {
          lacks.emplace(waiter, entry);
        }
      }
    }
  });
  // Calls that wait for others to be merged with them lack what one of those does.
  std::unordered_map<const Gathering *, const Entry *> gatheringLacks;
  for (const auto &[waiter, entry] : lacks) {
    if (const auto *call = waiter->isCall ? static_cast<const Call *>(waiter) : nullptr) {
      gatheringLacks.emplace(gatherings_.gatheringOf(*call), entry);
    }
  }
  gatheringLacks.erase(nullptr);
  waiters_.forEach([&](const Waiter &waiter) {
    const auto *call = waiter.isCall ? static_cast<const Call *>(&waiter) : nullptr;
    auto found = lacks.find(&waiter);
    if (call && found == lacks.end()) {
      const auto theirs = gatheringLacks.find(gatherings_.gatheringOf(*call));
      if (theirs != gatheringLacks.end()) {
        found = lacks.emplace(&waiter, theirs->second).first;
      }
    }
    // What all ranks wait with, one of them tells of.
    const bool isMine =
        call && call->rank >= 0 ? call->rank == settings_.rank : settings_.rank == 0;
    if (!isMine || found == lacks.end()) {
      return;
    }
    writer.add(waiter.statement);
    writer.addText(failures_.chainOf(waiter.frame));
    addName(*found->second);
    const std::vector<const Entry *> makes = makesOf(waiter);
    writer.add(static_cast<std::uint32_t>(makes.size()));
    for (const Entry *entry : makes) {
      addName(*entry);
    }
  });
  return bytes;
}

namespace {

/// A data fragment in what ranks say of what waits.
struct Missing {
  FrameId frame;
  std::int32_t slot = 0;
  std::string name;

  static Missing take(Reader &reader) {
    Missing missing;
    missing.frame = reader.take<FrameId>();
    missing.slot = reader.take<std::int32_t>();
    missing.name = reader.takeText();
    return missing;
  }

  friend bool operator<(const Missing &a, const Missing &b) {
    return std::tie(a.frame.high, a.frame.low, a.slot, a.name) <
           std::tie(b.frame.high, b.frame.low, b.slot, b.name);
  }
};

struct Waiting {
  std::int32_t statement = 0;
  std::string chain;
  Missing lacks;
};

/// Fragments that wait for each other in a circle, from any that leads there; empty if there is
/// none.
std::vector<std::size_t> findCycle(const std::vector<Waiting> &all,
                                   const std::map<Missing, std::size_t> &makers) {
  std::vector<int> seen(all.size());
  int turn = 0;
  for (std::size_t first = 0; first < all.size(); ++first) {
    ++turn;
    std::size_t at = first;
    while (seen[at] == 0) {
      seen[at] = turn;
      const auto maker = makers.find(all[at].lacks);
      if (maker == makers.end()) {
        break;
      }
      at = maker->second;
      if (seen[at] == turn) {
        std::vector<std::size_t> cycle{at};
        for (std::size_t next = makers.at(all[at].lacks); next != at;
             next = makers.at(all[next].lacks)) {
          cycle.push_back(next);
        }
        return cycle;
      }
    }
  }
  return {};
}

} // namespace

std::string explainHang(const Program &program, std::span<const std::vector<std::byte>> waiting) {
  constexpr std::size_t kMost = 20;
  std::vector<Waiting> all;
  std::map<Missing, std::size_t> makers;
  for (const std::vector<std::byte> &bytes : waiting) {
    Reader reader(bytes);
    while (!reader.isAtEnd()) {
      Waiting &one = all.emplace_back();
      one.statement = reader.take<std::int32_t>();
      one.chain = reader.takeText();
      one.lacks = Missing::take(reader);
      for (auto count = reader.take<std::uint32_t>(); count > 0; --count) {
        makers.emplace(Missing::take(reader), all.size() - 1);
      }
    }
  }
  std::vector<std::string> says;
  const auto say = [&](const Waiting &one, std::string_view why) {
    says.push_back(fmt::format("'{}' at {} waits for '{}', {} (declared at {}){}",
                               program.nameOf(one.statement), program.at(one.statement),
                               one.lacks.name, why, program.unit().slots[one.lacks.slot].at,
                               one.chain));
  };
  std::int32_t first = all.empty() ? 0 : all.front().statement;
  for (const Waiting &one : all) {
    if (!makers.contains(one.lacks)) {
      first = says.empty() ? one.statement : first;
      say(one, "which no fragment produced");
    }
  }
  for (const std::size_t at : findCycle(all, makers)) {
    first = says.empty() ? all[at].statement : first;
    say(all[at], fmt::format("which '{}' at {} would produce",
                             program.nameOf(all[makers.at(all[at].lacks)].statement),
                             program.at(all[makers.at(all[at].lacks)].statement)));
  }
  std::sort(says.begin(), says.end());
  says.erase(std::unique(says.begin(), says.end()), says.end());
  std::string text = fmt::format("{}: run-time error: {} fragment{} can never run; ",
                                 program.at(first), all.size(), all.size() == 1 ? "" : "s");
  for (std::size_t at = 0; at < std::min(says.size(), kMost); ++at) {
    text += (at == 0 ? "" : "\n  ") + says[at];
  }
  return text + (says.size() > kMost ? "\n  ..." : "") + " [E-HANG]";
}

} // namespace tutti::model::fragments
