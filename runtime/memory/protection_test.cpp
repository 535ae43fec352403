// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The page table against a list of pages, and against what the kernel says.
#include "runtime/memory/protection.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <vector>

/// As UCX replaces it, which MPI libraries use: nobody learns where to.
extern "C" void *mremap(void *, std::size_t, std::size_t, int, ...) noexcept {
  ADD_FAILURE() << "the C library's";
  return MAP_FAILED;
}

namespace tutti::memory {

namespace {

constexpr std::uint64_t kPages = 256;
constexpr Range kPart{kHeapBase, kHeapBase + kPages *kPageBytes};

/// One per process: the mappings stay.
const Window &window() {
  static const auto mapped = *Window::open({32 << 20, 1 << 20, {}, true});
  return *mapped;
}

Range pagesOf(std::uint64_t first, std::uint64_t count) {
  return {kHeapBase + first * kPageBytes, kHeapBase + (first + count) * kPageBytes};
}

/// What the kernel has for each page of `kPart`.
std::vector<Access> kernelsAnswer() {
  std::vector<Access> answer(kPages, Access::Open);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = 0;
    std::string flags;
    words >> std::hex >> begin >> dash >> end >> flags;
    for (std::uint64_t page = std::max(begin, kPart.begin); page < std::min(end, kPart.end);
         page += kPageBytes) {
      answer[(page - kPart.begin) / kPageBytes] = flags[1] == 'w'   ? Access::Open
                                                  : flags[0] == 'r' ? Access::ReadOnly
                                                                    : Access::None;
    }
  }
  return answer;
}

class PageTableTest : public testing::Test {
protected:
  void SetUp() override { table_ = *PageTable::create(window()); }

  void TearDown() override {
    if (table_) {
      ASSERT_TRUE(table_->open(kPart, Access::Open));
    }
  }

  std::vector<Access> answer() const {
    std::vector<Access> answer;
    for (std::uint64_t page = kPart.begin; page < kPart.end; page += kPageBytes) {
      answer.push_back(table_->at(page));
    }
    return answer;
  }

  std::unique_ptr<PageTable> table_;
};

TEST_F(PageTableTest, OpensEverythingAtFirst) {
  EXPECT_EQ(answer(), std::vector<Access>(kPages, Access::Open));
  EXPECT_EQ(table_->at(window().stack().begin), Access::Open);
}

TEST_F(PageTableTest, CallsWhatIsOutsideOfTheWindowOpen) {
  const int local = 0;

  EXPECT_EQ(table_->at(reinterpret_cast<std::uint64_t>(&local)), Access::Open);
}

TEST_F(PageTableTest, TightensAndNeverLoosens) {
  std::mt19937_64 random(1);
  std::vector<Access> expected(kPages, Access::Open);
  for (int round = 0; round < 300; ++round) {
    std::vector<Range> ranges;
    const Access level = random() % 2 == 0 ? Access::ReadOnly : Access::None;
    for (std::uint64_t count = random() % 4; count > 0; --count) {
      ranges.push_back(pagesOf(random() % (kPages - 8), 1 + random() % 8));
    }
    const RangeSet pages = RangeSet::of(ranges);

    ASSERT_TRUE(table_->tighten(pages, level));

    for (std::uint64_t page = 0; page < kPages; ++page) {
      if (pages.overlaps(RangeSet::of({pagesOf(page, 1)}))) {
        expected[page] = std::max(expected[page], level);
      }
    }
    ASSERT_EQ(answer(), expected);
    if (round % 50 == 49) {
      EXPECT_EQ(kernelsAnswer(), expected);
      ASSERT_TRUE(table_->open(kPart, Access::Open));
      expected.assign(kPages, Access::Open);
    }
  }
}

TEST_F(PageTableTest, TellsTheKernel) {
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(3, 5), pagesOf(20, 1)}), Access::None));
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(0, 30)}), Access::ReadOnly));
  ASSERT_TRUE(table_->open(pagesOf(4, 2), Access::Open));

  EXPECT_EQ(kernelsAnswer(), answer());
}

