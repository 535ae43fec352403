// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The spelling of "divide this loop over the device", which build.sh chooses: each program is
/// built with several, and the best of them counts.
#ifndef TUTTI_BENCH_OFFLOAD_SPREAD_H
#define TUTTI_BENCH_OFFLOAD_SPREAD_H

#ifndef SPREAD
#define SPREAD target teams distribute parallel for
#endif

#endif // TUTTI_BENCH_OFFLOAD_SPREAD_H
