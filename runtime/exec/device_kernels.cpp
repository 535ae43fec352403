// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What devices run for launches: kernels, with their grids, arguments and partial results.
#include "runtime/device/grid.h"
#include "runtime/exec/devices.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tutti::exec {

namespace {

void setArguments(std::vector<std::uint64_t> &arguments, const Launch &launch) {
  const tutti_device_code &code = *launch.region->device;
  const std::span<const std::uint64_t> variables = variablesOf(launch);
  arguments.resize(variables.size() + launch.values.size() + code.symbols);
  auto at = std::ranges::copy(variables, arguments.begin()).out;
  at = std::ranges::copy(launch.values, at).out;
  for (const void *symbol : std::span(code.symbol, code.symbols)) {
    *at++ = reinterpret_cast<std::uint64_t>(symbol);
  }
}

device::GridWish wishOf(const Launch &launch, const KernelChoice &choice,
                        const device::Kernel &kernel) {
  const tutti_mapping &mapping = launch.region->device->mapping[choice.mapping];
  device::GridWish wish;
  wish.byGroups = (mapping.flags & TUTTI_MAPPING_GROUPS) != 0;
  wish.byTiles = (mapping.flags & TUTTI_MAPPING_TILES) != 0;
  wish.maxGroup = kernel.maxGroup();
  wish.partialBytes = launch.region->device->partial_bytes;
  if (const tutti_directive *directive = launch.region->directive) {
    for (std::size_t dimension = 0; dimension < 3; ++dimension) {
      wish.groups[dimension] = directive->grid[dimension];
      wish.group[dimension] = directive->block[dimension];
    }
  }
  return wish;
}

} // namespace

Status Devices::load(std::int32_t index, const Launch &launch, const balance::Chunk &chunk,
                     bool isDisjoint) {
  const auto choice = chooseKernel(launch, chunk, info(index).format, isDisjoint);
  return choice ? load(index, *launch.region, *choice->kernel) : Status();
}

Status Devices::load(std::int32_t index, const tutti_region &region, const tutti_kernel &kernel) {
  return request(index, [&](Lane &lane) -> Status {
    const Result<Loaded *> loaded = this->loaded(lane, region, kernel);
    return loaded ? Status() : Status(loaded.error());
  });
}

/// A kernel of `region` with the combiner that belongs to it.
Result<Devices::Loaded *> Devices::loaded(Lane &lane, const tutti_region &region,
                                          const tutti_kernel &kernel) {
  if (const auto known = lane.loaded.find(&kernel); known != lane.loaded.end()) {
    return &known->second;
  }
  Loaded loaded;
  TUTTI_ASSIGN(loaded.kernel, lane.device->load(kernel));
  if (const tutti_kernel *combiner = combinerOf(region, lane.device->info().format)) {
    TUTTI_ASSIGN(loaded.combiner, lane.device->load(*combiner));
  }
  return &lane.loaded.emplace(&kernel, loaded).first->second;
}

/// Of the kernel and of what combines its partial results.
void Devices::setGrids(Lane &lane, const Launch &launch, const KernelChoice &choice) {
  Loaded &loaded = *lane.latest;
  if (!loaded.grid || loaded.extents != choice.extents) {
    const device::Info &info = lane.device->info();
    device::GridWish wish = wishOf(launch, choice, *loaded.kernel);
    wish.hasCombiner = loaded.combiner != nullptr;
    loaded.extents = choice.extents;
    loaded.grid = device::gridFor(choice.used(), info, wish);
    loaded.combinerGrid.reset();
    if (loaded.combiner) {
      loaded.combinerGrid = device::combinerGridFor(
          loaded.grid->groupCount(), info,
          {.maxGroup = loaded.combiner->maxGroup(),
           .partialBytes = wish.partialBytes,
           .isBeside = lane.kernels > 0}); // A border: its interior has been given before.
    }
  }
  lane.launch.grid = *loaded.grid;
  lane.launch.combiner = nullptr;
  if (loaded.combinerGrid) {
    lane.launch.combiner = loaded.combiner;
    lane.launch.combinerGrid = *loaded.combinerGrid;
  }
}

/// For the next kernel of a run.
Status Devices::reservePartials(Lane &lane) {
  device::KernelLaunch &kernel = lane.launch;
  if (lane.partials.size() == lane.kernels) {
    lane.partials.emplace_back();
  }
  Partials &partials = lane.partials[lane.kernels];
  partials.bytes = kernel.partialBytes * kernel.partialCount();
  if (partials.bytes > 0 &&
      (!partials.memory || partials.memory->bytes().size() < partials.bytes)) {
    TUTTI_ASSIGN(partials.memory, lane.device->makeHostBuffer(partials.bytes));
  }
  kernel.partials = partials.bytes > 0 ? partials.memory.get() : nullptr;
  return {};
}

