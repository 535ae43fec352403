// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What each kind of option accepts, and the wording of what it does not.
#include "base/options.h"

#include <gtest/gtest.h>

#include <array>

namespace tutti {

namespace {

enum class Colour { Red, Green };
constexpr std::array<std::pair<std::string_view, Colour>, 2> kColours = {
    {{"red", Colour::Red}, {"green", Colour::Green}}};

Options with(const char *variable) { return Options(std::array{variable}); }

Result<std::uint64_t> sizeOf(const char *variable) { return with(variable).size("TUTTI_S", 7); }

TEST(Options, GiveTheFallbackOfWhatIsNotSet) {
  Options options = with("TUTTI_EMPTY=");

  EXPECT_EQ(*options.integer("TUTTI_A", 3, 0, 9), 3);
  EXPECT_EQ(*options.size("TUTTI_B", 5), 5U);
  EXPECT_TRUE(*options.boolean("TUTTI_EMPTY", true));
  EXPECT_EQ(*options.choice<Colour>("TUTTI_C", Colour::Green, kColours), Colour::Green);
  EXPECT_EQ(options.text("TUTTI_T", "none"), "none");
}

TEST(Options, ReadSizesWithUnits) {
  EXPECT_EQ(*sizeOf("TUTTI_S=12"), 12U);
  EXPECT_EQ(*sizeOf("TUTTI_S=12K"), 12U << 10);
  EXPECT_EQ(*sizeOf("TUTTI_S=3m"), 3U << 20);
  EXPECT_EQ(*sizeOf("TUTTI_S=3GiB"), 3ULL << 30);
  EXPECT_EQ(*sizeOf("TUTTI_S=1TB"), 1ULL << 40);
}

TEST(Options, RejectSizesThatAreNone) {
  for (const char *bad : {"TUTTI_S=K", "TUTTI_S=-1", "TUTTI_S=1.5G", "TUTTI_S=5x", "TUTTI_S=5Kb b",
                          "TUTTI_S=99999999T", "TUTTI_S=99999999999999999999"}) {
    EXPECT_FALSE(sizeOf(bad)) << bad;
  }
}

TEST(Options, NameVariableValueAndWhatIsAllowed) {
  const auto integer = with("TUTTI_N=many").integer("TUTTI_N", 1, 0, 64);
  const auto size = with("TUTTI_S=1K").size("TUTTI_S", 1 << 20, 4096, 1 << 30);
  const auto flag = with("TUTTI_F=maybe").boolean("TUTTI_F", false);
  const auto choice = with("TUTTI_C=blue").choice<Colour>("TUTTI_C", Colour::Red, kColours);

  ASSERT_FALSE(integer || size || flag || choice);
  EXPECT_EQ(integer.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(integer.error().message, "TUTTI_N=many: expected an integer from 0 to 64");
  EXPECT_EQ(size.error().message, "TUTTI_S=1K: expected a number of bytes from 4K to 1G, for "
                                  "example 65536, 64K, 16M or 2G");
  EXPECT_EQ(flag.error().message,
            "TUTTI_F=maybe: expected one of 1, on, true, yes, 0, off, false, no");
  EXPECT_EQ(choice.error().message, "TUTTI_C=blue: expected one of red, green");
}

TEST(Options, ReadIntegersInsideTheirBoundsOnly) {
  EXPECT_EQ(*with("TUTTI_N=-3").integer("TUTTI_N", 1, -3, 64), -3);
  EXPECT_FALSE(with("TUTTI_N=65").integer("TUTTI_N", 1, -3, 64));
  EXPECT_FALSE(with("TUTTI_N=6 ").integer("TUTTI_N", 1, -3, 64));
}

TEST(Options, ReadWordsInAnyCase) {
  EXPECT_FALSE(*with("TUTTI_F=Off").boolean("TUTTI_F", true));
  EXPECT_EQ(*with("TUTTI_C=Red").choice<Colour>("TUTTI_C", Colour::Green, kColours), Colour::Red);
}

TEST(Options, KnowWhichVariablesNobodyAskedFor) {
  Options options(std::array{"TUTTI_A=1", "TUTTI_B=2", "TUTTI_C=3", "PATH=/bin"});
  options.text("TUTTI_A", "");
  options.allow("TUTTI_B");

  EXPECT_EQ(options.unknown(), std::vector<std::string>{"TUTTI_C"});
}

} // namespace

} // namespace tutti
