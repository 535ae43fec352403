// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs of one rank on real workers.
#include "runtime/model/fragments/handle.h"
#include "runtime/model/fragments/runner.h"
#include "runtime/model/fragments/test_unit.h"
#include "runtime/transport/local/local.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace tutti::model::fragments {

namespace {

std::atomic<int> shown{0};

void next(const tutti_luna_argument *arguments) {
  static_cast<Object *>(arguments[1].fragment)->handle->value = Value(arguments[0].integer + 1);
}

void show(const tutti_luna_argument *arguments) { shown = arguments[0].integer; }

void throws(const tutti_luna_argument *) { throw std::runtime_error("seven"); }

/// Takes all calls, and counts how often another thread than the one before gives it one. Every
/// other time that somebody asks it is full.
class CountingDevices final : public DeviceCalls {
public:
  bool call(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments, Part,
            bool) override {
    ++calls_;
    handovers_ += giver_.exchange(std::this_thread::get_id()) == std::this_thread::get_id() ? 0 : 1;
    procedure.stub(arguments);
    return true;
  }

  bool isFull() override { return ++asked_ % 2 == 0; }

  void await() override {}

  bool hasDevice(std::uint32_t) override { return true; }

  DeviceCounts counts() override { return {.calls = calls_}; }

  int handovers() const { return handovers_; }

private:
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<int> asked_ = 0;
  std::atomic<int> handovers_ = 0;
  std::atomic<std::thread::id> giver_;
};

class RunnerTest : public testing::TestWithParam<std::uint32_t> {
protected:
  std::optional<std::string> run(std::int32_t main, DeviceCalls *devices = nullptr,
                                 const StateSettings &state = {}) {
    const Program program(unit_.unit(main));
    auto endpoint = transport::local::open();
    engine::EngineSettings settings;
    settings.workers = GetParam();
    Runner runner(program, **endpoint, settings, state, devices);
    std::optional<std::string> why = runner.run({});
    counts_ = runner.counts();
    return why;
  }

