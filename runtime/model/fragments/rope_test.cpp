// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Borders between ranks follow what calls take, and values stay what they are.
#include "base/test_share.h"
#include "runtime/model/fragments/test_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tutti::model::fragments {

namespace {

using Strings = std::vector<std::string>;

enum class Time { For, While, Backwards };

/// A rod of beads that each step makes anew from themselves and their neighbours to the left, on a
/// rope of as many coordinates.
class RopeTest : public testing::TestWithParam<std::tuple<int, int>> {
protected:
  std::int32_t rod(std::int32_t steps, std::int32_t beads, Time time = Time::For);

  Outcome run(std::int32_t main, const Balance &balance) {
    const auto [ranks, seed] = GetParam();
    return runOn(unit_.unit(main), ranks, static_cast<std::uint32_t>(seed), 100000, &balance);
  }

  TestUnit unit_;
  const std::int32_t set_ = unit_.procedure("set", "in");
  const std::int32_t show_ = unit_.procedure("show", "i");
};

std::int32_t RopeTest::rod(std::int32_t steps, std::int32_t beads, Time time) {
  TestUnit &u = unit_;
  const bool isBack = time == Time::Backwards;
  const auto plus = [&](std::int32_t a, int b) { return u.op(TUTTI_LUNA_ADD, a, u.integer(b)); };
  const auto all = [&](std::int32_t statement) {
    return u.loop(u.integer(0), u.integer(beads - 1), u.block({"i"}, 1, {statement}));
  };
  const auto i = [&] { return u.slot(0, 0); };
  // for i: set(i, x[0][i]), or x[steps][i] where time runs backwards
  const auto first = all(u.call(set_, {i(), u.slot(1, 0, {u.integer(isBack ? steps : 0), i()})}));
  // for t, i: set((x[t][i] + x[t][i - 1]) % 97, x[t + 1][i]), and x[t][-1] is 1
  const auto t = [&](int ahead) { return ahead == 0 ? u.slot(1, 0) : plus(u.slot(1, 0), ahead); };
  const auto x = [&](int ahead, int aside) {
    return u.slot(2, 0, {t(ahead), aside == 0 ? i() : plus(i(), aside)});
  };
  const int from = isBack ? 1 : 0;
  const auto wall =
      u.call(set_, {u.integer(1), u.slot(1, 0, {plus(u.slot(0, 0), from), u.integer(-1)})});
  const auto sum =
      u.op(TUTTI_LUNA_REMAINDER, u.op(TUTTI_LUNA_ADD, x(from, 0), x(from, -1)), u.integer(97));
  const auto body = u.block({"t"}, 1, {wall, all(u.call(set_, {sum, x(1 - from, 0)}))});
  const auto more = u.op(TUTTI_LUNA_LESS, u.slot(0, 0), u.integer(steps));
  const auto loop = time == Time::While ? u.whileLoop(u.integer(0), more, u.slot(0, 1), body)
                                        : u.loop(u.integer(0), u.integer(steps - 1), body);
  const auto last = all(u.call(show_, {u.slot(1, 0, {u.integer(isBack ? 0 : steps), i()})}));
  const auto place = u.rule(TUTTI_LUNA_LOCATOR_ROPE, 0, -1, u.pattern(1));
  const auto length = u.rule(TUTTI_LUNA_ROPE_LENGTH, -1, -1, u.integer(beads));
  return u.sub("main", "", u.block({"x", "n"}, 0, {last, loop, first}, {place, length}));
}

std::int32_t beadOf(const Call &call) { return call.arguments.back().entry->tuple[1]; }

std::int32_t stepOf(const Call &call) { return call.arguments.back().entry->tuple[0]; }

/// Of calls that make a bead.
Balance costs(const std::function<double(std::int32_t step, std::int32_t bead)> &of) {
  return {[of](const Call &call) {
    const Entry *made = call.arguments.back().entry;
    return made && beadOf(call) >= 0 ? of(stepOf(call), beadOf(call)) : 0;
  }};
}

TEST_P(RopeTest, MovesNoBorderUnderASteadyLoad) {
  const Outcome outcome = run(rod(60, 12), costs([](int, int) { return 1e-3; }));

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, rodInOrder(60, 12));
  EXPECT_EQ(outcome.counts[0].recuts, 0U);
  EXPECT_EQ(outcome.counts[0].live, 0U);
}

