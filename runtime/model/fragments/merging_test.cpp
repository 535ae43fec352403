// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/merged.h"
#include "runtime/model/fragments/merging.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace tutti::model::fragments {

namespace {

using OptionalParts = std::vector<std::optional<Part>>;

OptionalParts repeated(std::size_t count, std::optional<Part> part) { return {count, part}; }

Runs cut(const OptionalParts &parts, const RunCounts &counts, std::int64_t size = 1,
         std::uint64_t bytes = 1) {
  return cutIntoRuns(parts, std::vector<std::int64_t>(parts.size(), size),
                     std::vector<std::uint64_t>(parts.size(), bytes), counts);
}

TEST(Runs, AreAsManyAsDevicesOfWhatStaysThere) {
  EXPECT_EQ(cut(repeated(7, Part::Device), {.devices = 1}), (Runs{{0, 7}}));
  EXPECT_EQ(cut(repeated(7, Part::Device), {.devices = 2}), (Runs{{0, 3}, {3, 7}}));
}

TEST(Runs, AreAsManyAsPortionsOfWhatIsDragged) {
  EXPECT_EQ(cut(repeated(6, Part::Drag), {.portions = 3}), (Runs{{0, 2}, {2, 4}, {4, 6}}));
  EXPECT_EQ(cut(repeated(2, Part::Drag), {.portions = 3}), (Runs{{0, 1}, {1, 2}}));
}

TEST(Runs, EndWhereAPartEndsOrACallIsElsewhere) {
  OptionalParts parts = repeated(6, Part::Device);
  parts[0] = Part::Drag;
  parts[3] = std::nullopt;

  EXPECT_EQ(cut(parts, {}), (Runs{{0, 1}, {1, 3}, {4, 6}}));
}

TEST(Runs, AreQuartersOfWhatADeviceCanHold) {
  // 8 calls of 100 bytes, of which it can hold 400.
  EXPECT_EQ(cut(repeated(8, Part::Device), {.deviceBytes = 400}, 1, 100).size(), 8U);
  EXPECT_EQ(cut(repeated(8, Part::Device), {.deviceBytes = 700}, 1, 100).size(), 5U);
  EXPECT_EQ(cut(repeated(8, Part::Device), {.deviceBytes = 800}, 1, 100).size(), 1U);
}

TEST(Runs, HaveNoMoreUnitsThanAnIntCanSay) {
  EXPECT_EQ(cut(repeated(4, Part::Device), {}, 1 << 30).size(), 4U);
}

Value bytesOf(const std::string &text) {
  Buffer *buffer = Buffer::make(text.size());
  std::memcpy(buffer->data(), text.data(), text.size());
  return {Kind::Bytes, buffer};
}

std::string textOf(const Value &value) {
  return {static_cast<const char *>(value.data()), value.size()};
}

tutti_luna_procedure stepProcedure() {
  tutti_luna_procedure procedure{};
  procedure.name = "step";
  procedure.types = "innn";
  procedure.merge = "#b<>";
  return procedure;
}

TEST(Merged, ResultsAreSlicesAndOuterBorders) {
  std::vector<Value> outputs{bytesOf("aabbbbcc"), bytesOf("<"), bytesOf(">")};

  ASSERT_FALSE(splitOutputs(stepProcedure(), {1, 2, 1}, outputs));

  ASSERT_EQ(outputs.size(), 9U);
  EXPECT_EQ(textOf(outputs[0]), "aa");
  EXPECT_EQ(textOf(outputs[3]), "bbbb");
  EXPECT_EQ(textOf(outputs[6]), "cc");
  EXPECT_EQ(textOf(outputs[1]), "<");
  EXPECT_TRUE(outputs[4].buffer()->isLeftOut);
  EXPECT_TRUE(outputs[7].buffer()->isLeftOut);
  EXPECT_TRUE(outputs[2].buffer()->isLeftOut);
  EXPECT_EQ(textOf(outputs[8]), ">");
}

TEST(Merged, ResultsThatAreNoSlabsAreRefused) {
  std::vector<Value> outputs{bytesOf("aabbc"), bytesOf("<"), bytesOf(">")};

  const auto why = splitOutputs(stepProcedure(), {1, 1}, outputs);

  ASSERT_TRUE(why);
  EXPECT_NE(why->find("not made of 2 slabs"), std::string::npos) << *why;
}

TEST(Merged, NeighboursOfOneBufferStayWhereTheyAre) {
  std::vector<Value> outputs{bytesOf("aabbccdd"), bytesOf("<"), bytesOf(">")};
  const void *begin = outputs[0].data();
  ASSERT_FALSE(splitOutputs(stepProcedure(), {1, 1, 1, 1}, outputs));
  const auto slab = [&](std::size_t member) { return outputs[3 * member]; };

  const Value all = concatenated({slab(0), slab(1), slab(2), slab(3)}, Cause::Border);
  const Value inner = concatenated({slab(1), slab(2)}, Cause::Border);
  const Value turned = concatenated({slab(2), slab(1)}, Cause::Border);

  EXPECT_EQ(all.data(), begin);
  EXPECT_EQ(inner.data(), static_cast<const char *>(begin) + 2);
  EXPECT_EQ(textOf(inner), "bbcc");
  EXPECT_EQ(textOf(turned), "ccbb");
}

TEST(Merged, SlabsOfManyBuffersAreCopied) {
  EXPECT_EQ(textOf(concatenated({bytesOf("aa"), bytesOf(""), bytesOf("b")}, Cause::Border)), "aab");
}

} // namespace

} // namespace tutti::model::fragments
