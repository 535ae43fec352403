// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/kernel_choice.h"

#include <algorithm>

namespace tutti::exec {

namespace {

const tutti_kernel *kernelOf(std::span<const tutti_kernel> kernels, std::uint32_t format) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const tutti_kernel &kernel) {
    return kernel.format == format && *kernel.text != '\0';
  });
  return found == kernels.end() ? nullptr : &*found;
}

const tutti_kernel *kernelOf(const tutti_mapping &mapping, std::uint32_t format) {
  return kernelOf(std::span(mapping.kernel, mapping.kernels), format);
}

} // namespace

const tutti_kernel *combinerOf(const tutti_region &region, std::uint32_t format) {
  return kernelOf(std::span(region.device->combiner, region.device->combiners), format);
}

const tutti_kernel *anyKernel(const tutti_region &region, std::uint32_t format) {
  const tutti_device_code *code = region.device;
  // The last mapping always holds.
  return code && code->mappings > 0 ? kernelOf(code->mapping[code->mappings - 1], format) : nullptr;
}

const tutti_kernel *kernelOf(const tutti_region &region, std::uint32_t mapping,
                             std::uint32_t format) {
  const tutti_device_code *code = region.device;
  return code && mapping < code->mappings ? kernelOf(code->mapping[mapping], format) : nullptr;
}

std::optional<KernelChoice> chooseKernel(const Launch &launch, const balance::Chunk &chunk,
                                         std::uint32_t format, bool isDisjoint) {
  const tutti_device_code *code = launch.region->device;
  if (!code) {
    return std::nullopt;
  }
  for (std::uint32_t index = 0; index < code->mappings; ++index) {
    const tutti_mapping &mapping = code->mapping[index];
    const tutti_kernel *kernel = kernelOf(mapping, format);
    KernelChoice choice{kernel, index, mapping.dimensions, {1, 1, 1}};
    if (kernel && (isDisjoint || (mapping.flags & TUTTI_MAPPING_DISJOINT) == 0) &&
        mapping.extents(launch.captures.data(), launch.values.data(), chunk.lower, chunk.upper,
                        launch.total, choice.extents.data()) != 0) {
      return choice;
    }
  }
  return std::nullopt;
}

} // namespace tutti::exec
