// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What compiled code and runtime agree on: region descriptors, chunks, access records, images and
/// entry points. Plain C, because the compiler plugin writes these layouts as LLVM IR.
///
/// A change of any layout or meaning here raises `TUTTI_ABI_VERSION`; the runtime refuses images of
/// another version in one line.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_ABI_VERSION 13

/// Sections of object files. Pointers to region descriptors:
#define TUTTI_SECTION_REGIONS "tutti_regions"
/// A `tutti_variable` for each of the user's variables:
#define TUTTI_SECTION_VARIABLES "tutti_variables"
/// The user's variables with a value, and zeroed ones. LLVM makes a named section NOBITS only if it
/// knows the name for zeroed data; of the names that it knows this is one that GNU ld and lld do
/// not merge into .bss, where other libraries' variables would lie among the user's.
#define TUTTI_SECTION_DATA "tutti_data"
#define TUTTI_SECTION_BSS ".llvm.linkonce.b.tutti"

/// Where pointers may lead that a region finds in memory: unified memory. A pointer that leads
/// elsewhere is a *stray* one; there other ranks and devices have other bytes, or none. A variable
/// of the executable, which the runtime fills in before a launch.
#define TUTTI_REACH_SEGMENTS 4

typedef struct tutti_reach {
  /// Set to 1 by whoever meets a stray pointer, and then gives up the iterations that it was to
  /// run. What they wrote counts for nothing.
  uint64_t strayed;
  uint64_t begin[TUTTI_REACH_SEGMENTS]; ///< The heap first.
  uint64_t bytes[TUTTI_REACH_SEGMENTS]; ///< 0 behind the last segment.
} tutti_reach;

/// Iterations [lower, upper) of a region's normalised iteration space [0, total).
///
/// Handed to `tutti_region::run`, which hands it on to the loop hooks below.
/// `delta` is added to every address of unified memory that the region dereferences: 0 where the
/// region runs on the addresses that user code sees, the distance between window and compute view
/// on rank 0 (docs/design/memory.md).
typedef struct tutti_chunk {
  int64_t delta;
  int64_t lower;
  int64_t upper;
  int64_t total;
  void *reduction; ///< The runtime's own; null if the region has no reduction.
  void *output;    ///< The same; null if the region does not print.
} tutti_chunk;

/// `tutti_chunk::total` of the chunk {0, 0, 0, TUTTI_WHOLE, null, null}: `run` then executes the
/// construct as plain OpenMP would. The loop hooks leave bounds and schedule as the program gave
/// them, and `tutti_reduce` is not called. Not for regions that are TUTTI_REGION_CHASES.
#define TUTTI_WHOLE (-1)

/// One dimension of an access record: `count` elements, `stride` bytes apart (may be negative).
typedef struct tutti_dim {
  int64_t stride;
  int64_t count;
} tutti_dim;

enum tutti_access_flags {
  TUTTI_READ = 1,
  TUTTI_WRITE = 2,
  TUTTI_AT_MOST = 4, ///< Some of the elements may not be accessed; none outside them is.
  /// Anywhere in the object that `address` points into, or one past the end of: an allocation, a
  /// variable, or what is live of main's stack. Implies AT_MOST.
  TUTTI_ALLOCATION = 8,
  TUTTI_ANYWHERE = 16, ///< The closed form does not hold for these captures: keeps the launch home.
  /// A variable that a reduction's result is combined into, by the host of rank 0. Reported for the
  /// chunk that begins the loop, wherever that one runs.
  TUTTI_REDUCED = 32,
  /// Of a constant that another module defines: outside of unified memory the same on every rank.
  /// Inside is what the program computes at its start, on rank 0 alone.
  TUTTI_CONSTANT = 64,
  /// Of an at-most write: other parts of the loop may write in the same bytes, at addresses that
  /// are computed while they run. Which bytes each part wrote is found out afterwards.
  TUTTI_SCATTERED = 128,
  TUTTI_FOLLOWED = 1024, ///< Its object is a pointer that `tutti_follow` gave.
  /// Alone: anything that is alive of unified memory may be read, through pointers that the region
  /// finds there. `address` is that of the region's tutti_reach.
  TUTTI_EVERYWHERE = 512,
  /// Of a read or a scattered write of all of an object, in a region with `inspect`: that reports
  /// which elements it is.
  TUTTI_LISTED = 4096,
  /// Of a read, in a region with `inspect`: what that reports depends on the bytes that are read.
  TUTTI_INDEX = 8192,
};

