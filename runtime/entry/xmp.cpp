// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The entry points of abi/xmp.h: what goes wrong in one ends the job.
#include "abi/xmp.h"

#include "runtime/entry/exports.h"
#include "runtime/entry/nodes.h"
#include "runtime/model/spmd/copies.h"
#include "runtime/model/spmd/directives.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace tutti;
using model::spmd::Array;
using model::spmd::Async;
using model::spmd::World;

World &world() { return entry::nodes::world(); }

World &enter(const char *source) { return entry::nodes::enter(source); }

void require(const char *source, const Status &status) {
  if (!status) {
    entry::nodes::fail(source, status.error());
  }
}

template <typename T> T require(const char *source, Result<T> result) {
  if (!result) {
    entry::nodes::fail(source, result.error());
  }
  return std::move(result).value();
}

template <typename T> std::span<T> listOf(T *first, long count) {
  return {first, first ? static_cast<std::size_t>(count) : 0};
}

Async asyncOf(long async) { return async == TUTTI_XMP_NOW ? Async() : Async(async); }

} // namespace

TUTTI_EXPORT tutti_xmp_nodes *tutti_xmp_make_nodes(const char *source, long rank, const long *sizes,
                                                   long origin, const tutti_xmp_ref *subset) {
  return require(source,
                 model::spmd::makeNodes(enter(source), {sizes, sizes + rank}, origin, subset))
      .release();
}

TUTTI_EXPORT tutti_xmp_template *tutti_xmp_make_template(const char *source, long rank,
                                                         const tutti_xmp_subscript *extents) {
  return require(source, model::spmd::makeTemplate(listOf(extents, rank))).release();
}

TUTTI_EXPORT void tutti_xmp_distribute(const char *source, tutti_xmp_template *of, long rank,
                                       const tutti_xmp_format *formats,
                                       const tutti_xmp_nodes *onto) {
  require(source, model::spmd::distribute(*of, listOf(formats, rank), *onto));
}

TUTTI_EXPORT void tutti_xmp_fix_template(const char *source, tutti_xmp_template *of, long rank,
                                         const tutti_xmp_format *formats,
                                         const tutti_xmp_subscript *extents) {
  require(source, model::spmd::fixTemplate(*of, listOf(formats, rank), listOf(extents, rank)));
}

TUTTI_EXPORT tutti_xmp_array *tutti_xmp_make_array(const char *source, void *variable, long storage,
                                                   long type, long elementBytes, long rank,
                                                   const long *extents,
                                                   const tutti_xmp_alignment *alignments,
                                                   const tutti_xmp_template *with) {
  const auto sizes = listOf(extents, rank);
  const auto aligned = listOf(alignments, rank);
  return require(source,
                 model::spmd::makeArray(enter(source), {static_cast<void **>(variable),
                                                        storage,
                                                        type,
                                                        static_cast<std::size_t>(elementBytes),
                                                        static_cast<std::size_t>(rank),
                                                        {sizes.begin(), sizes.end()},
                                                        {aligned.begin(), aligned.end()},
                                                        with}))
      .release();
}

TUTTI_EXPORT void tutti_xmp_set_shadow(const char *source, tutti_xmp_array *of, long rank,
                                       const tutti_xmp_width *widths) {
  require(source,
          model::spmd::setShadow(enter(source), model::spmd::arrayOf(of), listOf(widths, rank)));
}

TUTTI_EXPORT void tutti_xmp_release(void *variable) {
  if (entry::nodes::isActive()) {
    model::spmd::release(world(), std::exchange(*static_cast<void **>(variable), nullptr));
  }
}

TUTTI_EXPORT void *tutti_xmp_allocate(const char *source, void *array, long rank,
                                      const long *extents) {
  return require(source,
                 model::spmd::allocate(enter(source),
                                       model::spmd::arrayOf(static_cast<tutti_xmp_array *>(array)),
                                       {extents, extents + rank}));
}

TUTTI_EXPORT int tutti_xmp_enter(const char *source, tutti_xmp_scope *scope,
                                 const tutti_xmp_ref *on, long /*flags*/) {
  const auto depth = static_cast<long>(enter(source).depth());
  const bool isMember = require(source, model::spmd::enter(world(), *on));
  if (isMember) {
    scope->state[0] = depth;
  }
  return isMember ? 1 : 0;
}

TUTTI_EXPORT void tutti_xmp_leave(tutti_xmp_scope *scope) {
  if (const long depth = std::exchange(scope->state[0], 0);
      depth != 0 && entry::nodes::isActive()) {
    world().popTo(static_cast<std::size_t>(depth));
  }
}

TUTTI_EXPORT void tutti_xmp_share(const char *source, const tutti_xmp_ref *on, long count,
                                  tutti_xmp_index *indices) {
  require(source, model::spmd::share(enter(source), *on, listOf(indices, count)));
}

TUTTI_EXPORT void tutti_xmp_share_elements(const char *source, const tutti_xmp_ref *on, long count,
                                           tutti_xmp_index *indices) {
  require(source, model::spmd::shareElements(enter(source), *on, listOf(indices, count)));
}

TUTTI_EXPORT int tutti_xmp_next_share(const char *source, const tutti_xmp_ref *on, long margin,
                                      long async, long n, long count, tutti_xmp_index *indices) {
  return require(source, model::spmd::nextShare(enter(source), *on, margin, asyncOf(async), n,
                                                listOf(indices, count)))
             ? 1
             : 0;
}

