// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tutti/describe.h"

#include "base/format.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

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

/// Backends and numbers, or "cores only".
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

const device::Info &infoOf(const Machine &machine, const Choice &choice) {
  return machine.backends[choice.backend].devices[choice.index];
}

/// Those of `used` from which `reader` copies directly.
std::vector<Choice> reachedBy(const Machine &machine, const Choice &reader,
                              const std::vector<Choice> &used) {
  std::vector<Choice> reached;
  std::ranges::copy_if(used, std::back_inserter(reached), [&](const Choice &owner) {
    return owner.backend == reader.backend &&
           std::ranges::binary_search(infoOf(machine, reader).reaches, owner.index);
  });
  return reached;
}

/// How data gets from one device to another: inside a rank, and between ranks.
void addSharing(std::string &text, const Machine &machine, const std::vector<Choice> &used) {
  const char *title = "peers";
  for (const Choice &reader : used) {
    const std::vector<Choice> reached = reachedBy(machine, reader, used);
    if (used.size() > 1) {
      text +=
          fmt::format("  {:8} {} copies {}\n", std::exchange(title, ""), nameOf(machine, reader),
                      reached.empty() ? "from others through the host only"
                                      : "directly from " + namesOf(machine, reached));
    }
  }
  std::vector<Choice> lenders;
  std::ranges::copy_if(used, std::back_inserter(lenders),
                       [&](const Choice &choice) { return infoOf(machine, choice).sharesMemory; });
  if (used.size() > 1 || (!used.empty() && machine.place.locals > 1)) {
    text += fmt::format("  {:8} {}\n", "lends",
                        lenders.empty() ? "nothing: data goes to devices of other ranks through "
                                          "the hosts"
                                        : "memory of " + namesOf(machine, lenders) +
                                              " to other ranks here, as the driver says; each run "
                                              "tries it");
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
          {"local_memory", info.localBytes},
          {"reaches", info.reaches},
          {"shares_memory", info.sharesMemory}};
}

} // namespace

std::string textOf(const Machine &machine, const device::Wish &wanted) {
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
  text += fmt::format("  {:8} {}: {}\n", "uses", "TUTTI_DEVICE=" + device::textOf(wanted),
                      namesOf(machine, ownDevices(shared, place)));
  if (const std::int64_t sharers = device::sharersOf(shared.size(), place.local, place.locals);
      sharers > 1) {
    text += fmt::format("  {:8} {} ranks here share it, each with 1/{} of its memory\n", "",
                        sharers, sharers);
  }
  addSharing(text, machine, shared);
  return text;
}

std::string jsonOf(const Machine &machine, const device::Wish &wanted) {
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
                         {"wanted", device::textOf(wanted)},
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
  const std::vector<Choice> shared = sharedDevices(machine.backends, wanted);
  for (const Choice &own : ownDevices(shared, place)) {
    json["uses"].push_back(nameOf(machine, own));
  }
  json["sharers"] = device::sharersOf(shared.size(), place.local, place.locals);
  return json.dump() + "\n";
}

} // namespace tutti::tools
