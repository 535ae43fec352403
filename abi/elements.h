// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Regions whose iterations are looked at one by one though each does little.
#pragma once

/// A flag of a region: `accesses` reports each iteration for itself, and an iteration has no loops
/// of its own. Looking at it takes far longer than running it.
#define TUTTI_REGION_ELEMENTS 2048

/// A launch of a region that can report both ways has its iterations reported together if there are
/// more than these; one of a region with that flag stays home.
#define TUTTI_MOST_ELEMENTS 131072
