// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Results and statuses: values, errors, and how they pass through functions.
#include "base/hash.h"
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace tutti {

namespace {

Result<int> half(int number) {
  if (number % 2 != 0) {
    return failure(ErrorCode::InvalidArgument, "{} is odd", number);
  }
  return number / 2;
}

Status quarter(int number, int &out) {
  const auto once = half(number);
  TUTTI_TRY(once);
  TUTTI_TRY(half(*once));
  out = *once / 2;
  return {};
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(*half(4), 2);
  ASSERT_FALSE(half(3));
  EXPECT_EQ(half(3).error().message, "3 is odd");
  EXPECT_EQ(half(3).value_or(9), 9);
}

TEST(Result, LocatesTheErrorWhereItWasMade) {
  EXPECT_TRUE(std::string_view(half(1).error().where.file_name()).ends_with("result_test.cpp"));
  EXPECT_TRUE(half(1).error().text().starts_with("1 is odd (InvalidArgument, result_test.cpp:"));
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(5);

  const std::unique_ptr<int> taken = std::move(made).value();

  EXPECT_EQ(*taken, 5);
}

TEST(Status, PassesTheFirstErrorOn) {
  int out = 0;
  EXPECT_TRUE(quarter(8, out));
  EXPECT_EQ(out, 2);

  const Status status = quarter(6, out);

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "3 is odd");
}

TEST(ErrorCode, HasANameForEachCode) {
  EXPECT_EQ(name(ErrorCode::InvalidArgument), "InvalidArgument");
  EXPECT_EQ(name(ErrorCode::NoRoute), "NoRoute");
}

TEST(Hash, DependsOnOrderAndLength) {
  EXPECT_NE(Hash().add(1).add(2).value(), Hash().add(2).add(1).value());
  EXPECT_NE(Hash().add(std::uint64_t{0}).value(), Hash().value());
  const std::array<std::byte, 9> zeros{};
  EXPECT_NE(Hash().add(std::span(zeros).first(8)).value(), Hash().add(zeros).value());
}

} // namespace

} // namespace tutti
