// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What written code and runtime agree on for XcalableMP: descriptors, index maps, and the entry
/// points that a directive becomes.
///
/// Includes nothing and is plain C for LP64, because its text is put in front of every program that
/// tutti-xmp writes. One normal form: dimensions in the order of C's brackets (the last varies
/// fastest), node subscripts from 0, template subscripts as the program has them, dimension numbers
/// from 0. Lists are pointer and count, and may die when the call returns; what a repeated
/// directive makes (sets, plans, communicators) the runtime finds again by content. `source` is
/// "file.c:12:9", lives as long as the program, and stands in front of each message. All
/// functions are called by the thread that runs main.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_XMP_VERSION 1
#define TUTTI_XMP_DIMENSIONS 7
#define TUTTI_XMP_NOW (-0x7fffffffffffffffL)          ///< In place of an async id: synchronous.
#define TUTTI_XMP_TOGETHER (-0x7fffffffffffffffL - 1) ///< The id of what a list has under way.

typedef struct tutti_xmp_nodes tutti_xmp_nodes;       ///< A node array; the runtime's own.
typedef struct tutti_xmp_template tutti_xmp_template; ///< The runtime's own.

/// Every descriptor begins with one of these. Source: xmp_desc_kind of the library.
enum tutti_xmp_kinds {
  TUTTI_XMP_NODES = 2200,
  TUTTI_XMP_TEMPLATE = 2201,
  TUTTI_XMP_ARRAY = 2202,
};

/// Where an index of one dimension is in the local allocation, shadow included. Position:
///   width == 0:  index - first
///   else:        (index - first) / cycle * width + (index - first) % width - origin
/// and the element is at the sum of position * stride over all dimensions.
typedef struct tutti_xmp_axis {
  long first;  ///< Without width the first index that is stored. With it the index at 0 of a cycle.
  long stride; ///< Elements between neighbours.
  long width;  ///< Of cyclic(width) without full shadow, 1 for cyclic; 0 for all others.
  long cycle;  ///< width * nodes of this dimension.
  long origin; ///< Packed position of the first stored element.
} tutti_xmp_axis;

/// The second of the two above.
static inline __attribute__((always_inline, unused)) long
tutti_xmp_position(long index, long first, long width, long cycle, long origin) {
  const long distance = index - first;
  return distance / cycle * width + distance % width - origin;
}

/// A global array. Code reads it; the runtime's own follows. The program's own variable, of pointer
/// type, leads to the first element of the local allocation, lower shadow included.
typedef struct tutti_xmp_array {
  long kind;
  void **variable; ///< The program's pointer.
  tutti_xmp_axis axis[TUTTI_XMP_DIMENSIONS];
} tutti_xmp_array;

enum tutti_xmp_subscripts {
  TUTTI_XMP_INDEX = 0, ///< first
  TUTTI_XMP_ALL = 1,   ///< `:`, every step-th
  TUTTI_XMP_MINE = 2,  ///< `*`: the calling node's own coordinate.
  TUTTI_XMP_COUNT = 3, ///< first : second elements : step. With step < 0 from first downwards.
  TUTTI_XMP_LAST = 4,  ///< first : second, inclusive : step.
  TUTTI_XMP_FROM = 5,  ///< first : to the end : step.
  TUTTI_XMP_UPTO = 6,  ///< from the begin : second, a count : step.
  TUTTI_XMP_UNTIL = 7, ///< from the begin : second, inclusive : step.
};

/// One subscript of nodes, templates, arrays; also the extent of a template (COUNT or LAST; ALL:
/// not fixed). `step` is 1 where the program has none.
typedef struct tutti_xmp_subscript {
  long kind;
  long first;
  long second;
  long step;
} tutti_xmp_subscript;

/// A set of nodes: of a node array, or the owners in a template. Null `of`: the executing set.
/// `count` 0: the whole.
typedef struct tutti_xmp_ref {
  const void *of;
  long count;
  const tutti_xmp_subscript *subscripts;
} tutti_xmp_ref;

enum tutti_xmp_formats {
  TUTTI_XMP_NOT_DISTRIBUTED = 2100,
  TUTTI_XMP_BLOCK = 2101,
  TUTTI_XMP_CYCLIC = 2102,
  TUTTI_XMP_GBLOCK = 2103,
};

typedef struct tutti_xmp_format {
  long kind;
  long width;     ///< Of block(w), cyclic(w). 0: not given (block: as wide as needed; cyclic: 1).
  const int *map; ///< Of gblock; copied. Null: `*`.
  long entries;   ///< Of the map; 0: as many as there are nodes.
} tutti_xmp_format;

