// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The library of <xmp.h>: who runs, time, memory, MPI.
#include "abi/xmp.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/nodes.h"
#include "runtime/model/spmd/directives.h"

#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <vector>

namespace {

using namespace tutti;
using model::spmd::Array;
using model::spmd::World;

World &world() { return entry::nodes::world(); }

int own() { return static_cast<int>(*world().positionIn(world().executing())); }

long kindOf(const void *descriptor) {
  return descriptor ? *static_cast<const long *>(descriptor) : 0;
}

/// The descriptor as a global array; null if it is something else.
const Array *arrayOf(const void *descriptor) {
  return kindOf(descriptor) == TUTTI_XMP_ARRAY
             ? static_cast<const Array *>(static_cast<const tutti_xmp_array *>(descriptor))
             : nullptr;
}

} // namespace

// Who runs.

TUTTI_EXPORT int xmp_node_num() { return own() + 1; }

TUTTI_EXPORT int xmpc_node_num() { return own(); }

TUTTI_EXPORT int xmpc_this_image() { return own(); }

TUTTI_EXPORT int xmp_num_nodes() { return static_cast<int>(world().executing().size()); }

TUTTI_EXPORT int xmp_num_images() { return xmp_num_nodes(); }

TUTTI_EXPORT int xmp_all_node_num() { return world().me() + 1; }

TUTTI_EXPORT int xmpc_all_node_num() { return world().me(); }

TUTTI_EXPORT int xmp_all_num_nodes() { return static_cast<int>(world().everybody().size()); }

TUTTI_EXPORT double xmp_wtime() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TUTTI_EXPORT double xmp_wtick() {
  using Period = std::chrono::steady_clock::period;
  return static_cast<double>(Period::num) / static_cast<double>(Period::den);
}

TUTTI_EXPORT void xmp_exit(int status) { std::exit(status); }

TUTTI_EXPORT void xmp_barrier() { tutti_xmp_barrier(entry::nodes::callOf("xmp_barrier"), nullptr); }

TUTTI_EXPORT int xmp_test_async(int id) {
  const Result<bool> ended = world().hasEnded(id);
  if (!ended) {
    entry::nodes::fail("xmp_test_async", ended.error());
  }
  return *ended ? 1 : 0;
}

// Memory.

TUTTI_EXPORT void *xmp_malloc(void *descriptor, ...) {
  const Array *array = arrayOf(descriptor);
  if (!array) {
    entry::nodes::fail("xmp_malloc", failure(ErrorCode::InvalidArgument, "not a global array"));
  }
  std::vector<long> extents;
  va_list list;
  va_start(list, descriptor);
  for (std::size_t d = 0; d < array->rank; ++d) {
    extents.push_back(va_arg(list, int));
  }
  va_end(list);
  return tutti_xmp_allocate("xmp_malloc", descriptor, static_cast<long>(array->rank),
                            extents.data());
}

TUTTI_EXPORT void xmp_free(void *descriptor) {
  if (const Array *array = arrayOf(descriptor)) {
    std::free(*array->variable);
    *array->variable = nullptr;
  }
}

// MPI. A communicator is passed as its bits, whatever the library's type for it is.

TUTTI_EXPORT std::uintptr_t xmp_get_mpi_comm() {
  const char *const call = entry::nodes::callOf("xmp_get_mpi_comm");
  World &node = entry::nodes::enter(call);
  const auto bits = model::spmd::communicatorOf(node, node.executing());
  if (!bits) {
    entry::nodes::fail(call, bits.error());
  }
  return *bits;
}

TUTTI_EXPORT void tutti_xmp_call(const char *source) { entry::nodes::noteCall(source); }

TUTTI_EXPORT int tutti_xmp_init_mpi(int *provided) {
  constexpr int kMultiple = 3; // MPI_THREAD_MULTIPLE, without which no node starts.
  if (provided) {
    *provided = kMultiple;
  }
  return 0;
}

TUTTI_EXPORT int tutti_xmp_finalize_mpi() { return 0; }

TUTTI_EXPORT void xmp_init_mpi(int * /*argc*/, char *** /*argv*/) {}

TUTTI_EXPORT void xmp_finalize_mpi() {}

TUTTI_EXPORT void xmp_init(std::uintptr_t /*comm*/) {}

TUTTI_EXPORT void xmp_finalize() {}
