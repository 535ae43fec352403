// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops whose calls become one without coming to life: the same as if nothing were merged,
/// whoever else asks for what they make.
#include "base/test_share.h"
#include "runtime/model/fragments/handle.h"
#include "runtime/model/fragments/runner.h"
#include "runtime/model/fragments/test_unit.h"
#include "runtime/transport/local/local.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>

namespace tutti::model::fragments {

namespace {

constexpr int kSteps = 12;
constexpr int kParts = 7;

std::mutex mutex;
std::vector<std::string> noted;

std::span<const int> read(const tutti_luna_argument &argument) {
  const Value &value = static_cast<Object *>(argument.fragment)->handle->value;
  return {static_cast<const int *>(value.data()), value.size() / sizeof(int)};
}

int *create(const tutti_luna_argument &argument, int count) {
  Buffer *buffer = Buffer::make(static_cast<std::size_t>(count) * sizeof(int));
  static_cast<Object *>(argument.fragment)->handle->value = Value(Kind::Bytes, buffer);
  return reinterpret_cast<int *>(buffer->data());
}

/// begin(i, u, lo, hi): one more cell for each next part.
void begin(const tutti_luna_argument *arguments) {
  const int i = arguments[0].integer;
  int *u = create(arguments[1], i + 1);
  std::generate_n(u, i + 1, [&, cell = 0]() mutable { return 10 * i + cell++; });
  *create(arguments[2], 1) = u[0];
  *create(arguments[3], 1) = u[i];
}

void wall(const tutti_luna_argument *arguments) { *create(arguments[0], 1) = 1; }

/// step(size, factor, u, left, right, v, lo, hi)
void step(const tutti_luna_argument *arguments) {
  const int size = arguments[0].integer;
  const std::span<const int> u = read(arguments[2]);
  int *v = create(arguments[5], size);
  for (int i = 0; i < size; ++i) {
    const int left = i > 0 ? u[static_cast<std::size_t>(i - 1)] : read(arguments[3])[0];
    const int right = i + 1 < size ? u[static_cast<std::size_t>(i + 1)] : read(arguments[4])[0];
    v[i] = (left + arguments[1].integer * u[static_cast<std::size_t>(i)] + 5 * right) % 1009;
  }
  *create(arguments[6], 1) = v[0];
  *create(arguments[7], 1) = v[size - 1];
}

/// note(t, i, u)
void note(const tutti_luna_argument *arguments) {
  std::string text =
      std::to_string(arguments[0].integer) + " " + std::to_string(arguments[1].integer) + ":";
  for (const int cell : read(arguments[2])) {
    text += " " + std::to_string(cell);
  }
  const std::lock_guard lock(mutex);
  noted.push_back(text);
}

/// Takes all calls of `step`, and does them as the host would.
class TakingDevices final : public DeviceCalls {
public:
  bool call(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments, Part,
            bool) override {
    ++calls_;
    procedure.stub(arguments);
    return true;
  }

  bool isFull() override { return false; }

  void await() override {}

  bool hasDevice(std::uint32_t) override { return true; }

  DeviceCounts counts() override { return {.calls = calls_}; }

private:
  std::atomic<std::uint64_t> calls_ = 0;
};

struct Ran {
  std::optional<std::string> why;
  std::vector<std::string> noted;
  Counts counts;
  std::uint64_t deviceCalls = 0;
};

/// What a program does beyond the steps.
struct Extra {
  std::vector<std::int32_t> before = {}; ///< Statements in `main`, in front of the steps,
  std::vector<std::int32_t> inside = {}; ///< in the body of the loop in time,
  std::vector<std::int32_t> behind = {}; ///< and behind all.
};

class RowsTest : public testing::TestWithParam<std::uint32_t> {
protected:
  RowsTest() {
    note_ = unit_.procedure("note", "iiv", note);
    begin_ = unit_.procedure("begin", "innn", begin);
    wall_ = unit_.procedure("wall", "n", wall);
    step_ = unit_.procedure("step", "iivvvnnn", step);
    unit_.setMerge(step_, "#=b<>b<>");
  }

