// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loop hooks: libomp divides a chunk instead of the whole loop.
#include "abi/abi.h"
#include "runtime/entry/exports.h"
#include "runtime/exec/kept_pieces.h"

#include <cstdint>

namespace {

/// libomp's numbers of schedules (kmp.h: sched_type), less the modifiers in the high bits.
constexpr std::int32_t kStaticChunked = 33;
constexpr std::int32_t kStatic = 34;
constexpr std::int32_t kDynamicChunked = 35;
constexpr std::int32_t kModifiers = 3 << 29;

/// The chunk's bounds as a loop's inclusive ones.
template <typename T> T firstOf(const tutti_chunk &chunk) { return static_cast<T>(chunk.lower); }

template <typename T> T lastOf(const tutti_chunk &chunk) { return static_cast<T>(chunk.upper - 1); }

bool holdsEnd(const tutti_chunk &chunk) { return chunk.upper == chunk.total; }

/// Whether libomp gets the program's own bounds.
bool isWhole(const tutti_chunk &chunk) {
  return chunk.total == TUTTI_WHOLE || (chunk.lower == 0 && holdsEnd(chunk));
}

/// libomp's function for one loop type.
template <typename T, typename S>
using StaticInit = void (*)(void *loc, std::int32_t gtid, std::int32_t schedule, std::int32_t *last,
                            T *lower, T *upper, S *stride, S increment, S size);

/// The thread's share of whole pieces of `length` iterations, of a chunk that begins with one:
/// libomp divides the pieces.
template <typename T, typename S>
void shareOfPieces(StaticInit<T, S> next, const tutti_chunk &chunk, void *loc, std::int32_t gtid,
                   std::int32_t *last, T *lower, T *upper, S *stride, S increment,
                   std::int64_t length) {
  const auto pieces = static_cast<T>((chunk.upper - chunk.lower - 1) / length + 1);
  *lower = 0;
  *upper = static_cast<T>(pieces - 1);
  next(loc, gtid, kStatic, last, lower, upper, stride, increment, 1);
  if (*lower > *upper || *lower >= pieces) {
    *lower = lastOf<T>(chunk) + 1;
    *upper = lastOf<T>(chunk);
    return;
  }
  const bool isEnd = *upper >= static_cast<T>(pieces - 1);
  const auto at = [&](T piece) {
    return static_cast<T>(chunk.lower + static_cast<std::int64_t>(piece) * length);
  };
  *lower = at(*lower);
  *upper = isEnd ? lastOf<T>(chunk) : static_cast<T>(at(*upper + 1) - 1);
}

template <typename T, typename S>
void staticInit(StaticInit<T, S> next, const tutti_chunk &chunk, void *loc, std::int32_t gtid,
                std::int32_t schedule, std::int32_t *last, T *lower, T *upper, S *stride,
                S increment, S size) {
  const bool isCyclic = (schedule & ~kModifiers) == kStaticChunked;
  if (isWhole(chunk)) {
    next(loc, gtid, schedule, last, lower, upper, stride, increment, size);
    return;
  }
  *lower = firstOf<T>(chunk);
  *upper = lastOf<T>(chunk);
  *stride = 1;
  if (chunk.lower >= chunk.upper) { // Only reduces: nothing to divide, which libomp takes time for.
    *last = 0;
    return;
  }
  if (const std::int64_t length = tutti::exec::KeptPieces::length(); isCyclic && length > 1) {
    shareOfPieces(next, chunk, loc, gtid, last, lower, upper, stride, increment, length);
  } else {
    next(loc, gtid, isCyclic ? kStatic : schedule, last, lower, upper, stride, increment, size);
  }
  *last = *last != 0 && holdsEnd(chunk);
  if (!isCyclic) {
    return;
  }
  // The compiled loop advances both bounds by the stride until the lower one passes the total, and
  // cuts the upper one to it: one block, or none.
  if (*lower > *upper || *lower > lastOf<T>(chunk)) {
    *lower = static_cast<T>(chunk.total);
    *upper = static_cast<T>(chunk.total - 1);
    *stride = 1;
  } else {
    *stride = static_cast<S>(static_cast<T>(chunk.total) - *lower);
  }
}

} // namespace

#define TUTTI_HOOKS(suffix, T, S)                                                                  \
  extern "C" void __kmpc_for_static_init_##suffix(void *, std::int32_t, std::int32_t,              \
                                                  std::int32_t *, T *, T *, S *, S, S);            \
  extern "C" void __kmpc_dispatch_init_##suffix(void *, std::int32_t, std::int32_t, T, T, S, S);   \
  extern "C" std::int32_t __kmpc_dispatch_next_##suffix(void *, std::int32_t, std::int32_t *, T *, \
                                                        T *, S *);                                 \
                                                                                                   \
  TUTTI_EXPORT void tutti_static_init_##suffix(                                                    \
      const tutti_chunk *chunk, void *loc, std::int32_t gtid, std::int32_t schedule,               \
      std::int32_t *last, T *lower, T *upper, S *stride, S increment, S size) {                    \
    staticInit<T, S>(__kmpc_for_static_init_##suffix, *chunk, loc, gtid, schedule, last, lower,    \
                     upper, stride, increment, size);                                              \
  }                                                                                                \
                                                                                                   \
  TUTTI_EXPORT void tutti_dispatch_init_##suffix(const tutti_chunk *chunk, void *loc,              \
                                                 std::int32_t gtid, std::int32_t schedule,         \
                                                 T lower, T upper, S stride, S size) {             \
    if (isWhole(*chunk)) {                                                                         \
      __kmpc_dispatch_init_##suffix(loc, gtid, schedule, lower, upper, stride, size);              \
      return;                                                                                      \
    }                                                                                              \
    const std::int64_t length = tutti::exec::KeptPieces::length();                                 \
    __kmpc_dispatch_init_##suffix(loc, gtid, length > 1 ? kDynamicChunked : schedule,              \
                                  firstOf<T>(*chunk), lastOf<T>(*chunk), stride,                   \
                                  length > 1 ? static_cast<S>(length) : size);                     \
  }                                                                                                \
                                                                                                   \
  TUTTI_EXPORT std::int32_t tutti_dispatch_next_##suffix(const tutti_chunk *chunk, void *loc,      \
                                                         std::int32_t gtid, std::int32_t *last,    \
                                                         T *lower, T *upper, S *stride) {          \
    const std::int32_t more =                                                                      \
        __kmpc_dispatch_next_##suffix(loc, gtid, last, lower, upper, stride);                      \
    *last = *last != 0 && (isWhole(*chunk) || holdsEnd(*chunk));                                   \
    return more;                                                                                   \
  }

TUTTI_HOOKS(4, std::int32_t, std::int32_t)
TUTTI_HOOKS(4u, std::uint32_t, std::int32_t)
TUTTI_HOOKS(8, std::int64_t, std::int64_t)
TUTTI_HOOKS(8u, std::uint64_t, std::int64_t)
