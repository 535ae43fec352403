// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/images.h"

#include "abi/luna.h"
#include "abi/xmp.h"
#include "base/hash.h"
#include "runtime/device/selection.h"
#include "runtime/exec/task_work.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fcntl.h>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>

namespace tutti::entry {

namespace {

constexpr std::size_t kMaxImages = 256;

/// Zero before any constructor runs.
constinit std::array<const tutti_image *, kMaxImages> images{};
constinit std::size_t imageCount = 0;
constinit std::size_t frozenCount = 0;

std::span<const tutti_image *const> frozen() { return std::span(images).first(frozenCount); }

std::span<const tutti_region *const> regionsOf(const tutti_image &image) {
  return {image.regions_begin, image.regions_end};
}

using RegionsById = std::unordered_map<std::uint64_t, const tutti_region *>;

const RegionsById &regionsById() {
  // Never destroyed: exit handlers of the program may launch.
  static const RegionsById &byId = *[] {
    auto *map = new RegionsById;
    for (const tutti_image *image : frozen()) {
      for (const tutti_region *region : regionsOf(*image)) {
        map->emplace(region->id, region);
      }
    }
    return map;
  }();
  return byId;
}

} // namespace

void registerImage(const tutti_image &image) {
  if (imageCount < kMaxImages) {
    images[imageCount++] = &image;
  }
}

void freezeImages() { frozenCount = imageCount; }

bool hasExecutable() {
  return std::any_of(frozen().begin(), frozen().end(),
                     [](const tutti_image *image) { return image->is_executable != 0; });
}

std::vector<const tutti_xmp_unit *> xmpUnits() {
  std::vector<const tutti_xmp_unit *> units;
  for (const tutti_image *image : frozen()) {
    if (image->abi_version == TUTTI_ABI_VERSION) {
      units.insert(units.end(), image->xmp_begin, image->xmp_end);
    }
  }
  return units;
}

std::uint32_t imagesVersion() {
  for (const tutti_image *image : frozen()) {
    if (image->abi_version != TUTTI_ABI_VERSION) {
      return image->abi_version;
    }
    for (const tutti_region *region : regionsOf(*image)) {
      if (region->abi_version != TUTTI_ABI_VERSION) {
        return region->abi_version;
      }
    }
  }
  return TUTTI_ABI_VERSION;
}

std::uint64_t regionsHash() {
  Hash hash;
  for (const tutti_image *image : frozen()) {
    for (const tutti_region *region : regionsOf(*image)) {
      hash.add(region->id);
    }
  }
  return hash.value();
}

std::uint64_t addressesHash() {
  Hash hash;
  for (const tutti_image *image : frozen()) {
    if (image->is_executable != 0) {
      for (const char *address :
           {image->data_begin, image->data_end, image->bss_begin, image->bss_end}) {
        hash.add(reinterpret_cast<std::uint64_t>(address));
      }
      for (const tutti_region *region : regionsOf(*image)) {
        hash.add(reinterpret_cast<std::uint64_t>(region->run));
      }
    }
  }
  return hash.value();
}

std::uint64_t executableHash() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (file < 0 || fstat(file, &status) != 0) {
    return 0;
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void *contents = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (contents == MAP_FAILED) {
    return 0;
  }
  Hash hash;
  hash.add(std::span(static_cast<const std::byte *>(contents), bytes));
  munmap(contents, bytes);
  return hash.value();
}

const tutti_region *regionOf(std::uint64_t id) {
  if (id == exec::taskRegion().id) {
    return &exec::taskRegion();
  }
  if (id == exec::exactTaskRegion().id) {
    return &exec::exactTaskRegion();
  }
  const auto found = regionsById().find(id);
  return found == regionsById().end() ? nullptr : found->second;
}

namespace {

/// Whether a LuNA program brings functions of its own that give devices work. What calls them is no
/// region.
bool hasNatives() {
  return std::ranges::any_of(xmpUnits(), [](const tutti_xmp_unit *each) {
    const auto *unit = reinterpret_cast<const tutti_luna_unit *>(each);
    if (each->version != TUTTI_LUNA_XMP_VERSION || unit->version != TUTTI_LUNA_VERSION) {
      return false;
    }
    const std::span procedures(unit->procedures, static_cast<std::size_t>(unit->procedureCount));
    return std::ranges::any_of(procedures, [](const auto &of) { return of.native != nullptr; });
  });
}

} // namespace

const std::unordered_map<const void *, const tutti_region *> &taskCodes() {
  // Never destroyed, as the other one.
  static const auto &byFunction = *[] {
    auto *map = new std::unordered_map<const void *, const tutti_region *>;
    for (const tutti_image *image : frozen()) {
      if (image->is_executable == 0) {
        continue;
      }
      for (const tutti_region *region : regionsOf(*image)) {
        if ((region->flags & TUTTI_REGION_TASK_CODE) != 0) {
          map->emplace(reinterpret_cast<const void *>(region->home), region);
        }
      }
    }
    return map;
  }();
  return byFunction;
}

DeviceNeeds deviceNeeds() {
  DeviceNeeds needs{false, false, 0};
  if (imagesVersion() != TUTTI_ABI_VERSION) {
    return needs;
  }
  needs.hasKernels = hasNatives();
  for (const tutti_image *image : frozen()) {
    for (const tutti_region *region : regionsOf(*image)) {
      needs.hasTasks = needs.hasTasks || (region->flags & TUTTI_REGION_TASK) != 0;
      needs.hasKernels =
          needs.hasKernels || needs.hasTasks || (region->device && region->device->mappings > 0);
      if (region->directive && region->directive->device > TUTTI_DEVICE_CPU) {
        needs.asked |= device::kindBit(region->directive->device);
      }
    }
  }
  return needs;
}

std::vector<const tutti_kernel *> imageKernels() {
  std::vector<const tutti_kernel *> kernels;
  const auto add = [&](const tutti_kernel *first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      kernels.push_back(first + i);
    }
  };
  if (imagesVersion() != TUTTI_ABI_VERSION) {
    return kernels;
  }
  for (const tutti_image *image : frozen()) {
    for (const tutti_region *region : regionsOf(*image)) {
      const tutti_device_code *code = region->device;
      for (std::uint32_t i = 0; code && i < code->mappings; ++i) {
        add(code->mapping[i].kernel, code->mapping[i].kernels);
      }
      if (code) {
        add(code->combiner, code->combiners);
      }
    }
  }
  return kernels;
}

std::vector<Range> executableSections() {
  std::vector<Range> ranges;
  for (const tutti_image *image : frozen()) {
    if (image->is_executable != 0) {
      ranges.push_back({reinterpret_cast<std::uint64_t>(image->data_begin),
                        reinterpret_cast<std::uint64_t>(image->data_end)});
      ranges.push_back({reinterpret_cast<std::uint64_t>(image->bss_begin),
                        reinterpret_cast<std::uint64_t>(image->bss_end)});
    }
  }
  std::erase_if(ranges, [](const Range &range) { return range.empty(); });
  return RangeSet::of(std::move(ranges)).ranges();
}

std::vector<Range> executableVariables() {
  std::vector<Range> ranges;
  for (const tutti_image *image : frozen()) {
    if (image->is_executable != 0) {
      for (const tutti_variable *at = image->variables_begin; at != image->variables_end; ++at) {
        const auto begin = reinterpret_cast<std::uint64_t>(at->address);
        ranges.push_back({begin, begin + at->bytes});
      }
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  return ranges;
}

} // namespace tutti::entry
