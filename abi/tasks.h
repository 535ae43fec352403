// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What compiled code and runtime agree on for tasks: the block that Clang lays out for a task, and
/// the entry points that make, describe and submit one. Plain C, because the front end writes calls
/// of these functions into the program.
///
/// A task is made in three steps, all of them by the thread that reaches the construct:
///
///     block = tutti_task_create(flags, bytes, shareds, entry);  // then the copies are made
///     tutti_task_begin(source, label, traits);                  // then clauses in any order:
///     tutti_task_option(TUTTI_TASK_PRIORITY, 3);
///     tutti_task_access(TUTTI_TASK_IN, x, n * sizeof *x);
///     tutti_task_submit(block);
///
/// Calls that describe speak of the task that the calling thread has created last and not submitted
/// yet: a copy constructor or an index may itself make tasks in between. They return null, so that
/// they can stand in an expression.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The function of a task. `thread` means nothing to Tutti. Returns nothing of use.
/// Source: kmp_routine_entry_t of libomp, which Clang's outlined functions have.
typedef int32_t (*tutti_task_entry)(int32_t thread, void *block);

/// The begin of what Clang lays out for a task; private copies come after it.
/// Source: kmp_task_t of libomp.
typedef struct tutti_task_block {
  void *shareds; ///< Addresses and values that the body captures.
  tutti_task_entry entry;
  int32_t part;
  /// Destroys the private copies, once all of the task's life is over. Set by compiled code after
  /// `tutti_task_create` if it was told TUTTI_TASK_DESTROYS.
  tutti_task_entry destroy;
  int64_t priority;
  /// Of a taskloop alone: the iterations of this task, both bounds inclusive.
  uint64_t lower;
  uint64_t upper;
  int64_t stride;
  int32_t isLast;
  void *reductions;
} tutti_task_block;

/// Flags of `tutti_task_create`. Source: kmp_tasking_flags_t of libomp.
enum tutti_task_create_flags {
  TUTTI_TASK_TIED = 1,
  TUTTI_TASK_FINAL_TRUE = 2,
  TUTTI_TASK_DESTROYS = 8,
  TUTTI_TASK_HAS_PRIORITY = 32,
  TUTTI_TASK_DETACHES = 64,
};

/// Traits of a construct, constant for all of its tasks.
enum tutti_task_traits {
  TUTTI_TASK_WAITS = 1,    ///< `wait`: nothing is released before all descendants are complete.
  TUTTI_TASK_ONREADY = 2,  ///< The function answers TUTTI_ASKS_ONREADY.
  TUTTI_TASK_ACCESSES = 4, ///< Of a taskloop: the function answers TUTTI_ASKS_ACCESSES.
  TUTTI_TASK_WHOLE = 8,    ///< Of a taskloop: all iterations are one task (`task for`).
  /// With ACCESSES: each iteration makes the same calls, with addresses that differ by constants
  /// from those of the iteration before, and equal sizes.
  TUTTI_TASK_AFFINE = 16,
};

/// Values that the program computes for one task.
enum tutti_task_options {
  TUTTI_TASK_PRIORITY = 1,
  TUTTI_TASK_COST = 2,
  TUTTI_TASK_IF = 3, ///< 0: the creator waits until the task is complete.
  TUTTI_TASK_FINAL =
      4, ///< Not 0: the task and its descendants run at once inside of their creator.
  TUTTI_TASK_NODE = 5,
  TUTTI_TASK_GRAINSIZE = 6, ///< Iterations; of a taskloop.
  TUTTI_TASK_CHUNKSIZE = 7, ///< Iterations; of a task for.
  /// Not 0: what a task for does with some of its iterations makes no tasks and waits for none, so
  /// that several workers may do it at the same time, each with a copy of the task's block.
  TUTTI_TASK_DIVIDES = 9,
  TUTTI_TASK_SHMEM = 8, ///< Bytes of local memory that a group of a kernel gets beside its own.
};

/// How a task uses memory that it names. Source: OmpSs-2 specification, dependence clauses.
enum tutti_task_access_kinds {
  TUTTI_TASK_IN = 1,
  TUTTI_TASK_OUT = 2,
  TUTTI_TASK_INOUT = 3,
  TUTTI_TASK_CONCURRENT = 4,
  TUTTI_TASK_COMMUTATIVE = 5,
  TUTTI_TASK_REDUCTION = 6,
  TUTTI_TASK_WEAK = 16, ///< Added to one of the others: only children use the memory.
};

/// What the function of a task is to do when it is called. Its body runs only if nothing is asked.
enum tutti_task_questions {
  TUTTI_ASKS_NOTHING = 0,
  TUTTI_ASKS_ONREADY = 1,  ///< Evaluate the expression of `onready`.
  TUTTI_ASKS_ACCESSES = 2, ///< Call `tutti_task_access` for each of the block's iterations.
};

