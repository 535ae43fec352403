// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/device.h"
#include "runtime/device/opencl/library.h"
#include "runtime/device/opencl/opencl.h"
#include "runtime/device/opencl/status.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace tutti::device::opencl {

namespace {

/// No limit of OpenCL; what all drivers take.
constexpr std::array<std::uint64_t, 3> kMaxGroups{(std::uint64_t{1} << 31) - 1, 65535, 65535};

constexpr std::array<std::string_view, 1> kSettings{"TUTTI_OPENCL_ARENA"};

/// Reads properties of one device; what cannot be read is 0 or empty.
class Properties {
public:
  Properties(const Library &library, DeviceId device) : library_(library), device_(device) {}

  template <typename T> T value(Uint name) const {
    T value{};
    const Int code = library_.getDeviceInfo(device_, name, sizeof value, &value, nullptr);
    return code == kSuccess ? value : T{};
  }

  std::string text(Uint name) const {
    Size size = 0;
    if (library_.getDeviceInfo(device_, name, 0, nullptr, &size) != kSuccess || size == 0) {
      return {};
    }
    std::string text(size, '\0');
    if (library_.getDeviceInfo(device_, name, size, text.data(), nullptr) != kSuccess) {
      return {};
    }
    text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }

  bool hasExtension(std::string_view name) const {
    const std::string all = " " + text(kDeviceExtensions) + " ";
    return all.find(fmt::format(" {} ", name)) != std::string::npos;
  }

private:
  const Library &library_;
  DeviceId device_;
};

std::string platformName(const Library &library, PlatformId platform) {
  std::array<char, 256> name{};
  library.getPlatformInfo(platform, kPlatformName, name.size() - 1, name.data(), nullptr);
  return name.data();
}

/// Whether the device is of OpenCL 1.2 or later: "OpenCL 3.0 ...".
bool isRecent(const std::string &version) {
  constexpr std::string_view kPrefix = "OpenCL ";
  return version.starts_with(kPrefix) && version.substr(kPrefix.size()) >= "1.2";
}

/// Whether it does all that this backend needs.
bool conforms(const Properties &device) {
  return device.value<Uint>(kDeviceAvailable) != 0 && device.value<Uint>(kDeviceHasCompiler) != 0 &&
         device.value<Uint>(kDeviceLittleEndian) != 0 &&
         device.value<Uint>(kDeviceAddressBits) == 64 &&
         (device.value<Ulong>(kDeviceType) & kDeviceTypeCustom) == 0 &&
         device.text(kDeviceProfile) == "FULL_PROFILE" && isRecent(device.text(kDeviceVersion));
}

/// "pci:0000:41:00.0", as for the other backends, so that the same GPU is known again; else the
/// place among the platform's devices.
std::string identityOf(const Properties &device, const std::string &platform, std::size_t index) {
  if (device.hasExtension("cl_khr_pci_bus_info")) {
    const auto pci = device.value<PciBusInfo>(kDevicePciBusInfo);
    return fmt::format("pci:{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.device,
                       pci.function);
  }
  if (device.hasExtension("cl_nv_device_attribute_query")) {
    return fmt::format("pci:{:04x}:{:02x}:{:02x}.0", device.value<Uint>(kDevicePciDomainNv),
                       device.value<Uint>(kDevicePciBusNv), device.value<Uint>(kDevicePciSlotNv));
  }
  return fmt::format("opencl:{}:{}", platform, index);
}

Found describe(const Library &library, PlatformId platform, DeviceId id, std::size_t index) {
  const Properties device(library, id);
  const std::string name = platformName(library, platform);
  const auto itemSizes = device.value<std::array<Size, 3>>(kDeviceMaxItemSizes);
  Found found{.platform = platform, .device = id, .info = {}};
  Info &info = found.info;
  info.name = device.text(kDeviceName);
  info.driver = fmt::format("{} {}", name, device.text(kDriverVersion));
  info.identity = identityOf(device, name, index);
  info.format = TUTTI_KERNEL_OPENCL_C;
  info.vendor = device.value<Uint>(kDeviceVendor);
  info.isGpu = (device.value<Ulong>(kDeviceType) & kDeviceTypeGpu) != 0;
  info.hasFp64 = device.value<Ulong>(kDeviceDoubleConfig) != 0;
  found.memory = device.value<Ulong>(kDeviceGlobalMemory);
  found.largestBuffer = device.value<Ulong>(kDeviceMaxAllocation);
  info.memory = std::min(found.memory, found.largestBuffer);
  info.units = device.value<Uint>(kDeviceMaxComputeUnits);
  info.maxGroup = static_cast<std::uint32_t>(device.value<Size>(kDeviceMaxGroupSize));
  info.localBytes = device.value<Ulong>(kDeviceLocalMemory);
  info.maxGroups = kMaxGroups;
  for (std::size_t d = 0; d < 3; ++d) {
    info.maxGroupOf[d] = static_cast<std::uint32_t>(itemSizes[d]);
  }
  found.dividesExactly = (device.value<Ulong>(kDeviceSingleConfig) & kCorrectlyRoundedDivide) != 0;
  return found;
}

class OpenclDriver final : public Driver {
public:
  std::string_view name() const override { return "opencl"; }

