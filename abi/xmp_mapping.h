// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What written code and runtime agree on for XcalableMP: what is where. Node arrays, templates and
/// global arrays, their index maps, and the entry points that declare them.
///
/// Includes nothing and is plain C for LP64; abi/xmp.h says what holds for both.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_XMP_DIMENSIONS 7

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

#ifdef __cplusplus
}
#endif
