// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/region_sums.h"

#include "runtime/transport/gather.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace tutti::entry {

namespace {

using trace::RegionReport;

/// A report without its texts, which follow it.
struct Numbers {
  std::uint64_t launches;
  std::uint64_t distributed;
  std::uint64_t onDevices;
  std::uint64_t steadyLaunches;
  double seconds;
  double secondsHome;
  double secondsAway;
  double secondsInstead;
  double steadySeconds;
  std::array<std::uint64_t, 3> lengths;
};

void write(std::vector<std::byte> &bytes, std::span<const std::byte> what) {
  bytes.insert(bytes.end(), what.begin(), what.end());
}

std::vector<std::byte> written(std::span<const RegionReport> regions) {
  std::vector<std::byte> bytes;
  for (const RegionReport &region : regions) {
    const std::array<std::string_view, 3> texts{region.source, region.reasonHome,
                                                region.reasonNoDevice};
    const Numbers numbers{
        region.launches,      region.distributed,
        region.onDevices,     region.steadyLaunches,
        region.seconds,       region.secondsHome,
        region.secondsAway,   region.secondsInstead,
        region.steadySeconds, {texts[0].size(), texts[1].size(), texts[2].size()}};
    write(bytes, std::as_bytes(std::span(&numbers, 1)));
    for (const std::string_view text : texts) {
      write(bytes, std::as_bytes(std::span(text)));
    }
  }
  return bytes;
}

/// Takes the first one off. Its source lives as long as the bytes do.
RegionReport read(std::span<const std::byte> &bytes) {
  Numbers numbers{};
  std::memcpy(&numbers, bytes.data(), sizeof numbers);
  bytes = bytes.subspan(sizeof numbers);
  std::array<std::string_view, 3> texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = {reinterpret_cast<const char *>(bytes.data()), numbers.lengths[i]};
    bytes = bytes.subspan(numbers.lengths[i]);
  }
  RegionReport region;
  region.source = texts[0];
  region.launches = numbers.launches;
  region.distributed = numbers.distributed;
  region.reasonHome = texts[1];
  region.onDevices = numbers.onDevices;
  region.reasonNoDevice = texts[2];
  region.seconds = numbers.seconds;
  region.secondsHome = numbers.secondsHome;
  region.secondsAway = numbers.secondsAway;
  region.secondsInstead = numbers.secondsInstead;
  region.steadyLaunches = numbers.steadyLaunches;
  region.steadySeconds = numbers.steadySeconds;
  return region;
}

} // namespace

Status RegionSums::gather(transport::Endpoint &endpoint, std::span<const RegionReport> own) {
  std::vector<std::byte> bytes = written(own);
  const std::uint64_t size = bytes.size();
  std::vector<std::uint64_t> sizes;
  TUTTI_ASSIGN(sizes, transport::gather(endpoint, size));
  const std::uint64_t longest = *std::ranges::max_element(sizes);
  bytes.resize(longest);
  std::vector<std::byte> all;
  TUTTI_ASSIGN(all, endpoint.allGather(bytes));
  for (std::size_t node = 0; node < sizes.size(); ++node) {
    std::span<const std::byte> rest = std::span(all).subspan(node * longest, sizes[node]);
    while (!rest.empty()) {
      add(read(rest));
    }
  }
  return {};
}

void RegionSums::add(const RegionReport &region) {
  const auto [found, isNew] = bySource_.try_emplace(std::string(region.source), region);
  RegionReport &sum = found->second;
  sum.source = found->first;
  if (!isNew) {
    sum.add(region);
  }
}

std::vector<RegionReport> RegionSums::all() const {
  trace::Report report;
  for (const auto &[source, region] : bySource_) {
    report.regions.push_back(region);
  }
  report.sortRegions();
  return std::move(report.regions);
}

} // namespace tutti::entry
