// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/devices.h"

#include "runtime/device/grid.h"
#include "runtime/exec/kernel_choice.h"

#include <utility>

namespace tutti::exec {

namespace {

void append(std::vector<std::uint64_t> &all, std::span<const std::uint64_t> more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<std::uint64_t> argumentsOf(const Launch &launch) {
  const tutti_device_code &code = *launch.region->device;
  std::vector<std::uint64_t> arguments;
  arguments.reserve(launch.captures.size() + launch.values.size() + code.symbols);
  append(arguments, launch.captures);
  append(arguments, launch.values);
  for (const void *symbol : std::span(code.symbol, code.symbols)) {
    arguments.push_back(reinterpret_cast<std::uint64_t>(symbol));
  }
  return arguments;
}

Status asStatus(const Result<device::Kernel *> &kernel) {
  return kernel ? Status() : Status(kernel.error());
}

device::GridWish wishOf(const Launch &launch, const device::Kernel &kernel) {
  device::GridWish wish;
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

Devices::Devices(std::vector<OpenDevice> opened, const memory::Window &window, const Rooms &rooms,
                 trace::Counters &counters)
    : window_(window), rooms_(rooms), counters_(counters) {
  for (OpenDevice &open : opened) {
    Lane lane;
    lane.device = std::move(open.device);
    lanes_.push_back(std::move(lane));
  }
}

Status Devices::commit(std::int32_t index, const RangeSet &units) {
  Lane &lane = this->lane(index);
  if (!lane.queue) {
    TUTTI_ASSIGN(lane.queue, lane.device->makeQueue());
  }
  const RangeSet missing = units.subtract(lane.committed);
  // One by one, as they will be given back.
  for (const Range &unit : rooms_.single(missing)) {
    if (Status status = lane.device->commit(unit); !status) {
      release(index, missing).ignore("the first failure is reported");
      return status;
    }
    lane.committed = lane.committed.unite(RangeSet::of({unit}));
  }
  return {};
}

Status Devices::release(std::int32_t index, const RangeSet &units) {
  Lane &lane = this->lane(index);
  const RangeSet given = units.intersect(lane.committed);
  lane.committed = lane.committed.subtract(given);
  for (const Range &range : given.ranges()) {
    TUTTI_TRY(lane.device->release(range));
  }
  return {};
}

Status Devices::copyIn(std::int32_t index, const RangeSet &bytes) {
  Lane &lane = this->lane(index);
  lane.isMarked = false;
  for (const Range &range : bytes.ranges()) {
    TUTTI_TRY(lane.queue->copyIn(bytesOf(range), range.begin));
  }
  counters_.deviceInBytes += bytes.bytes();
  counters_.deviceInCopies += bytes.ranges().size();
  return {};
}

Status Devices::copyOut(std::int32_t index, const RangeSet &bytes) {
  Lane &lane = this->lane(index);
  lane.isMarked = false;
  for (const Range &range : bytes.ranges()) {
    TUTTI_TRY(lane.queue->copyOut(range.begin, bytesOf(range)));
  }
  counters_.deviceOutBytes += bytes.bytes();
  counters_.deviceOutCopies += bytes.ranges().size();
  return {};
}

Status Devices::order(Lane &earlier, Lane &later) {
  std::unique_ptr<device::Event> event;
  TUTTI_ASSIGN(event, earlier.queue->record());
  TUTTI_TRY(later.queue->wait(*event));
  later.isMarked = false;
  earlier.awaited.push_back(std::move(event));
  return {};
}

Status Devices::copyAcross(std::int32_t from, std::int32_t to, const RangeSet &bytes) {
  Lane &source = lane(from);
  Lane &target = lane(to);
  if (isBusy(source)) {
    TUTTI_TRY(order(source, target));
  }
  target.isMarked = false;
  for (std::size_t done = 0; done < bytes.ranges().size(); ++done) {
    const Status status = target.queue->copyFrom(*source.device, bytes.ranges()[done]);
    if (!status && status.error().code == ErrorCode::NoRoute && done == 0) {
      TUTTI_TRY(copyOut(from, bytes));
      TUTTI_TRY(source.queue->finish());
      return copyIn(to, bytes);
    }
    TUTTI_TRY(status);
  }
  counters_.devicePeerBytes += bytes.bytes();
  counters_.devicePeerCopies += bytes.ranges().size();
  return order(target, source); // Its next kernel may write what is being copied.
}

Status Devices::load(std::int32_t index, const Launch &launch, const balance::Chunk &chunk,
                     bool isDisjoint) {
  Lane &lane = this->lane(index);
  const auto choice = chooseKernel(launch, chunk, lane.device->info().format, isDisjoint);
  return choice ? asStatus(lane.device->load(*choice->kernel)) : Status();
}

Status Devices::run(std::int32_t index, const Launch &launch, const balance::Chunk &chunk,
                    bool isDisjoint) {
  Lane &lane = this->lane(index);
  const device::Info &info = lane.device->info();
  const auto choice = chooseKernel(launch, chunk, info.format, isDisjoint);
  if (!choice) {
    return failure(ErrorCode::NotSupported, "the loop at {} has no kernel for {}",
                   launch.region->source, info.name);
  }
  device::KernelLaunch kernel;
  TUTTI_ASSIGN(kernel.kernel, lane.device->load(*choice->kernel));
  kernel.grid = device::gridFor(choice->used(), info, wishOf(launch, *kernel.kernel));
  kernel.lower = chunk.lower;
  kernel.upper = chunk.upper;
  kernel.total = launch.total;
  kernel.partialBytes = launch.region->device->partial_bytes;
  kernel.arguments = argumentsOf(launch);
  lane.partialBytes = kernel.partialBytes * kernel.grid.groupCount();
  if (lane.partialBytes > 0) {
    if (!lane.partials || lane.partials->bytes().size() < lane.partialBytes) {
      TUTTI_ASSIGN(lane.partials, lane.device->makeHostBuffer(lane.partialBytes));
    }
    kernel.partials = lane.partials.get();
  }
  lane.isMarked = false;
  lane.began = Clock::now();
  TUTTI_TRY(lane.queue->launch(kernel));
  ++counters_.kernels;
  counters_.partialBytes += lane.partialBytes;
  return {};
}

std::span<std::byte> Devices::partials(std::int32_t index) {
  Lane &lane = this->lane(index);
  return lane.partialBytes > 0 ? lane.partials->bytes().first(lane.partialBytes)
                               : std::span<std::byte>();
}

double Devices::seconds(std::int32_t index) const {
  return std::chrono::duration<double>(lane(index).ended - lane(index).began).count();
}

Result<bool> Devices::isIdle() {
  bool isIdle = true;
  for (Lane &lane : lanes_) {
    if (!lane.isMarked) {
      TUTTI_ASSIGN(lane.event, lane.queue->record());
      lane.isMarked = true;
    }
    if (!lane.event) {
      continue;
    }
    bool isDone = false;
    TUTTI_ASSIGN(isDone, lane.event->hasCompleted());
    if (isDone) {
      lane.event.reset();
      lane.awaited.clear();
      lane.ended = Clock::now();
    } else {
      isIdle = false;
    }
  }
  return isIdle;
}

} // namespace tutti::exec