/// Operations of reductions that the language has; others come with functions of their own.
enum tutti_reduction_operations {
  TUTTI_REDUCE_ADD = 1,
  TUTTI_REDUCE_SUBTRACT = 2, ///< Combines as ADD does.
  TUTTI_REDUCE_MULTIPLY = 3,
  TUTTI_REDUCE_BIT_AND = 4,
  TUTTI_REDUCE_BIT_OR = 5,
  TUTTI_REDUCE_BIT_XOR = 6,
  TUTTI_REDUCE_AND = 7,
  TUTTI_REDUCE_OR = 8,
  TUTTI_REDUCE_MIN = 9,
  TUTTI_REDUCE_MAX = 10,
};

/// Element types of reductions.
enum tutti_reduction_types {
  TUTTI_TYPE_INT8 = 1,
  TUTTI_TYPE_UINT8 = 2,
  TUTTI_TYPE_INT16 = 3,
  TUTTI_TYPE_UINT16 = 4,
  TUTTI_TYPE_INT32 = 5,
  TUTTI_TYPE_UINT32 = 6,
  TUTTI_TYPE_INT64 = 7,
  TUTTI_TYPE_UINT64 = 8,
  TUTTI_TYPE_FLOAT = 9,
  TUTTI_TYPE_DOUBLE = 10,
  TUTTI_TYPE_LONG_DOUBLE = 11,
  TUTTI_TYPE_COMPLEX_FLOAT = 12,
  TUTTI_TYPE_COMPLEX_DOUBLE = 13,
  TUTTI_TYPE_COMPLEX_LONG_DOUBLE = 14,
  TUTTI_TYPE_BOOL = 15,
};

/// Memory for a task: `bytes` for the block with its private copies, after it `shareds` bytes, to
/// which `block->shareds` points. Lives until the task is deeply complete.
/// Source: __kmpc_omp_task_alloc of libomp.
tutti_task_block *tutti_task_create(uint32_t flags, size_t bytes, size_t shareds,
                                    tutti_task_entry entry);

/// `source` is "file:line", `label` the type label or null; both live as long as the program.
char *tutti_task_begin(const char *source, const char *label, uint32_t traits);

char *tutti_task_option(uint32_t option, int64_t value);

/// The label of this instance; copied.
char *tutti_task_instance(const char *label);

/// `bytes` bytes from `base`; 0 bytes are no access.
char *tutti_task_access(uint32_t kind, const volatile void *base, size_t bytes);

/// A section of an array. Shape: for each of `dimensions`, outermost first, three arguments:
/// `size_t` bytes from one element to the next, `int64_t` first element, `int64_t` number of
/// elements. The innermost elements are contiguous. A count of 0 or less is no access.
char *tutti_task_section(uint32_t kind, const volatile void *base, uint32_t dimensions, ...);

/// The task uses a copy of a variable that Clang takes for shared: every word of the block's
/// shareds that is the variable's address becomes that of memory which lives as long as the block,
/// with the variable's bytes if `isInitialised`. None does where the body does not use it: then
/// there is no copy. Each task of a taskloop has its own.
char *tutti_task_copy(const volatile void *variable, size_t bytes, int isInitialised);

/// A variable of which the task names some bytes, whichever: it may have captured its address.
char *tutti_task_object(const volatile void *variable);

/// A reduction of `bytes` bytes from `base`, element by element. `weak` is 0 or TUTTI_TASK_WEAK.
char *tutti_task_reduction(uint32_t weak, void *base, size_t bytes, uint32_t operation,
                           uint32_t type);

/// The same with functions of the program: `initialize(copy, original)` makes the neutral element,
/// `combine(original, copy)` adds a copy to it. The pair of functions is the operation's identity.
char *tutti_task_reduction_by(uint32_t weak, void *base, size_t bytes, size_t element,
                              void (*initialize)(void *copy, void *original),
                              void (*combine)(void *original, void *copy));

/// Two calls that the compiler takes away: in a function that Clang makes of OpenMP's declaration of
/// a reduction the first one gives it a number, and the function takes the place of the second one
/// with the same number. So functions of C that declare reductions have functions for them.
void tutti_task_reduction_part(uint32_t number);
void (*tutti_task_reduction_function(uint32_t number))(void *, void *);

/// The running task's private copy of a byte that it reduces; `original` itself if it reduces none.
/// Source: __kmpc_task_reduction_get_th_data of libomp.
void *tutti_task_private(void *original);

