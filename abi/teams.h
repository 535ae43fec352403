// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What compiled code and runtime agree on for constructs that one thread conducts: what it calls
/// for all, and what the callee may ask of the team that it would have been in; and for constructs
/// that ask for the numbers of their threads.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The calling thread, which conducts a construct, is about to call a function that one thread of
/// the team would have called in `single` or `master`, and has returned from it. Between the two
/// questions about the team are answered as in a team of as many threads as a loop gets.
///
/// Threading: any; for the calling thread alone. Order: in pairs, which may be nested.
void tutti_begin_call_of_one(void);
void tutti_end_call_of_one(void);

/// As omp_in_parallel, into which user code is compiled.
int32_t tutti_in_parallel(void);

/// How many threads the next parallel construct of the calling thread gets, which asks for
/// `requested` of them, or for none in particular if that is 0: what the construct would be told.
int32_t tutti_team_size(int32_t requested);

/// Whether to execute the version for several ranks of a construct, which costs more where it stays
/// at home: there are other ranks, and its launches have not been at home too often. `construct` is
/// an address that stands for it, and is not looked at.
///
/// Threading: any.
int32_t tutti_begin_spread(const void *construct);

/// The version has been executed.
void tutti_end_spread(const void *construct);

#ifdef __cplusplus
}
#endif
