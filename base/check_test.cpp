// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a failed check writes and whom it tells.
#include "base/check.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tutti {

namespace {

/// Turns fatal errors into exceptions while it lives.
class ThrowingHandler {
public:
  ThrowingHandler() : before_(log::setFatalHandler({&raise, nullptr})) {}

  ~ThrowingHandler() {
    log::setFatalHandler(before_);
    log::setRank(-1);
  }

private:
  static void raise(void *, std::string_view line) { throw std::runtime_error(std::string(line)); }

  log::FatalHandler before_;
};

std::string lineOf(void (*failing)()) {
  const ThrowingHandler handler;
  try {
    failing();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(Check, SaysWhereWhatAndWhy) {
  const std::string line = lineOf([] {
    log::setRank(3);
    TUTTI_CHECK(1 + 1 == 3, "sum is {}", 1 + 1);
  });

  EXPECT_TRUE(line.starts_with("tutti: rank 3: base/check_test.cpp:")) << line;
  EXPECT_TRUE(line.ends_with("check '1 + 1 == 3' failed: sum is 2")) << line;
}

TEST(Check, NeedsNoMessage) {
  EXPECT_TRUE(lineOf([] { TUTTI_CHECK(false); }).ends_with("check 'false' failed"));
}

TEST(Check, DoesNothingIfTheConditionHolds) {
  EXPECT_EQ(lineOf([] { TUTTI_CHECK(true, "never"); }), "");
}

TEST(Check, EvaluatesTheConditionOnce) {
  int count = 0;

  TUTTI_CHECK(++count == 1);

  EXPECT_EQ(count, 1);
}

TEST(Log, CutsWhatIsTooLongAndStaysOneLine) {
  const std::string line = lineOf([] { log::fatal("{}\n{}", "a", std::string(9000, 'x')); });

  EXPECT_LE(line.size(), 4096U);
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(CheckDeathTest, EndsTheProcessWithoutAHandler) {
  EXPECT_EXIT(TUTTI_CHECK(false, "gone"), testing::ExitedWithCode(1), "failed: gone");
}

} // namespace

} // namespace tutti
