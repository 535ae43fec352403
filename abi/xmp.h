// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What written code and runtime agree on for XcalableMP: the entry points that a directive
/// becomes.
///
/// Includes nothing but abi/xmp_mapping.h and is plain C for LP64, because the text of both is put
/// in front of every program that the step for XcalableMP writes. One normal form: dimensions in
/// the order of C's brackets (the last varies fastest), node subscripts from 0, template subscripts
/// as the program has them, dimension numbers from 0. Lists are pointer and count, and may die when
/// the call returns; what a repeated directive makes (sets, plans, communicators) the runtime finds
/// again by content. `source` is "file.c:12:9", lives as long as the program, and stands in front
/// of each message. All functions are called by the thread that runs main.
#pragma once

#include "abi/xmp_mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_XMP_VERSION 2
#define TUTTI_XMP_NOW (-0x7fffffffffffffffL)          ///< In place of an async id: synchronous.
#define TUTTI_XMP_TOGETHER (-0x7fffffffffffffffL - 1) ///< The id of what a list has under way.

/// Start-up of one compiled file: its directives at file scope, before main, in the order of the
/// link. A pointer to one in section TUTTI_SECTION_XMP; an image with any is an XMP image.
#define TUTTI_SECTION_XMP "tutti_xmp"

typedef struct tutti_xmp_unit {
  unsigned version; ///< TUTTI_XMP_VERSION
  const char *file;
  void (*start)(void);
} tutti_xmp_unit;

// Executing sets.

/// Zero at its begin. Lies on the stack of who has pushed.
typedef struct tutti_xmp_scope {
  long state[4]; ///< The runtime's own.
} tutti_xmp_scope;

enum tutti_xmp_task_flags { TUTTI_XMP_NOCOMM = 1 };

/// Whether the calling node is in `on`; then that is the executing set until `leave`.
int tutti_xmp_enter(const char *source, tutti_xmp_scope *scope, const tutti_xmp_ref *on,
                    long flags);
/// Nothing if nothing was entered; for `cleanup`.
void tutti_xmp_leave(tutti_xmp_scope *scope);

// Loops.

/// One index of a `loop`. In: iterations lower, lower + step, ... not past `last`.
/// Out, in the original order, for dimensions that are not cyclic(w) with w given:
///   for (i = begin; i < end; i += stride)      step > 0
///   for (i = begin; i > end; i += stride)      step < 0
/// for all: for (k = 0; k < count; k++) i = tutti_xmp_iteration(index, k);
typedef struct tutti_xmp_index {
  long axis;   ///< Dimension of `on`.
  long offset; ///< Iteration i belongs to subscript i + offset.
  long lower;
  long last;              ///< Inclusive.
  long step;              ///< Not 0.
  tutti_xmp_width widths; ///< Of expand and margin; in template order of its axis.
  long begin;
  long end;
  long stride;
  long count;
  long phase;       ///< Iterations that a block has before the first one.
  long per;         ///< Iterations of a block; at least 1.
  long cycle;       ///< Index distance of blocks.
  const long *list; ///< Null, or all indices, where there is no formula. Lives until the next loop.
} tutti_xmp_index;

static inline __attribute__((always_inline, unused)) long
tutti_xmp_iteration(const tutti_xmp_index *index, long k) {
  const long n = k + index->phase;
  return index->list ? index->list[k]
                     : index->begin + n / index->per * index->cycle + n % index->per * index->step;
}

/// The node's share: subscripts of `on` are ALL where an index is. A subscript INDEX that the node
/// does not own gives all indices no iterations.
void tutti_xmp_share(const char *source, const tutti_xmp_ref *on, long count,
                     tutti_xmp_index *indices);

enum tutti_xmp_margins { TUTTI_XMP_EXPAND = 1, TUTTI_XMP_MARGIN = 2, TUTTI_XMP_PEEL = 3 };

/// The same for `array`: iteration i is element i of the subscript that `on` has for the axis, and
/// all of them are ALL, COUNT and the like, or give a condition as above.
void tutti_xmp_share_elements(const char *source, const tutti_xmp_ref *on, long count,
                              tutti_xmp_index *indices);

/// The same as `share` in several boxes, for (long n = 0; tutti_xmp_next_share(..., n, ...); n++)
/// nest: returns 0 behind the last. EXPAND has one box. PEEL waits for `async` between the first
/// and the others.
int tutti_xmp_next_share(const char *source, const tutti_xmp_ref *on, long margin, long async,
                         long n, long count, tutti_xmp_index *indices);

/// Each iteration i of `indices[index]` touches elements i + low to i + high of a dimension.
typedef struct tutti_xmp_reach {
  long array; ///< Its place in the list of arrays.
  const char *name;
  long dimension;
  long index;
  long low;
  long high;
} tutti_xmp_reach;

/// Of a share that has just been filled in: elements that the node does not store end the job where
/// `isGrown`, as of expand and margin; else they give a warning.
void tutti_xmp_check_reach(const char *source, int isGrown, long count,
                           const tutti_xmp_index *indices, tutti_xmp_array *const *arrays,
                           long reaches, const tutti_xmp_reach *list);

// Sections of variables.

/// A variable or part of one. Local: `array` is null, `base` the first element of the whole, and
/// `extents` the declared ones (the first may be -1: not known). Global: `base` and `extents` are
/// null. `subscripts` null: the whole.
typedef struct tutti_xmp_section {
  tutti_xmp_array *array;
  void *base;
  long type;
  long elementBytes;
  long rank; ///< 0: a scalar.
  const long *extents;
  const tutti_xmp_subscript *subscripts;
} tutti_xmp_section;

// Communication.