typedef struct tutti_sink tutti_sink;     ///< Receives access records; the runtime's own.
typedef struct tutti_gather tutti_gather; ///< Receives block reads; the runtime's own.

enum tutti_region_flags {
  TUTTI_REGION_DISTRIBUTABLE = 1, ///< `run`, `gather`, `trip` and `accesses` are set.
  TUTTI_REGION_REDUCES = 2,       ///< `run` calls `tutti_reduce`.
  TUTTI_REGION_LOOP = 4,          ///< A worksharing loop (else a general parallel region).
  TUTTI_REGION_SCATTERS = 8,      ///< Some records are TUTTI_SCATTERED.
  TUTTI_REGION_FOLLOWS = 16,      ///< `accesses` calls `tutti_follow`.
  /// Some records are TUTTI_EVERYWHERE. `run` and kernels check the pointers that they find. All
  /// that they write is held back until every part has ended without having strayed.
  TUTTI_REGION_CHASES = 32,
  /// The last capture is no variable: it is the number of threads that the construct asks for; 0 if
  /// it does not ask. `home` and `run` pass it on.
  TUTTI_REGION_THREADS = 64,
  /// A task construct for devices (abi/tasks.h): `directive` says for which. Of the functions none
  /// is set.
  TUTTI_REGION_TASK = 128,
  /// `run` calls `tutti_output` or `tutti_exit`. Every rank with a part of the launch sends rank 0
  /// what it has printed.
  TUTTI_REGION_PRINTS = 256,
  /// No construct: `home` is the function of tasks (abi/tasks.h), and `accesses` says of one
  /// iteration, 0, what it touches beyond its own block. The captures are the address of that
  /// block, and 0. `run` is not set.
  TUTTI_REGION_TASK_CODE = 512,
};

/// The formats of kernels: abi/backends.def.
enum tutti_kernel_format {

#define TUTTI_KERNEL_FORMAT(NAME, NUMBER, TEXT, TITLE, IS_GENERAL) TUTTI_KERNEL_##NAME = (NUMBER),
#include "abi/backends.def"
};

enum tutti_kernel_flags { TUTTI_KERNEL_FP64 = 1 }; ///< Computes in double precision.

/// A line of the text of kernels: a kernel touches memory only behind it, in every work-item. Where
/// all kernels of a text have it, the device may begin with one before the one before has ended, if
/// the line is made to wait for that.
#define TUTTI_KERNEL_BEGIN "// tutti: begin"

/// A kernel as text for one kind of device. Kernels of one region and format share `text`.
///
/// Parameters of the entry point, 64 bits each, in this order:
///   arena      pointer; where the device's memory begins if it is one buffer, else null
///   low, high  what to add to an address of the window below 4 GiB, or above, to get at its byte
///              on the device (behind `arena`, where there is one)
///   lower, upper, total    as in `tutti_chunk`
///   partials   pointer; `partial_bytes` per work-group, in the order of groups; see below
///   captures, values, symbols   one by one
/// A kernel that reduces has work-groups of a power of two, and `partial_bytes` of local memory per
/// work-item; how they get it is up to the format (abi/backends.def). Any grid is right: work-items
/// step through the iterations by the size of the grid.
typedef struct tutti_kernel {
  uint32_t format;
  uint32_t flags;
  const char *name; ///< Of the entry point.
  const char *text; ///< Ends in a zero. Empty: it could not be written, there is no kernel.
} tutti_kernel;

enum tutti_mapping_flags {
  /// Right only if what the launch writes through one object (see `tutti_access`) does not overlap
  /// what it touches through another, if pointers that it follows and finds in different places are
  /// different ones, and if what it writes is not touched both through one of these and directly.
  TUTTI_MAPPING_DISJOINT = 1,
  /// A work-group executes an iteration of the region at a time, and its work-items share what that
  /// has to do. Of two dimensions the first is the most that there is to share in an iteration, the
  /// second the iterations. The grid has one dimension: groups step through the iterations by their
  /// number.
  TUTTI_MAPPING_GROUPS = 2,
  /// Of two dimensions. Work-items of a group of TUTTI_TILE_COLUMNS x TUTTI_TILE_ROWS share what
  /// they load; in other groups the kernel is right, and slow.
  TUTTI_MAPPING_TILES = 4,
};

