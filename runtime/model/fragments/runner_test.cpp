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

namespace tutti::model::fragments {

namespace {

std::atomic<int> shown{0};

void next(const tutti_luna_argument *arguments) {
  static_cast<Object *>(arguments[1].fragment)->handle->value = Value(arguments[0].integer + 1);
}

void show(const tutti_luna_argument *arguments) { shown = arguments[0].integer; }

void throws(const tutti_luna_argument *) { throw std::runtime_error("seven"); }

class RunnerTest : public testing::TestWithParam<std::uint32_t> {
protected:
  std::optional<std::string> run(std::int32_t main) {
    const Program program(unit_.unit(main));
    auto endpoint = transport::local::open();
    engine::EngineSettings settings;
    settings.workers = GetParam();
    Runner runner(program, **endpoint, settings, StateSettings{});
    return runner.run({});
  }

  TestUnit unit_;
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
