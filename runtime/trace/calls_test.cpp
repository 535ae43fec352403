// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/calls.h"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::trace {

namespace {

TEST(Calls, ThatTookLongestComeFirst) {
  const std::vector<CallReport> calls{{"a.fa:3 f", 20, 0, 0.25}, {"a.fa:7 g", 5, 4, 1.5}};

  const std::string text = asText(calls);

  EXPECT_NE(text.find("a.fa:3 f"), std::string::npos) << text;
  EXPECT_NE(text.find("20 calls, 0.250 s"), std::string::npos) << text;
  EXPECT_NE(text.find("5 calls, 4 on devices, 1.500 s"), std::string::npos) << text;
  EXPECT_LT(text.find("a.fa:7 g"), text.find("a.fa:3 f")) << text;
}

TEST(Calls, AreAMemberOfTheReport) {
  const std::vector<CallReport> calls{{"a \"b\".fa:3 f", 2, 1, 0.5}};

  EXPECT_EQ(
      withCalls("{\"ranks\":1}", calls),
      "{\"ranks\":1,\"calls\":[{\"source\":\"a \\\"b\\\".fa:3 f\",\"calls\":2,\"onDevices\":1,"
      "\"seconds\":0.500000000}]}");
  EXPECT_EQ(withCalls("{\"ranks\":1}", {}), "{\"ranks\":1}");
}

} // namespace

} // namespace tutti::trace