enum { TUTTI_TILE_COLUMNS = 32, TUTTI_TILE_ROWS = 8 };

/// One way to divide the iterations of a region, and of loops inside it, over work-items.
typedef struct tutti_mapping {
  uint32_t dimensions; ///< 1 to 3.
  uint32_t flags;
  uint32_t kernels;
  const tutti_kernel *kernel;
  /// Iterations of each dimension for a chunk, the fastest first; 0 if the mapping does not hold
  /// for these captures, else 1. Pure, as `trip` is.
  int32_t (*extents)(const uint64_t *captures, const uint64_t *values, int64_t lower, int64_t upper,
                     int64_t total, int64_t *extents);
} tutti_mapping;

/// What a region brings for devices.
///
/// A kernel that reduces leaves one partial result per work-group: each variable behind the other
/// at multiples of 16 bytes, in the order of `tutti_reduce`'s list. A *combiner* makes fewer of
/// them. It is a kernel without captures, values and symbols: `arena` is a pointer to `upper`
/// partial results, `lower` is 0, `total` is `upper`, and `partials` receives one per work-group.
/// Its grid has one dimension and no more work-items than there are partial results; groups and
/// local memory are as for a kernel that reduces.
typedef struct tutti_device_code {
  const char *reason; ///< Why there is no kernel, or null.
  uint32_t mappings;
  uint32_t symbols;
  const tutti_mapping *mapping;    ///< The best first; the last one always holds.
  const void *const *symbol;       ///< Addresses of variables that kernels use.
  uint32_t partial_bytes;          ///< 0: does not reduce.
  uint32_t slots;                  ///< Variables that are reduced.
  const uint64_t *sizes;           ///< Bytes of each.
  void (*combine)(void *, void *); ///< On the host: takes two lists of pointers to the variables.
  uint32_t combiners;              ///< 0: there are none, and the host combines all.
  const tutti_kernel *combiner;    ///< At most one of each format.
} tutti_device_code;

/// What users may ask for: abi/backends.def.
enum tutti_device_kind {

#define TUTTI_DEVICE_KIND(NAME, NUMBER, TEXT, IS_BACKEND) TUTTI_DEVICE_##NAME = (NUMBER),
#include "abi/backends.def"
};

/// What the user asked for with `#pragma tutti`; 0 where nothing was said.
typedef struct tutti_directive {
  uint32_t device; ///< tutti_device_kind
  uint32_t grid[3];
  uint32_t block[3];
} tutti_directive;

/// One parallel loop (or a whole parallel construct that stays home).
///
/// Captures are the variadic arguments of `__kmpc_fork_call`, each widened to 64 bits.
/// Values are scalars that the region reads at invariant addresses ("read-only blocks"): `gather`
/// reads them on rank 0, in a fixed order; they travel with the launch. `trip` and `accesses` are
/// pure functions of captures and values, and `accesses` of what it follows: they touch no memory
/// and give the same on every rank.
typedef struct tutti_region {
  uint32_t abi_version;
  uint32_t flags;
  uint64_t id;          ///< Stable over ranks and rebuilds of the same source.
  const char *source;   ///< "file.c:12:3"
  const char *function; ///< Name of the user's function.
  const char *reason;   ///< Why the region stays on rank 0, or null.
  uint32_t captures;
  uint32_t values;
  /// Runs the whole construct as plain OpenMP would.
  void (*home)(const uint64_t *captures);
  /// Runs a chunk with the threads of this process.
  void (*run)(const uint64_t *captures, const tutti_chunk *chunk);
  /// Calls `tutti_block` once per value, in order, and stores the results to `values`.
  void (*gather)(const uint64_t *captures, uint64_t *values, tutti_gather *context);
  /// Number of iterations; 0 if there are none.
  int64_t (*trip)(const uint64_t *captures, const uint64_t *values);
  /// Calls `tutti_access` for all that iterations [lower, upper) of [0, total) touch.
  void (*accesses)(const uint64_t *captures, const uint64_t *values, int64_t lower, int64_t upper,
                   int64_t total, tutti_sink *sink);
  /// One byte per value: whether `trip` or `accesses` use it. Null: all may.
  const uint8_t *shaping;
  /// Null if nothing was said or the region is not distributable.
  const tutti_device_code *device;
  const tutti_directive *directive; ///< Null if there is none.
  /// Calls `tutti_touched` for all elements that iterations [lower, upper) of [0, total) read where
  /// a record is TUTTI_LISTED, and `tutti_written` for those that they write. Reads memory as the
  /// program would, where records are TUTTI_INDEX, and writes none; right if the loop does not
  /// write there. Null if that cannot be said.
  void (*inspect)(const uint64_t *captures, const uint64_t *values, int64_t lower, int64_t upper,
                  int64_t total, tutti_sink *sink);
} tutti_region;

