// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a compiled LuNA program is to the runtime: constant tables of its statements and
/// expressions, and one stub for each of its procedures.
///
/// Includes nothing, because its text is put in front of what the front end writes; C and C++. A
/// program is one `tutti_luna_unit`, a pointer to which stands in section TUTTI_LUNA_SECTION, and a
/// `main` that calls `tutti_luna_main`. Tables refer to each other by positions; -1 is none. A list
/// is a run of `lists`. Places are "file:line", as messages print them; they live as long as the
/// program.
///
/// *Frames.* Names live in slots of frames. A block that has slots makes a frame whenever it comes
/// to life: the body of a sub for each call, the body of a loop for each iteration. Blocks without
/// slots have none and do not count. A slot is found by the number of frames to go up from where
/// the expression stands, and its position there. In a sub's body the parameters come first, in a
/// loop's the counter; data fragments of the block come behind them. A `let` has no slot: its uses
/// are TUTTI_LUNA_OUTER nodes of its expression.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_LUNA_VERSION 5

/// The section of XcalableMP's units (abi/xmp.h): whatever has an entry there is run by every rank.
#define TUTTI_LUNA_SECTION "tutti_xmp"

/// Types of parameters, as letters of a string.
#define TUTTI_LUNA_TYPE_INT 'i'
#define TUTTI_LUNA_TYPE_REAL 'r'
#define TUTTI_LUNA_TYPE_STRING 's'
#define TUTTI_LUNA_TYPE_VALUE 'v'
#define TUTTI_LUNA_TYPE_NAME 'n'

typedef struct tutti_luna_list {
  int32_t first; ///< In `lists`.
  int32_t count;
} tutti_luna_list;

enum tutti_luna_nodes {
  TUTTI_LUNA_INT = 0,    ///< `integer`
  TUTTI_LUNA_REAL = 1,   ///< `real`
  TUTTI_LUNA_STRING = 2, ///< `text`
  /// The slot (up, slot): the value of a parameter or a counter, if it has one. A data fragment
  /// (or a `name` parameter) with `indices`, a list of expressions: its value where a value is
  /// wanted, the fragment itself where a name is.
  TUTTI_LUNA_SLOT = 3,
  TUTTI_LUNA_OUTER = 4,   ///< Node `a`, evaluated `up` frames above: a use of a `let`.
  TUTTI_LUNA_PATTERN = 5, ///< The index `slot` of the id that a rule is asked about.
  TUTTI_LUNA_NEGATE = 6,  ///< Of `a`.
  TUTTI_LUNA_NOT = 7,
  TUTTI_LUNA_TO_INT = 8, ///< `int(a)`, and whatever else of a static real becomes an int.
  TUTTI_LUNA_TO_REAL = 9,
  TUTTI_LUNA_TO_STRING = 10,
  TUTTI_LUNA_ADD = 11, ///< Of `a` and `b`.
  TUTTI_LUNA_SUBTRACT = 12,
  TUTTI_LUNA_MULTIPLY = 13,
  TUTTI_LUNA_DIVIDE = 14,
  TUTTI_LUNA_REMAINDER = 15,
  TUTTI_LUNA_LESS = 16,
  TUTTI_LUNA_LESS_EQUAL = 17,
  TUTTI_LUNA_GREATER = 18,
  TUTTI_LUNA_GREATER_EQUAL = 19,
  TUTTI_LUNA_EQUAL = 20,
  TUTTI_LUNA_NOT_EQUAL = 21,
  TUTTI_LUNA_AND = 22, ///< `a`, and only if it is not 0 `b`; 0 or 1.
  TUTTI_LUNA_OR = 23,
  TUTTI_LUNA_CHOOSE = 24, ///< `a` ? `b` : `c`; asks only for what it needs.
};

/// Part of an expression; operands stand anywhere in the table, and may be shared.
typedef struct tutti_luna_node {
  int32_t kind; ///< tutti_luna_nodes
  int32_t a;
  int32_t b;
  int32_t c;
  int32_t up;
  int32_t slot;
  tutti_luna_list indices;
  int32_t integer;
  double real;
  const char *text;
  const char *at; ///< Where it stands, for messages.
} tutti_luna_node;