/// Of an array's dimension: follows dimension `axis` of the template at index + offset; -1: none.
typedef struct tutti_xmp_alignment {
  long axis;
  long offset;
} tutti_xmp_alignment;

typedef struct tutti_xmp_width {
  long lower;
  long upper;
  long flags; ///< tutti_xmp_width_flags
} tutti_xmp_width;

enum tutti_xmp_width_flags {
  TUTTI_XMP_FULL = 1,     ///< shadow `*`; of reflect: all of it.
  TUTTI_XMP_PERIODIC = 2, ///< Of reflect.
  TUTTI_XMP_UNBOUND = 4,  ///< Of expand.
};

enum tutti_xmp_types { ///< Of elements.
  TUTTI_XMP_OTHER = 0, ///< Structures and all else that can only be copied.
  TUTTI_XMP_INT8 = 1,
  TUTTI_XMP_UINT8 = 2,
  TUTTI_XMP_INT16 = 3,
  TUTTI_XMP_UINT16 = 4,
  TUTTI_XMP_INT32 = 5,
  TUTTI_XMP_UINT32 = 6,
  TUTTI_XMP_INT64 = 7,
  TUTTI_XMP_UINT64 = 8,
  TUTTI_XMP_FLOAT = 9,
  TUTTI_XMP_DOUBLE = 10,
  TUTTI_XMP_LONG_DOUBLE = 11,
  TUTTI_XMP_COMPLEX_FLOAT = 12,
  TUTTI_XMP_COMPLEX_DOUBLE = 13,
  TUTTI_XMP_COMPLEX_LONG_DOUBLE = 14,
  TUTTI_XMP_BOOL = 15,
};

/// Start-up of one compiled file: its directives at file scope, before main, in the order of the
/// link. A pointer to one in section TUTTI_SECTION_XMP; an image with any is an XMP image.
#define TUTTI_SECTION_XMP "tutti_xmp"

typedef struct tutti_xmp_unit {
  unsigned version; ///< TUTTI_XMP_VERSION
  const char *file;
  void (*start)(void);
} tutti_xmp_unit;

// Declarations. Each returns a new descriptor; those of a block are released when it is left, those
// at file scope never.

enum tutti_xmp_origins { TUTTI_XMP_ENTIRE = 0, TUTTI_XMP_EXECUTING = 1, TUTTI_XMP_SUBSET = 2 };

/// `nodes`. A size of -1 is `*`. `subset` counts with SUBSET only.
tutti_xmp_nodes *tutti_xmp_make_nodes(const char *source, long rank, const long *sizes, long origin,
                                      const tutti_xmp_ref *subset);
tutti_xmp_template *tutti_xmp_make_template(const char *source, long rank,
                                            const tutti_xmp_subscript *extents);
/// One format for each dimension of the template.
void tutti_xmp_distribute(const char *source, tutti_xmp_template *of, long rank,
                          const tutti_xmp_format *formats, const tutti_xmp_nodes *onto);
/// `formats` and `extents` may be null, not both.
void tutti_xmp_fix_template(const char *source, tutti_xmp_template *of, long rank,
                            const tutti_xmp_format *formats, const tutti_xmp_subscript *extents);

enum tutti_xmp_storages {
  TUTTI_XMP_ALLOCATE = 0, ///< `*variable` is set, and freed with the descriptor.
  TUTTI_XMP_GIVEN = 1,    ///< `*variable` is a parameter or another file's: read at each use.
  TUTTI_XMP_LATER = 2,    ///< A pointer, which `xmp_malloc` fills. The template may be not fixed.
};

/// `align`. Template dimensions that no array dimension follows are `*` (replicated) unless they
/// are not distributed. An extent of -1, of a pointer's first dimension: that of the template
/// there.
tutti_xmp_array *tutti_xmp_make_array(const char *source, void *variable, long storage, long type,
                                      long elementBytes, long rank, const long *extents,
                                      const tutti_xmp_alignment *alignments,
                                      const tutti_xmp_template *with);
/// `shadow`. Memory of ALLOCATE is laid out anew.
void tutti_xmp_set_shadow(const char *source, tutti_xmp_array *of, long rank,
                          const tutti_xmp_width *widths);
/// `variable` is the address of a variable with a descriptor, or with null; for `cleanup`.
void tutti_xmp_release(void *variable);

/// xmp_malloc(array's descriptor, global sizes...); good for free().
void *tutti_xmp_allocate(const char *source, void *array, long rank, const long *extents);

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
typedef void (*tutti_xmp_packing)(void *packed, void *array, const long counts[3],
                                  const long strides[2], long direction);
/// For words of 8, 4 and 1 bytes. Called by the start-up of files with `reflect ... acc`.
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

#ifdef __cplusplus
}
#endif
