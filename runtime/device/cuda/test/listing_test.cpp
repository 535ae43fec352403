// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What PTX is understood to write, on texts as compilers make them.
#include "runtime/device/cuda/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tutti::device::cuda {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kFrom = 0x10000;
constexpr std::uint64_t kTo = 0x90000;

/// A launch of a kernel(long n, const double *from, double *to).
class ListingTest : public testing::Test {
protected:
  /// `index` puts the element's number into %rd1, and whether there is none into %p1; `body` has
  /// from and to in %rd2 and %rd3, and the addresses of their elements in %rd12 and %rd13.
  static std::string kernel(const std::string &index, const std::string &body) {
    return ".visible .entry f(\n\t.param .u64 f_param_0,\n\t.param .u64 .ptr .align 1 f_param_1,\n"
           "\t.param .u64 f_param_2\n)\n.maxntid 1024\n{\n\t.reg .pred \t%p<9>;\n"
           "\tld.param.u64 \t%rd4, [f_param_0];\n\tld.param.u64 \t%rd5, [f_param_1];\n"
           "\tld.param.u64 \t%rd6, [f_param_2];\n\tcvta.to.global.u64 \t%rd2, %rd5;\n"
           "\tcvta.to.global.u64 \t%rd3, %rd6;\n" +
           index +
           "\t@%p1 bra \t$L__BB0_2; // none\n\n"
           "\tshl.b64 \t%rd11, %rd1, 3;\n\tadd.s64 \t%rd12, %rd2, %rd11;\n"
           "\tadd.s64 \t%rd13, %rd3, %rd11;\n" +
           body + "\n$L__BB0_2:\n\tret;\n\n}\n";
  }

  static std::string kernel(const std::string &body) { return kernel(kIndex, body); }

  RangeSet written(const std::string &text, std::int64_t n) {
    n_ = n;
    const auto listing = Listing::of(text, "f");
    EXPECT_TRUE(listing);
    return listing ? listing->surelyWritten(launch_) : RangeSet();
  }

  static constexpr const char *kIndex =
      "\tmov.u32 \t%r1, %ctaid.x;\n\tmov.u32 \t%r2, %ntid.x;\n\tmul.wide.u32 \t%rd7, %r1, %r2;\n"
      "\tmov.u32 \t%r3, %tid.x;\n\tcvt.u64.u32 \t%rd8, %r3;\n\tadd.s64 \t%rd1, %rd7, %rd8;\n"
      "\tsetp.ge.s64 \t%p1, %rd1, %rd4;\n";
  static constexpr const char *kCopy =
      "\tld.global.f64 \t%fd1, [%rd12];\n\tst.global.f64 \t[%rd13], %fd1;\n";

  std::int64_t n_ = 0;
  std::uint64_t from_ = kFrom;
  std::uint64_t to_ = kTo;
  NativeLaunch launch_{.kernel = nullptr,
                       .grid = {{4, 1, 1}, {128, 1, 1}},
                       .localBytes = 0,
                       .arguments = {{&n_, 8, false}, {&from_, 8, true}, {&to_, 8, true}}};
};

TEST_F(ListingTest, KnowsWhatEachWorkItemStores) {
  const std::string text = kernel(kCopy);

  EXPECT_THAT(written(text, 500).ranges(), ElementsAre(Range{kTo, kTo + 4000}));
  EXPECT_THAT(written(text, 512).ranges(), ElementsAre(Range{kTo, kTo + 4096}));
  // As many as there are work-items.
  EXPECT_THAT(written(text, 513).ranges(), ElementsAre(Range{kTo, kTo + 4096}));
  EXPECT_THAT(written(text, 0).ranges(), IsEmpty());
  EXPECT_THAT(written(text, -1).ranges(), IsEmpty());
}

TEST_F(ListingTest, KnowsNumbersOfThirtyTwoBits) {
  const std::string index =
      "\tld.param.u32 \t%r9, [f_param_0];\n\tmov.u32 \t%r1, %ctaid.x;\n\tmov.u32 \t%r2, %ntid.x;\n"
      "\tmov.u32 \t%r3, %tid.x;\n\tmad.lo.s32 \t%r4, %r1, %r2, %r3;\n"
      "\tsetp.ge.s32 \t%p1, %r4, %r9;\n\tcvt.s64.s32 \t%rd1, %r4;\n";

  EXPECT_THAT(written(kernel(index, kCopy), 500).ranges(), ElementsAre(Range{kTo, kTo + 4000}));

  // Where numbers begin again at zero nothing is known.
  launch_.grid = {{std::uint64_t{1} << 22, 1, 1}, {1024, 1, 1}};
  EXPECT_THAT(written(kernel(index, kCopy), 500).ranges(), IsEmpty());
}

