/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/// \file
/// Updates of shared elements for which neither order nor grouping matters, as access records name
/// them:
///
///   #pragma omp atomic
///     count[index[i]] += weight[i];    // TUTTI_UPDATE_ADD of TUTTI_UPDATE_F64
///
/// The flags of such a record are TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_UPDATED, and
/// (operation | type) << TUTTI_UPDATE_SHIFT.
#pragma once

enum {
  /// Every part of the loop updates any of the elements, atomically among its threads, and does
  /// nothing else with them. What the parts did is combined by the operation.
  TUTTI_UPDATED = 2048,
  TUTTI_UPDATE_SHIFT = 16,
};

enum tutti_update_operation {
  TUTTI_UPDATE_ADD = 1, ///< What is subtracted counts as added.
  TUTTI_UPDATE_AND = 2,
  TUTTI_UPDATE_OR = 3,
  TUTTI_UPDATE_XOR = 4,
  TUTTI_UPDATE_MIN = 5,
  TUTTI_UPDATE_MAX = 6,
  TUTTI_UPDATE_OPERATIONS = 15, ///< All bits of an operation.
};

/// Elements lie at multiples of their size.
enum tutti_update_type {
  TUTTI_UPDATE_I8 = 1 << 4,
  TUTTI_UPDATE_I16 = 2 << 4,
  TUTTI_UPDATE_I32 = 3 << 4,
  TUTTI_UPDATE_I64 = 4 << 4,
  TUTTI_UPDATE_U8 = 5 << 4, ///< Tells itself from I8 in minima and maxima alone, and so the others.
  TUTTI_UPDATE_U16 = 6 << 4,
  TUTTI_UPDATE_U32 = 7 << 4,
  TUTTI_UPDATE_U64 = 8 << 4,
  TUTTI_UPDATE_F32 = 9 << 4,
  TUTTI_UPDATE_F64 = 10 << 4,
  TUTTI_UPDATE_TYPES = 15 << 4, ///< All bits of a type.
};
