// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/test_unit.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

namespace tutti::model::fragments {

namespace {

void runCall(State &state, Call &call, double seconds, Outcome &outcome) {
  const tutti_luna_unit &unit = state.program().unit();
  const tutti_luna_procedure &procedure = unit.procedures[unit.statements[call.statement].callee];
  const std::string_view name = procedure.name;
  double sum = 0;
  std::vector<Value> outputs;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    const Value &value = call.arguments[at].value;
    if (procedure.types[at] != TUTTI_LUNA_TYPE_NAME) {
      sum += value.kind() == Kind::Real ? value.real() : value.integer();
    }
  }
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    if (procedure.types[at] == TUTTI_LUNA_TYPE_NAME) {
      outputs.push_back(name == "none"   ? Value()
                        : name == "real" ? Value(sum)
                                         : Value(static_cast<std::int32_t>(sum)));
    }
  }
  if (name == "show") {
    outcome.shown.push_back(std::to_string(static_cast<int>(sum)));
  }
  state.finish(call, outputs, seconds);
}

} // namespace

Outcome runOn(const tutti_luna_unit &unit, std::int32_t ranks, std::uint32_t seed,
              std::uint64_t most, const Balance *balance) {
  const Program program(unit);
  std::vector<std::unique_ptr<State>> states;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    StateSettings settings;
    settings.rank = rank;
    settings.ranks = ranks;
    settings.most = most;
    if (balance) {
      settings.balances = true;
      settings.round = balance->round;
      settings.moveSeconds = 0;
    }
    states.push_back(std::make_unique<State>(program, settings));
    states.back()->begin({});
  }

  struct Letter {
    std::int32_t from;
    std::vector<std::byte> bytes;
  };

  std::vector<std::deque<Letter>> mail(static_cast<std::size_t>(ranks * ranks));
  std::vector<std::vector<Call *>> taken(static_cast<std::size_t>(ranks));
  std::mt19937 random(seed);
  Outcome outcome;
  for (bool isActive = true; isActive;) {
    isActive = false;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      State &state = *states[static_cast<std::size_t>(rank)];
      auto &calls = taken[static_cast<std::size_t>(rank)];
      isActive = state.unfold(static_cast<int>(random() % 5)) || state.canUnfold() || isActive;
      while (Call *call = state.takeReady()) {
        calls.push_back(call);
      }
      for (auto turns = random() % 4; turns > 0 && !calls.empty(); --turns) {
        std::swap(calls[random() % calls.size()], calls.back());
        Call *call = calls.back();
        calls.pop_back();
        runCall(state, *call, balance ? balance->seconds(*call) : 0, outcome);
      }
      for (std::int32_t from = 0; from < ranks; ++from) {
        auto &box = mail[static_cast<std::size_t>(from * ranks + rank)];
        if (!box.empty() && random() % 2 == 0) {
          state.receive(from, box.front().bytes);
          box.pop_front();
        }
        isActive = isActive || !box.empty();
      }
      for (std::int32_t to = 0; to < ranks; ++to) {
        if (auto bytes = state.takeOutgoing(to); !bytes.empty()) {
          mail[static_cast<std::size_t>(rank * ranks + to)].push_back({rank, std::move(bytes)});
          ++outcome.messages;
        }
      }
      if (state.failure()) {
        outcome.error = state.failure()->text;
        return outcome;
      }
      isActive = isActive || !calls.empty() || !state.isIdle() ||
                 std::ranges::any_of(mail, [](const auto &box) { return !box.empty(); });
    }
    for (const auto &state : states) {
      if (!isActive && state->isHolding()) {
        std::ranges::for_each(states, [](const auto &each) { each->letGo(); });
        isActive = true;
      }
    }
    if (!isActive && states.front()->isGated()) {
      states.front()->freeze();
      isActive = true;
    }
  }
  std::vector<std::vector<std::byte>> waiting;
  bool isDone = true;
  for (const auto &state : states) {
    outcome.counts.push_back(state->counts());
    isDone = isDone && state->isDone();
    waiting.push_back(state->describeWaiting());
  }
  if (!isDone) {
    outcome.error = explainHang(program, waiting);
  }
  std::sort(outcome.shown.begin(), outcome.shown.end());
  return outcome;
}

std::vector<std::string> rodInOrder(int steps, int parts) {
  std::vector<int> x(static_cast<std::size_t>(parts));
  std::iota(x.begin(), x.end(), 0);
  for (int t = 0; t < steps; ++t) {
    int left = 1;
    for (int &each : x) {
      const int here = each;
      each = (each + left) % 97;
      left = here;
    }
  }
  std::vector<std::string> shown;
  for (const int each : x) {
    shown.push_back(std::to_string(each));
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

} // namespace tutti::model::fragments
