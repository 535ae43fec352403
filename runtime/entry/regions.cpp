// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry points for regions: registration, launches, and what regions report to.
#include "abi/abi.h"
#include "base/check.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/images.h"
#include "runtime/entry/luna_devices.h"
#include "runtime/entry/next.h"
#include "runtime/entry/report.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/solo.h"
#include "runtime/exec/reduction.h"
#include "runtime/exec/region_view.h"
#include "runtime/memory/crash.h"

#include <omp.h>

using tutti::entry::Runtime;

TUTTI_EXPORT void tutti_register_image(const tutti_image *image) {
  tutti::entry::registerImage(*image);
}

TUTTI_EXPORT void tutti_launch(const tutti_region *region, const std::uint64_t *captures) {
  if (tutti::entry::luna::Recording *recording = tutti::entry::luna::Recording::here()) {
    recording->launch(*region, captures);
    return;
  }
  if (Runtime *runtime = Runtime::active()) {
    runtime->launch(*region, captures);
    return;
  }
  const tutti::memory::RunningLoop running(region->source);
  if (!tutti::entry::solo::isCounting()) {
    region->home(captures);
    return;
  }
  const double seconds = tutti::entry::secondsOf([=] { region->home(captures); });
  tutti::entry::solo::count(*region, seconds);
}

TUTTI_EXPORT void tutti_leave(const void *frame) {
  if (Runtime *runtime = Runtime::active()) {
    runtime->leaveFrames(reinterpret_cast<std::uint64_t>(frame));
  }
}

/// In front of the C++ library's: the frames that an exception has left ended without
/// `tutti_leave`.
TUTTI_EXPORT void *__cxa_begin_catch(void *exception) noexcept {
  static const auto next = tutti::entry::next<void *(*)(void *)>("__cxa_begin_catch");
  tutti_leave(__builtin_frame_address(0));
  return next(exception);
}

TUTTI_EXPORT std::uint64_t tutti_block(tutti_gather *context, std::uint64_t address,
                                       std::uint32_t size) {
  return context->read(address, size);
}

TUTTI_EXPORT void tutti_access(tutti_sink *sink, std::uint32_t flags, std::uint64_t object,
                               std::uint64_t address, std::uint64_t size, std::uint32_t ndims,
                               const tutti_dim *dims) {
  sink->call = __builtin_return_address(0);
  sink->add(flags, object, address, size, ndims, dims);
}

TUTTI_EXPORT std::uint64_t tutti_follow(tutti_sink *sink, std::uint64_t address,
                                        std::uint32_t size) {
  return address == 0 ? 0 : sink->follow(address, size);
}

TUTTI_EXPORT void tutti_touched(tutti_sink *sink, std::uint64_t address, std::uint64_t size) {
  sink->touched(address, size);
}

TUTTI_EXPORT void tutti_written(tutti_sink *sink, std::uint64_t address, std::uint64_t size) {
  sink->written(address, size);
}

TUTTI_EXPORT std::int32_t tutti_reduce(const tutti_chunk *chunk, void *, std::int32_t,
                                       std::int32_t count, const std::uint64_t *sizes, void **list,
                                       void (*combine)(void *, void *)) {
  TUTTI_CHECK(chunk->reduction, "reduce in a region without a reduction");
  auto &reduction = *static_cast<tutti::exec::Reduction *>(chunk->reduction);
  return reduction.add({{sizes, static_cast<std::size_t>(count)},
                        list,
                        combine,
                        omp_get_num_threads(),
                        chunk->lower >= chunk->upper});
}
