// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Signs of GPUs in the file system.
#include "runtime/device/opencl/opencl.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace tutti::device::opencl {

namespace {

namespace fs = std::filesystem;

/// A file system with GPUs.
class OpenclOtherGpus : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tutti-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }

  void TearDown() override { fs::remove_all(root_); }

  /// What the kernel shows of a GPU that it drives.
  void addGpu(const std::string &node, const std::string &place) const {
    const fs::path device = root_ / "sys/devices" / place;
    fs::create_directories(device);
    fs::create_directories(root_ / "sys/class/drm" / node);
    fs::create_directory_symlink(device, root_ / "sys/class/drm" / node / "device");
    addFile(node);
  }

  void addFile(const std::string &name) const {
    fs::create_directories(root_ / "dev/dri");
    std::ofstream(root_ / "dev/dri" / name) << ' ';
  }

  bool hasOthers() const { return hasOtherGpus(known_, root_); }

  const std::array<std::string, 2> known_{"pci:0000:01:00.0", "other:1"};
  fs::path root_;
};

TEST_F(OpenclOtherGpus, AreNotWhereThereIsNone) { EXPECT_FALSE(hasOthers()); }

TEST_F(OpenclOtherGpus, AreNotThoseThatAreKnown) {
  addGpu("renderD128", "0000:01:00.0");
  addFile("card0");

  EXPECT_FALSE(hasOthers());
}

TEST_F(OpenclOtherGpus, AreThoseAtOtherPlaces) {
  addGpu("renderD128", "0000:01:00.0");
  addGpu("renderD129", "0000:03:00.0");

  EXPECT_TRUE(hasOthers());
}

TEST_F(OpenclOtherGpus, MayHaveNoPlaceOnTheBus) {
  addFile("renderD128");

  EXPECT_TRUE(hasOthers());
}

} // namespace

} // namespace tutti::device::opencl
