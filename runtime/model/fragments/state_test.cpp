// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What programs mean, on one to four ranks that run in orders chosen at random.
#include "runtime/model/fragments/test_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tutti::model::fragments {

namespace {

using Strings = std::vector<std::string>;

/// Ranks, and the seed of the order.
class StateTest : public testing::TestWithParam<std::tuple<int, int>> {
protected:
  Outcome run(std::int32_t main, std::uint64_t most = 100000) {
    const auto [ranks, seed] = GetParam();
    return runOn(unit_.unit(main), ranks, static_cast<std::uint32_t>(seed), most);
  }

  /// How many data fragments ranks had at most, and have at the end.
  static std::pair<std::uint64_t, std::uint64_t> held(const Outcome &outcome) {
    std::pair<std::uint64_t, std::uint64_t> all;
    for (const Counts &counts : outcome.counts) {
      all.first += counts.peak;
      all.second += counts.live;
    }
    return all;
  }

  bool says(const Outcome &outcome, const char *text) {
    return outcome.error.find(text) != std::string::npos;
  }

  /// The rod of `steps` steps and `parts` parts, each the sum of itself and its neighbours
  /// modulo 97. With `onData`, how many parts there are is a data fragment, and steps wait for a
  /// signal; with `isLate` nothing else waits for it but the loops over parts.
  std::int32_t rod(std::int32_t steps, std::int32_t parts, bool deletes, bool onData = false,
                   bool isLate = false);

  /// for t: { set(1, w[t]); `step`: set(x[t] + w[t], x[t + 1]) }, and 1 for m at last. `step` gets
  /// that call in a frame so many levels below the one of t.
  using MakeStep =
      std::function<std::int32_t(TestUnit &, const std::function<std::int32_t(std::int32_t)> &)>;
  std::int32_t late(std::int32_t steps, const MakeStep &step);
  std::int32_t lateSub();

  TestUnit unit_;
  const std::int32_t set_ = unit_.procedure("set", "in");
  const std::int32_t show_ = unit_.procedure("show", "i");
  const std::int32_t none_ = unit_.procedure("none", "n");
  const std::int32_t real_ = unit_.procedure("real", "rn");
  const std::int32_t copy_ = unit_.procedure("set", "vn");
};

std::int32_t StateTest::rod(std::int32_t steps, std::int32_t parts, bool deletes, bool onData,
                            bool isLate) {
  TestUnit &u = unit_;
  const auto i = [&] { return u.slot(0, 0); };
  const auto t = [&] { return u.slot(1, 0); };
  const auto plus = [&](std::int32_t a, int b) { return u.op(TUTTI_LUNA_ADD, a, u.integer(b)); };
  // main: x = 0; for i: set(i, x[0][i])
  const auto first =
      u.loop(u.integer(0), u.integer(parts - 1),
             u.block({"i"}, 1, {u.call(set_, {i(), u.slot(1, 0, {u.integer(0), i()})})}));
  // for t, i: set((x[t][i] + b[t][i - 1]) % 97, x[t + 1][i]); set(x[t][i], b[t][i])
  const auto x = u.slot(2, 0, {t(), i()});
  const auto left = u.slot(2, 1, {t(), plus(i(), -1)});
  const auto sum = u.op(TUTTI_LUNA_REMAINDER, u.op(TUTTI_LUNA_ADD, x, left), u.integer(97));
  const auto next = u.slot(2, 0, {plus(t(), 1), i()});
  const auto border = u.slot(2, 1, {t(), i()});
  const auto step = u.call(set_, {sum, next}, deletes ? TestUnit::Ints{left} : TestUnit::Ints{});
  const auto pass = u.call(set_, {x, border});
  const auto end = [&](std::int32_t up) { return onData ? u.slot(up, 2) : u.integer(parts - 1); };
  const auto inner = u.loop(u.integer(0), end(1), u.block({"i"}, 1, {step, pass}));
  const auto wall = u.call(set_, {u.integer(1), u.slot(1, 1, {u.slot(0, 0), u.integer(-1)})});
  const auto loop = u.loop(u.integer(0), u.integer(steps - 1), u.block({"t"}, 1, {wall, inner}));
  const auto ready = u.choice(u.slot(0, 3), u.block({}, 0, {loop}));
  const auto outer =
      onData && !isLate ? u.choice(plus(u.slot(0, 2), 1), u.block({}, 0, {ready})) : loop;
  const auto last =
      u.loop(u.integer(0), end(0),
             u.block({"i"}, 1, {u.call(show_, {u.slot(1, 0, {u.integer(steps), i()})})}));
  const auto count = u.call(set_, {u.integer(parts - 1), u.slot(0, 2)}, {}, {u.slot(0, 3)});
  return u.sub("main", "", u.block({"x", "b", "m", "d"}, 0, {last, outer, first, count}));
}

std::int32_t StateTest::late(std::int32_t steps, const MakeStep &step) {
  TestUnit &u = unit_;
  const auto t = [&](std::int32_t up) { return u.slot(up, 0); };
  const auto next = [&](std::int32_t up) {
    return u.slot(up + 1, 1, {u.op(TUTTI_LUNA_ADD, t(up), u.integer(1))});
  };
  const auto wall = u.slot(1, 2, {t(0)});
  const auto onceWall = u.rule(TUTTI_LUNA_REQ_COUNT, -1, wall, u.integer(1));
  const auto onceNext = u.rule(TUTTI_LUNA_REQ_COUNT, -1, next(0), u.integer(1));
  const auto call = [&](std::int32_t up) {
    const auto sum = u.op(TUTTI_LUNA_ADD, u.slot(up + 1, 1, {t(up)}), u.slot(up + 1, 2, {t(up)}));
    return u.call(set_, {sum, next(up)});
  };
  const auto one = u.call(set_, {u.integer(1), wall}, {}, {}, {onceWall, onceNext});
  return u.sub(
      "main", "",
      u.block({"m", "x", "w", "out"}, 0,
              {u.call(set_, {u.integer(7), u.slot(0, 1, {u.integer(0)})}),
               u.loop(u.integer(0), u.integer(steps - 1), u.block({"t"}, 1, {one, step(u, call)})),
               u.call(show_, {u.slot(0, 1, {u.integer(steps)})}),
               u.call(set_, {u.integer(1), u.slot(0, 0)})}));
}

/// sub add(name x, name w, name r) set(x + w, r);
std::int32_t StateTest::lateSub() {
  TestUnit &u = unit_;
  const auto sum = u.op(TUTTI_LUNA_ADD, u.slot(0, 0), u.slot(0, 1));
  return u.sub("add", "nnn", u.block({"x", "w", "r"}, 3, {u.call(set_, {sum, u.slot(0, 2)})}));
}

TEST_P(StateTest, GivesTheValuesOfAPlainLoop) {
  const Outcome outcome = run(rod(12, 7, true));

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, rodInOrder(12, 7));
}

