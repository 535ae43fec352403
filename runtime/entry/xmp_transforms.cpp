// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The transformational functions of <xmp.h>.
#include "abi/xmp.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/nodes.h"
#include "runtime/model/spmd/transforms.h"

#include <cstdarg>
#include <vector>

namespace {

using namespace tutti;
using model::spmd::Array;

void require(const char *function, const Status &status) {
  if (!status) {
    entry::nodes::fail(function, status.error());
  }
}

Array &arrayOf(const char *function, void *descriptor) {
  if (!descriptor || *static_cast<const long *>(descriptor) != TUTTI_XMP_ARRAY) {
    entry::nodes::fail(function, failure(ErrorCode::InvalidArgument, "not a global array"));
  }
  return model::spmd::arrayOf(static_cast<tutti_xmp_array *>(descriptor));
}

/// A mask; null if there is none.
Array *maskOf(const char *function, void *descriptor) {
  return descriptor ? &arrayOf(function, descriptor) : nullptr;
}

} // namespace

TUTTI_EXPORT void xmp_transpose(void *x, void *a, int /*opt*/) {
  const char *const call = entry::nodes::callOf("xmp_transpose");
  require(call,
          model::spmd::transpose(entry::nodes::enter(call), arrayOf(call, x), arrayOf(call, a)));
}

TUTTI_EXPORT void xmp_matmul(void *x, void *a, void *b) {
  const char *const call = entry::nodes::callOf("xmp_matmul");
  require(call, model::spmd::multiply(entry::nodes::enter(call), arrayOf(call, x), arrayOf(call, a),
                                      arrayOf(call, b)));
}

TUTTI_EXPORT void xmp_gather(void *x, void *a, ...) {
  const char *const call = entry::nodes::callOf("xmp_gather");
  Array &from = arrayOf(call, a);
  std::vector<Array *> indices;
  va_list list;
  va_start(list, a);
  for (std::size_t d = 0; d < from.rank; ++d) {
    indices.push_back(&arrayOf(call, va_arg(list, void *)));
  }
  va_end(list);
  require(call, model::spmd::gather(entry::nodes::enter(call), arrayOf(call, x), from, indices));
}

TUTTI_EXPORT void xmp_scatter(void *x, void *a, ...) {
  const char *const call = entry::nodes::callOf("xmp_scatter");
  Array &to = arrayOf(call, x);
  std::vector<Array *> indices;
  va_list list;
  va_start(list, a);
  for (std::size_t d = 0; d < to.rank; ++d) {
    indices.push_back(&arrayOf(call, va_arg(list, void *)));
  }
  va_end(list);
  require(call, model::spmd::scatter(entry::nodes::enter(call), to, arrayOf(call, a), indices));
}

/// Behind the arguments there is a null, or the mask and then anything.
TUTTI_EXPORT void xmp_pack(void *v, void *a, ...) {
  const char *const call = entry::nodes::callOf("xmp_pack");
  va_list list;
  va_start(list, a);
  Array *mask = maskOf(call, va_arg(list, void *));
  va_end(list);
  require(call, model::spmd::packInto(entry::nodes::enter(call), arrayOf(call, v), arrayOf(call, a),
                                      mask));
}

TUTTI_EXPORT void xmp_unpack(void *a, void *v, ...) {
  const char *const call = entry::nodes::callOf("xmp_unpack");
  va_list list;
  va_start(list, v);
  Array *mask = maskOf(call, va_arg(list, void *));
  va_end(list);
  require(call, model::spmd::unpackFrom(entry::nodes::enter(call), arrayOf(call, a),
                                        arrayOf(call, v), mask));
}

TUTTI_EXPORT void xmp_sort_up(void *from, void *to) {
  const char *const call = entry::nodes::callOf("xmp_sort_up");
  require(call, model::spmd::sort(entry::nodes::enter(call), arrayOf(call, from), arrayOf(call, to),
                                  false));
}

TUTTI_EXPORT void xmp_sort_down(void *from, void *to) {
  const char *const call = entry::nodes::callOf("xmp_sort_down");
  require(call, model::spmd::sort(entry::nodes::enter(call), arrayOf(call, from), arrayOf(call, to),
                                  true));
}
