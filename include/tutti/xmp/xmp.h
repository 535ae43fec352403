// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The library of XcalableMP for C, as programs include it: <xmp.h>.
///
/// Descriptors come from xmp_desc_of(name), which the compiler knows without this header. Numbers
/// of dimensions count from 1: those of arrays from the first bracket, those of templates and node
/// arrays from the last. Functions that return int return 0, or XMP_FAILURE, unless they are named
/// for what they return.
/// Source: XcalableMP language specification 1.4, chapter 7; the reference compiler for the rest.
#pragma once

#ifndef TUTTI_XMP_WITHOUT_MPI // The compiler knows that the program uses nothing of MPI.
#include <mpi.h>
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XMP_FAILURE (-2000)
#define XMP_UNDEFINED (-2001)

#define XMP_ENTIRE_NODES 2000
#define XMP_EXECUTING_NODES 2001
#define XMP_PRIMARY_NODES 2002
#define XMP_EQUIVALENCE_NODES 2003

#define XMP_NOT_DISTRIBUTED 2100
#define XMP_BLOCK 2101
#define XMP_CYCLIC 2102
#define XMP_GBLOCK 2103

#define XMP_DESC_NODES 2200
#define XMP_DESC_TEMPLATE 2201
#define XMP_DESC_ARRAY 2202

typedef void *xmp_desc_t;

// Who runs. Functions with xmpc count from 0, others from 1.
int xmp_node_num(void); ///< In the executing set.
int xmpc_node_num(void);
int xmp_num_nodes(void);
int xmp_all_node_num(void); ///< In the entire set.
int xmpc_all_node_num(void);
int xmp_all_num_nodes(void);
int xmpc_this_image(void);
int xmp_num_images(void);
double xmp_wtime(void); ///< Seconds.
double xmp_wtick(void);
void xmp_exit(int status);
void xmp_barrier(void); ///< Of the executing set.
int xmp_test_async(int id);

// Memory of pointers that are aligned. One int for each dimension: the global size.
void *xmp_malloc(xmp_desc_t array, ...);
void xmp_free(xmp_desc_t array);

// With MPI.
#ifndef TUTTI_XMP_WITHOUT_MPI
MPI_Comm xmp_get_mpi_comm(void); ///< Of the executing set.
void xmp_init_mpi(int *argc, char ***argv);
void xmp_finalize_mpi(void);
void xmp_init(MPI_Comm comm);
void xmp_finalize(void);
#endif

// Inquiry.
int xmp_desc_kind(xmp_desc_t d, int *kind);

int xmp_nodes_ndims(xmp_desc_t nodes, int *ndims);
int xmp_nodes_index(xmp_desc_t nodes, int dim, int *index); ///< From 1.
int xmp_nodes_size(xmp_desc_t nodes, int dim, int *size);
int xmp_nodes_attr(xmp_desc_t nodes, int *attr);
int xmp_nodes_rank(xmp_desc_t nodes, int *rank); ///< From 1.
int xmp_nodes_comm(xmp_desc_t nodes, void **comm);
int xmp_nodes_equiv(xmp_desc_t nodes, xmp_desc_t *of, int lower[], int upper[], int stride[]);

int xmp_template_fixed(xmp_desc_t template_, int *fixed);
int xmp_template_ndims(xmp_desc_t template_, int *ndims);
int xmp_template_lbound(xmp_desc_t template_, int dim, int *lbound);
int xmp_template_ubound(xmp_desc_t template_, int dim, int *ubound);
int xmp_template_gsize(xmp_desc_t template_, int dim); ///< Returns it.
int xmp_template_lsize(xmp_desc_t template_, int dim); ///< Returns it.

int xmp_dist_format(xmp_desc_t template_, int dim, int *format);
int xmp_dist_blocksize(xmp_desc_t template_, int dim, int *blocksize);
int xmp_dist_stride(xmp_desc_t template_, int dim); ///< Returns it.
int xmp_dist_gblockmap(xmp_desc_t template_, int dim, int map[]);
int xmp_dist_nodes(xmp_desc_t template_, xmp_desc_t *nodes);
int xmp_dist_axis(xmp_desc_t template_, int dim, int *axis);

int xmp_align_axis(xmp_desc_t array, int dim, int *axis);
int xmp_align_offset(xmp_desc_t array, int dim, int *offset);
int xmp_align_replicated(xmp_desc_t array, int dim, int *replicated);
int xmp_align_template(xmp_desc_t array, xmp_desc_t *template_);
int xmp_align_format(xmp_desc_t array, int dim); ///< Returns it.
int xmp_align_size(xmp_desc_t array, int dim);   ///< Returns it.

int xmp_array_ndims(xmp_desc_t array, int *ndims);
int xmp_array_lbound(xmp_desc_t array, int dim, int *lbound);
int xmp_array_ubound(xmp_desc_t array, int dim, int *ubound);
int xmp_array_lbound_global(xmp_desc_t array, int dim, int *index); ///< First that is owned.
int xmp_array_ubound_global(xmp_desc_t array, int dim, int *index); ///< Last that is owned.
size_t xmp_array_type_size(xmp_desc_t array);
int xmp_array_gsize(xmp_desc_t array, int dim); ///< Returns it.
int xmp_array_lsize(xmp_desc_t array, int dim, int *lsize);
int xmp_array_gcllbound(xmp_desc_t array, int dim); ///< Global index of what is stored first.
int xmp_array_gclubound(xmp_desc_t array, int dim);
int xmp_array_lcllbound(xmp_desc_t array, int dim); ///< Its local one.
int xmp_array_lclubound(xmp_desc_t array, int dim);
int xmp_array_gcglbound(xmp_desc_t array, int dim); ///< Bounds of the whole array.
int xmp_array_gcgubound(xmp_desc_t array, int dim);
int xmp_array_laddr(xmp_desc_t array, void **laddr);
int xmp_array_lshadow(xmp_desc_t array, int dim, int *lshadow);
int xmp_array_ushadow(xmp_desc_t array, int dim, int *ushadow);
int xmp_array_owner(xmp_desc_t array, int ndims, int index[], int dim); ///< Returns it.
int xmp_array_lead_dim(xmp_desc_t array, int size[]);
int xmp_array_gtol(xmp_desc_t array, int dim, int global, int *local);

void xmp_sched_template_index(int *localBegin, int *localEnd, int globalBegin, int globalEnd,
                              int step, xmp_desc_t template_, int dim);

// Transformational functions, of the executing set.
void xmp_scatter(void *x, void *a, ...);
void xmp_gather(void *x, void *a, ...);
#ifdef __cplusplus
void xmp_pack(void *v, void *a, void *mask = 0);
void xmp_unpack(void *a, void *v, void *mask = 0);
#else
/* Programs declare these again, and call them with a mask or without. */
void xmp_pack(void *v, void *a, void *mask);
void xmp_unpack(void *a, void *v, void *mask);

static inline __attribute__((overloadable, unused)) void xmp_pack(void *v, void *a) {
  xmp_pack(v, a, (void *)0);
}

static inline __attribute__((overloadable, unused)) void xmp_unpack(void *a, void *v) {
  xmp_unpack(a, v, (void *)0);
}
#endif
void xmp_transpose(void *x, void *a, int opt);
void xmp_matmul(void *x, void *a, void *b);
void xmp_sort_up(void *from, void *to);
void xmp_sort_down(void *from, void *to);

#ifdef __cplusplus
}
#endif