  TestUnit unit_;
  Counts counts_;
};

TEST_P(RunnerTest, RunsAChain) {
  // for i = 1..1000 next(x[i - 1], x[i]); next(0, x[0]); show(x[1000])
  constexpr int kLinks = 1000;
  TestUnit &u = unit_;
  const auto nextOf = u.procedure("next", "in", next);
  const auto showOf = u.procedure("show", "i", show);
  const auto before = u.slot(1, 0, {u.op(TUTTI_LUNA_SUBTRACT, u.slot(0, 0), u.integer(1))});
  const auto body = u.block({"i"}, 1, {u.call(nextOf, {before, u.slot(1, 0, {u.slot(0, 0)})})});
  const auto main = u.sub("main", "",
                          u.block({"x"}, 0,
                                  {u.loop(u.integer(1), u.integer(kLinks), body),
                                   u.call(nextOf, {u.integer(0), u.slot(0, 0, {u.integer(0)})}),
                                   u.call(showOf, {u.slot(0, 0, {u.integer(kLinks)})})}));
  shown = 0;

  EXPECT_EQ(run(main), std::nullopt);

  EXPECT_EQ(shown, kLinks + 1);
}

// What runs on devices keeps no worker busy: one gives them all that comes, and unfolds it.
TEST_P(RunnerTest, HasOneWorkerGiveDevicesTheirCalls) {
  // next(0, x[0]); next(0, y[0]); for i = 1..2000 { next(x[i - 1], x[i]); next(y[i - 1], y[i]); }
  // show(x[2000] + y[2000])
  constexpr int kLinks = 2000;
  TestUnit &u = unit_;
  const auto nextOf = u.procedure("next", "in", next);
  u.setVersion(nextOf);
  const auto showOf = u.procedure("show", "i", show);
  const auto link = [&](std::int32_t slot) {
    const auto before = u.slot(1, slot, {u.op(TUTTI_LUNA_SUBTRACT, u.slot(0, 0), u.integer(1))});
    return u.call(nextOf, {before, u.slot(1, slot, {u.slot(0, 0)})});
  };
  const auto end = [&](std::int32_t slot, int index) {
    return u.slot(0, slot, {u.integer(index)});
  };
  const auto body = u.block({"i"}, 1, {link(0), link(1)});
  const auto main = u.sub(
      "main", "",
      u.block({"x", "y"}, 0,
              {u.call(nextOf, {u.integer(0), end(0, 0)}), u.call(nextOf, {u.integer(0), end(1, 0)}),
               u.loop(u.integer(1), u.integer(kLinks), body),
               u.call(showOf, {u.op(TUTTI_LUNA_ADD, end(0, kLinks), end(1, kLinks))})}));
  CountingDevices devices;
  shown = 0;

  EXPECT_EQ(run(main, &devices), std::nullopt);

  EXPECT_EQ(shown, 2 * (kLinks + 1));
  EXPECT_EQ(devices.counts().calls, 2U * (kLinks + 1));
  EXPECT_LE(devices.handovers(), 20);
}

/// Nothing that a device does stands in the way of what the host does, nor the other way round.
TEST_P(RunnerTest, GivesDevicesTheirCallsBesideThoseOfTheHost) {
  // next(0, x[0]); for i = 1..500 { next(x[i - 1], x[i]); other(x[i], y[i]); }
  // next(0, z[0]); for i = 1..500 next(z[i - 1] + y[i], z[i]); show(z[500])
  constexpr int kLinks = 500;
  TestUnit &u = unit_;
  const auto nextOf = u.procedure("next", "in", next);
  u.setVersion(nextOf);
  const auto otherOf = u.procedure("other", "in", next);
  const auto showOf = u.procedure("show", "i", show);
  const auto here = [&](std::int32_t slot) { return u.slot(1, slot, {u.slot(0, 0)}); };
  const auto before = [&](std::int32_t slot) {
    return u.slot(1, slot, {u.op(TUTTI_LUNA_SUBTRACT, u.slot(0, 0), u.integer(1))});
  };
  const auto body = u.block(
      {"i"}, 1, {u.call(nextOf, {before(0), here(0)}), u.call(otherOf, {here(0), here(1)})});
  const auto sums =
      u.block({"i"}, 1, {u.call(nextOf, {u.op(TUTTI_LUNA_ADD, before(2), here(1)), here(2)})});
  const auto main = u.sub("main", "",
                          u.block({"x", "y", "z"}, 0,
                                  {u.call(nextOf, {u.integer(0), u.slot(0, 0, {u.integer(0)})}),
                                   u.loop(u.integer(1), u.integer(kLinks), body),
                                   u.call(nextOf, {u.integer(0), u.slot(0, 2, {u.integer(0)})}),
                                   u.loop(u.integer(1), u.integer(kLinks), sums),
                                   u.call(showOf, {u.slot(0, 2, {u.integer(kLinks)})})}));
  CountingDevices devices;
  shown = 0;

  EXPECT_EQ(run(main, &devices), std::nullopt);

  // y[i] is i + 2, and z[i] is z[i - 1] + i + 3.
  EXPECT_EQ(shown, 1 + kLinks * (kLinks + 1) / 2 + 3 * kLinks);
}

// Which calls run on devices changes while the program runs; what it shows does not.
TEST_P(RunnerTest, MovesSharesWhileStepsRun) {
  // for i = 0..7 next(0, x[0][i]); for t = 0..99, i = 0..7 next(x[t][i], x[t + 1][i]);
  // show(x[100][0] + x[100][7])
  constexpr int kSteps = 100;
  constexpr int kBeads = 8;
  TestUnit &u = unit_;
  const auto nextOf = u.procedure("next", "in", next);
  u.setVersion(nextOf);
  const auto showOf = u.procedure("show", "i", show);
  const auto beads = [&](std::int32_t call) {
    return u.loop(u.integer(0), u.integer(kBeads - 1), u.block({"i"}, 1, {call}));
  };
  const auto first =
      beads(u.call(nextOf, {u.integer(0), u.slot(1, 0, {u.integer(0), u.slot(0, 0)})}));
  const auto after = u.op(TUTTI_LUNA_ADD, u.slot(1, 0), u.integer(1));
  const auto step = beads(u.call(
      nextOf, {u.slot(2, 0, {u.slot(1, 0), u.slot(0, 0)}), u.slot(2, 0, {after, u.slot(0, 0)})}));
  const auto end = [&](int bead) { return u.slot(0, 0, {u.integer(kSteps), u.integer(bead)}); };
  const auto place = u.rule(TUTTI_LUNA_LOCATOR_ROPE, 0, -1, u.pattern(1));
  const auto length = u.rule(TUTTI_LUNA_ROPE_LENGTH, -1, -1, u.integer(kBeads));
  const auto main =
      u.sub("main", "",
            u.block({"x"}, 0,
                    {first, u.loop(u.integer(0), u.integer(kSteps - 1), u.block({"t"}, 1, {step})),
                     u.call(showOf, {u.op(TUTTI_LUNA_ADD, end(0), end(kBeads - 1))})},
                    {place, length}));
  StateSettings settings;
  settings.wantsPositions = true;
  settings.parts.cores = 0.5;
  settings.parts.follow = 1;
  CountingDevices devices;
  shown = 0;

  EXPECT_EQ(run(main, &devices, settings), std::nullopt);

  EXPECT_EQ(shown, 2 * (kSteps + 1));
  EXPECT_GE(counts_.shareMoves, 1U);
}

TEST_P(RunnerTest, SaysWhatAProcedureThrew) {
  TestUnit &u = unit_;
  const auto throwing = u.procedure("throws", "", throws);
  const auto main = u.sub("main", "", u.block({}, 0, {u.call(throwing, {})}));

  const auto why = run(main);

  ASSERT_TRUE(why.has_value());
  EXPECT_NE(why->find("exception in 'throws', called for 'throws': seven [E-UCODE]"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Workers, RunnerTest, testing::Values(1, 2, 4));

} // namespace

} // namespace tutti::model::fragments