enum tutti_luna_statements {
  TUTTI_LUNA_CALL = 0,     ///< Of the procedure `callee`.
  TUTTI_LUNA_CALL_SUB = 1, ///< Of the sub `callee`.
  TUTTI_LUNA_FOR = 2,      ///< `body` for each value from node `a` to node `b`.
  TUTTI_LUNA_WHILE = 3,    ///< From node `a`; while node `b`, which stands in the frame of `body`;
                           ///< node `c` is the fragment that becomes the last counter.
  TUTTI_LUNA_IF = 4,       ///< `body` if node `a`, else `other`, which may be -1.
  TUTTI_LUNA_STATEMENT_BLOCK = 5, ///< `body`: a block in braces, or that of a `let`.
};

typedef struct tutti_luna_statement {
  int32_t kind; ///< tutti_luna_statements
  int32_t callee;
  int32_t a;
  int32_t b;
  int32_t c;
  int32_t body;
  int32_t other;
  tutti_luna_list arguments; ///< Nodes.
  int32_t label;             ///< Position in `labels`, or -1.
  tutti_luna_list labelIndices;
  tutti_luna_list signals; ///< `>>`: SLOT nodes.
  tutti_luna_list deletes; ///< `-->` and rules `delete`: SLOT nodes.
  tutti_luna_list rules;   ///< Of the call; those of a loop's or an if's block are the block's.
  const char *at;
} tutti_luna_statement;

enum tutti_luna_rules {
  TUTTI_LUNA_LOCATOR_CYCLIC = 0, ///< `value` is the rank, modulo the number of ranks.
  TUTTI_LUNA_LOCATOR_ROPE = 1,   ///< `value` is the coordinate.
  TUTTI_LUNA_REPLICATING = 2,    ///< `value` is every how manieth rank; -1 is all.
  TUTTI_LUNA_ROPE_LENGTH = 3,    ///< `value`; of a block.
  TUTTI_LUNA_REQ_COUNT = 4,      ///< `id`, `value`
  TUTTI_LUNA_REQ_UNLIMITED = 5,  ///< `id`
  TUTTI_LUNA_DEVICE = 6,         ///< `value`
  TUTTI_LUNA_PRIORITY = 7,       ///< `value`
  TUTTI_LUNA_COST = 8,           ///< `value`
  TUTTI_LUNA_STEALABLE = 9,
};

/// A piece of advice. On a call `slot` and `label` are -1. On a block a locator is of the data
/// fragments in its `slot`, or of the calls in the block that have the label; `value` may use
/// TUTTI_LUNA_PATTERN nodes. With neither it is of all calls in the block.
typedef struct tutti_luna_rule {
  int32_t kind; ///< tutti_luna_rules
  int32_t slot;
  int32_t label;
  int32_t id; ///< A SLOT node.
  int32_t value;
  const char *at;
} tutti_luna_rule;

/// A data fragment, parameter or counter of a block, at its slot.
typedef struct tutti_luna_slot {
  const char *name;
  const char *at;
} tutti_luna_slot;

typedef struct tutti_luna_block {
  int32_t firstSlot; ///< In `slots`.
  int32_t slotCount; ///< 0: the block makes no frame.
  int32_t firstData; ///< Slots of the block from this one on are its data fragments.
  tutti_luna_list statements;
  tutti_luna_list rules;
} tutti_luna_block;

typedef struct tutti_luna_sub {
  const char *name;
  const char *at;
  const char *types; ///< A letter for each parameter.
  int32_t body;
} tutti_luna_sub;

/// One of the C++ types that an argument of a procedure may have. A `value` and a `name` are the
/// object that `const InputDF &` and `OutputDF &` of ucenv.h refer to.
typedef union tutti_luna_argument {
  int32_t integer;
  double real;
  const char *text;
  void *fragment;
} tutti_luna_argument;

/// Calls a procedure. The runtime has converted the arguments as `types` says.
typedef void (*tutti_luna_stub)(const tutti_luna_argument *arguments);

