// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/skeleton/skeleton.h"

namespace tutti::device::skeleton {

namespace {

class SkeletonDriver final : public Driver {
public:
  std::string_view name() const override { return "skeleton"; }

  Result<std::vector<Info>> list() override {
    Info info;
    info.name = "a skeleton";
    info.driver = "none";
    info.format = TUTTI_KERNEL_BONES;
    return std::vector<Info>{info};
  }

  Result<std::unique_ptr<Device>> open(std::size_t, const Segments &) override {
    return failure(ErrorCode::NotSupported, "a skeleton does not open");
  }
};

} // namespace

constinit const Backend kBackend{
    .name = "skeleton",
    .kind = TUTTI_DEVICE_SKELETON,
    .vendors = Vendors::One,
    .settings = {},
    .mayHaveGpus = nullptr,
    .makeDriver = []() -> std::unique_ptr<Driver> { return std::make_unique<SkeletonDriver>(); }};

} // namespace tutti::device::skeleton
