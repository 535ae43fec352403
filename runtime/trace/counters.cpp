// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/counters.h"

#include "base/format.h"
#include "runtime/trace/json_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>

namespace tutti::trace {

namespace {

struct Launches {
  std::uint64_t all = 0;
  std::uint64_t distributed = 0;
};

Launches launchesOf(const Report &report) {
  Launches launches;
  for (const RegionReport &region : report.regions) {
    launches.all += region.launches;
    launches.distributed += region.distributed;
  }
  return launches;
}

std::string moved(std::uint64_t bytes, std::uint64_t messages) {
  return fmt::format("{:>16} bytes in {} messages", bytes, messages);
}

/// Takes the number behind the last colon off `source`; 0 if there is none.
std::uint64_t takeNumber(std::string_view &source) {
  const std::size_t colon = source.rfind(':');
  std::uint64_t number = 0;
  if (colon != std::string_view::npos) {
    const char *end = source.data() + source.size();
    const auto [rest, error] = std::from_chars(source.data() + colon + 1, end, number);
    if (error == std::errc() && rest == end) {
      source = source.substr(0, colon);
      return number;
    }
  }
  return 0;
}

/// `file:line:column`, to be compared.
std::tuple<std::string_view, std::uint64_t, std::uint64_t> placeOf(const RegionReport &region) {
  std::string_view file = region.source;
  const std::uint64_t column = takeNumber(file);
  const std::uint64_t line = takeNumber(file);
  return {file, line, column};
}

} // namespace

void RegionReport::add(const RegionReport &other) {
  launches += other.launches;
  distributed += other.distributed;
  onDevices += other.onDevices;
  seconds += other.seconds;
  secondsHome += other.secondsHome;
  secondsAway += other.secondsAway;
  secondsInstead += other.secondsInstead;
  steadyLaunches += other.steadyLaunches;
  steadySeconds += other.steadySeconds;
  if (reasonHome.empty()) {
    reasonHome = other.reasonHome;
  }
  if (reasonNoDevice.empty()) {
    reasonNoDevice = other.reasonNoDevice;
  }
}

void Report::sortRegions() {
  std::sort(regions.begin(), regions.end(),
            [](const RegionReport &a, const RegionReport &b) { return placeOf(a) < placeOf(b); });
}

std::string asText(const Report &report) {
  const Counters &c = report.counters;
  const Launches launches = launchesOf(report);
  std::string out;
  const auto line = [&out](std::string_view name, const std::string &value) {
    fmt::format_to(std::back_inserter(out), "tutti:   {:<14}{}\n", name, value);
  };
  fmt::format_to(std::back_inserter(out), "tutti: {} {}, {} launches: {} distributed, {} home\n",
                 report.ranks, report.ranks == 1 ? "rank" : "ranks", launches.all,
                 launches.distributed, launches.all - launches.distributed);
  line("exchange", moved(c.exchangeBytes, c.exchangeMessages));
  line("reduction", moved(c.reductionBytes, c.reductionMessages));
  line("fetch", moved(c.fetchBytes, c.fetchMessages));
  line("twin", moved(c.twinBytes, c.twinMessages));
  line("merge", moved(c.mergeBytes, c.mergeMessages));
  if (c.fragmentCalls > 0) {
    line("fragments",
         fmt::format("{} calls, {} data fragments, {} at a time, {} pushed", c.fragmentCalls,
                     c.fragmentsMade, c.fragmentsPeak, c.fragmentPushes));
  }
  if (c.fragmentDeviceCalls > 0) {
    line("device calls",
         fmt::format("{} and {} repeated; bytes of borders {}, of drag {}, of spills {} ({})",
                     c.fragmentDeviceCalls, c.fragmentRepeats, c.fragmentBorderBytes,
                     c.fragmentDragBytes, c.fragmentSpillBytes, c.fragmentSpills));
  }
  if (c.movesPlanned > 0 || c.collectives > 0 || c.syncCopies > 0) {
    line("reflect", moved(c.reflectBytes, c.reflectMessages));
    line("reflect acc", moved(c.reflectCopyBytes, c.reflectCopyMessages));
    line("replicate_sync", fmt::format("{:>16} bytes in {} copies", c.syncBytes, c.syncCopies));
    line("gmove", moved(c.gmoveBytes, c.gmoveMessages));
    line("collectives", fmt::format("{:>16} bytes in {}", c.collectiveBytes, c.collectives));
  }
  if (c.kernels > 0) {
    const auto copied = [](std::uint64_t bytes, std::uint64_t copies) {
      return fmt::format("{:>16} bytes in {} copies", bytes, copies);
    };
    line("kernels", fmt::format("{:>16}", c.kernels));
    line("to devices", copied(c.deviceInBytes, c.deviceInCopies));
    line("from devices", copied(c.deviceOutBytes, c.deviceOutCopies));
    line("host time",
         fmt::format("{:>16.6f} s to start copies, {:.6f} s to start kernels, {:.6f} s waiting for "
                     "devices",
                     1e-9 * static_cast<double>(c.copyNanoseconds),
                     1e-9 * static_cast<double>(c.kernelNanoseconds),
                     1e-9 * static_cast<double>(c.waitNanoseconds)));
    line("device to device", copied(c.devicePeerBytes, c.devicePeerCopies));
    if (report.devicePairs > 0) {
      line("rank to rank", copied(c.deviceForeignBytes, c.deviceForeignCopies) +
                               fmt::format("; {} of {} pairs of devices share memory",
                                           report.routes, report.devicePairs));
    }
    line("evicted", fmt::format("{:>16} bytes, {} of them copied to hosts", c.evictedBytes,
                                c.evictedOutBytes));
    if (c.salvagedBytes > 0) {
      line("salvaged", fmt::format("{:>16} bytes of lost devices", c.salvagedBytes));
    }
    line("streamed", fmt::format("{:>16} portions of launches", c.portions));
  }
  line("control", fmt::format("{:>16} messages", c.controlMessages));
  line("faults", fmt::format("{:>16}", c.faults));
  line("protections", fmt::format("{:>16}", c.protections));
  if (c.recuts > 0) {
    line("borders", fmt::format("{:>16} times moved to where all parts take as long", c.recuts));
  }
  for (const RegionReport &region : report.regions) {
    fmt::format_to(std::back_inserter(out),
                   "tutti:   {:<32} {:>8} launches, {} distributed{}, {:.3f} s{}{}{}{}\n",
                   region.source, region.launches, region.distributed,
                   region.onDevices > 0 ? fmt::format(", {} on devices", region.onDevices) : "",
                   region.seconds, region.reasonHome.empty() ? "" : "; home: ", region.reasonHome,
                   region.reasonNoDevice.empty() ? "" : "; no device: ", region.reasonNoDevice);
  }
  return out;
}

std::string asJson(const Report &report) {
  const Counters &c = report.counters;
  const Launches launches = launchesOf(report);
  std::string regions;
  for (const RegionReport &region : report.regions) {
    fmt::format_to(std::back_inserter(regions),
                   "{}{{\"source\":{},\"launches\":{},\"distributed\":{},\"home\":{},"
                   "\"reason\":{},\"onDevices\":{},\"noDevice\":{},\"seconds\":{:.9f},"
                   "\"steady\":{{\"launches\":{},\"seconds\":{:.9f}}}}}",
                   regions.empty() ? "" : ",", quoted(region.source), region.launches,
                   region.distributed, region.launches - region.distributed,
                   region.reasonHome.empty() ? "null" : quoted(region.reasonHome), region.onDevices,
                   region.reasonNoDevice.empty() ? "null" : quoted(region.reasonNoDevice),
                   region.seconds, region.steadyLaunches, region.steadySeconds);
  }
  const auto copies = [](std::string_view name, std::uint64_t bytes, std::uint64_t count) {
    return fmt::format("\"{}\":{{\"bytes\":{},\"copies\":{}}}", name, bytes, count);
  };
  const std::string devices = fmt::format(
      "\"devices\":{{\"kernels\":{},{},{},{},{},\"pairs\":{{\"all\":{},\"shared\":{}}},"
      "\"evicted\":{{\"bytes\":{},\"copied\":{}}},\"salvaged\":{},\"portions\":{},"
      "\"partialBytes\":{},"
      "\"seconds\":{{\"copies\":{:.6f},\"kernels\":{:.6f},\"waiting\":{:.6f}}}}}",
      c.kernels, copies("in", c.deviceInBytes, c.deviceInCopies),
      copies("out", c.deviceOutBytes, c.deviceOutCopies),
      copies("peer", c.devicePeerBytes, c.devicePeerCopies),
      copies("foreign", c.deviceForeignBytes, c.deviceForeignCopies), report.devicePairs,
      report.routes, c.evictedBytes, c.evictedOutBytes, c.salvagedBytes, c.portions, c.partialBytes,
      1e-9 * static_cast<double>(c.copyNanoseconds),
      1e-9 * static_cast<double>(c.kernelNanoseconds),
      1e-9 * static_cast<double>(c.waitNanoseconds));
  const auto kind = [](std::string_view name, std::uint64_t bytes, std::uint64_t messages) {
    return fmt::format("\"{}\":{{\"bytes\":{},\"messages\":{}}}", name, bytes, messages);
  };
  return fmt::format(
      "{{\"ranks\":{},\"launches\":{},\"distributed\":{},\"home\":{},\"bytes\":{},\"messages\":{},"
      "{},{},{},{},{},{},\"control\":{},\"faults\":{},\"protections\":{},"
      "\"plans\":{{\"made\":{},\"reused\":{},\"inPlace\":{}}},\"recuts\":{},"
      "\"nodes\":{{{},{},{},{},{},\"groups\":{},\"moves\":{{\"made\":{},\"reused\":{}}}}},"
      "\"fragments\":{{\"calls\":{},\"made\":{},\"peak\":{},\"peakBytes\":{},\"unfolded\":{},{},"
      "\"control\":{},\"devices\":{{\"calls\":{},\"repeats\":{},\"border\":{},\"drag\":{},"
      "\"spill\":{},"
      "\"spills\":{}}}}},"
      "\"steady\":{{{},{},\"faults\":{},\"protections\":{}}},\"regions\":[{}]}}",
      report.ranks, launches.all, launches.distributed, launches.all - launches.distributed,
      c.exchangeBytes + c.reductionBytes + c.fetchBytes + c.twinBytes + c.mergeBytes,
      c.exchangeMessages + c.reductionMessages + c.fetchMessages + c.twinMessages + c.mergeMessages,
      kind("exchange", c.exchangeBytes, c.exchangeMessages),
      kind("reduction", c.reductionBytes, c.reductionMessages),
      kind("fetch", c.fetchBytes, c.fetchMessages), kind("twin", c.twinBytes, c.twinMessages),
      kind("merge", c.mergeBytes, c.mergeMessages), devices, c.controlMessages, c.faults,
      c.protections, c.plansMade, c.plansReused, c.plansInPlace, c.recuts,
      kind("reflect", c.reflectBytes, c.reflectMessages),
      kind("reflectAcc", c.reflectCopyBytes, c.reflectCopyMessages),
      copies("replicateSync", c.syncBytes, c.syncCopies),
      kind("gmove", c.gmoveBytes, c.gmoveMessages),
      kind("collectives", c.collectiveBytes, c.collectives), c.groupsMade, c.movesPlanned,
      c.movesReused, c.fragmentCalls, c.fragmentsMade, c.fragmentsPeak, c.fragmentBytesPeak,
      c.fragmentsUnfolded, kind("pushes", c.fragmentPushBytes, c.fragmentPushes),
      c.fragmentMessages, c.fragmentDeviceCalls, c.fragmentRepeats, c.fragmentBorderBytes,
      c.fragmentDragBytes, c.fragmentSpillBytes, c.fragmentSpills,
      kind("exchange", c.steadyExchangeBytes, c.steadyExchangeMessages),
      copies("devices", c.steadyDeviceBytes, c.steadyDeviceCopies), c.steadyFaults,
      c.steadyProtections, regions);
}

} // namespace tutti::trace
