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
  require("xmp_transpose",
          model::spmd::transpose(entry::nodes::enter("xmp_transpose"), arrayOf("xmp_transpose", x),
                                 arrayOf("xmp_transpose", a)));
}

TUTTI_EXPORT void xmp_matmul(void *x, void *a, void *b) {
  require("xmp_matmul",
          model::spmd::multiply(entry::nodes::enter("xmp_matmul"), arrayOf("xmp_matmul", x),
                                arrayOf("xmp_matmul", a), arrayOf("xmp_matmul", b)));
}

TUTTI_EXPORT void xmp_gather(void *x, void *a, ...) {
  Array &from = arrayOf("xmp_gather", a);
  std::vector<Array *> indices;
  va_list list;
  va_start(list, a);
  for (std::size_t d = 0; d < from.rank; ++d) {
    indices.push_back(&arrayOf("xmp_gather", va_arg(list, void *)));
  }
  va_end(list);
  require("xmp_gather", model::spmd::gather(entry::nodes::enter("xmp_gather"),
                                            arrayOf("xmp_gather", x), from, indices));
}

TUTTI_EXPORT void xmp_scatter(void *x, void *a, ...) {
  Array &to = arrayOf("xmp_scatter", x);
  std::vector<Array *> indices;
  va_list list;
  va_start(list, a);
  for (std::size_t d = 0; d < to.rank; ++d) {
    indices.push_back(&arrayOf("xmp_scatter", va_arg(list, void *)));
  }
  va_end(list);
  require("xmp_scatter", model::spmd::scatter(entry::nodes::enter("xmp_scatter"), to,
                                              arrayOf("xmp_scatter", a), indices));
}

/// Behind the arguments there is a null, or the mask and then anything.
TUTTI_EXPORT void xmp_pack(void *v, void *a, ...) {
  va_list list;
  va_start(list, a);
  Array *mask = maskOf("xmp_pack", va_arg(list, void *));
  va_end(list);
  require("xmp_pack", model::spmd::packInto(entry::nodes::enter("xmp_pack"), arrayOf("xmp_pack", v),
                                            arrayOf("xmp_pack", a), mask));
}

TUTTI_EXPORT void xmp_unpack(void *a, void *v, ...) {
  va_list list;
  va_start(list, v);
  Array *mask = maskOf("xmp_unpack", va_arg(list, void *));
  va_end(list);
  require("xmp_unpack",
          model::spmd::unpackFrom(entry::nodes::enter("xmp_unpack"), arrayOf("xmp_unpack", a),
                                  arrayOf("xmp_unpack", v), mask));
}

TUTTI_EXPORT void xmp_sort_up(void *from, void *to) {
  require("xmp_sort_up",
          model::spmd::sort(entry::nodes::enter("xmp_sort_up"), arrayOf("xmp_sort_up", from),
                            arrayOf("xmp_sort_up", to), false));
}

TUTTI_EXPORT void xmp_sort_down(void *from, void *to) {
  require("xmp_sort_down",
          model::spmd::sort(entry::nodes::enter("xmp_sort_down"), arrayOf("xmp_sort_down", from),
                            arrayOf("xmp_sort_down", to), true));
}