TEST_P(StateTest, HasNothingLeftAtTheEnd) {
  for (const Counts &counts : run(rod(6, 5, true)).counts) {
    EXPECT_EQ(counts.live, 0u);
    EXPECT_EQ(counts.liveBytes, 0u);
  }
}

TEST_P(StateTest, HoldsFewLevelsOfALoopInTimeWithoutAnyDeletion) {
  constexpr int kParts = 5;
  const std::uint64_t copies = std::get<0>(GetParam()) > 1 ? 2 : 1;
  for (const int steps : {30, 300}) {
    const Outcome outcome = run(rod(steps, kParts, false));

    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.shown, rodInOrder(steps, kParts));
    const auto [peak, live] = held(outcome);
    // A level is `kParts` values of x and as many borders and a wall; copies count as well.
    EXPECT_LE(peak, 3 * copies * (2 * kParts + 1));
    EXPECT_EQ(live, 0u);
  }
}

TEST_P(StateTest, HoldsFewLevelsWhereADataFragmentIsTheBound) {
  constexpr int kParts = 5;
  const bool isAlone = std::get<0>(GetParam()) == 1; // Else the first parts may run ahead.
  for (const int steps : {30, 300}) {
    const Outcome outcome = run(rod(steps, kParts, false, true));

    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.shown, rodInOrder(steps, kParts));
    const auto [peak, live] = held(outcome);
    if (isAlone) {
      EXPECT_LE(peak, 3u * (2 * kParts + 1) + 2);
    }
    EXPECT_EQ(live, 0u);
  }
}

// for t: { set(1, w[t + n]); set(x[t] + w[t + n], x[t + 1]); }, and n at last.
TEST_P(StateTest, HoldsCallsBackWhoseNamesComeLate) {
  constexpr std::int32_t kSteps = 100;
  const bool isAlone = std::get<0>(GetParam()) == 1; // Else values are copied.
  TestUnit &u = unit_;
  const auto t = u.slot(0, 0);
  const auto x = [&](std::int32_t step) { return u.slot(1, 1, {step}); };
  const auto w = u.slot(1, 2, {u.op(TUTTI_LUNA_ADD, t, u.slot(1, 0))});
  const auto once = u.rule(TUTTI_LUNA_REQ_COUNT, -1, w, u.integer(1));
  const auto next = x(u.op(TUTTI_LUNA_ADD, t, u.integer(1)));
  const auto main =
      u.sub("main", "",
            u.block({"n", "x", "w"}, 0,
                    {u.call(set_, {u.integer(7), u.slot(0, 1, {u.integer(0)})}),
                     u.loop(u.integer(0), u.integer(kSteps - 1),
                            u.block({"t"}, 1,
                                    {u.call(set_, {u.integer(1), w}, {}, {}, {once}),
                                     u.call(set_, {u.op(TUTTI_LUNA_ADD, x(t), w), next})})),
                     u.call(show_, {u.slot(0, 1, {u.integer(kSteps)})}),
                     u.call(set_, {u.integer(5), u.slot(0, 0)})}));
  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, std::vector<std::string>{std::to_string(7 + kSteps)});
  if (isAlone) {
    EXPECT_LE(held(outcome).first, 20u);
  }
}