/// A variable of the user: `bytes` bytes at `address`. May be listed more than once.
typedef struct tutti_variable {
  const char *address;
  uint64_t bytes;
} tutti_variable;

struct tutti_xmp_unit;

/// What one executable or shared library brings; registered before any user code runs.
///
/// Always: data and bss bounds are page-aligned and hold user variables only.
typedef struct tutti_image {
  uint32_t abi_version;
  uint32_t is_executable;
  const tutti_region *const *regions_begin;
  const tutti_region *const *regions_end;
  const tutti_variable *variables_begin; ///< Those between the bounds below, in no order.
  const tutti_variable *variables_end;
  char *data_begin;
  char *data_end;
  char *bss_begin;
  char *bss_end;
  /// Null if no input is XcalableMP (abi/xmp.h). An executable that has any, or whose libraries
  /// have, is run by every rank, each a node.
  const struct tutti_xmp_unit *const *xmp_begin;
  const struct tutti_xmp_unit *const *xmp_end;
} tutti_image;

/// May be called before constructors of any library have run.
void tutti_register_image(const tutti_image *image);

/// Runs a region: distributed if it is distributable, worthwhile and called from rank 0's main
/// thread outside of any parallel region; at home otherwise.
void tutti_launch(const tutti_region *region, const uint64_t *captures);

/// Reads `size` (1, 2, 4 or 8) bytes at `address` as a zero-extended integer, for `gather` only.
/// An address outside unified memory gives 0 and keeps the launch home.
uint64_t tutti_block(tutti_gather *context, uint64_t address, uint32_t size);

/// Reports elements of `size` bytes at `address + sum(i_d * dims[d].stride)`, 0 <= i_d < count_d.
/// A count <= 0 means nothing, and so do flags of 0. `dims` may be null if `ndims` is 0. `object`
/// is the pointer that the address is computed from: records with the same one touch the same
/// object of the program.
void tutti_access(tutti_sink *sink, uint32_t flags, uint64_t object, uint64_t address,
                  uint64_t size, uint32_t ndims, const tutti_dim *dims);

/// `size` (1, 2, 4 or 8) bytes at `address` as they are before the launch, as a zero-extended
/// integer; for `accesses` only. Pointers that the loop finds in memory (rows of an array of
/// pointers), and what lies beside them (their lengths). An address outside unified memory gives 0
/// and keeps the launch home, and so does a loop that may write what it follows. The address 0, for
/// what a null pointer would lead to, gives 0.
uint64_t tutti_follow(tutti_sink *sink, uint64_t address, uint32_t size);

/// Reports `size` bytes at `address` that an iteration reads; for `inspect` only.
void tutti_touched(tutti_sink *sink, uint64_t address, uint64_t size);

/// The same of bytes that it writes, and may read.
void tutti_written(tutti_sink *sink, uint64_t address, uint64_t size);