  // Slots of main: u, lo, hi. `up` frames above the one that is asked from.
  std::int32_t u(std::int32_t up, std::int32_t t, std::int32_t i) {
    return unit_.slot(up, 0, {t, i});
  }

  std::int32_t plus(std::int32_t a, std::int32_t more) {
    return more == 0 ? a : unit_.op(TUTTI_LUNA_ADD, a, unit_.integer(more));
  }

  std::int32_t noteOf(std::int32_t up, std::int32_t t, std::int32_t i) {
    return unit_.call(note_, {t, i, u(up, t, i)});
  }

  /// for i = 0..kParts - 1 note(t, i, u[t][i]), `up` frames inside of main.
  std::int32_t noteAll(std::int32_t up, std::int32_t t) {
    const auto call = noteOf(up + 1, t, unit_.slot(0, 0));
    return unit_.loop(unit_.integer(0), unit_.integer(kParts - 1), unit_.block({"i"}, 1, {call}));
  }

  /// The call of the loop over the parts, in the loop over the steps.
  std::int32_t stepCall(const std::vector<std::int32_t> &deletes = {}) {
    TestUnit &x = unit_;
    const auto t = x.slot(1, 0);
    const auto i = x.slot(0, 0);
    const auto next = plus(t, 1);
    return x.call(step_,
                  {plus(i, 1), x.integer(3), u(2, t, i), x.slot(2, 2, {t, plus(i, -1)}),
                   x.slot(2, 1, {t, plus(i, 1)}), u(2, next, i), x.slot(2, 1, {next, i}),
                   x.slot(2, 2, {next, i})},
                  deletes);
  }

  /// A wall on both sides of the parts, unless `hasWalls` is something that does not hold.
  std::int32_t program(std::int32_t call, const Extra &extra = {}, std::int32_t condition = -1) {
    TestUnit &x = unit_;
    const auto t = x.slot(0, 0);
    const auto first = x.block({"i"}, 1,
                               {x.call(begin_, {x.slot(0, 0), u(1, x.integer(0), x.slot(0, 0)),
                                                x.slot(1, 1, {x.integer(0), x.slot(0, 0)}),
                                                x.slot(1, 2, {x.integer(0), x.slot(0, 0)})})});
    auto left = x.call(wall_, {x.slot(1, 2, {t, x.integer(-1)})});
    if (condition >= 0) {
      left = x.choice(condition, x.block({}, 0, {left}));
    }
    std::vector<std::int32_t> body{
        left, x.call(wall_, {x.slot(1, 1, {t, x.integer(kParts)})}),
        x.loop(x.integer(0), x.integer(kParts - 1), x.block({"i"}, 1, {call}))};
    body.insert(body.end(), extra.inside.begin(), extra.inside.end());
    std::vector<std::int32_t> all = extra.before;
    all.push_back(x.loop(x.integer(0), x.integer(kParts - 1), first));
    all.push_back(x.loop(x.integer(0), x.integer(kSteps - 1), x.block({"t"}, 1, body)));
    all.push_back(noteAll(0, x.integer(kSteps)));
    all.insert(all.end(), extra.behind.begin(), extra.behind.end());
    return x.sub("main", "", x.block({"u", "lo", "hi"}, 0, all));
  }

  Ran runOnce(std::int32_t main, bool merges) {
    const Program program(unit_.unit(main));
    auto endpoint = transport::local::open();
    engine::EngineSettings engine;
    engine.workers = GetParam();
    StateSettings settings;
    settings.wantsPositions = true;
    settings.most = most_;
    if (merges) {
      settings.merges = RunCounts();
    }
    TakingDevices devices;
    noted.clear();
    Ran ran;
    {
      Runner runner(program, **endpoint, engine, settings, &devices);
      ran.why = runner.run({});
      ran.counts = runner.counts();
    } // After an error calls still ran until here.
    ran.noted = noted;
    std::ranges::sort(ran.noted);
    ran.deviceCalls = devices.counts().calls;
    return ran;
  }

