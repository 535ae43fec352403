// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/backends.h"
#include "base/options.h"
#include "runtime/device/mock/mock.h"

#include <array>
#include <utility>
#include <vector>

namespace tutti::device::mock {

namespace {

/// In place of the mock if its variables are wrong: says so when devices are listed.
class Misconfigured final : public Driver {
public:
  explicit Misconfigured(Error error) : error_(std::move(error)) {}

  std::string_view name() const override { return "mock"; }

  Result<std::vector<Info>> list() override { return error_; }

  Result<std::unique_ptr<Device>> open(std::size_t, const Segments &) override { return error_; }

private:
  Error error_;
};

constexpr std::array<std::string_view, 7> kSettings{
    "TUTTI_MOCK_DEVICES",     "TUTTI_MOCK_FORMAT", "TUTTI_MOCK_MEMORY", "TUTTI_MOCK_DELAY",
    "TUTTI_MOCK_FAIL_COMMIT", "TUTTI_MOCK_LOSE",   "TUTTI_MOCK_REFUSE"};

Result<MachinePlan> readPlan() {
  constexpr std::int64_t kMost = 1 << 30;
  std::vector<std::pair<std::string_view, tutti_kernel_format>> formats;
  for (const abi::KernelFormat &format : abi::kKernelFormats) {
    formats.emplace_back(format.name, format.number);
  }
  MachinePlan plan;
  Options options = Options::fromEnvironment();
  const auto devices = options.integer("TUTTI_MOCK_DEVICES", 0, 0, 64);
  const auto format =
      options.choice<tutti_kernel_format>("TUTTI_MOCK_FORMAT", plan.format, formats);
  const auto memory = options.size("TUTTI_MOCK_MEMORY", plan.memory);
  const auto delay = options.integer("TUTTI_MOCK_DELAY", 0, 0, kMost);
  const auto failCommit = options.integer("TUTTI_MOCK_FAIL_COMMIT", 0, 0, kMost);
  const auto lose = options.integer("TUTTI_MOCK_LOSE", 0, 0, kMost);
  const auto refuses = options.boolean("TUTTI_MOCK_REFUSE", false);
  TUTTI_TRY(devices);
  TUTTI_TRY(format);
  TUTTI_TRY(memory);
  TUTTI_TRY(delay);
  TUTTI_TRY(failCommit);
  TUTTI_TRY(lose);
  TUTTI_TRY(refuses);
  plan.devices = static_cast<std::size_t>(*devices);
  plan.format = *format;
  plan.memory = *memory;
  plan.delay = static_cast<std::uint32_t>(*delay);
  plan.failCommit = static_cast<std::uint64_t>(*failCommit);
  plan.lose = static_cast<std::uint64_t>(*lose);
  plan.refusesImages = *refuses;
  return plan;
}

} // namespace

constinit const Backend kBackend{.name = "mock",
                                 .kind = TUTTI_DEVICE_GPU,
                                 .vendors = Vendors::None,
                                 .settings = kSettings,
                                 .mayHaveGpus = nullptr,
                                 .mayAddGpus = nullptr,
                                 .makeDriver = makeDriver};

std::unique_ptr<Driver> makeDriver() {
  const Result<MachinePlan> plan = readPlan();
  if (!plan) {
    return std::make_unique<Misconfigured>(plan.error());
  }
  return plan->devices > 0 ? Machine(*plan).makeDriver() : nullptr;
}

} // namespace tutti::device::mock