/// A variable of the program that the code of a task uses without having captured it.
typedef struct tutti_task_variable {
  const void *address; ///< Null for one of which each thread has its own.
  uint64_t bytes;
  uint64_t flags; ///< tutti_task_variable_flags
} tutti_task_variable;

enum tutti_task_variable_flags {
  TUTTI_TASK_WRITES = 1,   ///< It may be written.
  TUTTI_TASK_DEVICES = 2,  ///< No variable: the code makes tasks for devices.
  TUTTI_TASK_ALLOCATES = 4 ///< No variable: the code allocates or frees memory of the cluster.
};

/// All of these variables that the compiler knows of; lives as long as the program. What functions
/// of other files use is not among them.
char *tutti_task_variables(const tutti_task_variable *first, size_t count);

/// From now on the task runs when its accesses let it. Comes back at once, unless it is TASK_IF 0
/// or FINAL, or memory for tasks is short.
void tutti_task_submit(tutti_task_block *block);

/// Makes tasks of the iterations [*lower, *upper] in steps of `stride`; each has a copy of `block`,
/// made with `duplicate(copy, block, isLast)` where that is not null.
/// Source: __kmpc_taskloop of libomp.
void tutti_task_submit_loop(tutti_task_block *block, uint64_t *lower, uint64_t *upper,
                            int64_t stride,
                            void (*duplicate)(tutti_task_block *copy, tutti_task_block *block,
                                              int32_t isLast));

/// What the calling task's function is asked for: one of tutti_task_questions.
uint32_t tutti_task_asks(void);

/// A text of the program in a language of devices, as the link step puts it into the executable: a
/// record for each file, in section TUTTI_SECTION_TEXTS.
#define TUTTI_SECTION_TEXTS "tutti_texts"

typedef struct tutti_task_text {
  const char *file; ///< As the user has named it.
  const char *text; ///< Ends in a zero.
} tutti_task_text;

/// A task construct for devices, and the kernel that it calls, as the program's objects bring it.
/// One for each construct, written by the compiler; lives as long as the program.
typedef struct tutti_task_kernel {
  uint32_t device; ///< tutti_device_kind of a backend.
  /// Of the kernel, as code of the device calls it (mangled in C++). Null if the body is code
  /// of the host that gives work to the task's own queue.
  const char *name;
  /// The host's stubs of the kernel (abi/backends.def): one of the kernel's own name, and one with
  /// the prefix. Null where the program has none of that name, as compilers differ.
  const void *stubs[2];
  /// The function of the vendor's library in the program that knows what is behind a stub
  /// (abi/backends.def); null without it.
  const void *functionOf;
  const tutti_task_text *texts; ///< All of the program, for kernels that come as text.
  const tutti_task_text *textsEnd;
} tutti_task_kernel;

enum tutti_task_shapes {
  TUTTI_TASK_NDRANGE = 1, ///< Work-items and work-items of a group, for each dimension.
  TUTTI_TASK_GRID = 2,    ///< Groups and work-items of a group.
};

/// The task runs on a device. Without dimensions its body is code of the host. Fastest dimension
/// first; group sizes of 0 are those that the program has not given, and mean 1.
char *tutti_task_device(const tutti_task_kernel *kernel, uint32_t device, uint32_t shape,
                        uint32_t dimensions, int64_t size0, int64_t size1, int64_t size2,
                        int64_t group0, int64_t group1, int64_t group2);

/// The body of a task that is a kernel: gives the kernel to the device, with `count` arguments, for
/// each of which come its address (`const void *`), its bytes (`size_t`), and whether it is a
/// pointer (`int`).
void tutti_task_launch(uint32_t count, ...);

/// What the vendor's library knows the queue by that the calling task's body may give work to; null
/// outside of the body of a task for a device that is code of the host.
void *tutti_task_queue(void);

/// Stands before a call of the kernel's host stub that is there to name it, and is taken away by
/// the compiler with this one.
void tutti_task_kernel_named(void);

/// The calling task begins an iteration of a loop, `period` of which make the same tasks again (at
/// least; 1 if the program does not say). Returns 0, so that it can stand in a condition.
int32_t tutti_task_iterate(uint32_t period);

/// Waits until all descendants of the calling task are deeply complete.
void tutti_task_wait(const char *source);

/// Waits as an empty task would that is TASK_IF 0 and has the accesses that are named between the
/// two calls.
char *tutti_task_wait_begin(const char *source);
void tutti_task_wait_end(void);

/// The accesses that are named between the two calls are the calling task's no longer.
char *tutti_task_release_begin(const char *source);
void tutti_task_release_end(void);

/// One lock for each `lock`, a variable of the program that is null at its start. A task that has
/// to wait holds no thread.
void tutti_task_critical_begin(void **lock);
void tutti_task_critical_end(void **lock);

#ifdef __cplusplus
}
#endif
