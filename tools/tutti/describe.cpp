// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tutti/describe.h"

#include "base/format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/tutti/selection.h"

namespace tutti::tools {

namespace {

std::string sizeText(std::uint64_t bytes) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGiB);
}

std::string nameOf(const Machine &machine, const Choice &choice) {
  return fmt::format("{} {}", machine.backends[choice.backend].name, choice.index);
}

/// "cuda 0, cuda 2", or "cores only".
std::string namesOf(const Machine &machine, const std::vector<Choice> &choices) {
  std::string text;
  for (const Choice &choice : choices) {
    text += (text.empty() ? "" : ", ") + nameOf(machine, choice);
  }
  return text.empty() ? "cores only" : text;
}

void addDevices(std::string &text, const Machine &machine) {
  bool isFirst = true;
  const auto line = [&](const std::string &words) {
    text += fmt::format("  {:8} {}\n", isFirst ? "devices" : "", words);
    isFirst = false;
  };
  for (const Backend &backend : machine.backends) {
    if (!backend.problem.empty()) {
      line(fmt::format("{}: {}", backend.name, backend.problem));
    }
    for (std::size_t index = 0; index < backend.devices.size(); ++index) {
      const device::Info &info = backend.devices[index];
      line(fmt::format("{} {}: {}, {}, {}, {} units{}{} ({})", backend.name, index, info.name,
                       info.isGpu ? "GPU" : "no GPU", sizeText(info.memory), info.units,
                       info.hasFp64 ? "" : ", no doubles",
                       info.identity.empty() ? "" : ", " + info.identity, info.driver));
    }
  }
  if (isFirst) {
    line("none");
  }
}

nlohmann::json jsonOf(const device::Info &info, const std::string &backend, std::size_t index) {
  return {{"backend", backend},
          {"index", index},
          {"name", info.name},
          {"driver", info.driver},
          {"identity", info.identity},
          {"gpu", info.isGpu},
          {"doubles", info.hasFp64},
          {"memory", info.memory},
          {"units", info.units},
          {"max_group", info.maxGroup},
          {"local_memory", info.localBytes}};
}

} // namespace

std::string textOf(const Machine &machine, std::uint32_t wanted) {
  const Place &place = machine.place;
  const Cores &cores = machine.cores;
  std::string text = fmt::format("rank {} of {} on {}, {} of the {} there\n", place.rank,
                                 place.ranks, machine.host, place.local, place.locals);
  text +=
      fmt::format("  {:8} {} ({} cores, {} hardware threads, {} packages), {}\n", "cores",
                  cores.usable, cores.cores, cores.threads, cores.packages, sizeText(cores.memory));
  text += fmt::format("  {:8} {}\n", "MPI",
                      (machine.mpi.isThere ? "" : "cannot be loaded: ") + machine.mpi.text);
  addDevices(text, machine);
  const std::vector<Choice> shared = sharedDevices(machine.backends, wanted);
  text += fmt::format("  {:8} {}: {}\n", "uses", "TUTTI_DEVICE=" + nameOf(wanted),
                      namesOf(machine, ownDevices(shared, place)));
  const auto devices = static_cast<std::int64_t>(shared.size());
  if (devices > 0 && place.locals > devices) {
    text += fmt::format("  {:8} {} ranks share {} device{}\n", "", place.locals, devices,
                        devices > 1 ? "s" : "");
  }
  return text;
}

std::string jsonOf(const Machine &machine, std::uint32_t wanted) {
  const Place &place = machine.place;
  const Cores &cores = machine.cores;
  nlohmann::json json = {{"host", machine.host},
                         {"rank", place.rank},
                         {"ranks", place.ranks},
                         {"local_rank", place.local},
                         {"local_ranks", place.locals},
                         {"cores",
                          {{"usable", cores.usable},
                           {"cores", cores.cores},
                           {"threads", cores.threads},
                           {"packages", cores.packages}}},
                         {"memory", cores.memory},
                         {"mpi", {{"loadable", machine.mpi.isThere}, {"text", machine.mpi.text}}},
                         {"wanted", nameOf(wanted)},
                         {"devices", nlohmann::json::array()},
                         {"problems", nlohmann::json::object()},
                         {"uses", nlohmann::json::array()}};
  for (const Backend &backend : machine.backends) {
    if (!backend.problem.empty()) {
      json["problems"][backend.name] = backend.problem;
    }
    for (std::size_t index = 0; index < backend.devices.size(); ++index) {
      json["devices"].push_back(jsonOf(backend.devices[index], backend.name, index));
    }
  }
  for (const Choice &own : ownDevices(sharedDevices(machine.backends, wanted), place)) {
    json["uses"].push_back(nameOf(machine, own));
  }
  return json.dump() + "\n";
}

} // namespace tutti::tools