TEST_F(PageTableTest, AsksTheKernelOnlyAboutChanges) {
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(3, 5)}), Access::None));
  const std::uint64_t calls = table_->protections();
  const std::uint64_t version = table_->version();

  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(3, 5)}), Access::None));
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(4, 2)}), Access::ReadOnly));

  EXPECT_EQ(table_->protections(), calls);
  EXPECT_EQ(table_->version(), version);
}

TEST_F(PageTableTest, ProtectsARunOfPagesAtOnce) {
  const std::uint64_t calls = table_->protections();

  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(0, 100)}), Access::None));

  EXPECT_EQ(table_->protections(), calls + 1);
}

TEST_F(PageTableTest, ChangesItsVersionWithEveryChange) {
  std::uint64_t version = table_->version();
  const auto hasChanged = [&] { return std::exchange(version, table_->version()) != version; };

  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(1, 1)}), Access::ReadOnly));
  EXPECT_TRUE(hasChanged());
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(1, 1)}), Access::None));
  EXPECT_TRUE(hasChanged());
  ASSERT_TRUE(table_->open(pagesOf(1, 1), Access::Open));
  EXPECT_TRUE(hasChanged());
}

TEST_F(PageTableTest, FindsRunsOfEqualPages) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 40; ++round) {
    ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(random() % (kPages - 9), 1 + random() % 9)}),
                                random() % 2 == 0 ? Access::ReadOnly : Access::None));
  }
  const std::vector<Access> pages = answer();
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t page = random() % kPages;
    std::uint64_t first = page - random() % (page + 1);
    std::uint64_t end = page + 1 + random() % (kPages - page);
    const Range within = pagesOf(first, end - first);

    const Range run = table_->runAround(kHeapBase + page * kPageBytes + 17, within);

    first = page;
    while (first > (within.begin - kHeapBase) / kPageBytes && pages[first - 1] == pages[page]) {
      --first;
    }
    std::uint64_t last = page + 1;
    while (last < end && pages[last] == pages[page]) {
      ++last;
    }
    EXPECT_EQ(run, pagesOf(first, last - first));
  }
}

TEST_F(PageTableTest, KnowsWhetherAnyPageIsStricter) {
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(5, 1)}), Access::ReadOnly));
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(9, 1)}), Access::None));
  const auto bytes = [](std::uint64_t begin, std::uint64_t end) {
    return Range{kHeapBase + begin, kHeapBase + end};
  };

  EXPECT_FALSE(table_->anyStricter(bytes(0, 5 * kPageBytes), Access::Open));
  EXPECT_TRUE(table_->anyStricter(bytes(0, 5 * kPageBytes + 1), Access::Open));
  EXPECT_FALSE(table_->anyStricter(bytes(0, 9 * kPageBytes), Access::ReadOnly));
  EXPECT_TRUE(table_->anyStricter(bytes(0, 9 * kPageBytes + 1), Access::ReadOnly));
  EXPECT_FALSE(table_->anyStricter(bytes(10 * kPageBytes, 11 * kPageBytes), Access::Open));
}

/// Pages that the kernel has mapped for this process, while `touch` runs.
template <typename Touch> long faultsOf(const Touch &touch) {
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  touch();
  getrusage(RUSAGE_THREAD, &after);
  return after.ru_minflt - before.ru_minflt;
}