/// The same for a function that gives a queue of a device the work of a call. `queue`, and the
/// fragments among the arguments, are objects of the classes of ucenv_gpu.h.
typedef void (*tutti_luna_native_stub)(void *queue, const tutti_luna_argument *arguments);

enum tutti_luna_procedure_flags {
  TUTTI_LUNA_FOR_DEVICES = 1,      ///< The import says that there is a version for devices ...
  TUTTI_LUNA_FOR_DEVICES_ONLY = 2, ///< ... and there need not be another one.
  TUTTI_LUNA_EFFECT = 4,
};

/// What a parameter of a procedure is to calls that are merged: for consecutive counters of a loop
/// one call may do what several would, if its arguments are made of theirs in this way.
#define TUTTI_LUNA_MERGE_SIZE '#' ///< An int: the sum.
#define TUTTI_LUNA_MERGE_BULK                                                                      \
  'b' ///< Slabs of so many bytes for each unit of size, one behind another.
#define TUTTI_LUNA_MERGE_LEFT '<'  ///< That of the first one; the others' do not come about.
#define TUTTI_LUNA_MERGE_RIGHT '>' ///< That of the last one.
#define TUTTI_LUNA_MERGE_START 's' ///< That of the first one.
#define TUTTI_LUNA_MERGE_SAME '='  ///< All have the same.

typedef struct tutti_luna_procedure {
  const char *name;  ///< By which the program calls it.
  const char *code;  ///< The C++ function.
  const char *types; ///< A letter for each parameter.
  tutti_luna_stub stub;
  uint32_t flags;
  const char *at;
  /// The version for devices, which the compiler has derived from `code`: it asks for the memory of
  /// its outputs and launches regions, and touches no byte of a data fragment. Null: there is none.
  const void *version;
  tutti_luna_stub versionStub; ///< Calls it.
  /// What `stub` calls. Null: the program has it not; only with TUTTI_LUNA_FOR_DEVICES_ONLY.
  const void *function;
  /// The program's own function for devices of kind `nativeKind` (a tutti_device_kind), which comes
  /// before `version`. Null: there is none.
  const void *native;
  tutti_luna_native_stub nativeStub; ///< Calls it.
  uint32_t nativeKind;
  /// Asked after it: what it has started and could not be, in the vendor's words; null if all is
  /// well. Null: nobody knows.
  const char *(*nativeError)(void);
  /// A letter for each parameter: what it is to merged calls. Null: calls are not merged.
  const char *merge;
} tutti_luna_procedure;

typedef struct tutti_luna_unit {
  /// @name The begin of a tutti_xmp_unit.
  /// @{
  uint32_t xmpVersion; ///< TUTTI_LUNA_XMP_VERSION
  const char *file;
  void (*start)(void); ///< Does nothing; not null.
  /// @}
  uint32_t version; ///< TUTTI_LUNA_VERSION
  uint32_t flags;   ///< tutti_luna_unit_flags
  const tutti_luna_node *nodes;
  const tutti_luna_statement *statements;
  const tutti_luna_rule *rules;
  const tutti_luna_block *blocks;
  const tutti_luna_slot *slots;
  const tutti_luna_sub *subs;
  const tutti_luna_procedure *procedures;
  const char *const *labels;
  const int32_t *lists;
  /// `main`: a sub, or a procedure; the other one is -1. Its parameters come from the command line.
  int32_t mainSub;
  int32_t mainProcedure;
  int32_t procedureCount;
} tutti_luna_unit;

/// Tells units of LuNA programs from those of XcalableMP, of which it is no version.
#define TUTTI_LUNA_XMP_VERSION 0x6c756e61

enum tutti_luna_unit_flags {
  TUTTI_LUNA_CHECK = 1, ///< -fcheck: overflow of integers is an error.
};

/// Runs the program on all ranks; the status with which `main` is to end.
int tutti_luna_main(const tutti_luna_unit *unit, int argc, char **argv);

#ifdef __cplusplus
}
#endif