TEST_F(ListingTest, TakesShortNumbersForWhatWiderRegistersHaveOfThem) {
  // The same bits, -3 as two types.
  for (const auto &[type, offset] : {std::pair{"s32", -3LL}, {"u32", 4294967293LL}}) {
    const std::string index =
        std::string("\tld.param.") + type + " %rd1, [f_param_0];\n\tsetp.eq.s64 %p1, %rd1, 0;\n";
    const std::uint64_t at = kTo + static_cast<std::uint64_t>(8 * offset);
    EXPECT_THAT(written(kernel(index, kCopy), -3).ranges(), ElementsAre(Range{at, at + 8}));
  }
}

TEST_F(ListingTest, AddsNegativeNumbersOfThirtyTwoBits) {
  const std::string index =
      "\tld.param.u32 %r9, [f_param_0];\n\tmov.u32 %r1, %tid.x;\n\tadd.s32 %r2, %r1, %r9;\n"
      "\tcvt.s64.s32 %rd1, %r2;\n\tsetp.lt.s64 %p1, %rd1, 0;\n";
  launch_.grid = {{1, 1, 1}, {32, 1, 1}};

  EXPECT_THAT(written(kernel(index, kCopy), -30).ranges(), ElementsAre(Range{kTo, kTo + 16}));
}

TEST_F(ListingTest, LeavesOutWhatOnlySomeStore) {
  // A condition on what is in memory.
  EXPECT_THAT(
      written(kernel("\tadd.s64 %rd1, %rd4, 0;\n\tsetp.ge.s64 %p1, %rd1, %rd4;\n", kCopy), 500)
          .ranges(),
      IsEmpty());
  EXPECT_THAT(written(kernel("\tld.global.f64 %fd1, [%rd12];\n\tsetp.gt.f64 %p2, %fd1, "
                             "0d0000000000000000;\n\t@%p2 st.global.f64 [%rd13], %fd1;\n"),
                      500)
                  .ranges(),
              IsEmpty());
  EXPECT_THAT(written(kernel("\tld.global.f64 %fd1, [%rd12];\n\tsetp.gt.f64 %p2, %fd1, "
                             "0d0000000000000000;\n\t@%p2 bra $L__BB0_2;\n"
                             "\tst.global.f64 [%rd13], %fd1;\n"),
                      500)
                  .ranges(),
              IsEmpty());
  // Every second one.
  EXPECT_THAT(
      written(kernel("\tadd.s64 %rd14, %rd13, %rd11;\n\tst.global.f64 [%rd14], %fd1;\n"), 500)
          .ranges(),
      IsEmpty());
  // One of several values of a register.
  EXPECT_THAT(written(kernel("\tmov.u64 %rd14, %rd13;\n\tsetp.eq.s64 %p2, %rd1, 7;\n\t@%p2 mov.u64 "
                             "%rd14, %rd3;\n\tst.global.f64 [%rd14], %fd1;\n"),
                      500)
                  .ranges(),
              IsEmpty());
}

TEST_F(ListingTest, PassesBranchesThatComeTogetherAgain) {
  const std::string body = "\tld.global.f64 \t%fd1, [%rd12];\n\tsetp.gt.f64 %p2, %fd1, "
                           "0d0000000000000000;\n\t@%p2 bra $L__BB0_4;\n\tbra.uni $L__BB0_3;\n"
                           "$L__BB0_4:\n\tneg.f64 %fd1, %fd1;\n$L__BB0_3:\n\tst.global.f64 "
                           "[%rd13], %fd1;\n";
  EXPECT_THAT(written(kernel(body), 500).ranges(), ElementsAre(Range{kTo, kTo + 4000}));

  const std::string loop = "\tmov.u64 %rd20, 0;\n$L__BB0_5:\n\tadd.s64 %rd20, %rd20, 1;\n"
                           "\tsetp.lt.s64 %p3, %rd20, %rd4;\n\t@%p3 bra $L__BB0_5;\n";
  EXPECT_THAT(written(kernel(loop + kCopy), 500).ranges(), ElementsAre(Range{kTo, kTo + 4000}));

  // One that leaves the kernel does not.
  const std::string leaving = "\tld.global.f64 \t%fd1, [%rd12];\n\tsetp.gt.f64 %p2, %fd1, "
                              "0d0000000000000000;\n\t@%p2 ret;\n";
  EXPECT_THAT(written(kernel(leaving + kCopy), 500).ranges(), IsEmpty());
}

TEST_F(ListingTest, JoinsPartsOfElements) {
  const std::string parts = "\tst.global.u32 [%rd13], %r1;\n\tst.global.v2.u16 [%rd13+4], "
                            "{%rs1, %rs2};\n";
  EXPECT_THAT(written(kernel(parts), 500).ranges(), ElementsAre(Range{kTo, kTo + 4000}));
  EXPECT_THAT(written(kernel("\tst.global.u32 [%rd13+4], %r1;\n"), 500).ranges(), IsEmpty());
}