enum tutti_xmp_operations {
  TUTTI_XMP_ADD = 1,
  TUTTI_XMP_MULTIPLY = 2,
  TUTTI_XMP_BIT_AND = 3,
  TUTTI_XMP_BIT_OR = 4,
  TUTTI_XMP_BIT_XOR = 5,
  TUTTI_XMP_AND = 6,
  TUTTI_XMP_OR = 7,
  TUTTI_XMP_MAX = 8,
  TUTTI_XMP_MIN = 9,
  TUTTI_XMP_FIRSTMAX = 10,
  TUTTI_XMP_FIRSTMIN = 11,
  TUTTI_XMP_LASTMAX = 12,
  TUTTI_XMP_LASTMIN = 13,
};

/// Element by element. With locations: of the node whose value wins, all nodes get them. Ties: MAX
/// and MIN the first node; FIRST.. and LAST.. by `position`.
typedef struct tutti_xmp_reduced {
  tutti_xmp_section value;
  long operation;
  /// Of the iteration, in sequential order, that gave the value; below 0 if none has.
  long position;
  long count;
  const tutti_xmp_section *locations;
} tutti_xmp_reduced;

/// Around a loop with `reduction`: `on` has MINE in dimensions that no index names. Begin sets what
/// ADD, MULTIPLY and BIT_XOR reduce to their neutral value on all but the first node of the set.
void tutti_xmp_begin_reduction(const char *source, const tutti_xmp_ref *on, long count,
                               const tutti_xmp_reduced *items);
void tutti_xmp_end_reduction(const char *source, const tutti_xmp_ref *on, long count,
                             const tutti_xmp_reduced *items);
/// The directive. With MINE each group for itself.
void tutti_xmp_reduction(const char *source, const tutti_xmp_ref *on, long count,
                         const tutti_xmp_reduced *items, long async);

void tutti_xmp_barrier(const char *source, const tutti_xmp_ref *on);
/// `from` null: the first node of `on`.
void tutti_xmp_bcast(const char *source, long count, const tutti_xmp_section *items,
                     const tutti_xmp_ref *from, const tutti_xmp_ref *on, long async);

enum tutti_xmp_direction {
  TUTTI_XMP_PACK = 1,
  TUTTI_XMP_UNPACK = 2,
};

/// Copies words of `array` to `packed`, where they lie one behind the other, or back; as a loop on
/// the devices that have the array. Word (i, j, k) is at i * strides[0] + j * strides[1] + k.
typedef void tutti_xmp_packing_loop(void *packed, void *array, const long counts[3],
                                    const long strides[2], long direction);
typedef tutti_xmp_packing_loop *tutti_xmp_packing;
/// Of words of so many bytes, in libtutti_xmp.a.
__attribute__((visibility("hidden"))) tutti_xmp_packing_loop tutti_xmp_pack8, tutti_xmp_pack4,
    tutti_xmp_pack1;
/// For words of 8, 4 and 1 bytes; null: another file's, if any. Called by the start-up of files
/// with `reflect ... acc`; those of 8 bytes are always there.
void tutti_xmp_set_packing(tutti_xmp_packing words8, tutti_xmp_packing words4,
                           tutti_xmp_packing bytes);

enum tutti_xmp_reflect_flags {
  TUTTI_XMP_ORTHOGONAL = 1,
  TUTTI_XMP_ACC = 2,      ///< Of the array's device copy.
  TUTTI_XMP_LIST = 4,     ///< More arrays of a list follow, with which it is waited for.
  TUTTI_XMP_LIST_END = 8, ///< Of a list.
};

/// `widths` null: as the shadow. Their rank is the array's.
void tutti_xmp_reflect(const char *source, tutti_xmp_array *of, const tutti_xmp_width *widths,
                       long flags, long async);
void tutti_xmp_reduce_shadow(const char *source, tutti_xmp_array *of, const tutti_xmp_width *widths,
                             long flags, long async);

// Device copies: objects of their own.

/// `acc replicate`: a copy as large as the local allocation of an array or, if that is null, as the
/// variable. Returns where it is; what it holds is not known.
void *tutti_xmp_replicate(const char *source, tutti_xmp_array *array, void *variable, long bytes);
/// `copy` is the address of a pointer to one, or to null; for `cleanup`.
void tutti_xmp_release_copy(void *copy);

enum tutti_xmp_copies { TUTTI_XMP_COPY_IN = 1, TUTTI_XMP_COPY_OUT = 2 };

/// `acc replicate_sync`: all of it, to the copy or from it.
void tutti_xmp_replicate_sync(const char *source, void *copy, long direction);

enum tutti_xmp_gmoves { TUTTI_XMP_COLLECTIVE = 0, TUTTI_XMP_IN = 1, TUTTI_XMP_OUT = 2 };

/// Both sides have the same type and element size.
void tutti_xmp_gmove(const char *source, long mode, const tutti_xmp_section *left,
                     const tutti_xmp_section *right, long async);

void tutti_xmp_wait_async(const char *source, long count, const long *ids, const tutti_xmp_ref *on);

/// The program calls a function of <xmp.h> there, in which it may wait for others.
void tutti_xmp_call(const char *source);

/// Of libtutti_xmp.a. A file that names it brings definitions of `MPI_Init`, `MPI_Init_thread` and
/// `MPI_Finalize` to the program.
extern const char __attribute__((visibility("hidden"))) tutti_xmp_before_mpi;
/// What the program's `MPI_Init` and `MPI_Init_thread` do: MPI is initialised before `main`.
/// `provided` may be null. Returns `MPI_SUCCESS`.
int tutti_xmp_init_mpi(int *provided);
/// What the program's `MPI_Finalize` does: the runtime ends MPI behind the program's exit.
int tutti_xmp_finalize_mpi(void);

#ifdef __cplusplus
}
#endif
