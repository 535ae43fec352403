// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tutti/machine.h"

#include "runtime/device/backend.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <hwloc.h>
#include <initializer_list>
#include <unistd.h>
#include <utility>

namespace tutti::tools {

namespace {

/// The first of these variables that is set to a number, or `fallback`.
std::int64_t number(std::initializer_list<const char *> names, std::int64_t fallback) {
  for (const char *name : names) {
    const char *text = std::getenv(name);
    char *end = nullptr;
    const std::int64_t value = text ? std::strtoll(text, &end, 10) : 0;
    // "4(x2)" of Slurm is 4 here.
    if (text && end != text) {
      return value;
    }
  }
  return fallback;
}

/// Open MPI, MPICH and its relatives, Slurm.
Place findPlace() {
  Place place;
  place.ranks = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1);
  if (place.ranks < 2) {
    return {};
  }
  place.rank = number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0);
  place.local = number({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}, 0);
  place.locals = number(
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"}, place.ranks);
  return place;
}

Cores findCores() {
  Cores cores;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) {
    return cores;
  }
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(topology) == 0) {
    cores.packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
    cores.cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    cores.threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    cores.memory = hwloc_get_root_obj(topology)->total_memory;
    const hwloc_cpuset_t own = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topology, own, HWLOC_CPUBIND_PROCESS) == 0) {
      cores.usable = hwloc_bitmap_weight(own);
    }
    hwloc_bitmap_free(own);
  }
  hwloc_topology_destroy(topology);
  return cores;
}

/// The transport's library where it is installed, seen from this program.
std::string transportLibrary() {
  constexpr const char *kName = "libtutti_transport_mpi.so";
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path().parent_path() / "lib" / "tutti" / kName;
  return std::filesystem::exists(beside, error) ? beside.string() : kName;
}

Mpi findMpi() {
  void *library = ::dlopen(transportLibrary().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char *reason = ::dlerror();
    return {false, reason ? reason : "unknown reason"};
  }
  // May be called before MPI_Init, and the name is the same for every MPI.
  const auto version =
      reinterpret_cast<int (*)(char *, int *)>(::dlsym(library, "MPI_Get_library_version"));
  std::array<char, 16384> text{};
  int length = 0;
  if (!version || version(text.data(), &length) != 0) {
    return {true, "does not tell its version"};
  }
  const std::string words = text.data();
  return {true, words.substr(0, words.find('\n'))};
}

std::vector<Backend> findBackends() {
  std::vector<Backend> backends;
  for (const auto &driver : device::makeDrivers()) {
    Backend backend;
    backend.name = driver->name();
    if (auto infos = driver->list()) {
      backend.devices = *std::move(infos);
    } else {
      backend.problem = infos.error().message;
    }
    if (const device::Backend *known = device::findBackend(backend.name)) {
      backend.mayAddGpus = known->mayAddGpus;
    }
    backends.push_back(std::move(backend));
  }
  return backends;
}

} // namespace

Machine lookAround() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return {host.data(), findPlace(), findCores(), findMpi(), findBackends()};
}

} // namespace tutti::tools
