// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/driver.h"

#include "runtime/device/cuda/cuda.h"

#include <array>
#include <fstream>
#include <unistd.h>

namespace tutti::device::cuda {

namespace {

/// NVIDIA's number on the bus.
constexpr std::uint32_t kVendor = 0x10DE;

/// Volta; what the compiler's PTX is written for.
constexpr int kOldestCapability = 70;

/// "580.82.07 (CUDA 13.0)"
std::string versionText(const Library &cuda) {
  int version = 0;
  cuda.cuDriverGetVersion(&version);
  const std::string interface = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  std::string module;
  std::ifstream("/sys/module/nvidia/version") >> module;
  return module.empty() ? interface : fmt::format("{} ({})", module, interface);
}

/// Reads the properties of one device; the first failure stays.
class Properties {
public:
  Properties(const Library &cuda, CUdevice device) : cuda_(cuda), device_(device) {}

  int attribute(CUattribute which) {
    int value = 0;
    note(cuda_.cuDeviceGetAttribute(&value, which, device_));
    return value;
  }

  std::string name() {
    std::array<char, 256> text{};
    note(cuda_.cuDeviceGetName(text.data(), static_cast<int>(text.size()) - 1, device_));
    return text.data();
  }

  std::uint64_t memory() {
    std::size_t bytes = 0;
    note(cuda_.cuDeviceTotalMem_v2(&bytes, device_));
    return bytes;
  }

  /// "cuda:1b2e...", 16 bytes in hexadecimal.
  std::string uuid() {
    CUuuid id{};
    note(cuda_.cuDeviceGetUuid_v2(&id, device_));
    std::string text = "cuda:";
    for (const char byte : id.bytes) {
      text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
  }

  CUresult outcome() const { return outcome_; }

private:
  void note(CUresult result) {
    if (outcome_ == kSuccess) {
      outcome_ = result;
    }
  }

  const Library &cuda_;
  CUdevice device_;
  CUresult outcome_ = kSuccess;
};

/// The place on the bus, worded as other backends do, so that they see that it is the same GPU. The
/// parts of a divided one share the place, but not the UUID.
std::string identityOf(Properties &device, const std::string &name) {
  if (name.find("MIG") != std::string::npos) {
    return device.uuid();
  }
  return fmt::format("pci:{:04x}:{:02x}:{:02x}.0", device.attribute(kPciDomainId),
                     device.attribute(kPciBusId), device.attribute(kPciDeviceId));
}

Info describeDevice(Properties &device, const std::string &driver) {
  Info info;
  info.name = device.name();
  info.driver = driver;
  info.identity = identityOf(device, info.name);
  info.format = TUTTI_KERNEL_PTX;
  info.vendor = kVendor;
  info.isGpu = true;
  info.hasFp64 = true;
  info.memory = device.memory();
  info.units = static_cast<std::uint32_t>(device.attribute(kMultiprocessorCount));
  info.maxGroup = static_cast<std::uint32_t>(device.attribute(kMaxThreadsPerBlock));
  info.localBytes = static_cast<std::uint64_t>(device.attribute(kMaxSharedOptin));
  info.sharesMemory = device.attribute(kHasFileHandles) != 0;
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    info.maxGroupOf[at] = static_cast<std::uint32_t>(device.attribute(kMaxBlockDimX + d));
    info.maxGroups[at] = static_cast<std::uint64_t>(device.attribute(kMaxGridDimX + d));
  }
  return info;
}

bool isUsable(Properties &device) {
  const int capability =
      device.attribute(kCapabilityMajor) * 10 + device.attribute(kCapabilityMinor);
  return capability >= kOldestCapability &&
         device.attribute(kComputeMode) != kComputeModeProhibited;
}

bool mayHaveGpus() { return access("/dev/nvidiactl", F_OK) == 0; }

} // namespace

constinit const Backend kBackend{.name = "cuda",
                                 .kind = TUTTI_DEVICE_CUDA,
                                 .vendors = Vendors::One,
                                 .settings = {},
                                 .mayHaveGpus = mayHaveGpus,
                                 .mayAddGpus = nullptr,
                                 .makeDriver = [] { return makeDriver(); }};

std::unique_ptr<Driver> makeDriver(std::string library) {
  return std::make_unique<CudaDriver>(std::move(library));
}

Result<std::vector<Info>> CudaDriver::list() {
  if (!hasLooked_) {
    TUTTI_TRY(find());
    hasLooked_ = true;
  }
  std::vector<Info> infos;
  for (const Found &found : found_) {
    infos.push_back(found.info);
  }
  return infos;
}

Status CudaDriver::find() {
  TUTTI_ASSIGN(library_, openLibrary(file_));
  if (!library_) {
    return {};
  }
  const Library &cuda = *library_;
  int count = 0;
  if (const CUresult result = cuda.cuDeviceGetCount(&count)) {
    return nativeFailure(ErrorCode::DriverMissing, result, "the NVIDIA driver lists no devices: {}",
                         describe(cuda, result));
  }
  const std::string driver = versionText(cuda);
  found_.clear();
  for (int number = 0; number < count; ++number) {
    CUdevice handle = 0;
    CUresult result = cuda.cuDeviceGet(&handle, number);
    Properties device(cuda, handle);
    if (result == kSuccess && isUsable(device)) {
      found_.push_back({handle, describeDevice(device, driver)});
    }
    result = result == kSuccess ? device.outcome() : result;
    if (result != kSuccess) {
      return nativeFailure(ErrorCode::DriverMissing, result, "cannot ask GPU {} what it is: {}",
                           number, describe(cuda, result));
    }
  }
  findPeers();
  return {};
}

void CudaDriver::findPeers() {
  for (Found &reader : found_) {
    for (std::size_t owner = 0; owner < found_.size(); ++owner) {
      int reaches = 0;
      const bool isAnswered = library_->cuDeviceCanAccessPeer(&reaches, reader.handle,
                                                              found_[owner].handle) == kSuccess;
      if (isAnswered && reaches != 0 && &reader != &found_[owner]) {
        reader.info.reaches.push_back(owner);
      }
    }
  }
}

Result<std::unique_ptr<Device>> CudaDriver::open(std::size_t index, const Segments &window) {
  TUTTI_TRY(list());
  if (index >= found_.size()) {
    return failure(ErrorCode::InvalidArgument, "there is no GPU {}: there are {}", index,
                   found_.size());
  }
  const Found &found = found_[index];
  Properties device(*library_, found.handle);
  if (device.attribute(kHasVirtualMemory) == 0) {
    return failure(ErrorCode::NotSupported,
                   "GPU {} ({}) has no virtual memory management, which the mirror needs",
                   found.handle, found.info.name);
  }
  std::unique_ptr<CudaDevice> opened;
  TUTTI_ASSIGN(opened, CudaDevice::open(library_, found.handle, found.info, window, peers_));
  return opened;
}

} // namespace tutti::device::cuda