TUTTI_EXPORT void tutti_xmp_check_reach(const char *source, int isGrown, long count,
                                        const tutti_xmp_index *indices,
                                        tutti_xmp_array *const *arrays, long reaches,
                                        const tutti_xmp_reach *list) {
  require(source, model::spmd::checkMemory(arrays, {list, list + reaches}));
  const Status status =
      model::spmd::checkReach({indices, indices + count}, arrays, {list, list + reaches});
  if (isGrown != 0) {
    require(source, status);
  } else if (!status) {
    entry::nodes::warn(source, status.error());
  }
}

TUTTI_EXPORT void tutti_xmp_begin_reduction(const char *source, const tutti_xmp_ref *on, long count,
                                            const tutti_xmp_reduced *items) {
  require(source, model::spmd::beginReduction(enter(source), on, listOf(items, count)));
}

TUTTI_EXPORT void tutti_xmp_end_reduction(const char *source, const tutti_xmp_ref *on, long count,
                                          const tutti_xmp_reduced *items) {
  require(source, model::spmd::reduce(enter(source), on, listOf(items, count), std::nullopt));
}

TUTTI_EXPORT void tutti_xmp_reduction(const char *source, const tutti_xmp_ref *on, long count,
                                      const tutti_xmp_reduced *items, long async) {
  require(source, model::spmd::reduce(enter(source), on, listOf(items, count), asyncOf(async)));
}

TUTTI_EXPORT void tutti_xmp_barrier(const char *source, const tutti_xmp_ref *on) {
  require(source, model::spmd::barrier(enter(source), on));
}

TUTTI_EXPORT void tutti_xmp_bcast(const char *source, long count, const tutti_xmp_section *items,
                                  const tutti_xmp_ref *from, const tutti_xmp_ref *on, long async) {
  require(source,
          model::spmd::broadcast(enter(source), listOf(items, count), from, on, asyncOf(async)));
}

TUTTI_EXPORT void tutti_xmp_reflect(const char *source, tutti_xmp_array *of,
                                    const tutti_xmp_width *widths, long flags, long async) {
  Array &array = model::spmd::arrayOf(of);
  const auto list = listOf(widths, static_cast<long>(array.rank));
  const bool isOrthogonal = (flags & TUTTI_XMP_ORTHOGONAL) != 0;
  const bool isOfList = (flags & (TUTTI_XMP_LIST | TUTTI_XMP_LIST_END)) != 0;
  const Async id = isOfList ? Async(TUTTI_XMP_TOGETHER) : asyncOf(async);
  require(source, (flags & TUTTI_XMP_ACC) != 0
                      ? model::spmd::reflectCopy(enter(source), array, list, isOrthogonal, id)
                      : model::spmd::reflect(enter(source), array, list, isOrthogonal, id));
  if ((flags & TUTTI_XMP_LIST_END) != 0) {
    require(source, enter(source).finish(TUTTI_XMP_TOGETHER));
  }
}

TUTTI_EXPORT void tutti_xmp_set_packing(tutti_xmp_packing words8, tutti_xmp_packing words4,
                                        tutti_xmp_packing bytes) {
  // Each file brings those that it needs.
  const auto &known = world();
  world().setPacking({words8 ? words8 : known.packing(8), words4 ? words4 : known.packing(4),
                      bytes ? bytes : known.packing(1)});
}

TUTTI_EXPORT void *tutti_xmp_replicate(const char *source, tutti_xmp_array *array, void *variable,
                                       long bytes) {
  const Array *const of = array ? &model::spmd::arrayOf(array) : nullptr;
  return require(source, enter(source).copies().add(of, variable, static_cast<std::size_t>(bytes)));
}

TUTTI_EXPORT void tutti_xmp_release_copy(void *copy) {
  if (entry::nodes::isActive()) {
    require("acc replicate", world().copies().remove(*static_cast<void **>(copy)));
  }
}

TUTTI_EXPORT void tutti_xmp_replicate_sync(const char *source, void *copy, long direction) {
  require(source, enter(source).copies().sync(copy, direction == TUTTI_XMP_COPY_IN
                                                        ? model::spmd::CopyDirection::In
                                                        : model::spmd::CopyDirection::Out));
}

TUTTI_EXPORT void tutti_xmp_reduce_shadow(const char *source, tutti_xmp_array *of,
                                          const tutti_xmp_width *widths, long flags, long async) {
  Array &array = model::spmd::arrayOf(of);
  require(source, model::spmd::reduceShadow(enter(source), array,
                                            listOf(widths, static_cast<long>(array.rank)),
                                            (flags & TUTTI_XMP_ORTHOGONAL) != 0, asyncOf(async)));
}

TUTTI_EXPORT void tutti_xmp_gmove(const char *source, long mode, const tutti_xmp_section *left,
                                  const tutti_xmp_section *right, long async) {
  require(source, model::spmd::gmove(enter(source), mode, *left, *right, asyncOf(async)));
}

TUTTI_EXPORT void tutti_xmp_wait_async(const char *source, long count, const long *ids,
                                       const tutti_xmp_ref * /*on*/) {
  for (const long id : listOf(ids, count)) {
    require(source, enter(source).finish(id));
  }
}