TEST_P(RopeTest, FollowsAPeakThatWanders) {
  if (static_cast<std::uint64_t>(std::get<1>(GetParam())) > casesOf(3)) {
    GTEST_SKIP() << "of several seeds, a share";
  }
  constexpr int kBeads = 64;
  const Balance balance = costs([](int step, int bead) {
    const double far = (bead - 0.1 * step) / 10;
    return 1e-3 * (1 + 8 * std::exp(-far * far));
  });
  const auto runSteps = [&](int steps) {
    Outcome outcome = run(rod(steps, kBeads), balance);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.shown, rodInOrder(steps, kBeads));
    std::uint64_t pushes = 0;
    for (const Counts &counts : outcome.counts) {
      EXPECT_EQ(counts.live, 0U);
      pushes += counts.pushes;
    }
    // A bead on each border and step, and at each move at most all beads and their neighbours.
    const std::uint64_t borders = outcome.counts.size() - 1;
    EXPECT_LE(pushes, borders * static_cast<std::uint64_t>(steps) +
                          2 * kBeads * (outcome.counts[0].recuts + 1));
    return outcome.counts[0];
  };

  const Counts begin = runSteps(60);
  const Counts all = runSteps(240);

  EXPECT_GT(begin.recuts, 0U);
  EXPECT_LE(begin.recuts, 10U);
  EXPECT_LE(all.slowestSeconds - begin.slowestSeconds,
            1.15 * (all.meanSeconds - begin.meanSeconds));
}

TEST_P(RopeTest, KeepsTheValuesWhereverBordersJump) {
  // The load is in another place every sixth step, and borders may move between any two.
  Balance balance =
      costs([](int step, int bead) { return bead / 4 == step / 6 * 3 % 5 ? 1 : 1e-3; });
  balance.round = 1;

  const Outcome outcome = run(rod(90, 20), balance);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, rodInOrder(90, 20));
  EXPECT_GE(outcome.counts[0].recuts, 2U);
}

TEST_P(RopeTest, FollowsTheStepsOfALoopWithACondition) {
  const Outcome outcome =
      run(rod(50, 24, Time::While), costs([](int, int bead) { return bead < 6 ? 9e-3 : 1e-3; }));

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, rodInOrder(50, 24));
  EXPECT_GE(outcome.counts[0].recuts, 1U);
  EXPECT_LE(outcome.counts[0].recuts, 3U);
}

TEST_P(RopeTest, GoesOnWhereEarlierStepsNeedLaterOnes) {
  const Outcome outcome =
      run(rod(40, 8, Time::Backwards), costs([](int, int bead) { return bead < 2 ? 9e-3 : 1e-3; }));

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, rodInOrder(40, 8));
  EXPECT_EQ(outcome.counts[0].recuts, 0U);
}

TEST_P(RopeTest, KeepsTheBordersOfAShortLoop) {
  const Outcome outcome =
      run(rod(8, 8), costs([](int, int bead) { return bead < 2 ? 9e-3 : 1e-3; }));

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, rodInOrder(8, 8));
  EXPECT_EQ(outcome.counts[0].rounds, 0U);
}

TEST_P(RopeTest, SaysStillWhatCanNeverRun) {
  // The values before the first step are missing.
  TestUnit &u = unit_;
  const auto t = u.slot(1, 0);
  const auto i = u.slot(0, 0);
  const auto next = u.slot(2, 0, {u.op(TUTTI_LUNA_ADD, t, u.integer(1)), i});
  const auto inner = u.loop(u.integer(0), u.integer(7),
                            u.block({"i"}, 1, {u.call(set_, {u.slot(2, 0, {t, i}), next})}));
  const auto loop = u.loop(u.integer(0), u.integer(39), u.block({"t"}, 1, {inner}));
  const auto place = u.rule(TUTTI_LUNA_LOCATOR_ROPE, 0, -1, u.pattern(1));
  const auto length = u.rule(TUTTI_LUNA_ROPE_LENGTH, -1, -1, u.integer(8));
  const auto wrong = u.sub("wrong", "", u.block({"x"}, 0, {loop}, {place, length}));

  const Outcome outcome = run(wrong, costs([](int, int) { return 1e-3; }));

  EXPECT_NE(outcome.error.find("320 fragments can never run"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("waits for 'x[0][3]', which no fragment produced"),
            std::string::npos)
      << outcome.error;
}

INSTANTIATE_TEST_SUITE_P(Ranks, RopeTest,
                         testing::Combine(testing::Values(2, 3, 4), testing::Values(1, 2, 3)));

} // namespace

} // namespace tutti::model::fragments