/// Since Linux 5.13.
TEST_F(PageTableTest, MovesThePageTablesOfManyPages) {
  constexpr std::uint64_t kFirst = 5; // Not where a page table begins.
  constexpr std::uint64_t kMany = 1024;
  const Range pages = pagesOf(kFirst, kMany);
  auto *const bytes = reinterpret_cast<volatile unsigned char *>(pages.begin);
  const auto write = [&](unsigned char more) {
    for (std::uint64_t page = 0; page < kMany; ++page) {
      bytes[page * kPageBytes] = static_cast<unsigned char>(page + more);
    }
  };
  const auto expectWritten = [&](unsigned char more) {
    for (std::uint64_t page = 0; page < kMany; ++page) {
      ASSERT_EQ(bytes[page * kPageBytes], static_cast<unsigned char>(page + more));
    }
  };
  write(1);

  ASSERT_TRUE(table_->tighten(RangeSet::of({pages}), Access::None));
  EXPECT_EQ(kernelsAnswer(), answer());
  *window().view(pages.begin) = std::byte{1};
  ASSERT_TRUE(table_->open(pages, Access::ReadOnly));
  EXPECT_EQ(table_->takenBytes(), pages.size());
  EXPECT_EQ(kernelsAnswer(), answer());
  EXPECT_LT(faultsOf([&] { expectWritten(1); }), 20);
  ASSERT_TRUE(table_->open(pages, Access::Open));

  write(2);
  ASSERT_TRUE(table_->tighten(RangeSet::of({pages}), Access::ReadOnly));
  expectWritten(2);
  ASSERT_TRUE(table_->open(pagesOf(kFirst + 100, 400), Access::Open));
  EXPECT_EQ(kernelsAnswer(), answer());
  EXPECT_EQ(table_->takenBytes(), pages.size() + 400 * kPageBytes);
  ASSERT_TRUE(table_->tighten(RangeSet::of({pages}), Access::None));
  ASSERT_TRUE(table_->open(pages, Access::Open));
  EXPECT_EQ(table_->takenBytes(), 2 * pages.size() + 400 * kPageBytes);
  EXPECT_LT(faultsOf([&] { write(3); }), 20);
  expectWritten(3);
}

/// As a program may set it at any time.
TEST_F(PageTableTest, LosesNoPageWhereAddressesAreLimitedMeanwhile) {
  const Range pages = pagesOf(0, 1024);
  auto *const bytes = reinterpret_cast<volatile unsigned char *>(pages.begin);
  bytes[0] = 1;
  ASSERT_TRUE(table_->tighten(RangeSet::of({pages}), Access::None));

  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit little{1 << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  const bool hasOpened{table_->open(pages, Access::Open)};
  const bool hasClosed{table_->tighten(RangeSet::of({pages}), Access::ReadOnly)};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);

  EXPECT_TRUE(hasOpened);
  EXPECT_TRUE(hasClosed);
  EXPECT_EQ(kernelsAnswer(), answer());
  EXPECT_EQ(bytes[0], 1);
  ASSERT_TRUE(table_->open(pages, Access::Open));
}

TEST_F(PageTableTest, OpensAtOnceWhatWasClosedBetweenUnlikeMappings) {
  const Range pages = pagesOf(0, 1024);
  const Range half = pagesOf(512, 512);
  auto *const bytes = reinterpret_cast<volatile unsigned char *>(pages.begin);
  bytes[0] = 1;
  bytes[half.begin - pages.begin] = 2;
  void *const there = reinterpret_cast<void *>(half.begin);
  ASSERT_EQ(madvise(there, half.size(), MADV_DONTFORK), 0);
  ASSERT_TRUE(table_->tighten(RangeSet::of({pagesOf(0, 512)}), Access::None));
  ASSERT_TRUE(table_->tighten(RangeSet::of({half}), Access::None));

  ASSERT_TRUE(table_->open(pages, Access::Open));

  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[half.begin - pages.begin], 2);
  ASSERT_EQ(madvise(reinterpret_cast<void *>(pages.begin), pages.size(), MADV_DOFORK), 0);
}

TEST_F(PageTableTest, LeavesTheComputeViewWritable) {
  ASSERT_TRUE(table_->tighten(RangeSet::of({kPart}), Access::None));

  *window().view(kHeapBase) = std::byte{42};

  ASSERT_TRUE(table_->open(kPart, Access::ReadOnly));
  EXPECT_EQ(*reinterpret_cast<const char *>(kHeapBase), 42);
}

} // namespace

} // namespace tutti::memory