/// Loop hooks: what `run` calls in place of libomp's `__kmpc_for_static_init_*` and
/// `__kmpc_dispatch_*`; the same arguments behind the chunk. All bounds are inclusive. The thread's
/// share lies inside the chunk whatever the schedule; `*last` is set only for the thread that
/// executes iteration total - 1. `loc` is libomp's `ident_t *`.
#define TUTTI_LOOP_HOOKS(suffix, T, ST)                                                            \
  void tutti_static_init_##suffix(const tutti_chunk *chunk, void *loc, int32_t gtid,               \
                                  int32_t schedule, int32_t *last, T *lower, T *upper, ST *stride, \
                                  ST increment, ST size);                                          \
  void tutti_dispatch_init_##suffix(const tutti_chunk *chunk, void *loc, int32_t gtid,             \
                                    int32_t schedule, T lower, T upper, ST stride, ST size);       \
  int32_t tutti_dispatch_next_##suffix(const tutti_chunk *chunk, void *loc, int32_t gtid,          \
                                       int32_t *last, T *lower, T *upper, ST *stride);
TUTTI_LOOP_HOOKS(4, int32_t, int32_t)
TUTTI_LOOP_HOOKS(4u, uint32_t, int32_t)
TUTTI_LOOP_HOOKS(8, int64_t, int64_t)
TUTTI_LOOP_HOOKS(8u, uint64_t, int64_t)
#undef TUTTI_LOOP_HOOKS

/// What `run` calls in place of `__kmpc_reduce(_nowait)`: adds this thread's private copies to the
/// chunk's. Returns 1 on exactly one thread of rank 0, when `list` holds the result of all ranks
/// (the caller then combines it into the original variables), and 0 everywhere else.
///
/// Shape: `list` has `count` pointers; `sizes[i]` bytes behind each. A size of 0 marks a slot that
///        is not a pointer (the length of a variable-length section) and is passed on as it is.
int32_t tutti_reduce(const tutti_chunk *chunk, void *loc, int32_t gtid, int32_t count,
                     const uint64_t *sizes, void **list, void (*combine)(void *, void *));

/// The stream that `run` writes to where the program writes to `stream`, standard output or
/// standard error of the C library (`FILE *`): the same in the whole construct, else one whose text
/// is written behind the launch, part by part.
///
/// Threading: any of the team. The result is for the calling thread, until its next call.
void *tutti_output(const tutti_chunk *chunk, void *stream);

/// What `run` calls in place of `exit`, which the whole construct does. In a chunk it returns, and
/// the caller leaves its loop: rank 0 calls `exit` behind the launch and what it has printed.
void tutti_exit(const tutti_chunk *chunk, int32_t status);

/// Allocation calls of user code are compiled into these; behaviour as of the calls they replace.
/// Memory may be freed with `free`, `realloc` and `operator delete` anywhere in the process.
void *tutti_malloc(size_t size);
void *tutti_calloc(size_t count, size_t size);
void *tutti_realloc(void *memory, size_t size);
void *tutti_reallocarray(void *memory, size_t count, size_t size);
void *tutti_aligned_alloc(size_t alignment, size_t size);
void *tutti_memalign(size_t alignment, size_t size);
void *tutti_valloc(size_t size);
int tutti_posix_memalign(void **result, size_t alignment, size_t size);
void *tutti_new(size_t size); ///< Throws std::bad_alloc.
void *tutti_new_nothrow(size_t size, const void *tag);
void *tutti_new_aligned(size_t size, size_t alignment); ///< Throws std::bad_alloc.
void *tutti_new_aligned_nothrow(size_t size, size_t alignment, const void *tag);

/// The same for memory that a thread of a parallel construct keeps to itself: any rank's own, which
/// is no part of what ranks share.
///
/// Threading: any. Memory is freed with `tutti_private_free`.
void *tutti_private_malloc(size_t size);
void *tutti_private_calloc(size_t count, size_t size);
void *tutti_private_new(size_t size); ///< Ends the program if there is none.
void *tutti_private_new_aligned(size_t size, size_t alignment); ///< Likewise.
void tutti_private_free(void *memory);

/// Called where a function with a large array in its frame returns, and where a block with an array
/// of variable size ends: nothing on the stack below `frame` is alive any more.
void tutti_leave(const void *frame);

/// What user code asks and tells OpenMP about its threads is compiled into these, which answer as
/// OpenMP does: a program that knows of one thread may rely on the order of a loop's iterations.
int32_t tutti_get_max_threads(void);
int32_t tutti_get_num_threads(void);
int32_t tutti_get_num_procs(void);
void tutti_set_num_threads(int32_t threads);

#ifdef __cplusplus
}
#endif
