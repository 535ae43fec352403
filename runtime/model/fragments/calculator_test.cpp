// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/calculator.h"
#include "runtime/model/fragments/failures.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tutti::model::fragments {

namespace {

/// What an operation on two ints gives, or what is said.
std::string calculated(std::int32_t flags, std::int32_t kind, std::int32_t a, std::int32_t b) {
  tutti_luna_unit unit{};
  unit.mainSub = -1;
  unit.flags = flags;
  const Program program(unit);
  Failures failures(program);
  Calculator calculator(program, failures);
  tutti_luna_node node{};
  node.kind = kind;
  node.at = "here";
  Ask ask{0};
  Value out;
  const bool isThere = calculator.calculate(node, Value(a), Value(b), ask, out);
  EXPECT_EQ(isThere, !failures.hasFailed());
  EXPECT_EQ(isThere, !ask.hasFailed);
  return isThere ? out.asText() : failures.failure()->text;
}

TEST(CalculatorTest, WrapsAroundUnlessThatIsChecked) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(calculated(0, TUTTI_LUNA_ADD, kMost, 2), std::to_string(-kMost));
  EXPECT_EQ(calculated(TUTTI_LUNA_CHECK, TUTTI_LUNA_ADD, kMost, 2),
            "here: run-time error: integer overflow [E-OVER]");
  EXPECT_EQ(calculated(TUTTI_LUNA_CHECK, TUTTI_LUNA_REMAINDER, -7, 4), "-3");
  EXPECT_EQ(calculated(0, TUTTI_LUNA_DIVIDE, 1, 0),
            "here: run-time error: division by zero [E-DIV]");
}

} // namespace

} // namespace tutti::model::fragments