  Result<std::vector<Info>> list() override {
    TUTTI_TRY(find());
    std::vector<Info> infos;
    for (const Found &found : found_) {
      infos.push_back(found.info);
    }
    return infos;
  }

  Result<std::unique_ptr<Device>> open(std::size_t index, const Segments &window) override {
    TUTTI_TRY(find());
    if (index >= found_.size()) {
      return failure(ErrorCode::InvalidArgument, "OpenCL device {} of {}", index, found_.size());
    }
    return OpenclDevice::open(*library_, found_[index], window);
  }

private:
  /// Once; a failure is tried again.
  Status find() {
    if (library_) {
      return {};
    }
    const Result<const Library *> library = openLibrary();
    if (!library) {
      return library.error();
    }
    if (!*library) {
      return {};
    }
    Uint count = 0;
    const Int code = (*library)->getPlatformIds(0, nullptr, &count);
    if (code != kSuccess && code != kPlatformNotFound) {
      return nativeFailure(ErrorCode::DriverMissing, code, "clGetPlatformIDs: {}", nameOf(code));
    }
    std::vector<PlatformId> platforms(code == kSuccess ? count : 0);
    if (!platforms.empty()) {
      (*library)->getPlatformIds(count, platforms.data(), nullptr);
    }
    library_ = *library;
    for (PlatformId platform : platforms) {
      findOn(platform);
    }
    return {};
  }

  /// A platform whose driver fails has no devices: others may.
  void findOn(PlatformId platform) {
    Uint count = 0;
    if (library_->getDeviceIds(platform, kDeviceTypeAll, 0, nullptr, &count) != kSuccess) {
      return;
    }
    std::vector<DeviceId> devices(count);
    if (library_->getDeviceIds(platform, kDeviceTypeAll, count, devices.data(), nullptr) !=
        kSuccess) {
      return;
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (conforms(Properties(*library_, devices[i]))) {
        found_.push_back(describe(*library_, platform, devices[i], i));
      }
    }
  }

  const Library *library_ = nullptr;
  std::vector<Found> found_;
};

} // namespace

bool hasOtherGpus(std::span<const std::string> known, const std::filesystem::path &root) {
  std::error_code error;
  for (const auto &node : std::filesystem::directory_iterator(root / "dev/dri", error)) {
    const std::string name = node.path().filename();
    if (!name.starts_with("renderD") || access(node.path().c_str(), R_OK | W_OK) != 0) {
      continue;
    }
    const auto device = std::filesystem::canonical(root / "sys/class/drm" / name / "device", error);
    if (error || std::ranges::find(known, "pci:" + device.filename().string()) == known.end()) {
      return true;
    }
  }
  return false;
}

// The driver takes long to start, and may have no GPU: who wants it asks for it.
constinit const Backend kBackend{
    .name = "opencl",
    .kind = TUTTI_DEVICE_OPENCL,
    .vendors = Vendors::All,
    .settings = kSettings,
    .mayHaveGpus = nullptr,
    .mayAddGpus = [](std::span<const std::string> known) { return hasOtherGpus(known, "/"); },
    .makeDriver = []() -> std::unique_ptr<Driver> { return std::make_unique<OpenclDriver>(); }};

} // namespace tutti::device::opencl