TEST_P(StateTest, HoldsFewLevelsWhereLoopsWaitForTheirBound) {
  constexpr int kParts = 5;
  constexpr int kSteps = 100;
  const Outcome outcome = run(rod(kSteps, kParts, false, true, true));

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, rodInOrder(kSteps, kParts));
  if (std::get<0>(GetParam()) == 1) { // Else the first parts may run ahead.
    EXPECT_LE(held(outcome).first, 3u * (2 * kParts + 1) + 8);
  }
}

TEST_P(StateTest, HoldsCallsBackBehindWhatWaitsForAnything) {
  constexpr int kSteps = 100;
  const auto add = lateSub();
  const auto m = [](TestUnit &u, std::int32_t up) { return u.slot(up + 1, 0); };
  const std::vector<MakeStep> steps{
      [&](TestUnit &u, const auto &call) {
        return u.loop(m(u, 0), u.integer(1), u.block({"i"}, 1, {call(1)}));
      },
      [&](TestUnit &u, const auto &call) { return u.choice(m(u, 0), u.block({}, 0, {call(0)})); },
      [&](TestUnit &u, const auto &call) {
        return u.choice(m(u, 0), u.block({}, 0, {u.choice(m(u, 0), u.block({}, 0, {call(0)}))}));
      },
      [&](TestUnit &u, const auto &call) {
        return u.whileLoop(u.integer(0), u.op(TUTTI_LUNA_LESS, u.slot(0, 0), m(u, 1)),
                           u.slot(1, 3, {u.slot(0, 0)}), u.block({"i"}, 1, {call(1)}));
      },
      [&](TestUnit &u, const auto &) {
        const auto t = u.slot(0, 0);
        return u.callSub(add, {u.slot(1, 1, {t}), u.slot(1, 2, {t}),
                               u.slot(1, 1, {u.op(TUTTI_LUNA_ADD, t, m(u, 0))})});
      }};
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Outcome outcome = run(late(kSteps, steps[at]));

    EXPECT_EQ(outcome.error, "") << at;
    EXPECT_EQ(outcome.shown, Strings{std::to_string(7 + kSteps)}) << at;
    if (std::get<0>(GetParam()) == 1) { // Else values are copied.
      const bool isWhile = at == 3;     // Nobody asks for where they end.
      EXPECT_LE(held(outcome).first, 20u + (isWhile ? kSteps : 0)) << at;
    }
  }
}

// for t: { set(1, w[t]); set(w[t], n[t - 5]); for i = 0..n[t] show(10 * t + i) }, n of the last 5.
TEST_P(StateTest, LetsCallsGoThatAnEarlierLoopWaitsFor) {
  constexpr std::int32_t kSteps = 60;
  constexpr std::int32_t kAhead = 5;
  TestUnit &u = unit_;
  const auto t = u.slot(0, 0);
  const auto before = u.op(TUTTI_LUNA_SUBTRACT, t, u.integer(kAhead));
  const auto shown =
      u.op(TUTTI_LUNA_ADD, u.op(TUTTI_LUNA_MULTIPLY, u.integer(10), u.slot(1, 0)), u.slot(0, 0));
  const auto w = u.slot(1, 1, {t});
  const auto inner =
      u.loop(u.integer(0), u.slot(1, 0, {t}), u.block({"i"}, 1, {u.call(show_, {shown})}));
  std::vector<std::int32_t> all{
      u.loop(u.integer(0), u.integer(kSteps - 1),
             u.block({"t"}, 1,
                     {u.call(set_, {u.integer(1), w}), u.call(copy_, {w, u.slot(1, 0, {before})}),
                      inner}))};
  for (std::int32_t step = kSteps - kAhead; step < kSteps; ++step) {
    all.push_back(u.call(set_, {u.integer(1), u.slot(0, 0, {u.integer(step)})}));
  }
  const Outcome outcome = run(u.sub("main", "", u.block({"n", "w"}, 0, all)));

  Strings expected;
  for (std::int32_t step = 0; step < kSteps; ++step) {
    expected.push_back(std::to_string(10 * step));
    expected.push_back(std::to_string(10 * step + 1));
  }
  std::ranges::sort(expected);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, expected);
}

TEST_P(StateTest, UnfoldsNoMoreThanIsAllowedWhileSomethingRuns) {
  const Outcome outcome = run(rod(12, 7, true), 10);

  EXPECT_EQ(outcome.shown, rodInOrder(12, 7));
}

