// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <string>

namespace tutti::driver {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What the kernel says of a machine.
class Binding : public testing::Test {
protected:
  Binding() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("binding" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    CPU_ZERO(&all_);
  }

  ~Binding() override { std::filesystem::remove_all(folder_); }

  void add(int processor, int package, int cache, int core) {
    const std::filesystem::path place = folder_ / ("cpu" + std::to_string(processor));
    std::filesystem::create_directories(place / "topology");
    std::filesystem::create_directories(place / "cache/index3");
    std::ofstream(place / "topology/physical_package_id") << package << "\n";
    std::ofstream(place / "topology/core_id") << core << "\n";
    std::ofstream(place / "cache/index3/id") << cache << "\n";
    CPU_SET(processor, &all_);
  }

  std::filesystem::path folder_;
  cpu_set_t all_;
};

TEST_F(Binding, PutsProcessorsOfACoreTogetherAndCoresOfAPackage) {
  // Numbers go round the packages, and then round them once more for the second threads.
  for (int processor = 0; processor < 8; ++processor) {
    add(processor, processor % 2, processor % 2, processor / 2 % 2);
  }
  EXPECT_THAT(coresOf(all_, folder_), ElementsAre(ElementsAre(0, 4), ElementsAre(2, 6),
                                                  ElementsAre(1, 5), ElementsAre(3, 7)));
}

TEST_F(Binding, PutsCoresTogetherThatShareACache) {
  for (int processor = 0; processor < 4; ++processor) {
    add(processor, 0, processor % 2, processor);
  }
  EXPECT_THAT(coresOf(all_, folder_),
              ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(1), ElementsAre(3)));
}

TEST_F(Binding, TakesWhatMayBeUsed) {
  for (int processor = 0; processor < 4; ++processor) {
    add(processor, 0, 0, processor);
  }
  CPU_CLR(1, &all_);
  CPU_SET(9, &all_); // The kernel says nothing of it.
  EXPECT_EQ(coresOf(all_, folder_).size(), 4U);
}

TEST(PartOfCores, GivesEachCoreToOneRank) {
  for (int count = 1; count <= 20; ++count) {
    std::vector<Core> cores;
    for (int core = 0; core < count; ++core) {
      cores.push_back({2 * core, 2 * core + 1});
    }
    for (int locals = 1; locals <= count; ++locals) {
      std::multiset<int> given;
      for (int local = 0; local < locals; ++local) {
        const std::vector<int> part = partOf(cores, local, locals);
        EXPECT_GE(part.size(), 2 * static_cast<std::size_t>(count / locals));
        given.insert(part.begin(), part.end());
      }
      EXPECT_EQ(given.size(), 2 * static_cast<std::size_t>(count));
      EXPECT_EQ(std::set<int>(given.begin(), given.end()).size(), given.size());
    }
  }
}

TEST(PartOfCores, GivesNoneWhereRanksWouldShareACore) {
  EXPECT_THAT(partOf({{0, 1}}, 0, 2), IsEmpty());
  EXPECT_THAT(partOf({{0}, {1}}, 2, 2), IsEmpty());
}

} // namespace

} // namespace tutti::driver