TEST_F(ListingTest, KnowsGridsOfSeveralDimensions) {
  // Rows of n elements, of which there are as many.
  const std::string index =
      "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n\tmov.u32 %r3, %tid.x;\n"
      "\tmad.lo.s32 %r4, %r1, %r2, %r3;\n\tcvt.s64.s32 %rd21, %r4;\n"
      "\tmov.u32 %r5, %ctaid.y;\n\tmov.u32 %r6, %ntid.y;\n\tmov.u32 %r7, %tid.y;\n"
      "\tmad.lo.s32 %r8, %r5, %r6, %r7;\n\tcvt.s64.s32 %rd22, %r8;\n"
      "\tsetp.ge.s64 %p2, %rd21, %rd4;\n\tsetp.le.s64 %p3, %rd4, %rd22;\n\tor.pred %p1, %p2, "
      "%p3;\n\tmul.lo.s64 %rd23, %rd22, %rd4;\n\tadd.s64 %rd1, %rd23, %rd21;\n";
  launch_.grid = {{2, 6, 1}, {32, 8, 1}};

  EXPECT_THAT(written(kernel(index, kCopy), 48).ranges(),
              ElementsAre(Range{kTo, kTo + 48 * 48 * 8}));
  // Rows have gaps where there are too few work-items.
  EXPECT_THAT(written(kernel(index, kCopy), 65).ranges(), IsEmpty());
}

TEST_F(ListingTest, KnowsOneStoreForEachGroup) {
  const std::string index = "\tmov.u32 %r1, %ctaid.x;\n\tcvt.u64.u32 %rd1, %r1;\n\tmov.u32 %r3, "
                            "%tid.x;\n\tsetp.ne.s32 %p1, %r3, 0;\n";
  EXPECT_THAT(written(kernel(index, kCopy), 4).ranges(), ElementsAre(Range{kTo, kTo + 32}));
}

TEST_F(ListingTest, LeavesOutWhatIsReadAsWell) {
  const std::string update = "\tld.global.f64 %fd1, [%rd13+8];\n\tst.global.f64 [%rd13], %fd1;\n";
  EXPECT_THAT(written(kernel(update), 500).ranges(), IsEmpty());
  EXPECT_THAT(written(kernel("\tatom.global.add.f64 %fd1, [%rd13], %fd2;\n\tst.global.f64 "
                             "[%rd13], %fd1;\n"),
                      500)
                  .ranges(),
              IsEmpty());
  // By a pointer that comes from memory.
  EXPECT_THAT(written(kernel("\tld.global.u64 %rd14, [%rd12];\n\tld.f64 %fd1, [%rd14];\n"
                             "\tst.global.f64 [%rd13], %fd1;\n"),
                      500)
                  .ranges(),
              IsEmpty());
  // By another argument.
  from_ = kTo;
  EXPECT_THAT(written(kernel(kCopy), 500).ranges(), IsEmpty());
  from_ = kTo + 3992;
  EXPECT_THAT(written(kernel(kCopy), 500).ranges(), IsEmpty());
  from_ = kTo - 8;
  EXPECT_THAT(written(kernel(kCopy), 500).ranges(), IsEmpty());
  from_ = kTo + 4000;
  EXPECT_THAT(written(kernel(kCopy), 500).ranges(), ElementsAre(Range{kTo, kTo + 4000}));
}

TEST_F(ListingTest, LeavesOutKernelsWithSomethingElse) {
  for (const char *other :
       {"\tcall.uni g, ();\n", "\tfuture.op %r1, %r2;\n", "\t{ .reg .b32 t; }\n",
        "\tcp.async.ca.shared.global [%r1], [%rd13], 8;\n",
        "\ttex.1d.v4.f32.s32 {%f1}, [t, {%r1}];\n",
        "\t.reg .u64 t; add.u64 t, %rd13, 8; ld.global.f64 %fd2, [t];\n"}) {
    // There is a listing, which says less than those of the kernel for other devices.
    EXPECT_THAT(written(kernel(std::string(other) + kCopy), 500).ranges(), IsEmpty()) << other;
  }
  EXPECT_THAT(written(".entry f()\n{\n}\n", 500).ranges(), IsEmpty());
  EXPECT_FALSE(Listing::of(kernel(kCopy), "g"));
}

TEST_F(ListingTest, WantsTheArgumentsThatTheKernelHas) {
  const auto listing = Listing::of(kernel(kCopy), "f");
  n_ = 500;

  launch_.arguments[0].bytes = 4;
  EXPECT_THAT(listing->surelyWritten(launch_).ranges(), IsEmpty());
  launch_.arguments.pop_back();
  EXPECT_THAT(listing->surelyWritten(launch_).ranges(), IsEmpty());
}

} // namespace

} // namespace tutti::device::cuda