TEST_P(StateTest, RecursThroughNames) {
  // sub fact(int n, name r) { df rest; if n <= 1 set(1, r); else { fact(n - 1, rest); set(n * rest,
  // r); } }
  TestUnit &u = unit_;
  const auto fact = u.sub("fact", "in", -1);
  const auto n = u.slot(0, 0);
  const auto one = u.block({}, 0, {u.call(set_, {u.integer(1), u.slot(0, 1)})});
  const auto more =
      u.block({}, 0,
              {u.callSub(fact, {u.op(TUTTI_LUNA_SUBTRACT, n, u.integer(1)), u.slot(0, 2)}),
               u.call(set_, {u.op(TUTTI_LUNA_MULTIPLY, n, u.slot(0, 2)), u.slot(0, 1)})});
  u.setBody(fact, u.block({"n", "r", "rest"}, 2,
                          {u.choice(u.op(TUTTI_LUNA_LESS_EQUAL, n, u.integer(1)), one, more)}));
  const auto main = u.sub(
      "main", "",
      u.block({"f"}, 0,
              {u.call(show_, {u.slot(0, 0)}), u.callSub(fact, {u.integer(10), u.slot(0, 0)})}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, Strings{"3628800"});
}

TEST_P(StateTest, GoesOnWhileAConditionHolds) {
  // while x[i] < 20, i = 0..out n  set(x[i] * 2, x[i + 1]);  x[0] = 3
  TestUnit &u = unit_;
  const auto x = u.slot(1, 0, {u.slot(0, 0)});
  const auto next = u.slot(1, 0, {u.op(TUTTI_LUNA_ADD, u.slot(0, 0), u.integer(1))});
  const auto body =
      u.block({"i"}, 1, {u.call(set_, {u.op(TUTTI_LUNA_MULTIPLY, x, u.integer(2)), next})});
  const auto loop =
      u.whileLoop(u.integer(0), u.op(TUTTI_LUNA_LESS, x, u.integer(20)), u.slot(0, 1), body);
  const auto main = u.sub(
      "main", "",
      u.block({"x", "n"}, 0,
              {loop, u.call(show_, {u.slot(0, 1)}), u.call(show_, {u.slot(0, 0, {u.slot(0, 1)})}),
               u.call(set_, {u.integer(3), u.slot(0, 0, {u.integer(0)})})}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, (Strings{"24", "3"}));
}

TEST_P(StateTest, AsksOnlyForWhatAnExpressionNeeds) {
  // x is never assigned.
  TestUnit &u = unit_;
  const auto x = u.slot(0, 0);
  const auto main =
      u.sub("main", "",
            u.block({"x"}, 0,
                    {u.call(show_, {u.op(TUTTI_LUNA_AND, u.integer(0), x)}),
                     u.call(show_, {u.op(TUTTI_LUNA_OR, u.integer(2), x)}),
                     u.call(show_, {u.op(TUTTI_LUNA_CHOOSE, u.integer(0), x, u.integer(5))})}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, (Strings{"0", "1", "5"}));
}

TEST_P(StateTest, RunsWithoutWhatItsArgumentDoesNotNeedWhereverThatWouldLive) {
  // show(1 ? 2 : x[y]), where nothing makes y
  TestUnit &u = unit_;
  const auto value =
      u.op(TUTTI_LUNA_CHOOSE, u.integer(1), u.integer(2), u.slot(0, 0, {u.slot(0, 1)}));
  const auto main = u.sub("main", "", u.block({"x", "y"}, 0, {u.call(show_, {value})}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, Strings{"2"});
}

TEST_P(StateTest, SignalsWhenAllBelowACallIsOver) {
  TestUnit &u = unit_;
  const auto sub = u.sub(
      "many", "n",
      u.block({"x"}, 1,
              {u.loop(u.integer(0), u.integer(5),
                      u.block({"i"}, 1,
                              {u.call(set_, {u.slot(0, 0), u.slot(1, 0, {u.slot(0, 0)})})}))}));
  const auto main =
      u.sub("main", "",
            u.block({"x", "d"}, 0,
                    {u.callSub(sub, {u.slot(0, 0)}, {u.slot(0, 1)}),
                     u.choice(u.slot(0, 1), u.block({}, 0, {u.call(show_, {u.integer(7)})}))}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, Strings{"7"});
}

TEST_P(StateTest, FindsASecondAssignment) {
  TestUnit &u = unit_;
  const auto main = u.sub("main", "",
                          u.block({"x"}, 0,
                                  {u.call(set_, {u.integer(1), u.slot(0, 0)}),
                                   u.call(set_, {u.integer(2), u.slot(0, 0)})}));

  EXPECT_TRUE(
      says(run(main), "run-time error: data fragment 'x' is assigned twice (by set at t.fa:"));
}

TEST_P(StateTest, FindsASecondAssignmentBehindADeletion) {
  // set(1, x) --> (x) >> (d); if d set(2, x);
  TestUnit &u = unit_;
  const auto main =
      u.sub("main", "",
            u.block({"x", "d"}, 0,
                    {u.call(set_, {u.integer(1), u.slot(0, 0)}, {u.slot(0, 0)}, {u.slot(0, 1)}),
                     u.choice(u.slot(0, 1),
                              u.block({}, 0, {u.call(set_, {u.integer(2), u.slot(0, 0)})}))}));

  EXPECT_TRUE(says(run(main), "'x' is assigned twice"));
}

TEST_P(StateTest, NamesWhatIsNeverProduced) {
  TestUnit &u = unit_;
  const auto main = u.sub("main", "",
                          u.block({"x", "y"}, 0,
                                  {u.call(set_, {u.slot(0, 0, {u.integer(3)}), u.slot(0, 1)}),
                                   u.call(show_, {u.slot(0, 1)})}));

  const Outcome outcome = run(main);

  EXPECT_TRUE(says(outcome, "2 fragments can never run; 'set' at t.fa:")) << outcome.error;
  EXPECT_TRUE(says(outcome, "waits for 'x[3]', which no fragment produced")) << outcome.error;
  EXPECT_FALSE(says(outcome, "waits for 'y'")) << outcome.error;
}

TEST_P(StateTest, NamesTheLoopThatWouldHaveMadeItsEnd) {
  // show(n); while x[t] < 5, t = 0..out n {}; the loop alone lacks what nobody makes.
  TestUnit &u = unit_;
  const auto x = u.slot(1, 0, {u.slot(0, 0)});
  const auto main = u.sub("main", "",
                          u.block({"x", "n"}, 0,
                                  {u.call(show_, {u.slot(0, 1)}),
                                   u.whileLoop(u.integer(0), u.op(TUTTI_LUNA_LESS, x, u.integer(5)),
                                               u.slot(0, 1), u.block({"t"}, 1, {}))}));

  const Outcome outcome = run(main);

  EXPECT_TRUE(says(outcome, "2 fragments can never run; 'while' at t.fa:")) << outcome.error;
  EXPECT_TRUE(says(outcome, "waits for 'x[0]', which no fragment produced")) << outcome.error;
  EXPECT_FALSE(says(outcome, "waits for 'n'")) << outcome.error;
}

TEST_P(StateTest, NamesAllOfACycle) {
  TestUnit &u = unit_;
  const auto main = u.sub("main", "",
                          u.block({"x", "y"}, 0,
                                  {u.call(copy_, {u.slot(0, 0), u.slot(0, 1)}),
                                   u.call(copy_, {u.slot(0, 1), u.slot(0, 0)})}));

  const Outcome outcome = run(main);

  EXPECT_TRUE(says(outcome, "2 fragments can never run")) << outcome.error;
  EXPECT_TRUE(says(outcome, "waits for 'x', which 'set'")) << outcome.error;
  EXPECT_TRUE(says(outcome, "waits for 'y', which 'set'")) << outcome.error;
}

TEST_P(StateTest, FindsARequestBehindADeletion) {
  TestUnit &u = unit_;
  const auto main =
      u.sub("main", "",
            u.block({"x", "d"}, 0,
                    {u.call(set_, {u.integer(1), u.slot(0, 0)}, {u.slot(0, 0)}, {u.slot(0, 1)}),
                     u.choice(u.slot(0, 1), u.block({}, 0, {u.call(show_, {u.slot(0, 0)})}))}));

  EXPECT_TRUE(says(run(main), "'x' is requested after its deletion (by show at"));
}

TEST_P(StateTest, LetsReadersDeleteBeforeTheHomeHasSeenThem) {
  // for i { df x (on rank 0); set(x, y[i]) --> (x) on rank 1; set(i, x) on rank 1; show(y[i]); }
  TestUnit &u = unit_;
  const auto at = [&](int rank) {
    return u.rule(TUTTI_LUNA_LOCATOR_CYCLIC, -1, -1, u.integer(rank));
  };
  const auto x = u.slot(0, 1);
  const auto y = u.slot(1, 0, {u.slot(0, 0)});
  const auto home = u.rule(TUTTI_LUNA_LOCATOR_CYCLIC, 1, -1, u.integer(0));
  const auto body =
      u.block({"i", "x"}, 1,
              {u.call(set_, {u.slot(0, 0), x}, {}, {}, {at(1)}),
               u.call(show_, {y}, {}, {}, {at(0)}), u.call(copy_, {x, y}, {x}, {}, {at(1)})},
              {home});
  const auto main =
      u.sub("main", "", u.block({"y"}, 0, {u.loop(u.integer(0), u.integer(40), body)}));

  EXPECT_EQ(run(main).error, "");
}

TEST_P(StateTest, LetsABodyDeleteWhatTheConditionOfItsLoopHasAskedFor) {
  // while x[i] < 40, i = 0..out n  set(x[i] + 1, x[i + 1]) --> (x[i]) on rank i / 2;  set(0, x[0])
  TestUnit &u = unit_;
  const auto i = u.slot(0, 0);
  const auto x = u.slot(1, 0, {i});
  const auto next = u.slot(1, 0, {u.op(TUTTI_LUNA_ADD, i, u.integer(1))});
  const auto place =
      u.rule(TUTTI_LUNA_LOCATOR_CYCLIC, -1, -1, u.op(TUTTI_LUNA_DIVIDE, i, u.integer(2)));
  const auto sum = u.op(TUTTI_LUNA_ADD, x, u.integer(1));
  const auto body = u.block({"i"}, 1, {u.call(set_, {sum, next}, {x}, {}, {place})});
  const auto loop =
      u.whileLoop(u.integer(0), u.op(TUTTI_LUNA_LESS, x, u.integer(40)), u.slot(0, 1), body);
  const auto main = u.sub("main", "",
                          u.block({"x", "n"}, 0,
                                  {loop, u.call(show_, {u.slot(0, 1)}),
                                   u.call(set_, {u.integer(0), u.slot(0, 0, {u.integer(0)})})}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, Strings{"40"});
  for (const Counts &counts : outcome.counts) {
    EXPECT_EQ(counts.live, 0u);
  }
}

TEST_P(StateTest, LetsReadersDeleteTheIndexByWhichAllRanksFindThem) {
  // for i { set(i, p[i]);  set(7, x[i][p[i]]);  set(x[i][p[i]], y[i]) --> (p[i]); }  show(y[i]);
  // the same through a sub, whose parameter is the index: use(i, p, x, y)
  TestUnit &u = unit_;
  const auto at = [&](std::int32_t up, int offset) {
    const auto i = u.slot(up, 0);
    return u.rule(TUTTI_LUNA_LOCATOR_CYCLIC, -1, -1, u.op(TUTTI_LUNA_ADD, i, u.integer(offset)));
  };
  const auto i = u.slot(0, 0);
  const auto p = u.slot(0, 1, {i});
  const auto x = u.slot(0, 2, {i, p});
  const auto y = u.slot(0, 3, {i});
  const auto use = u.sub("use", "innn",
                         u.block({"i", "p", "x", "y"}, 4,
                                 {u.call(copy_, {x, y}, {p}, {}, {at(0, 2)}),
                                  u.call(set_, {u.integer(7), x}, {}, {}, {at(0, 1)})}));
  const auto body =
      u.block({"i"}, 1,
              {u.callSub(use, {i, u.slot(1, 0), u.slot(1, 1), u.slot(1, 2)}),
               u.call(set_, {i, u.slot(1, 0, {i})}), u.call(show_, {u.slot(1, 2, {i})})});
  const auto main =
      u.sub("main", "", u.block({"p", "x", "y"}, 0, {u.loop(u.integer(0), u.integer(30), body)}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, Strings(31, "7"));
}

TEST_P(StateTest, CountsRequests) {
  TestUnit &u = unit_;
  const auto x = u.slot(0, 0);
  const auto rule = u.rule(TUTTI_LUNA_REQ_COUNT, -1, x, u.integer(1));
  const auto main = u.sub("main", "",
                          u.block({"x"}, 0,
                                  {u.call(set_, {u.integer(1), x}, {}, {}, {rule}),
                                   u.call(show_, {x}), u.call(show_, {x})}));

  EXPECT_TRUE(says(run(main), "'x' was requested 2 times, req_count says 1"));
}

TEST_P(StateTest, CountsRequestsAsTheOutputItselfSays) {
  TestUnit &u = unit_;
  const auto x = u.slot(0, 0);
  const auto rule = u.rule(TUTTI_LUNA_REQ_COUNT, -1, x, x);
  const auto set = [&](int count) { return u.call(set_, {u.integer(count), x}, {}, {}, {rule}); };
  const auto shows = [&] { return u.call(show_, {x}); };
  const auto right = u.sub("main", "", u.block({"x"}, 0, {set(2), shows(), shows()}));
  const auto wrong = u.sub("wrong", "", u.block({"x"}, 0, {set(1), shows(), shows()}));

  const Outcome outcome = run(right);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, (Strings{"2", "2"}));
  EXPECT_TRUE(says(run(wrong), "'x' was requested 2 times, req_count says 1"));
}

TEST_P(StateTest, CountsNoRequestThatAnIndexDoesNotMake) {
  // show(y[c ? x : 8][i]), where c is 0: x is asked for by one call, wherever the others run
  TestUnit &u = unit_;
  const auto x = u.slot(0, 1);
  const auto once = u.rule(TUTTI_LUNA_REQ_COUNT, -1, x, u.integer(1));
  const auto counter = u.slot(0, 0);
  const auto index = u.op(TUTTI_LUNA_CHOOSE, u.slot(1, 0), u.slot(1, 1), u.integer(8));
  const auto y = u.slot(1, 2, {index, counter});
  const auto main =
      u.sub("main", "",
            u.block({"c", "x", "y"}, 0,
                    {u.call(set_, {u.integer(0), u.slot(0, 0)}),
                     u.call(set_, {u.integer(9), x}, {}, {}, {once}), u.call(show_, {x}),
                     u.loop(u.integer(0), u.integer(3),
                            u.block({"i"}, 1, {u.call(set_, {counter, y}), u.call(show_, {y})}))}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, (Strings{"0", "1", "2", "3", "9"}));
}

TEST_P(StateTest, HoldsFewLevelsWhereAdviceCountsWhatIsPassedOn) {
  // sub part(t, i, x): set((x[t][i] + x[t][i - 1]) % 97, x[t + 1][i]) @ { req_count x[t + 1][i] =
  // t == last || i == end ? 1 : 2; }
  constexpr int kParts = 5;
  TestUnit &u = unit_;
  const auto plus = [&](std::int32_t a, int b) { return u.op(TUTTI_LUNA_ADD, a, u.integer(b)); };
  const auto is = [&](std::int32_t a, std::int32_t b) { return u.op(TUTTI_LUNA_EQUAL, a, b); };
  const auto timesRead = [&](std::int32_t isOne) {
    return u.op(TUTTI_LUNA_CHOOSE, isOne, u.integer(1), u.integer(2));
  };
  const auto limit = [&](std::int32_t id, std::int32_t count) {
    return u.rule(TUTTI_LUNA_REQ_COUNT, -1, id, count);
  };
  const auto program = [&](int steps) {
    const auto t = u.slot(0, 0);
    const auto i = u.slot(0, 1);
    const auto x = [&](std::int32_t step, std::int32_t part) { return u.slot(0, 2, {step, part}); };
    const auto next = x(plus(t, 1), i);
    const auto isLast =
        u.op(TUTTI_LUNA_OR, is(t, u.integer(steps - 1)), is(i, u.integer(kParts - 1)));
    const auto part = u.sub(
        "part", "iin",
        u.block({"t", "i", "x"}, 3,
                {u.call(set_,
                        {u.op(TUTTI_LUNA_REMAINDER,
                              u.op(TUTTI_LUNA_ADD, x(t, i), x(t, plus(i, -1))), u.integer(97)),
                         next},
                        {}, {}, {limit(next, timesRead(isLast))})}));
    const auto counter = u.slot(0, 0);
    const auto first = u.slot(1, 0, {u.integer(0), counter});
    const auto wall = u.slot(1, 0, {counter, u.integer(-1)});
    const auto inner = u.block({"i"}, 1, {u.callSub(part, {u.slot(1, 0), counter, u.slot(2, 0)})});
    return u.sub(
        "main", "",
        u.block(
            {"x"}, 0,
            {u.loop(
                 u.integer(0), u.integer(kParts - 1),
                 u.block({"i"}, 1,
                         {u.call(show_, {u.slot(1, 0, {u.integer(steps), counter})}),
                          u.call(set_, {counter, first}, {}, {},
                                 {limit(first, timesRead(is(counter, u.integer(kParts - 1))))})})),
             u.loop(
                 u.integer(0), u.integer(steps - 1),
                 u.block({"t"}, 1,
                         {u.call(set_, {u.integer(1), wall}, {}, {}, {limit(wall, u.integer(1))}),
                          u.loop(u.integer(0), u.integer(kParts - 1), inner)}))}));
  };
  for (const int steps : {30, 300}) {
    const Outcome outcome = run(program(steps));

    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.shown, rodInOrder(steps, kParts));
    const auto [peak, live] = held(outcome);
    const auto copies = static_cast<std::uint64_t>(outcome.counts.size() > 1 ? 2 : 1);
    EXPECT_LE(peak, 3 * copies * (kParts + 1));
    EXPECT_EQ(live, 0u);
  }
}

TEST_P(StateTest, CountsWhatARuleAndItsCallAskForOnce) {
  TestUnit &u = unit_;
  const auto n = [&] { return u.slot(0, 0); };
  const auto x = [&] { return u.slot(0, 1, {n()}); };
  const auto ofN = u.rule(TUTTI_LUNA_REQ_COUNT, -1, n(), u.integer(2));
  const auto ofX = u.rule(TUTTI_LUNA_REQ_COUNT, -1, x(), u.integer(1));
  const auto main =
      u.sub("main", "",
            u.block({"n", "x"}, 0,
                    {u.call(set_, {u.integer(5), x()}, {}, {}, {ofX}), u.call(show_, {x()}),
                     u.call(set_, {u.integer(7), n()}, {}, {}, {ofN})}));

  const Outcome outcome = run(main);

  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, (Strings{"5"}));
}

TEST_P(StateTest, FindsAnOutputWithoutAValue) {
  TestUnit &u = unit_;
  const auto main = u.sub("main", "", u.block({"x"}, 0, {u.call(none_, {u.slot(0, 0)})}));

  EXPECT_TRUE(says(run(main), "'none' returned without a value for its output 'x'"));
}

TEST_P(StateTest, FindsAValueOfTheWrongType) {
  TestUnit &u = unit_;
  const auto main =
      u.sub("main", "",
            u.block({"x"}, 0,
                    {u.call(real_, {u.real(1.5), u.slot(0, 0)}), u.call(show_, {u.slot(0, 0)})}));

  EXPECT_TRUE(says(run(main), "argument 1 of 'show' is int, the value of 'x' is real"));
}

TEST_P(StateTest, FindsADivisionByZero) {
  TestUnit &u = unit_;
  const auto main =
      u.sub("main", "",
            u.block({"x"}, 0,
                    {u.call(set_, {u.integer(0), u.slot(0, 0)}),
                     u.call(show_, {u.op(TUTTI_LUNA_DIVIDE, u.integer(1), u.slot(0, 0))})}));

  EXPECT_TRUE(says(run(main), "division by zero [E-DIV]"));
}

TEST_P(StateTest, UnfoldsOnOneRankWhatConcernsNoOther) {
  // for i { set(i, y[i]); none of the other ranks' }  for i show(y[i]);  for i show(i) on rank i +
  // 1;  for i show(i) anywhere
  TestUnit &u = unit_;
  constexpr int kCount = 40;
  const auto i = u.slot(0, 0);
  const auto all = [&](std::int32_t statement) {
    return u.loop(u.integer(1), u.integer(kCount), u.block({"i"}, 1, {statement}));
  };
  const auto y = [&] { return u.slot(1, 0, {u.slot(0, 0)}); };
  const auto place =
      u.rule(TUTTI_LUNA_LOCATOR_CYCLIC, -1, -1, u.op(TUTTI_LUNA_ADD, i, u.integer(1)));
  const auto main =
      u.sub("main", "",
            u.block({"y"}, 0,
                    {all(u.call(show_, {y()})), all(u.call(set_, {i, y()})),
                     all(u.call(show_, {i}, {}, {}, {place})), all(u.call(show_, {i}))}));

  const Outcome outcome = run(main);

  Strings expected;
  for (int k = 1; k <= kCount; ++k) {
    expected.insert(expected.end(), 3, std::to_string(k));
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.shown, expected);
  std::uint64_t skipped = 0;
  for (const Counts &counts : outcome.counts) {
    skipped += counts.skipped;
  }
  EXPECT_EQ(skipped, 3 * kCount * (outcome.counts.size() - 1));
}

INSTANTIATE_TEST_SUITE_P(Ranks, StateTest,
                         testing::Combine(testing::Values(1, 2, 3, 4), testing::Values(1, 2, 3)));

TEST(Messages, CarryBordersAndNothingElse) {
  // y[t][i] of part i goes to part i + 1, which is on the next rank: one value each step.
  TestUnit unit;
  const auto set = unit.procedure("set", "vvn");
  const auto start = unit.procedure("set", "in");
  const auto t = unit.slot(1, 0);
  const auto i = unit.slot(0, 0);
  const auto minus = [&](std::int32_t of) {
    return unit.op(TUTTI_LUNA_SUBTRACT, of, unit.integer(1));
  };
  const auto body = unit.block(
      {"i"}, 1,
      {unit.call(set, {unit.slot(2, 0, {minus(t), i}), unit.slot(2, 0, {minus(t), minus(i)}),
                       unit.slot(2, 0, {t, i})})});
  const auto time = unit.loop(
      unit.integer(1), unit.integer(10),
      unit.block(
          {"t"}, 1,
          {unit.call(start, {unit.integer(1), unit.slot(1, 0, {unit.slot(0, 0), unit.integer(0)})}),
           unit.loop(unit.integer(1), unit.integer(3), body)}));
  const auto first = unit.loop(
      unit.integer(0), unit.integer(3),
      unit.block({"i"}, 1,
                 {unit.call(start, {unit.integer(1), unit.slot(1, 0, {unit.integer(0), i})})}));
  const auto main = unit.sub("main", "", unit.block({"y"}, 0, {first, time}));

  const Outcome outcome = runOn(unit.unit(main), 4);

  std::uint64_t pushes = 0;
  for (const Counts &counts : outcome.counts) {
    pushes += counts.pushes;
  }
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(pushes, 30u);
}

TEST(Unfolding, GoesOnWhenSomeOfWhatMayBeIsOver) {
  TestUnit unit;
  const auto set = unit.procedure("set", "in");
  const auto show = unit.procedure("show", "v");
  const auto each = unit.block({"i"}, 1, {unit.call(show, {unit.slot(1, 0)})});
  const auto main = unit.sub("main", "",
                             unit.block({"x"}, 0,
                                        {unit.call(set, {unit.integer(1), unit.slot(0, 0)}),
                                         unit.loop(unit.integer(1), unit.integer(1000), each)}));
  const Program program(unit.unit(main));
  StateSettings settings;
  settings.most = 640;
  State state(program, settings);
  state.begin({});
  state.unfold(1);
  std::vector<Value> one{Value(1)};
  state.finish(*state.takeReady(), one);

  int turns = 0;
  int ended = 0;
  std::vector<Call *> calls;
  do {
    turns += state.canUnfold() ? 1 : 0;
    while (state.unfold(1000)) {
    }
    while (Call *call = state.takeReady()) {
      calls.push_back(call);
    }
    if (!calls.empty()) {
      Call *call = calls.back();
      calls.pop_back();
      state.finish(*call, {});
      ++ended;
    }
  } while (!state.isDone());

  EXPECT_EQ(ended, 1000);
  EXPECT_LE(turns, (1000 - 640) / 10 + 1);
}

} // namespace

} // namespace tutti::model::fragments
