// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the GPUs of this host.
#pragma once

#include "runtime/device/cuda/device.h"
#include "runtime/device/cuda/library.h"
#include "runtime/device/device.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::device::cuda {

class CudaDriver final : public Driver {
public:
  explicit CudaDriver(std::string file)
      : file_(std::move(file)), peers_(std::make_shared<Peers>()) {}

  std::string_view name() const override { return "cuda"; }

  /// GPUs that cannot run what the compiler writes, or do not let anybody compute, are left out.
  Result<std::vector<Info>> list() override;

  Result<std::unique_ptr<Device>> open(std::size_t index, const Segments &window) override;

private:
  struct Found {
    CUdevice handle;
    Info info;
  };

  Status find();
  void findPeers();

  std::string file_;
  bool hasLooked_ = false;
  std::shared_ptr<const Library> library_; ///< Null: no driver.
  std::vector<Found> found_;
  std::shared_ptr<Peers> peers_; ///< Shared with the devices.
};

} // namespace tutti::device::cuda