Result<device::KernelLaunch> Devices::kernelFor(std::int32_t index, const Launch &launch,
                                                bool isDisjoint) {
  TUTTI_TRY(requireAlive(index));
  const device::Info &info = this->info(index);
  const auto choice = chooseKernel(launch, {0, launch.total}, info.format, isDisjoint);
  if (!choice) {
    return failure(ErrorCode::NotSupported, "the loop at {} has no kernel for {}",
                   launch.region->source, info.name);
  }
  Loaded *loaded = nullptr;
  TUTTI_ASSIGN(loaded, this->loaded(lane(index), *launch.region, *choice->kernel));
  device::KernelLaunch kernel;
  kernel.kernel = loaded->kernel;
  device::GridWish wish = wishOf(launch, *choice, *loaded->kernel);
  // Procedures mostly do little for an element, and find out first where many fragments lie. Loops
  // that do more take longer so.
  constexpr std::uint32_t kIterations = 2;
  wish.iterations = kIterations;
  kernel.grid = device::gridFor(choice->used(), info, wish);
  kernel.upper = launch.total;
  kernel.total = launch.total;
  setArguments(kernel.arguments, launch);
  return kernel;
}

Result<device::Kernel *> Devices::find(std::int32_t index, const tutti_task_kernel &kernel) {
  TUTTI_TRY(requireAlive(index));
  return lane(index).device->find(kernel);
}

Status Devices::run(const DevicePart &part, const Launch &launch, bool isDisjoint) {
  if (launch.task) {
    runTask(*launch.task);
    return {};
  }
  return attempt(part.device, [&](Lane &lane) -> Status {
    if (std::exchange(lane.isApart, false)) {
      return runBorders(lane, part, launch, isDisjoint);
    }
    TUTTI_TRY(give(lane));
    changed(lane, part.touched);
    lane.kernels = 0;
    return runOn(lane, *lane.queue, launch, part.chunk, isDisjoint);
  });
}

Status Devices::runStreamed(const DevicePart &part, const Launch &launch, bool isDisjoint) {
  return attempt(part.device, [&](Lane &lane) -> Status {
    CopyLanes *copies = nullptr;
    TUTTI_ASSIGN(copies, copiesOf(lane));
    TUTTI_TRY(copies->beforeKernel(part.touched, part.writes));
    ++lane.given;
    lane.kernels = 0;
    TUTTI_TRY(runOn(lane, *lane.queue, launch, part.chunk, isDisjoint));
    return copies->afterKernel(part.touched);
  });
}

Status Devices::runOn(Lane &lane, device::Queue &queue, const Launch &launch,
                      const balance::Chunk &chunk, bool isDisjoint) {
  const device::Info &info = lane.device->info();
  const auto choice = chooseKernel(launch, chunk, info.format, isDisjoint);
  if (!choice) {
    return failure(ErrorCode::NotSupported, "the loop at {} has no kernel for {}",
                   launch.region->source, info.name);
  }
  TUTTI_ASSIGN(lane.latest, loaded(lane, *launch.region, *choice->kernel));
  setGrids(lane, launch, *choice);
  device::KernelLaunch &kernel = lane.launch;
  kernel.kernel = lane.latest->kernel;
  kernel.lower = chunk.lower;
  kernel.upper = chunk.upper;
  kernel.total = launch.total;
  kernel.partialBytes = launch.region->device->partial_bytes;
  setArguments(kernel.arguments, launch);
  TUTTI_TRY(reservePartials(lane));
  TUTTI_TRY(queue.launch(kernel));
  ++counters_.kernels;
  counters_.partialBytes += lane.partials[lane.kernels++].bytes;
  return {};
}

void Devices::forPartials(std::int32_t index,
                          const std::function<void(std::span<std::byte>)> &visit) {
  const Lane &lane = this->lane(index);
  for (const Partials &partials : std::span(lane.partials).first(lane.kernels)) {
    if (partials.bytes > 0) {
      visit(partials.memory->bytes().first(partials.bytes));
    }
  }
}

bool Devices::isUntried(std::int32_t index) const {
  const Lane &lane = this->lane(index);
  return !lane.latest || !lane.latest->isTried;
}

} // namespace tutti::exec