  /// Merged and apart the program does the same. How many calls of `step` devices got.
  std::uint64_t deviceCalls(std::int32_t main) {
    const Ran apart = runOnce(main, false);
    const Ran merged = runOnce(main, true);
    EXPECT_EQ(merged.why, apart.why);
    EXPECT_EQ(merged.noted, apart.noted);
    EXPECT_EQ(merged.counts.calls, apart.counts.calls);
    EXPECT_EQ(merged.counts.made, apart.counts.made);
    EXPECT_EQ(merged.counts.live, apart.counts.live);
    EXPECT_EQ(merged.counts.liveBytes, apart.counts.liveBytes);
    EXPECT_FALSE(apart.noted.empty());
    EXPECT_EQ(apart.deviceCalls, std::uint64_t{kSteps} * kParts);
    rowCalls_ = merged.counts.rowCalls;
    return merged.deviceCalls;
  }

  TestUnit unit_;
  std::uint64_t rowCalls_ = 0;      ///< Of the merged program.
  std::uint64_t most_ = 4 * kParts; ///< Later steps unfold when others have run.
  std::int32_t note_ = 0, begin_ = 0, wall_ = 0, step_ = 0;
};

constexpr std::uint64_t kMerged =
    kParts + kSteps - 1; // The first step shows whether devices take them.

TEST_P(RowsTest, MakeOneCallOfEachStep) {
  EXPECT_EQ(deviceCalls(program(stepCall())), kMerged);
  EXPECT_GE(rowCalls_, 1U);
  EXPECT_EQ(runOnce(program(stepCall()), true).counts.live, 0U);
}

TEST_P(RowsTest, AreMadeOfAllStepsButTheFirstTwoHoweverFarAheadTheyUnfold) {
  most_ = 100000;

  EXPECT_EQ(deviceCalls(program(stepCall())), kMerged);
  // What the last step makes is asked for by others already, perhaps.
  EXPECT_GE(rowCalls_, kSteps - 3U);
}

TEST_P(RowsTest, AreSpreadWhereSomebodyReadsOneOfThem) {
  TestUnit &x = unit_;

  EXPECT_EQ(deviceCalls(program(stepCall(), {.behind = {noteOf(0, x.integer(5), x.integer(3)),
                                                        noteOf(0, x.integer(8), x.integer(0))}})),
            kMerged);
  EXPECT_GE(rowCalls_, 1U);
}

TEST_P(RowsTest, ComeAboutThoughOneOfThemIsWaitedFor) {
  TestUnit &x = unit_;

  EXPECT_EQ(deviceCalls(program(stepCall(), {.before = {noteOf(0, x.integer(5), x.integer(3)),
                                                        noteAll(0, x.integer(9))}})),
            kMerged);
  EXPECT_GE(rowCalls_, 1U);
}

TEST_P(RowsTest, AreSpreadWhereAllAreReadInEachStep) {
  EXPECT_EQ(deviceCalls(program(stepCall(), {.inside = {noteAll(1, unit_.slot(1, 0))}})), kMerged);
  EXPECT_GE(rowCalls_, 1U);
}

TEST_P(RowsTest, AreNotMadeOfWhatIsReadNobodyKnowsHowOften) {
  TestUnit &x = unit_;
  const auto ahead = x.op(TUTTI_LUNA_REMAINDER, plus(x.slot(0, 0), 2), x.integer(kSteps));

  EXPECT_EQ(deviceCalls(program(stepCall(), {.inside = {noteOf(1, ahead, x.integer(2))}})),
            kMerged);
  EXPECT_EQ(rowCalls_, 0U);
}

TEST_P(RowsTest, MakeNoDifferenceWhateverElseIsRead) {
  std::uint64_t rowCalls = 0;
  for (std::uint32_t seed = 0; seed < casesOf(60); ++seed) {
    std::mt19937 random(seed);
    TestUnit &x = unit_;
    const auto any = [&](int end) {
      return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(end));
    };
    const auto some = [&](std::vector<std::int32_t> &to, std::int32_t up) {
      for (std::int32_t count = any(3); count > 0; --count) {
        auto t = x.integer(any(kSteps + 1));
        if (up > 0 && any(2) == 0) {
          t = plus(x.slot(0, 0), any(2));
        }
        to.push_back(noteOf(up, t, x.integer(any(kParts))));
      }
    };
    Extra extra;
    some(extra.before, 0);
    some(extra.inside, 1);
    some(extra.behind, 0);
    most_ = static_cast<std::uint64_t>(1 + any(8 * kParts));
    deviceCalls(program(stepCall(), extra));
    rowCalls += rowCalls_;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(rowCalls, casesOf(60));
}

TEST_P(RowsTest, AreDeletedByWhoeverReadsThem) {
  TestUnit &x = unit_;
  const auto t = x.slot(1, 0);
  const auto i = x.slot(0, 0);

  EXPECT_EQ(deviceCalls(program(stepCall(
                {u(2, t, i), x.slot(2, 2, {t, plus(i, -1)}), x.slot(2, 1, {t, plus(i, 1)})}))),
            kMerged);
  EXPECT_GE(rowCalls_, 1U);
}

TEST_P(RowsTest, AreReadAndDeletedTooEarlyAsIfNothingWereMerged) {
  TestUnit &x = unit_;
  // Whoever reads one after the last step, because that has made what it reads, too.
  const auto both = x.procedure("both", "iivv", [](const tutti_luna_argument *) {});
  const auto late = x.call(both, {x.integer(0), x.integer(0), u(0, x.integer(6), x.integer(2)),
                                  u(0, x.integer(kSteps), x.integer(2))});
  const auto main = program(stepCall({u(2, x.slot(1, 0), x.slot(0, 0))}), {.behind = {late}});

  const Ran apart = runOnce(main, false);
  const Ran merged = runOnce(main, true);

  ASSERT_TRUE(apart.why);
  ASSERT_TRUE(merged.why);
  EXPECT_NE(merged.why->find("data fragment 'u[6][2]' is requested after its deletion"),
            std::string::npos)
      << *merged.why;
}

TEST_P(RowsTest, WaitForNoStepThatCannotBeMerged) {
  TestUnit &x = unit_;
  most_ = 100000;
  // The step's own right border, made by the neighbour: calls that wait for one another.
  const auto t = x.slot(1, 0);
  const auto i = x.slot(0, 0);
  const auto next = plus(t, 1);
  const auto call =
      x.call(step_, {plus(i, 1), x.integer(3), u(2, t, i), x.slot(2, 2, {next, plus(i, -1)}),
                     x.slot(2, 1, {t, plus(i, 1)}), u(2, next, i), x.slot(2, 1, {next, i}),
                     x.slot(2, 2, {next, i})});
  const auto wall = x.call(wall_, {x.slot(0, 2, {x.integer(kSteps), x.integer(-1)})});

  deviceCalls(program(call, {.before = {wall}}));
  EXPECT_EQ(rowCalls_, 0U);
}

TEST_P(RowsTest, SayWhatIsAssignedTwice) {
  TestUnit &x = unit_;
  const auto again = x.call(begin_, {x.integer(3), u(0, x.integer(6), x.integer(3)),
                                     x.slot(0, 1, {x.integer(99), x.integer(3)}),
                                     x.slot(0, 2, {x.integer(99), x.integer(3)})});

  const Ran ran = runOnce(program(stepCall(), {.behind = {again}}), true);

  ASSERT_TRUE(ran.why);
  EXPECT_NE(ran.why->find("data fragment 'u[6][3]' is assigned twice"), std::string::npos)
      << *ran.why;
}

TEST_P(RowsTest, SayWhatIsMissingAsIfNothingWereMerged) {
  TestUnit &x = unit_;
  const auto isThere = x.op(TUTTI_LUNA_NOT_EQUAL, x.slot(0, 0), x.integer(5));
  const auto main = program(stepCall(), {}, isThere);

  const Ran apart = runOnce(main, false);
  const Ran merged = runOnce(main, true);

  ASSERT_TRUE(merged.why);
  EXPECT_NE(merged.why->find("waits for 'hi[5][-1]', which no fragment produced"),
            std::string::npos)
      << *merged.why;
  EXPECT_EQ(merged.why->find("'u[6]"), std::string::npos) << *merged.why; // Follows from that.
  EXPECT_TRUE(apart.why);
}

INSTANTIATE_TEST_SUITE_P(Workers, RowsTest, testing::Values(1, 2, 4));

} // namespace

} // namespace tutti::model::fragments
