// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The form of a device kernel between the passes that make it and the targets that print it.
///
/// Kernels of one region live in a module of their own, with the host's data layout and pointers
/// of address space 0 only. An entry point is a function of external linkage with the parameters of
/// `tutti_kernel` (abi/abi.h), without those that only some formats have:
///
///   void @entry(ptr arena, i64 low, i64 high, i64 lower, i64 upper, i64 total, ptr partials,
///               i64 captures..., i64 values..., i64 symbols...)
///
/// What memory a pointer leads to shows in the object that it is computed from:
///   private to the work-item    an alloca
///   local to the group          a call of `tutti.local.memory` or `tutti.local.array`
///   global                      an `inttoptr`, or the parameters `arena` and `partials`
///   constant                    a constant global variable of the module, with its initialiser
///
/// The only functions without a body that a kernel may call are those below, LLVM intrinsics, and
/// functions of the C math library by their C names.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tutti::compiler::kernel {

/// i64 (i32 dimension): index of the work-item in the whole grid, and the grid's extent.
inline constexpr llvm::StringLiteral kItemId = "tutti.item.id";
inline constexpr llvm::StringLiteral kItemCount = "tutti.item.count";

/// i32 (): linear index of the work-item in its group, and the size of the group.
inline constexpr llvm::StringLiteral kLocalId = "tutti.local.id";
inline constexpr llvm::StringLiteral kLocalCount = "tutti.local.count";

/// i32 (i32 dimension): the group's extent.
inline constexpr llvm::StringLiteral kLocalExtent = "tutti.local.extent";

/// i64 (): linear index of the group in the grid.
inline constexpr llvm::StringLiteral kGroupId = "tutti.group.id";

/// i64 (i64): the same number, of which optimisers know nothing: what is computed from it is
/// computed behind the call, and not kept in registers from before.
inline constexpr llvm::StringLiteral kOpaque = "tutti.opaque";

/// void (): barrier of the group's work-items over local memory; convergent.
inline constexpr llvm::StringLiteral kBarrier = "tutti.barrier";

/// void (): barrier of the group's work-items over local and global memory; convergent.
inline constexpr llvm::StringLiteral kMemoryBarrier = "tutti.memory.barrier";

/// ptr (): the group's local memory, `partial_bytes` for each work-item.
inline constexpr llvm::StringLiteral kLocalMemory = "tutti.local.memory";

/// ptr (i32 bytes): an array in the group's local memory beside that, aligned to 16 bytes; one for
/// each number of bytes, which is constant.
inline constexpr llvm::StringLiteral kLocalArray = "tutti.local.array";

/// Attribute of an entry point that needs many registers: so many for a work-item, that several
/// groups run on a multiprocessor at once.
inline constexpr llvm::StringLiteral kRegisters = "tutti-registers";

/// Attribute of an entry point whose groups execute iterations (TUTTI_MAPPING_GROUPS).
inline constexpr llvm::StringLiteral kByGroups = "tutti-by-groups";

/// Attribute of an entry point whose groups share what their tiles load (TUTTI_MAPPING_TILES).
inline constexpr llvm::StringLiteral kByTiles = "tutti-by-tiles";

/// Attribute of an entry point that stands in for one with `kByTiles`, on devices that cannot run
/// that: both hold for the same launches.
inline constexpr llvm::StringLiteral kInsteadOfByTiles = "tutti-instead-of-by-tiles";

/// Parameters of an entry point before the captures.
enum Parameter : unsigned { Arena, Low, High, Lower, Upper, Total, Partials, FirstCapture };

} // namespace tutti::compiler::kernel
